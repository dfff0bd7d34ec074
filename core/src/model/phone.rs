//! Telephone numbers in E.164 format.
//!
//! The numbers of a country are those of Google's libphonenumber, in the crate `rlibphonenumber`.
//! Brazilian numbers, which nearly all are, are recognised without it: it decodes the numbering
//! plans of all countries for its first number, which takes 4 ms natively and 23 ms in a new
//! WebAssembly instance. A test compares both.

use rlibphonenumber::{PHONE_NUMBER_UTIL as PLANS, PhoneNumberFormat, PhoneNumberType, Region};
use serde::{Deserialize, Serialize};

/// A telephone number in E.164 format: a plus sign, the country code and the number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Phone(String);

/// The string is not a telephone number in E.164 format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a telephone number in E.164 format")]
pub struct PhoneError {
    /// The number to send instead, if the string is a telephone number in another format.
    pub hint: Option<Phone>,
}

/// The country code of Brazil.
const BRAZIL: &str = "55";
/// The digits of an E.164 number. The shortest numbers with an area code have 8.
const DIGITS: core::ops::RangeInclusive<usize> = 8..=15;

impl Phone {
    /// Parses a number in E.164 format.
    ///
    /// ```
    /// use despacho_core::model::Phone;
    /// let phone = Phone::parse("+5592991000000").unwrap();
    /// assert_eq!(Phone::parse("(92) 99100-0000").unwrap_err().hint, Some(phone));
    /// assert_eq!(Phone::parse("3333-4444").unwrap_err().hint, None);
    /// ```
    ///
    /// # Errors
    /// [`PhoneError`] if the string has another format, or if no telephone has the number.
    pub fn parse(text: &str) -> Result<Phone, PhoneError> {
        let read = Phone::read(text);
        if read.as_ref().is_some_and(|phone| phone.0 == text.trim()) {
            read.ok_or(PhoneError { hint: None })
        } else {
            Err(PhoneError { hint: read })
        }
    }

    /// Reads a number as people write it: with a plus sign and the country code, or a Brazilian
    /// number with its area code. Spaces, hyphens, dots and parentheses are ignored. Returns `None`
    /// if that is not the number of one person's telephone: a local number, an extension, a service
    /// number, or a foreign number without a plus sign. No digits are ever read under another
    /// country code.
    pub fn read(text: &str) -> Option<Phone> {
        let dialled = dialled(text)?;
        let international = dialled
            .strip_prefix('+')
            .or_else(|| dialled.strip_prefix("00"));
        let Some(full) = international else {
            return brazilian(&dialled).or_else(|| parsed(&dialled));
        };
        match full.strip_prefix(BRAZIL) {
            Some(national) if is_brazilian(national) => Some(Phone(format!("+{full}"))),
            // A trunk prefix, as in `+55 (0) 11`.
            Some(_) => parsed(&format!("+{full}")),
            None => foreign(full, dialled.starts_with('+')),
        }
    }

    /// Returns the number with its plus sign.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Removes the punctuation of a number. Returns `None` if there are other characters than a plus
/// sign at the start and digits.
fn dialled(text: &str) -> Option<String> {
    let mut dialled = String::new();
    for letter in text.chars() {
        match letter {
            '0'..='9' => dialled.push(letter),
            '+' if dialled.is_empty() => dialled.push(letter),
            '-' | '.' | '(' | ')' => {}
            // Hyphens that do not break, minus signs, and the invisible characters around numbers
            // that were copied from an address book.
            '\u{2010}'..='\u{2015}' | '\u{2212}' => {}
            '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
            | '\u{ad}' => {}
            other if other.is_whitespace() => {}
            _ => return None,
        }
    }
    Some(dialled)
}

/// Reads a Brazilian number, with or without the country code.
fn brazilian(digits: &str) -> Option<Phone> {
    let national = if is_brazilian(digits) {
        digits
    } else {
        digits.strip_prefix(BRAZIL)?
    };
    is_brazilian(national).then(|| Phone(format!("+{BRAZIL}{national}")))
}

/// Returns whether digits are an area code and a subscriber number in Brazil's numbering plan
/// (Anatel, resolution 749/2022): 8 digits that begin with 2 to 5, or 9 digits that begin with 9.
/// Numbers that begin with 7 belong to trunked radio, not to telephones.
fn is_brazilian(national: &str) -> bool {
    let area = matches!(
        national.as_bytes(),
        [b'1' | b'4' | b'6' | b'8' | b'9', b'1'..=b'9', ..]
            | [b'2', b'1' | b'2' | b'4' | b'7' | b'8', ..]
            | [b'3', b'1'..=b'5' | b'7' | b'8', ..]
            | [b'5', b'1' | b'3'..=b'5', ..]
            | [b'7', b'1' | b'3'..=b'5' | b'7' | b'9', ..]
    );
    let number = national.as_bytes().get(2..).unwrap_or_default();
    area && matches!(
        number,
        [b'9', _, _, _, _, _, _, _, _] | [b'2'..=b'5', _, _, _, _, _, _, _]
    )
}

/// Reads a Brazilian number with a trunk prefix, a carrier code, or both, as in
/// `0 15 11 98765-4321`.
fn parsed(dialled: &str) -> Option<Phone> {
    let number = PLANS.parse(dialled, Some(Region::BR)).ok()?;
    let full = PLANS.format(&number, PhoneNumberFormat::E164);
    brazilian(full.strip_prefix('+')?.strip_prefix(BRAZIL)?)
}

/// Reads a foreign number. The numbering plans of other countries change without notice to us, so a
/// number that the plan does not assign is accepted if it has the length of a mobile number there;
/// unless its plus sign could be that of a Brazilian number, as in `+11 98765-4321`.
fn foreign(digits: &str, has_plus: bool) -> Option<Phone> {
    let full = format!("+{digits}");
    let number = PLANS
        .parse(&full, None)
        .ok()
        .filter(|_| DIGITS.contains(&digits.len()))?;
    // A number with a trunk prefix is written without it.
    let written = PLANS.format(&number, PhoneNumberFormat::E164);
    let is_valid = PLANS.is_valid_number(&number);
    let is_personal = match PLANS.get_number_type(&number) {
        PhoneNumberType::FixedLine
        | PhoneNumberType::Mobile
        | PhoneNumberType::FixedLineOrMobile
        | PhoneNumberType::PersonalNumber
        | PhoneNumberType::VoIP => is_valid,
        PhoneNumberType::Unknown => {
            let is_possible = PLANS.is_possible_number_for_type(&number, PhoneNumberType::Mobile);
            has_plus && is_possible && written == full && brazilian(digits).is_none()
        }
        _ => false,
    };
    is_personal.then(|| Phone(written.into_owned()))
}

impl TryFrom<String> for Phone {
    type Error = &'static str;

    /// Reads a stored number. It was valid when it was stored; numbering plans change.
    fn try_from(text: String) -> Result<Phone, Self::Error> {
        let digits = text.strip_prefix('+').unwrap_or_default();
        let is_stored = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_stored {
            Ok(Phone(text))
        } else {
            Err("not an E.164 number")
        }
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

    fn read(text: &str) -> Option<String> {
        Phone::read(text).map(String::from)
    }

    #[test]
    fn number_as_people_write_it_is_read() {
        for (text, expected) in [
            ("+5592991000000", "+5592991000000"),
            (" +55 92 99100-0000 ", "+5592991000000"),
            ("(92) 99100-0000", "+5592991000000"),
            ("11 3333.4444", "+551133334444"),
            ("5592991000000", "+5592991000000"),
            ("(55) 99123-4567", "+5555991234567"),
            ("011 98765-4321", "+5511987654321"),
            ("0 15 11 98765-4321", "+5511987654321"),
            ("+55 (0) 11 98765-4321", "+5511987654321"),
            ("0055 11 98765-4321", "+5511987654321"),
            ("\u{202a}+55 11 98765\u{2011}4321\u{202c}", "+5511987654321"),
            ("+55\u{a0}11\u{a0}98765\u{2013}4321", "+5511987654321"),
            ("+1 (415) 555-2671", "+14155552671"),
            ("+34 912 345 678", "+34912345678"),
            ("0034 912 345 678", "+34912345678"),
            ("+598 99 123 456", "+59899123456"),
            ("+351 912 345 678", "+351912345678"),
            ("+44 (0) 7911 123456", "+447911123456"),
            // Not assigned in Chile's plan, but of the length of a mobile number there.
            ("+56 9 1234 5678", "+56912345678"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn text_that_is_no_personal_number_is_not_read() {
        for text in [
            "",
            "+",
            "+55",
            "1",
            "call me",
            // Local numbers, which are not numbers of France, Romania and other countries.
            "3333-4444",
            "4033-3444",
            "+33334444",
            "98765-4321",
            // Without the ninth digit, trunked radio, and impossible area codes.
            "(11) 9876-4321",
            "(11) 7777-8888",
            "+551177778888",
            "(20) 98765-4321",
            "(10) 98765-4321",
            "11111111111",
            // Extensions, two numbers, and words.
            "(11) 3333-4444 ramal 21",
            "+113333444421",
            "(11) 3333-4444 / 98765-4321",
            "(11) 98765-4321 (11) 3333-4444",
            "0xx11 98765-4321",
            "1800FLOWERS",
            "tel:+5511999990000",
            // Service numbers.
            "190",
            "4004-1234",
            "0800 123 4567",
            "+1 800 555 0199",
            // Without a plus sign no number is foreign, and with it none is Brazilian under a
            // foreign country code.
            "34 912 345 678 00",
            "415 555 26712",
            "+11 98765-4321",
            "+41 98765-4321",
            "0011 98765-4321",
            "+999 12345678",
            "+0123456789",
            "+1234567890123456",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn other_format_is_rejected_with_a_hint() {
        let hint = |text| Phone::parse(text).expect_err(text).hint.map(String::from);
        assert_eq!(hint("(92) 99100-0000").as_deref(), Some("+5592991000000"));
        assert_eq!(hint("5592991000000").as_deref(), Some("+5592991000000"));
        assert_eq!(hint("+34 912 345 678").as_deref(), Some("+34912345678"));
        assert_eq!(hint("3333-4444"), None);
        assert_eq!(hint("+5592991000"), None);
        assert_eq!(
            Phone::parse(" +5511999990000 ")
                .map(String::from)
                .as_deref(),
            Ok("+5511999990000")
        );
    }

    /// The numbers that are recognised without the library are those of its numbering plan, except
    /// trunked radio.
    #[test]
    fn brazilian_numbers_are_those_of_the_library() {
        for prefix in 0..=9_999_u32 {
            for digits in [8, 9] {
                let rest = "1".repeat(digits - 2);
                let national = format!("{prefix:04}{rest}");
                let expected = PLANS
                    .parse(format!("+55{national}"), None)
                    .is_ok_and(|number| {
                        let kind = PLANS.get_number_type(&number);
                        let is_line =
                            matches!(kind, PhoneNumberType::FixedLine | PhoneNumberType::Mobile);
                        let is_radio = digits == 8 && national.as_bytes().get(2) == Some(&b'7');
                        let written = PLANS.format(&number, PhoneNumberFormat::E164);
                        is_line && !is_radio && written == format!("+55{national}")
                    });
                assert_eq!(is_brazilian(&national), expected, "{national}");
            }
        }
    }

    #[test]
    fn stored_number_is_read_whatever_the_numbering_plan() {
        let stored: Result<Phone, _> = serde_json::from_str("\"+33334444\"");
        assert_eq!(stored.map(String::from).ok().as_deref(), Some("+33334444"));
        assert!(serde_json::from_str::<Phone>("\"3333-4444\"").is_err());
    }
}
