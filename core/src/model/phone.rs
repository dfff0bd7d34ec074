//! Telephone numbers in E.164.

use serde::{Deserialize, Serialize};

/// A number in E.164: a plus, a country code and the number, 8 to 15 digits in all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Phone(String);

/// Why a text is no telephone number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidPhone {
    /// There is no leading plus; `hint` is the number as it would be with Brazil's code, where it could be one.
    WithoutPlus {
        /// The number to send instead.
        hint: Option<String>,
    },
    /// There is more than a plus and digits; `hint` is the number without the rest, where that makes one.
    Punctuated {
        /// The number to send instead.
        hint: Option<String>,
    },
    /// The digits are too few, too many, or no Brazilian number after +55.
    Malformed,
}

impl Phone {
    /// The number in a text: `+` and digits alone.
    ///
    /// ```
    /// use despacho_core::model::{InvalidPhone, Phone};
    /// assert!(Phone::parse("+5592991000000").is_ok());
    /// let hint = Some("+5592991000000".to_owned());
    /// assert_eq!(Phone::parse("+55 92 99100-0000"), Err(InvalidPhone::Punctuated { hint }));
    /// ```
    pub fn parse(text: &str) -> Result<Phone, InvalidPhone> {
        let text = text.trim();
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let Some(rest) = text.strip_prefix('+') else {
            let national = matches!(digits.len(), 10 | 11);
            let full = if national { format!("+55{digits}") } else { format!("+{digits}") };
            return Err(InvalidPhone::WithoutPlus { hint: is_e164(&full).then_some(full) });
        };
        if rest != digits {
            let full = format!("+{digits}");
            return Err(InvalidPhone::Punctuated { hint: is_e164(&full).then_some(full) });
        }
        if is_e164(text) { Ok(Phone(text.to_owned())) } else { Err(InvalidPhone::Malformed) }
    }

    /// The number with its plus.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether `+` and digits make an E.164 number: 8 to 15 digits, no leading zero; for Brazil (55) an area code of 11 to 99 and
/// a subscriber number of 8 digits that starts 2 to 5, or of 9 that starts with 9 (Anatel's numbering plan, resolution 749/2022).
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
    fn brazilian_and_foreign_numbers() {
        for good in ["+5592991000000", "+551133334444", "+14155552671", "+351912345678", " +5511999990000 "] {
            assert!(Phone::parse(good).is_ok(), "{good}");
        }
        for bad in ["+", "+55", "+0123456789", "+559299100000", "+55929910000001", "+5510991000000", "+1234567"] {
            assert_eq!(Phone::parse(bad), Err(InvalidPhone::Malformed), "{bad}");
        }
    }

    #[test]
    fn a_missing_plus_gets_a_hint() {
        let hint = |text| match Phone::parse(text) {
            Err(InvalidPhone::WithoutPlus { hint }) => hint,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(hint("(92) 99100-0000").as_deref(), Some("+5592991000000"));
        assert_eq!(hint("5592991000000").as_deref(), Some("+5592991000000"));
        assert_eq!(hint("call me"), None);
    }
}
