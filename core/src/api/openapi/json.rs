//! JSON that keeps its members in the order they were written in: a page of documentation is read from the top.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, SeqAccess, Visitor},
    ser::SerializeMap,
};

/// A JSON value whose objects keep their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// An object of these members.
    pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
        Json::Object(members.map(|(name, value)| (name.to_owned(), value)).into())
    }

    /// A list of these items.
    pub fn list<T: Into<Json>>(items: impl IntoIterator<Item = T>) -> Json {
        Json::List(items.into_iter().map(Into::into).collect())
    }

    /// A reference to a component: `reference("schemas", "Order")`.
    pub fn reference(kind: &str, name: &str) -> Json {
        Json::object([("$ref", format!("#/components/{kind}/{name}").into())])
    }

    /// The value that another type is written as.
    ///
    /// # Errors
    /// What kept it from being written.
    pub fn of(value: &impl Serialize) -> serde_json::Result<Json> {
        serde_json::from_str(&serde_json::to_string(value)?)
    }

    /// The members, where this is an object.
    pub fn members(&self) -> &[(String, Json)] {
        match self {
            Json::Object(members) => members,
            _ => &[],
        }
    }

    /// The member of this name.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.members().iter().find(|(member, _)| member == name).map(|(_, value)| value)
    }

    /// The member of this name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Json> {
        match self {
            Json::Object(members) => members.iter_mut().find(|(member, _)| member == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Sets a member in its place, or adds it at the end.
    pub fn set(&mut self, name: &str, value: impl Into<Json>) {
        let value = value.into();
        if let Some(existing) = self.get_mut(name) {
            *existing = value;
        } else if let Json::Object(members) = self {
            members.push((name.to_owned(), value));
        }
    }

    /// The same object with one more member.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Json>) -> Json {
        self.set(name, value);
        self
    }

    /// Takes out what the predicate says of a member's name and value, at every depth.
    pub fn without(self, unwanted: &impl Fn(&str, &Json) -> bool) -> Json {
        match self {
            Json::Object(members) => {
                let kept = members.into_iter().filter(|(name, value)| !unwanted(name, value));
                Json::Object(kept.map(|(name, value)| (name, value.without(unwanted))).collect())
            }
            Json::List(items) => Json::List(items.into_iter().map(|item| item.without(unwanted)).collect()),
            value => value,
        }
    }

    /// The JSON with line breaks where a value does not fit a line of 120 characters: half the size of one member a line, and
    /// as easy to compare.
    ///
    /// # Errors
    /// What kept it from being written.
    pub fn pretty(&self) -> serde_json::Result<String> {
        let mut text = String::new();
        self.write(&mut text, 0, 0)?;
        text.push('\n');
        Ok(text)
    }

    fn write(&self, text: &mut String, depth: usize, taken: usize) -> serde_json::Result<()> {
        let line = serde_json::to_string(self)?;
        let (open, close, members): (_, _, Vec<(Option<&str>, &Json)>) = match self {
            Json::Object(members) => {
                ('{', '}', members.iter().map(|(name, value)| (Some(name.as_str()), value)).collect())
            }
            Json::List(items) => ('[', ']', items.iter().map(|item| (None, item)).collect()),
            _ => (' ', ' ', Vec::new()),
        };
        if members.is_empty() || depth + taken + line.len() <= 120 {
            text.push_str(&line);
            return Ok(());
        }
        text.push(open);
        for (at, (name, value)) in members.iter().enumerate() {
            text.push_str(if at == 0 { "\n" } else { ",\n" });
            text.push_str(&" ".repeat(depth + 1));
            let name = name.map(serde_json::to_string).transpose()?.map_or_else(String::new, |name| name + ": ");
            text.push_str(&name);
            value.write(text, depth + 1, name.len())?;
        }
        text.push('\n');
        text.push_str(&" ".repeat(depth));
        text.push(close);
        Ok(())
    }

    /// The text, where this is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::Text(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Json {
        Json::Number(number.into())
    }
}

impl From<Vec<(String, Json)>> for Json {
    fn from(members: Vec<(String, Json)>) -> Json {
        Json::Object(members)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Number(number) => number.serialize(serializer),
            Json::Text(text) => serializer.serialize_str(text),
            Json::List(items) => items.serialize(serializer),
            Json::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        struct Values;
        impl<'de> Visitor<'de> for Values {
            type Value = Json;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }

            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
                Ok(Json::Bool(value))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
                Ok(Json::Number(number.into()))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
                Ok(Json::Number(number.into()))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
                // Bounds are given to utoipa as doubles; a whole one is written as people write it.
                #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53 in size")]
                if number.fract() == 0.0 && number.abs() < 9e15 {
                    return Ok(Json::Number((number as i64).into()));
                }
                Ok(serde_json::Number::from_f64(number).map_or(Json::Null, Json::Number))
            }

            fn visit_str<E>(self, text: &str) -> Result<Json, E> {
                Ok(text.into())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Json::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
                let mut list = Vec::new();
                while let Some(member) = members.next_entry()? {
                    list.push(member);
                }
                Ok(Json::Object(list))
            }
        }
        deserializer.deserialize_any(Values)
    }
}
