//! Conversion of JSON numbers to decimals.
//!
//! `rust_decimal` converts doubles with the standard library's float formatting, which no other
//! part of the browser package needs.

use std::fmt;

use rust_decimal::Decimal;
use serde::{
    Deserializer,
    de::{Error, Unexpected, Visitor},
};

/// Parses a decimal with or without an exponent.
fn parse_decimal(text: &str) -> Option<Decimal> {
    text.parse()
        .or_else(|_| Decimal::from_scientific(text))
        .ok()
}

/// Returns the shortest decimal that identifies a double.
pub fn shortest_decimal(number: f64) -> Option<Decimal> {
    parse_decimal(&serde_json::to_string(&number).ok()?)
}

/// The smallest positive decimal. Smaller numbers are read as zero, so that a schema's exclusive
/// minimum of zero matches.
const SMALLEST: f64 = 1e-28;

/// Deserializes a decimal from a number or a string.
///
/// # Errors
/// If the value is not a decimal.
pub fn read_decimal<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
    struct DecimalVisitor;
    impl Visitor<'_> for DecimalVisitor {
        type Value = Decimal;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a decimal number")
        }

        fn visit_i64<E>(self, number: i64) -> Result<Decimal, E> {
            Ok(Decimal::from(number))
        }

        fn visit_u64<E>(self, number: u64) -> Result<Decimal, E> {
            Ok(Decimal::from(number))
        }

        fn visit_f64<E: Error>(self, number: f64) -> Result<Decimal, E> {
            if number.abs() < SMALLEST {
                return Ok(Decimal::ZERO);
            }
            shortest_decimal(number)
                .ok_or_else(|| E::invalid_value(Unexpected::Other("number"), &self))
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Decimal, E> {
            parse_decimal(text).ok_or_else(|| E::invalid_value(Unexpected::Other("text"), &self))
        }
    }
    deserializer.deserialize_any(DecimalVisitor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_decimal_equals_printed_number() {
        for number in [0.0, 57.9, -0.01, 1e-7, 1e15, 1e21, 123_456.789, 5e-10] {
            assert_eq!(
                shortest_decimal(number),
                Some(number.to_string().parse().unwrap()),
                "{number}"
            );
        }
        for number in [f64::NAN, f64::INFINITY, 1e300, 1e-300] {
            assert_eq!(shortest_decimal(number), None);
        }
    }

    #[test]
    fn numbers_below_every_decimal_are_zero() {
        #[derive(serde::Deserialize)]
        struct Number(#[serde(deserialize_with = "read_decimal")] Decimal);
        for (text, expected) in [
            ("5e-324", Decimal::ZERO),
            ("-1e-30", Decimal::ZERO),
            ("1e-27", Decimal::new(1, 27)),
        ] {
            assert_eq!(
                serde_json::from_str::<Number>(text).unwrap().0,
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn decimal_strings_parse_with_and_without_exponent() {
        for (text, units, scale) in [
            ("-12.50", -1250, 2),
            ("1e2", 100, 0),
            ("2.5E-4", 25, 5),
            (".5", 5, 1),
        ] {
            assert_eq!(
                parse_decimal(text),
                Some(Decimal::new(units, scale)),
                "{text}"
            );
        }
        for text in [
            "", "-", ".", "1.2.3", "1e", "e1", "1e99", "1e-99", "abc", "1,5", " 1", "NaN", "0x1",
            "é",
        ] {
            assert_eq!(parse_decimal(text), None, "{text}");
        }
    }
}
