//! JSON representation of numbers and identifiers, and lists of limited length.

use std::{fmt, marker::PhantomData};

use rust_decimal::Decimal;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, SeqAccess, Visitor},
};

use crate::model::{Distance, Money};

/// Serializes `units / 10^scale` as a JSON number that is exact to the last decimal. Whole numbers
/// have no decimal point, as in JavaScript.
fn write_decimal<S: Serializer>(units: i64, scale: u32, serializer: S) -> Result<S::Ok, S::Error> {
    let divisor = 10i64.pow(scale);
    if units % divisor == 0 {
        return serializer.serialize_i64(units / divisor);
    }
    // Both operands are exact doubles, so IEEE division returns the double nearest to the decimal,
    // whose shortest representation is that decimal.
    #[expect(
        clippy::cast_precision_loss,
        reason = "amounts, metres and quantities stay below 2^53 units"
    )]
    serializer.serialize_f64(units as f64 / divisor as f64)
}

/// Serializes a number without a decimal point if it is whole, as in JavaScript.
#[expect(clippy::ref_option, reason = "the signature that serde expects")]
pub(super) fn write_whole<S: Serializer>(
    number: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    /// The largest number below which every whole number is exact.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number {
        None => serializer.serialize_none(),
        Some(number) if number.fract() == 0.0 && number.abs() < EXACT => {
            #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
            let whole = *number as i64;
            serializer.serialize_i64(whole)
        }
        Some(number) => serializer.serialize_f64(*number),
    }
}

/// An amount in reais with two decimals: `57.9`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reais(pub Money);

impl Serialize for Reais {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_decimal(self.0.centavos(), 2, serializer)
    }
}

/// A distance in kilometres with three decimals: `12.345`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kilometres(pub Distance);

impl Serialize for Kilometres {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_decimal(self.0.metres().into(), 3, serializer)
    }
}

/// The quantity of a price line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity(pub Decimal);

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rounded = self.0.round_dp(4).normalize();
        // Valid quantities are far below `i64::MAX`. Saturating avoids a response without a body.
        let units = i64::try_from(rounded.mantissa()).unwrap_or(i64::MAX);
        write_decimal(units, rounded.scale(), serializer)
    }
}

/// An identifier in a request: a whole number or a string of its digits. Negative numbers and
/// numbers above 64 bits are read as 0, because they are out of range and not of the wrong type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Id(pub u64);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
        struct IdVisitor;
        impl<'de> Visitor<'de> for IdVisitor {
            type Value = Id;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an identifier")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Id, E> {
                Ok(Id(number))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Id, E> {
                Ok(Id(u64::try_from(number).unwrap_or_default()))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Id, E> {
                if number.fract() != 0.0 {
                    return Err(E::invalid_type(de::Unexpected::Float(number), &self));
                }
                let exact = (0.0..=9_007_199_254_740_992.0).contains(&number);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "whole and 0 to 2^53"
                )]
                let whole = number as u64;
                Ok(Id(if exact { whole } else { 0 }))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Id, E> {
                let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                if !digits {
                    return Err(E::invalid_value(de::Unexpected::Str(text), &self));
                }
                Ok(Id(text.parse().unwrap_or_default()))
            }
        }
        deserializer.deserialize_any(IdVisitor)
    }
}

/// Deserializes an optional list and keeps its first [`MAX_LIST_ITEMS`] items.
///
/// # Errors
/// If the value is neither a list nor null, or an item is not a valid `T`.
pub fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    Option::<Objects<T>>::deserialize(deserializer).map(|list| list.map(|list| list.0))
}

/// Maximum number of items that are kept of a list, above every limit on deliveries. `[{},{},…]`
/// needs three bytes per item in a body but hundreds in memory, so longer lists are not stored.
pub const MAX_LIST_ITEMS: usize = 256;

/// A list of values. Items after the first [`MAX_LIST_ITEMS`] are skipped.
struct Objects<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Objects<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Objects<T>, D::Error> {
        struct Items<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
            type Value = Objects<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Objects<T>, A::Error> {
                let mut list = Vec::with_capacity(items.size_hint().unwrap_or(0).min(64));
                while list.len() < MAX_LIST_ITEMS {
                    let Some(item) = items.next_element()? else {
                        return Ok(Objects(list));
                    };
                    list.push(item);
                }
                while items.next_element::<de::IgnoredAny>()?.is_some() {}
                Ok(Objects(list))
            }
        }
        deserializer.deserialize_seq(Items(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json<T: Serialize>(value: T) -> String {
        serde_json::to_string(&value).unwrap()
    }

    #[test]
    fn decimals_are_written_exactly() {
        let reais = |centavos| json(Reais(Money::from_centavos(centavos).unwrap()));
        assert_eq!(
            (
                reais(5_790).as_str(),
                reais(-1).as_str(),
                reais(700).as_str()
            ),
            ("57.9", "-0.01", "7")
        );
        assert_eq!(json(Kilometres(Distance(12_345))), "12.345");
        assert_eq!(json(Kilometres(Distance(4_294_967_295))), "4294967.295");
        assert_eq!(json(Quantity("7.1230".parse().unwrap())), "7.123");
    }

    #[test]
    fn amounts_serialize_as_shortest_decimals() {
        for centavos in (0..1_000_000).step_by(37) {
            let written = json(Reais(Money::from_centavos(centavos).unwrap()));
            let expected = Decimal::new(centavos, 2).normalize().to_string();
            assert_eq!(written, expected);
        }
    }

    #[test]
    fn id_accepts_number_and_digit_string() {
        let read = |text: &str| serde_json::from_str::<Id>(text).ok().map(|id| id.0);
        assert_eq!(
            (
                read("12"),
                read("\"12\""),
                read("12.0"),
                read("\"\""),
                read("12.5"),
                read("\"-1\""),
                read("true")
            ),
            (Some(12), Some(12), Some(12), None, None, None, None)
        );
        for out_of_range in [
            "0",
            "-1",
            "-0",
            "18446744073709551616",
            "1e308",
            "\"99999999999999999999\"",
        ] {
            assert_eq!(read(out_of_range), Some(0), "{out_of_range}");
        }
    }
}
