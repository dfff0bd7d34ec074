//! Deserialization of JSON. serde_json parses a text into a tree, and all types are read from the
//! tree.
//!
//! A tree keeps duplicate names and the order of members, so invalid values and duplicate fields
//! can be reported by their JSON Pointer. A struct is read only from an object.
//!
//! `serde_json::Value` with `serde_path_to_error` would not be shorter for the same results: a
//! `Value` has lost the first of two duplicate fields, serde reads structs from lists, its messages
//! repeat values, which can be secrets, and the first invalid value ends the reading. Reporting
//! every invalid value needs a tree from which those found are removed, and most lines here are
//! that.

mod reader;
mod tree;

use std::borrow::Cow;

use serde::{Serialize, de::DeserializeOwned};

pub use tree::{Member, Tree};

use crate::json::reader::{Details, Reader};

/// Maximum number of unknown fields and values of a wrong type that are removed from a tree. The
/// tree is read again after each.
const MAX_REMOVED: usize = 100;

/// The reason a type could not be read from a tree, with the position.
#[derive(Debug, thiserror::Error)]
#[error("{message} at {}", if .pointer.is_empty() { "/" } else { .pointer })]
pub struct DecodeError {
    /// The message of serde.
    pub message: String,
    /// JSON Pointer to the invalid value.
    pub pointer: String,
    /// Indices of members and items, from the root to the invalid value.
    path: Vec<usize>,
}

/// A field that a type does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownField {
    /// JSON Pointer to the field.
    pub pointer: String,
    /// The names of the fields that its struct has.
    pub fields: &'static [&'static str],
}

/// Bytes of a usual preview, which are reserved at once.
const USUAL_BYTES: usize = 1_024;

/// Serializes a value.
///
/// # Errors
/// If a map has a key that is not a text.
pub fn to_vec(value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    serde_json::to_writer(&mut bytes, value)?;
    Ok(bytes)
}

/// Deserializes a value from JSON text. Structs must be objects, not lists of their fields' values.
///
/// # Errors
/// If the text is not valid JSON or not a valid `T`. The message never contains the value, which
/// can be a secret.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let tree = Tree::parse(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        format!("invalid JSON at line {line}, column {column}")
    })?;
    tree.read().map_err(|error| error.to_string())
}

impl Tree<'_> {
    /// Deserializes a value from the tree.
    ///
    /// # Errors
    /// If `T` rejects a value. The error is about the first one.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        T::deserialize(Reader {
            tree: self,
            strict: false,
        })
        .map_err(|error| self.locate(error.into_details()))
    }

    /// Returns the first fields in the tree that `T` does not have, in an order that does not
    /// depend on how the body was sent. Values of a wrong type are skipped.
    pub fn unknown_fields<T: DeserializeOwned>(self) -> Vec<UnknownField> {
        // Most bodies have none, so they need not be sorted.
        if T::deserialize(Reader {
            tree: &self,
            strict: true,
        })
        .is_ok()
        {
            return Vec::new();
        }
        let (mut tree, mut unknown) = (self.sorted(), Vec::new());
        for _ in 0..MAX_REMOVED {
            let Err(error) = T::deserialize(Reader {
                tree: &tree,
                strict: true,
            }) else {
                break;
            };
            let details = error.into_details();
            let fields = details.fields;
            let error = tree.locate(details);
            if !tree.remove_invalid(&error) {
                break;
            }
            unknown.extend(fields.map(|fields| UnknownField {
                pointer: error.pointer,
                fields,
            }));
        }
        unknown
    }

    /// Removes the invalid value, so the next call of [`Tree::read`] finds the next one. An item of
    /// a list is replaced by an empty object, which keeps the positions of its neighbours. Returns
    /// whether there was a value to remove.
    pub fn remove_invalid(&mut self, error: &DecodeError) -> bool {
        let Some((&last, parents)) = error.path.split_last() else {
            return false;
        };
        let mut at = self;
        for &step in parents {
            let next = match at {
                Tree::List(items) => items.get_mut(step),
                Tree::Object(members) => members.get_mut(step).map(|(_, value)| value),
                _ => None,
            };
            let Some(next) = next else { return false };
            at = next;
        }
        match at {
            Tree::List(items) => items.get_mut(last).is_some_and(|item| {
                let is_new = !matches!(item, Tree::Object(members) if members.is_empty());
                *item = Tree::Object(Vec::new());
                is_new
            }),
            Tree::Object(members) if last < members.len() => {
                members.remove(last);
                true
            }
            _ => false,
        }
    }

    fn locate(
        &self,
        Details {
            message, mut path, ..
        }: Details,
    ) -> DecodeError {
        path.reverse();
        let (mut pointer, mut at) = (String::new(), self);
        for &step in &path {
            let (name, next) = match at {
                Tree::List(items) => (Cow::Owned(step.to_string()), items.get(step)),
                Tree::Object(members) => match members.get(step) {
                    Some((name, value)) => (
                        Cow::Owned(name.replace('~', "~0").replace('/', "~1")),
                        Some(value),
                    ),
                    None => break,
                },
                _ => break,
            };
            pointer.push('/');
            pointer.push_str(&name);
            let Some(next) = next else { break };
            at = next;
        }
        DecodeError {
            message,
            pointer,
            path,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Everything {
        flag: bool,
        small: u8,
        number: f64,
        text: String,
        maybe: Option<Box<Everything>>,
        #[serde(default)]
        list: Vec<Kind>,
        #[serde(default)]
        pair: (i32, char),
        #[serde(default)]
        map: BTreeMap<String, i64>,
        #[serde(default)]
        nothing: (),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Plain,
        Wrapped(u16),
        Named { at: i8 },
        Both(u8, bool),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "kind")]
    enum Tagged {
        Off,
        On { since: i64 },
    }

    fn both<T: DeserializeOwned>(text: &str) -> (Option<T>, Option<T>) {
        (from_str(text).ok(), serde_json::from_str(text).ok())
    }

    #[test]
    fn tree_and_serde_json_read_the_same() {
        let inner = r#"{"flag": false, "small": 255, "number": -1, "text": "", "maybe": null}"#;
        for text in [
            inner.to_owned(),
            format!(
                r#"{{"text": "a\n\"\u00e9", "flag": true, "small": 0, "number": 1.5e3, "maybe": {inner}, "list": ["plain",
                {{"wrapped": 7}}, {{"named": {{"at": -3}}}}, {{"both": [1, true]}}], "pair": [-2147483648, "é"],
                "map": {{"a/b": -9223372036854775808, "~": 9}}, "nothing": null}}"#
            ),
        ] {
            let (tree, json) = both::<Everything>(&text);
            assert!(tree.is_some() && tree == json, "{text}: {tree:?}");
        }
        for text in [r#"{"kind": "Off"}"#, r#"{"since": 5, "kind": "On"}"#] {
            let (tree, json) = both::<Tagged>(text);
            assert!(tree.is_some() && tree == json, "{text}: {tree:?}");
        }
        for number in [
            "0",
            "-0",
            "18446744073709551615",
            "18446744073709551616",
            "-9223372036854775809",
            "1e-7",
            "0.1",
        ] {
            let (tree, json) = both::<f64>(number);
            assert_eq!(tree.map(f64::to_bits), json.map(f64::to_bits), "{number}");
            assert_eq!(both::<u64>(number).0, both::<u64>(number).1, "{number}");
        }
    }

    #[test]
    fn invalid_values_have_pointers() {
        let valid = r#""flag": true, "small": 1, "number": 1, "text": "x""#;
        for (members, pointer, message) in [
            (r#""small": 256"#, "/small", "expected u8"),
            (r#""small": "1""#, "/small", "expected u8"),
            (r#""text": 5"#, "/text", "expected a string"),
            (
                r#""list": ["plain", "other"]"#,
                "/list/1",
                "unknown variant `other`",
            ),
            (
                r#""list": [{"named": {"at": 128}}]"#,
                "/list/0/named/at",
                "expected i8",
            ),
            (
                r#""list": ["wrapped"]"#,
                "/list/0",
                "expected newtype variant",
            ),
            (
                r#""list": [{"plain": null, "both": 1}]"#,
                "/list/0",
                "expected",
            ),
            (r#""pair": [1, "x", 3]"#, "/pair", "expected"),
            (r#""pair": [1]"#, "/pair", "invalid length 1"),
            (r#""a/~b": 1"#, "/a~1~0b", "unknown field `a/~b`"),
            (r#""maybe": {"small": []}"#, "/maybe/small", "expected u8"),
            (
                r#""maybe": [true, 1, 1, "x", null]"#,
                "/maybe",
                "expected struct Everything",
            ),
            (
                &format!(r#""flag": false, {valid}"#),
                "/flag",
                "duplicate field `flag`",
            ),
        ] {
            let text = format!("{{{members}, {valid}}}");
            let text = if pointer == "/flag" {
                format!("{{{members}}}")
            } else {
                text
            };
            let error = Tree::parse(&text)
                .unwrap()
                .read::<Everything>()
                .unwrap_err();
            assert_eq!(error.pointer, pointer, "{text}: {error}");
            assert!(error.message.contains(message), "{text}: {error}");
        }
    }

    #[test]
    fn removed_values_are_not_reported_again() {
        let mut tree = Tree::parse(r#"{"a": [1, "x", {}], "b": 2}"#).unwrap();
        let mut found = Vec::new();
        while let Err(error) = tree.read::<BTreeMap<String, Vec<BTreeMap<String, u8>>>>() {
            found.push(error.pointer.clone());
            assert!(tree.remove_invalid(&error));
        }
        assert_eq!(found, ["/a/0", "/a/1", "/b"]);
        let error = tree.read::<u8>().unwrap_err();
        assert_eq!(
            (error.to_string().as_str(), tree.remove_invalid(&error)),
            ("expected u8 at /", false)
        );
    }
}
