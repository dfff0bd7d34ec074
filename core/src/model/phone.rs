//! Phone numbers in E.164 format.

use serde::{Deserialize, Serialize};

/// A phone number in E.164 format: a plus sign, a country code and the number, 8 to 15 digits in total.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Phone(String);

/// The reason a string is not a phone number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PhoneError {
    /// The leading plus sign is missing. `hint` is the number with Brazil's country code, if that is valid.
    WithoutPlus {
        /// The number to send instead.
        hint: Option<String>,
    },
    /// There are other characters than a plus sign and digits. `hint` is the number without them, if that is valid.
    Punctuated {
        /// The number to send instead.
        hint: Option<String>,
    },
    /// There are too few or too many digits, or `+55` is not followed by a valid Brazilian number.
    Malformed,
}

impl Phone {
    /// Parses a phone number of a plus sign and digits.
    ///
    /// ```
    /// use despacho_core::model::{PhoneError, Phone};
    /// assert!(Phone::parse("+5592991000000").is_ok());
    /// let hint = Some("+5592991000000".to_owned());
    /// assert_eq!(Phone::parse("+55 92 99100-0000"), Err(PhoneError::Punctuated { hint }));
    /// ```
    pub fn parse(text: &str) -> Result<Phone, PhoneError> {
        let text = text.trim();
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let Some(rest) = text.strip_prefix('+') else {
            let national = matches!(digits.len(), 10 | 11);
            let full = if national { format!("+55{digits}") } else { format!("+{digits}") };
            return Err(PhoneError::WithoutPlus { hint: is_e164(&full).then_some(full) });
        };
        if rest != digits {
            let full = format!("+{digits}");
            return Err(PhoneError::Punctuated { hint: is_e164(&full).then_some(full) });
        }
        if is_e164(text) { Ok(Phone(text.to_owned())) } else { Err(PhoneError::Malformed) }
    }

    /// Returns the number with its plus sign.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whether a plus sign and digits are an E.164 number: 8 to 15 digits without a leading zero. For Brazil (55),
/// the area code is 11 to 99, and the subscriber number has 8 digits starting with 2 to 5 or 9 digits starting with 9
/// (Anatel's numbering plan, resolution 749/2022).
fn is_e164(full: &str) -> bool {
    let digits = full.trim_start_matches('+').as_bytes();
    if !(8..=15).contains(&digits.len()) || digits[0] == b'0' {
        return false;
    }
    match digits.strip_prefix(b"55") {
        Some([area, unit, number @ ..]) => {
            let area = matches!(area, b'1'..=b'9') && matches!(unit, b'1'..=b'9');
            area && matches!(number, [b'9', _, _, _, _, _, _, _, _] | [b'2'..=b'5', _, _, _, _, _, _, _])
        }
        Some(_) => false,
        None => true,
    }
}

impl TryFrom<String> for Phone {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Phone, Self::Error> {
        Phone::parse(&text).map_err(|_| "not an E.164 number")
    }
}

impl From<Phone> for String {
    fn from(phone: Phone) -> String {
        phone.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brazilian_and_foreign_numbers_parse() {
        for good in ["+5592991000000", "+551133334444", "+14155552671", "+351912345678", " +5511999990000 "] {
            assert!(Phone::parse(good).is_ok(), "{good}");
        }
        for bad in ["+", "+55", "+0123456789", "+559299100000", "+55929910000001", "+5510991000000", "+1234567"] {
            assert_eq!(Phone::parse(bad), Err(PhoneError::Malformed), "{bad}");
        }
    }

    #[test]
    fn missing_plus_returns_hint() {
        let hint = |text| match Phone::parse(text) {
            Err(PhoneError::WithoutPlus { hint }) => hint,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(hint("(92) 99100-0000").as_deref(), Some("+5592991000000"));
        assert_eq!(hint("5592991000000").as_deref(), Some("+5592991000000"));
        assert_eq!(hint("call me"), None);
    }
}
