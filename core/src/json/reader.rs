//! Implements serde's `Deserializer` for a [`Tree`].

use std::fmt;

use serde::{
    Deserializer,
    de::{
        DeserializeSeed, Error, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
        Visitor, value::MapAccessDeserializer,
    },
    forward_to_deserialize_any,
};

use super::tree::{Member, Tree};

/// The reason a type could not be read, with the position.
#[derive(Debug)]
pub(super) struct ReadError(Box<Details>);

#[derive(Debug)]
pub(super) struct Details {
    pub(super) message: String,
    /// Indices of members and items, from the invalid value up to the root.
    pub(super) path: Vec<usize>,
    /// The names of the struct's fields if the value is an unknown field.
    pub(super) fields: Option<&'static [&'static str]>,
}

impl ReadError {
    fn new(message: String) -> ReadError {
        ReadError(Box::new(Details {
            message,
            path: Vec::new(),
            fields: None,
        }))
    }

    fn expected(expected: &dyn Expected) -> ReadError {
        ReadError::new(format!("expected {expected}"))
    }

    /// Returns the error for an unknown field. [`ReadError::among`] adds the names of the struct's
    /// fields.
    fn unknown() -> ReadError {
        let mut error = ReadError::new(String::new());
        error.0.fields = Some(&[]);
        error
    }

    /// Adds the names of the fields to the error for an unknown field of this struct.
    fn among(mut self, fields: &'static [&'static str]) -> ReadError {
        if self.0.fields.is_some() && self.0.path.len() == 1 {
            self.0.fields = Some(fields);
        }
        self
    }

    /// Adds the index of the value that was being read, if any.
    fn within(mut self, position: Option<usize>) -> ReadError {
        self.0.path.extend(position);
        self
    }

    pub(super) fn into_details(self) -> Details {
        *self.0
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for ReadError {}

impl Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> ReadError {
        ReadError::new(message.to_string())
    }

    // Omit the value, which can be a secret.
    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> ReadError {
        ReadError::expected(expected)
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> ReadError {
        ReadError::expected(expected)
    }
}

/// A deserializer for a value.
#[derive(Clone, Copy)]
pub(super) struct Reader<'r, 't> {
    pub(super) tree: &'r Tree<'t>,
    /// Whether an unknown field is an error.
    pub(super) strict: bool,
}

fn read_list<'de, V: Visitor<'de>>(
    list: &[Tree<'_>],
    strict: bool,
    visitor: V,
) -> Result<V::Value, ReadError> {
    let mut items = Items {
        list,
        strict,
        next: 0,
        current: None,
    };
    match visitor.visit_seq(&mut items) {
        Ok(_) if items.next < list.len() => Err(ReadError::expected(&"fewer items")),
        result => result.map_err(|error| error.within(items.current)),
    }
}

fn read_object<'de, 'r, 't, T>(
    members: &'r [Member<'t>],
    strict: bool,
    visit: impl FnOnce(&mut Members<'r, 't>) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    let mut members = Members {
        members,
        strict,
        next: 0,
        current: None,
    };
    visit(&mut members).map_err(|error| error.within(members.current))
}

impl<'de> Deserializer<'de> for Reader<'_, '_> {
    type Error = ReadError;

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map identifier
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.tree {
            Tree::Null => visitor.visit_unit(),
            Tree::Bool(value) => visitor.visit_bool(*value),
            Tree::Whole(number) => visitor.visit_u64(*number),
            Tree::Negative(number) => visitor.visit_i64(*number),
            Tree::Float(number) => visitor.visit_f64(*number),
            Tree::Text(text) => visitor.visit_str(text),
            Tree::List(items) => read_list(items, self.strict, visitor),
            Tree::Object(members) => {
                read_object(members, self.strict, |members| visitor.visit_map(members))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.tree {
            Tree::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    // A derived visitor would also accept a list of the fields' values.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.tree {
            Tree::Object(members) => {
                read_object(members, self.strict, |members| visitor.visit_map(members))
                    .map_err(|error| error.among(fields))
            }
            _ => Err(ReadError::expected(&visitor)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.tree {
            Tree::Text(name) => visitor.visit_enum((**name).into_deserializer()),
            Tree::Object(members) if members.len() == 1 => {
                read_object(members, self.strict, |members| {
                    visitor.visit_enum(MapAccessDeserializer::new(members))
                })
            }
            _ => Err(ReadError::expected(&visitor)),
        }
    }

    // Derived visitors ignore only values of unknown fields.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.strict {
            Err(ReadError::unknown())
        } else {
            visitor.visit_unit()
        }
    }
}

/// The items of a list.
struct Items<'r, 't> {
    list: &'r [Tree<'t>],
    strict: bool,
    next: usize,
    /// Index of the item that is being read. `None` after the last.
    current: Option<usize>,
}

impl<'de> SeqAccess<'de> for Items<'_, '_> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        let item = self.list.get(self.next);
        self.current = item.map(|_| self.next);
        let Some(item) = item else { return Ok(None) };
        self.next += 1;
        seed.deserialize(Reader {
            tree: item,
            strict: self.strict,
        })
        .map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        self.list.len().checked_sub(self.next)
    }
}

/// The members of an object.
struct Members<'r, 't> {
    members: &'r [Member<'t>],
    strict: bool,
    next: usize,
    /// Index of the member that is being read. `None` after the last.
    current: Option<usize>,
}

impl<'de> MapAccess<'de> for Members<'_, '_> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        let member = self.members.get(self.next);
        self.current = member.map(|_| self.next);
        let Some((name, _)) = member else {
            return Ok(None);
        };
        self.next += 1;
        seed.deserialize((**name).into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let member = self.current.and_then(|at| self.members.get(at));
        let tree = member.map_or(&Tree::Null, |member| &member.1);
        seed.deserialize(Reader {
            tree,
            strict: self.strict,
        })
    }
}
