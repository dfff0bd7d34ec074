//! JSON values.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, SeqAccess, Visitor},
};

/// A JSON value. Strings without escapes are borrowed from the text; an object may have several
/// members of one name.
#[derive(Clone)]
pub enum Tree<'t> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A non-negative integer.
    Whole(u64),
    /// A negative integer.
    Negative(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    Text(Cow<'t, str>),
    /// A list.
    List(Vec<Tree<'t>>),
    /// An object with its members in their original order.
    Object(Vec<Member<'t>>),
}

/// A member of an object: its name and its value.
pub type Member<'t> = (Cow<'t, str>, Tree<'t>);

impl<'t> Tree<'t> {
    /// Parses a text. A byte order mark, which editors and libraries of Windows write, is ignored
    /// (RFC 8259, section 8.1).
    ///
    /// # Errors
    /// If the text is not valid JSON, or is nested deeper than 127 lists and objects.
    pub fn parse(text: &'t str) -> Result<Tree<'t>, serde_json::Error> {
        serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text))
    }

    /// Sorts the members of all objects by name. Of members with the same name, the last one is
    /// kept.
    #[must_use]
    pub fn sorted(self) -> Tree<'t> {
        match self {
            Tree::List(items) => Tree::List(items.into_iter().map(Tree::sorted).collect()),
            Tree::Object(members) => {
                let sorted: BTreeMap<_, _> = members
                    .into_iter()
                    .map(|(name, value)| (name, value.sorted()))
                    .collect();
                Tree::Object(sorted.into_iter().collect())
            }
            other => other,
        }
    }

    /// Serializes the tree.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns the first member of an object with a name.
    pub fn get(&self, name: &str) -> Option<&Tree<'t>> {
        let Tree::Object(members) = self else {
            return None;
        };
        members
            .iter()
            .find(|member| member.0 == name)
            .map(|member| &member.1)
    }

    /// Returns the first member of an object with a name, as a mutable reference.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Tree<'t>> {
        let Tree::Object(members) = self else {
            return None;
        };
        members
            .iter_mut()
            .find(|member| member.0 == name)
            .map(|member| &mut member.1)
    }

    /// Replaces or inserts a member of an object whose members are sorted by name. Has no effect on
    /// other values.
    pub fn set(&mut self, name: impl Into<Cow<'t, str>>, value: impl Into<Tree<'t>>) {
        let (name, value) = (name.into(), value.into());
        if let Some(current) = self.get_mut(&name) {
            *current = value;
        } else if let Tree::Object(members) = self {
            members.push((name, value));
        }
    }

    /// Returns the items of a list.
    pub fn items(&self) -> Option<&[Tree<'t>]> {
        if let Tree::List(items) = self {
            Some(items)
        } else {
            None
        }
    }

    /// Returns the items of a list as a mutable reference.
    pub fn items_mut(&mut self) -> Option<&mut Vec<Tree<'t>>> {
        if let Tree::List(items) = self {
            Some(items)
        } else {
            None
        }
    }

    /// A non-negative integer.
    pub fn as_u64(&self) -> Option<u64> {
        if let Tree::Whole(number) = self {
            Some(*number)
        } else {
            None
        }
    }

    /// `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        if let Tree::Bool(value) = self {
            Some(*value)
        } else {
            None
        }
    }

    /// A string.
    pub fn as_str(&self) -> Option<&str> {
        if let Tree::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }
}

impl Serialize for Tree<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Tree::Null => serializer.serialize_unit(),
            Tree::Bool(value) => serializer.serialize_bool(*value),
            Tree::Whole(number) => serializer.serialize_u64(*number),
            Tree::Negative(number) => serializer.serialize_i64(*number),
            Tree::Float(number) => serializer.serialize_f64(*number),
            Tree::Text(text) => serializer.serialize_str(text),
            Tree::List(items) => serializer.collect_seq(items),
            Tree::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Tree<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree<'de>, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Tree<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }

            fn visit_unit<E>(self) -> Result<Tree<'de>, E> {
                Ok(Tree::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Tree<'de>, E> {
                Ok(Tree::Bool(value))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Tree<'de>, E> {
                Ok(Tree::Whole(number))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Tree<'de>, E> {
                Ok(Tree::Negative(number))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Tree<'de>, E> {
                Ok(Tree::Float(number))
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Tree<'de>, E> {
                Ok(Tree::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Tree<'de>, E> {
                Ok(Tree::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree<'de>, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Tree::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Tree<'de>, A::Error> {
                let mut object = Vec::new();
                while let Some((name, value)) = members.next_entry()? {
                    if let Tree::Text(name) = name {
                        object.push((name, value));
                    }
                }
                Ok(Tree::Object(object))
            }
        }
        deserializer.deserialize_any(Any)
    }
}
