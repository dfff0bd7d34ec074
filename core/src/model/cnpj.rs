//! Business registration numbers (CNPJ), in the numeric format and in the alphanumeric format of
//! July 2026.

use serde::{Deserialize, Serialize};

/// A CNPJ with valid check digits: 14 characters in upper case without punctuation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cnpj(String);

/// The reason a string is not a CNPJ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CnpjError {
    /// The string is not twelve letters or digits followed by two digits, or all characters are the
    /// same.
    #[error("expected twelve letters or digits and two check digits")]
    Malformed,
    /// The check digits do not match.
    #[error("the check digits do not match")]
    WrongCheckDigits,
}

impl Cnpj {
    /// Parses a CNPJ. Dots, slashes, hyphens and spaces are ignored. Letters can be in upper or
    /// lower case.
    ///
    /// Check digits (Receita Federal, normative instruction 2,229/2024): the value of a character
    /// is its ASCII code minus 48, weighted 2 to 9 from the right. With r the remainder of the sum
    /// divided by 11, the digit is 0 if r < 2, otherwise 11 − r.
    ///
    /// ```
    /// use despacho_core::model::{Cnpj, CnpjError};
    /// assert!(Cnpj::parse("12.ABC.345/01DE-35").is_ok());
    /// assert_eq!(Cnpj::parse("12ABC34501DE36"), Err(CnpjError::WrongCheckDigits));
    /// ```
    pub fn parse(text: &str) -> Result<Cnpj, CnpjError> {
        let plain: String = text
            .trim()
            .chars()
            .filter(|c| !matches!(c, '.' | '/' | '-' | ' '))
            .collect();
        let plain = plain.to_ascii_uppercase();
        let bytes = plain.as_bytes();
        let (true, Some((body, check))) = (bytes.len() == 14, bytes.split_at_checked(12)) else {
            return Err(CnpjError::Malformed);
        };
        let well_formed =
            body.iter().all(u8::is_ascii_alphanumeric) && check.iter().all(u8::is_ascii_digit);
        if !well_formed || bytes.iter().all(|byte| *byte == bytes[0]) {
            return Err(CnpjError::Malformed);
        }
        if check_digit(body) != check[0] || check_digit(&bytes[..13]) != check[1] {
            return Err(CnpjError::WrongCheckDigits);
        }
        Ok(Cnpj(plain))
    }

    /// Returns the 14 characters without punctuation.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn check_digit(positions: &[u8]) -> u8 {
    let weights = (2..=9).cycle();
    let sum: u32 = positions
        .iter()
        .rev()
        .zip(weights)
        .map(|(byte, weight)| u32::from(byte - 48) * weight)
        .sum();
    match sum % 11 {
        0 | 1 => b'0',
        remainder => b'0' + u8::try_from(11 - remainder).unwrap_or_default(),
    }
}

impl TryFrom<String> for Cnpj {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Cnpj, Self::Error> {
        Cnpj::parse(&text).map_err(|_| "not a CNPJ")
    }
}

impl From<Cnpj> for String {
    fn from(cnpj: Cnpj) -> String {
        cnpj.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_and_alphanumeric_formats_parse() {
        for good in [
            "11.222.333/0001-81",
            "11222333000181",
            "12ABC34501DE35",
            "12abc34501de35",
            " 12.abc.345/01de-35 ",
        ] {
            assert!(Cnpj::parse(good).is_ok(), "{good}");
        }
        assert_eq!(
            Cnpj::parse("12abc34501de35").unwrap().as_str(),
            "12ABC34501DE35"
        );
    }

    #[test]
    fn single_wrong_digit_is_detected_at_every_position() {
        let good = "11222333000181";
        for index in 0..good.len() {
            let mut bytes = good.as_bytes().to_vec();
            bytes[index] = if bytes[index] == b'9' {
                b'0'
            } else {
                bytes[index] + 1
            };
            let wrong = String::from_utf8(bytes).unwrap();
            assert_eq!(
                Cnpj::parse(&wrong),
                Err(CnpjError::WrongCheckDigits),
                "{wrong}"
            );
        }
    }

    #[test]
    fn invalid_format_is_malformed() {
        for bad in [
            "",
            "1122233300018",
            "112223330001811",
            "00000000000000",
            "112223330001é1",
            "11_222333000181",
        ] {
            assert_eq!(Cnpj::parse(bad), Err(CnpjError::Malformed), "{bad}");
        }
    }
}
