//! Builds and writes JSON whose objects keep the order of their members.

use std::borrow::Cow;

use serde::Serialize;

use crate::json::Tree;

/// A JSON value that borrows nothing.
pub type Json = Tree<'static>;

impl Json {
    /// An object of these members.
    pub(super) fn object(
        members: impl IntoIterator<Item = (impl Into<Cow<'static, str>>, Json)>,
    ) -> Json {
        Json::Object(
            members
                .into_iter()
                .map(|(name, value)| (name.into(), value))
                .collect(),
        )
    }

    /// A list of these items.
    pub(super) fn list<T: Into<Json>>(items: impl IntoIterator<Item = T>) -> Json {
        Json::List(items.into_iter().map(Into::into).collect())
    }

    /// A reference to a component: `reference("schemas", "Order")`.
    pub(super) fn reference(kind: &str, name: &str) -> Json {
        Json::object([("$ref", format!("#/components/{kind}/{name}").into())])
    }

    /// The JSON of a value of another type.
    ///
    /// # Errors
    /// The value cannot be serialized.
    pub fn of(value: &impl Serialize) -> serde_json::Result<Json> {
        Json::of_filtered(value, &|_, _| false)
    }

    /// The JSON of a value of another type, without the members for which the predicate is true, at
    /// every depth.
    ///
    /// # Errors
    /// The value cannot be serialized.
    pub(super) fn of_filtered(
        value: &impl Serialize,
        unwanted: &impl Fn(&str, &Tree<'_>) -> bool,
    ) -> serde_json::Result<Json> {
        Ok(copy(
            &Tree::parse(&serde_json::to_string(value)?)?,
            unwanted,
        ))
    }

    /// The same object with one more member.
    #[must_use]
    pub(super) fn with(mut self, name: &'static str, value: impl Into<Json>) -> Json {
        self.set(name, value);
        self
    }

    /// The JSON with line breaks where a value does not fit a line of 120 characters: two thirds of
    /// the size of one member a line, and as easy to compare.
    pub fn pretty(&self) -> String {
        let mut text = String::new();
        write(&mut text, "", self, 0);
        text + "\n"
    }
}

fn copy(value: &Tree<'_>, unwanted: &impl Fn(&str, &Tree<'_>) -> bool) -> Json {
    match value {
        Tree::Null => Json::Null,
        Tree::Bool(value) => Json::Bool(*value),
        Tree::Whole(number) => Json::Whole(*number),
        Tree::Negative(number) => Json::Negative(*number),
        // utoipa stores bounds as doubles; a whole one is written as an integer.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "whole and below 2^53 in size"
        )]
        Tree::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            match u64::try_from(*number as i64) {
                Ok(whole) => Json::Whole(whole),
                Err(_) => Json::Negative(*number as i64),
            }
        }
        Tree::Float(number) => Json::Float(*number),
        Tree::Text(text) => Json::from(text.as_ref()),
        Tree::List(items) => Json::list(items.iter().map(|item| copy(item, unwanted))),
        Tree::Object(members) => {
            let wanted = members
                .iter()
                .filter(|(name, value)| !unwanted(name, value));
            Json::object(wanted.map(|(name, value)| {
                let value = match value {
                    Tree::Text(text) if name == "description" => Json::from(unwrapped(text)),
                    value => copy(value, unwanted),
                };
                (name.clone().into_owned(), value)
            }))
        }
    }
}

/// Returns a documentation comment without the line breaks of its source; those before an empty
/// line or an item of a list remain.
fn unwrapped(text: &str) -> String {
    let mut unwrapped = String::with_capacity(text.len());
    let mut is_after_empty = false;
    for line in text.lines() {
        let is_own = line.is_empty() || line.starts_with("- ") || is_after_empty;
        if !unwrapped.is_empty() {
            unwrapped.push(if is_own { '\n' } else { ' ' });
        }
        unwrapped.push_str(line);
        is_after_empty = line.is_empty();
    }
    unwrapped
}

/// Writes a value after `name`, which is empty for an item of a list.
fn write(text: &mut String, name: &str, value: &Json, depth: usize) {
    let line = name.to_owned() + &value.to_json();
    let (brackets, members): (_, Vec<_>) = match value {
        _ if depth + line.len() <= 120 => return text.push_str(&line),
        Json::Object(members) => {
            let name = |name: &str| Json::from(name).to_json() + ": ";
            (
                ["{", "}"],
                members
                    .iter()
                    .map(|(member, value)| (name(member), value))
                    .collect(),
            )
        }
        Json::List(items) => (
            ["[", "]"],
            items.iter().map(|item| (String::new(), item)).collect(),
        ),
        _ => return text.push_str(&line),
    };
    text.extend([name, brackets[0]]);
    for (at, (name, value)) in members.into_iter().enumerate() {
        text.extend([if at == 0 { "\n" } else { ",\n" }, &" ".repeat(depth + 1)]);
        write(text, &name, value, depth + 1);
    }
    text.extend(["\n", &" ".repeat(depth), brackets[1]]);
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        text.to_owned().into()
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::Text(text.into())
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Json {
        Json::Whole(number)
    }
}
