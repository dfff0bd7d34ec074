//! Decimals as people, files and JSON write them.

use std::fmt;

use rust_decimal::Decimal;
use serde::{
    Deserializer,
    de::{Error, Unexpected, Visitor},
};

/// The decimal that a text says: a sign, digits with a point among them, a power of ten (`-12.50`, `1e-3`). It must be exact: what needs
/// more than 28 digits or decimals is none.
///
/// By hand, since the package reads more forms than anybody writes, in six times the code.
pub fn decimal(text: &str) -> Option<Decimal> {
    let (digits, exponent) = match text.find(['e', 'E']) {
        Some(at) => (text.get(..at)?, text.get(at + 1..)?.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (unsigned, sign) = match digits.as_bytes() {
        [b'-', rest @ ..] => (rest, -1),
        [b'+', rest @ ..] => (rest, 1),
        all => (all, 1),
    };
    let (mut units, mut decimals, mut is_point, mut is_number) = (0i128, 0i32, false, false);
    for byte in unsigned {
        match byte {
            b'0'..=b'9' => {
                units = times_ten(units)? + i128::from(byte - b'0');
                decimals += i32::from(is_point);
                is_number = true;
            }
            b'.' if !is_point => is_point = true,
            b'_' if is_number => {}
            _ => return None,
        }
    }
    let mut scale = decimals.checked_sub(exponent)?;
    while scale < 0 && units != 0 {
        units = times_ten(units)?;
        scale += 1;
    }
    let scale = u32::try_from(scale.max(0)).ok()?;
    Decimal::try_from_i128_with_scale(sign * units, scale).ok().filter(|_| is_number)
}

/// Ten times as many units, as long as a decimal could hold these.
fn times_ten(units: i128) -> Option<i128> {
    (units >> 96 == 0).then_some(units * 10)
}

/// The decimal that a number is written as, with the fewest digits that tell it from its neighbours.
pub fn shortest(number: f64) -> Option<Decimal> {
    decimal(&serde_json::to_string(&number).ok()?)
}

/// `units / 10^scale` as people write it: exact, and without zeros that say nothing.
pub fn written(units: i64, scale: u32) -> String {
    let (mut rest, mut scale) = (units.unsigned_abs(), scale.min(18));
    while scale > 0 && rest.is_multiple_of(10) {
        rest /= 10;
        scale -= 1;
    }
    let (sign, one) = (if units < 0 { "-" } else { "" }, 10u64.pow(scale));
    let whole = rest / one;
    if scale == 0 {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{:0width$}", rest % one, width = scale as usize)
    }
}

/// Reads a decimal from a number or a text.
///
/// # Errors
/// Anything that says no decimal.
pub fn read_decimal<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
    struct Numbers;
    impl Visitor<'_> for Numbers {
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
            shortest(number).ok_or_else(|| E::invalid_value(Unexpected::Other("number"), &self))
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Decimal, E> {
            decimal(text).ok_or_else(|| E::invalid_value(Unexpected::Other("text"), &self))
        }
    }
    deserializer.deserialize_any(Numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_is_read_as_the_package_reads_it() {
        for text in [
            "0",
            "-0",
            "1",
            "007",
            "12.50",
            "-12.5",
            "+3.",
            ".5",
            "1_000",
            "79228162514264337593543950335",
            "0.0000000000000000000000000001",
        ] {
            let (found, expected) = (decimal(text).unwrap(), text.parse::<Decimal>().unwrap());
            assert_eq!((found, found.scale()), (expected, expected.scale()), "{text}");
        }
        for text in ["1e2", "1E2", "1.25e1", "1.25e2", "1e-3", "-2.5e-4", "0e9", "1e28"] {
            assert_eq!(decimal(text), Decimal::from_scientific(text).ok(), "{text}");
        }
        for text in
            ["", "-", ".", "1.2.3", "1e", "e1", "1e99", "1e-99", "abc", "1,5", " 1", "_1", "NaN", "inf", "0x1", "é"]
        {
            assert_eq!(decimal(text), None, "{text}");
        }
    }

    #[test]
    fn a_decimal_is_written_without_zeros_that_say_nothing() {
        for (units, scale) in
            [(0, 0), (0, 7), (5, 3), (-5, 3), (12_340, 3), (12_000, 3), (-465_000_001, 7), (i64::MIN, 9), (700, 0)]
        {
            let expected = Decimal::new(units, scale).normalize().to_string();
            assert_eq!(written(units, scale), expected, "{units} {scale}");
        }
    }

    #[test]
    fn a_number_is_the_decimal_that_it_prints_as() {
        for number in [0.0, 57.9, -0.01, 1e-7, 1e15, 1e21, 123_456.789, 5e-10] {
            assert_eq!(shortest(number), Some(number.to_string().parse().unwrap()), "{number}");
        }
        for number in [f64::NAN, f64::INFINITY, 1e300, 1e-300] {
            assert_eq!(shortest(number), None);
        }
    }
}
