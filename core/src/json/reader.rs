//! serde's view of a tree: each kind of value is given to the type that asks for it, and to no other.

use std::{cell::Cell, fmt};

use serde::{
    Deserializer,
    de::{
        DeserializeSeed, EnumAccess, Error, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
        VariantAccess, Visitor,
    },
    forward_to_deserialize_any,
};

use super::{Member, Tree};

/// What a type found wrong, in words. Where it was is known to whoever holds the cell of what was begun last.
#[derive(Debug)]
#[expect(clippy::box_collection, reason = "every reader's result is shorter by it, and a fault is rare")]
pub(super) struct ReadError(Box<String>);

impl ReadError {
    fn new(message: String) -> ReadError {
        ReadError(Box::new(message))
    }

    pub(super) fn into_message(self) -> String {
        *self.0
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReadError {}

impl Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> ReadError {
        ReadError::new(message.to_string())
    }

    // Without what was found, which may be a secret, and whose digits would bring the formatting of floats with them.
    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> ReadError {
        ReadError::new(format!("expected {expected}"))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> ReadError {
        ReadError::new(format!("expected {expected}"))
    }
}

/// A value that is being read.
#[derive(Clone, Copy)]
pub(super) struct Reader<'r, 't> {
    tree: &'r Tree<'t>,
    /// The address of the value that was begun last: where a fault is.
    begun: &'r Cell<usize>,
}

impl<'r, 't> Reader<'r, 't> {
    pub(super) fn new(tree: &'r Tree<'t>, begun: &'r Cell<usize>) -> Reader<'r, 't> {
        begun.set(tree.address());
        Reader { tree, begun }
    }

    /// What is missing at the end of a list or an object is missing in all of it.
    fn ended<T>(self) -> Option<T> {
        self.begun.set(self.tree.address());
        None
    }

    fn wrong(self, expected: &dyn Expected) -> ReadError {
        self.begun.set(self.tree.address());
        ReadError::invalid_type(Unexpected::Unit, expected)
    }

    fn number<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match *self.tree {
            Tree::Whole(number) => visitor.visit_u64(number),
            Tree::Negative(number) => visitor.visit_i64(number),
            Tree::Float(number) => visitor.visit_f64(number),
            _ => Err(self.wrong(&visitor)),
        }
    }

    fn list<'de, V: Visitor<'de>>(self, list: &'r [Tree<'t>], visitor: V) -> Result<V::Value, ReadError> {
        let mut items = Items { rest: list.iter(), whole: self };
        let value = visitor.visit_seq(&mut items);
        if items.rest.len() > 0 && value.is_ok() {
            return Err(self.wrong(&"fewer items"));
        }
        value
    }

    fn members(self, members: &'r [Member<'t>]) -> Members<'r, 't> {
        Members { rest: members.iter(), value: self, whole: self }
    }
}

macro_rules! numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            self.number(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Reader<'_, '_> {
    type Error = ReadError;

    numbers!(deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16 deserialize_u32
        deserialize_u64 deserialize_f32 deserialize_f64);

    forward_to_deserialize_any! { bytes byte_buf unit unit_struct identifier }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.tree {
            Tree::Null => visitor.visit_unit(),
            Tree::Bool(value) => visitor.visit_bool(*value),
            Tree::Text(text) => visitor.visit_str(text),
            Tree::List(items) => self.list(items, visitor),
            Tree::Object(members) => visitor.visit_map(self.members(members)),
            _ => self.number(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match *self.tree {
            Tree::Bool(value) => visitor.visit_bool(value),
            _ => Err(self.wrong(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.tree {
            Tree::Text(text) => visitor.visit_str(text),
            _ => Err(self.wrong(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.tree {
            Tree::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.tree {
            Tree::List(items) => self.list(items, visitor),
            _ => Err(self.wrong(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.tree {
            Tree::Object(members) => visitor.visit_map(self.members(members)),
            _ => Err(self.wrong(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.tree {
            Tree::Text(name) => visitor.visit_enum(Variant { name, content: None, whole: self }),
            Tree::Object(members) => match members.as_slice() {
                [(name, content)] => visitor.visit_enum(Variant { name, content: Some(content), whole: self }),
                _ => Err(self.wrong(&visitor)),
            },
            _ => Err(self.wrong(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_unit()
    }
}

/// The items of a list.
struct Items<'r, 't> {
    rest: std::slice::Iter<'r, Tree<'t>>,
    whole: Reader<'r, 't>,
}

impl<'de> SeqAccess<'de> for &mut Items<'_, '_> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        match self.rest.next() {
            Some(item) => seed.deserialize(Reader::new(item, self.whole.begun)).map(Some),
            None => Ok(self.whole.ended()),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// The members of an object.
struct Members<'r, 't> {
    rest: std::slice::Iter<'r, Member<'t>>,
    /// The value whose name was read last.
    value: Reader<'r, 't>,
    whole: Reader<'r, 't>,
}

impl<'de> MapAccess<'de> for Members<'_, '_> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        let Some((name, value)) = self.rest.next() else { return Ok(self.whole.ended()) };
        self.value = Reader::new(value, self.value.begun);
        let name: &str = name;
        seed.deserialize(name.into_deserializer()).map(Some)
    }

    // A function for each type of a field, in place of a copy in each struct that has one.
    #[inline(never)]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        seed.deserialize(self.value)
    }
}

/// A variant by its name, perhaps with what it holds.
struct Variant<'r, 't> {
    name: &'r str,
    content: Option<&'r Tree<'t>>,
    whole: Reader<'r, 't>,
}

impl<'r, 't> Variant<'r, 't> {
    fn content(self, expected: &'static str) -> Result<Reader<'r, 't>, ReadError> {
        let content = self.content.ok_or_else(|| self.whole.wrong(&expected))?;
        Ok(Reader::new(content, self.whole.begun))
    }
}

impl<'de> EnumAccess<'de> for Variant<'_, '_> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), ReadError> {
        let variant = seed.deserialize(self.name.into_deserializer())?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, '_> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self.content {
            None | Some(Tree::Null) => Ok(()),
            Some(_) => Err(self.whole.wrong(&"unit variant")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        seed.deserialize(self.content("newtype variant")?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.content("tuple variant")?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, ReadError> {
        self.content("struct variant")?.deserialize_map(visitor)
    }
}
