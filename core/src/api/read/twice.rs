//! Which field of a text stands there twice, whatever the text is read as.
//!
//! The parser of a request says which name it met again, in which line and column. Here the text is walked for that place, by code
//! that knows no type: it exists once, not once for every request.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::{Step, pointer};

/// Names that stand twice are looked at so often at most. Those before the one that is sought are in fields that nobody reads.
const MOST: usize = 1_000;

/// The pointer of the field that the parser met again, as its error says.
pub(super) fn pointer_of(text: &str, field: &str, error: &serde_json::Error) -> Option<String> {
    for skip in 0..MOST {
        let mut walk = Walk { field, skip, steps: Vec::new() };
        let found = (&mut walk).deserialize(&mut serde_json::Deserializer::from_str(text)).err()?;
        if (found.line(), found.column()) == (error.line(), error.column()) {
            return Some(pointer(&walk.steps));
        }
    }
    None
}

/// A walk through a text, which ends with an error where a name stands twice for the last time that is not to be skipped.
struct Walk<'a> {
    field: &'a str,
    skip: usize,
    steps: Vec<Step>,
}

impl<'de> DeserializeSeed<'de> for &mut Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut seen = false;
        while let Some(name) = members.next_key::<String>()? {
            let is_field = name == self.field;
            self.steps.push(Step::Member(name));
            if is_field && seen {
                match self.skip.checked_sub(1) {
                    Some(left) => self.skip = left,
                    None => return Err(A::Error::custom("twice")),
                }
            }
            seen |= is_field;
            members.next_value_seed(&mut *self)?;
            self.steps.pop();
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        for index in 0.. {
            self.steps.push(Step::Item(index));
            if items.next_element_seed(&mut *self)?.is_none() {
                break;
            }
            self.steps.pop();
        }
        self.steps.pop();
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
