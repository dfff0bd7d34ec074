//! Texts for people, in both languages of the service.

use serde::{Deserialize, Serialize};

/// What a quality is where none is named, `q=1`.
const WHOLE: u32 = 1_000_000;

/// The quality of a header's range, `0.8` after `q=`, in millionths: digits past the sixth decimal do not count. The standard library's
/// parser of floats would bring 12 kB of tables for it.
pub fn quality(text: &str) -> Option<u32> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if text.len() <= usize::from(text.bytes().any(|byte| byte == b'.')) || !digits(whole) || !digits(decimals) {
        return None;
    }
    let whole = if whole.is_empty() { 0 } else { whole.parse::<u32>().unwrap_or(u32::MAX) };
    let places = decimals.bytes().chain(std::iter::repeat(b'0')).take(6);
    let millionths = places.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    Some(whole.saturating_mul(WHOLE).saturating_add(millionths))
}

/// A language that the service speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// English, where nothing else is asked for.
    #[default]
    English,
    /// Brazilian Portuguese.
    Portuguese,
}

impl Language {
    /// The language of an `Accept-Language` header: whichever of the two it weighs higher, English in doubt.
    ///
    /// ```
    /// use despacho_core::model::Language;
    /// assert_eq!(Language::of("pt-BR,pt;q=0.9,en;q=0.8"), Language::Portuguese);
    /// assert_eq!(Language::of("en, pt;q=0.5"), Language::English);
    /// assert_eq!(Language::of("fr"), Language::English);
    /// assert_eq!(Language::of("pt;q=NaN"), Language::English);
    /// ```
    pub fn of(header: &str) -> Language {
        let weight = |wanted: &str| {
            let weights = header.split(',').take(32).filter_map(|range| {
                let mut parts = range.split(';').map(str::trim);
                let tag = parts.next()?.to_ascii_lowercase();
                let primary = tag.split('-').next()?.to_owned();
                // A range whose quality is no number counts for nothing.
                let quality = parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(WHOLE), quality)?;
                (primary == wanted).then_some(quality)
            });
            weights.max().unwrap_or(0)
        };
        if weight("pt") > weight("en") { Language::Portuguese } else { Language::English }
    }

    /// The language's tag, as `Content-Language` has it.
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Portuguese => "pt-BR",
        }
    }
}

/// One text in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// In English.
    pub en: String,
    /// In Brazilian Portuguese.
    pub pt: String,
}

impl Text {
    /// A text from both versions.
    pub fn new(en: impl Into<String>, pt: impl Into<String>) -> Text {
        Text { en: en.into(), pt: pt.into() }
    }

    /// The version in a language.
    pub fn get(&self, language: Language) -> &str {
        match language {
            Language::English => &self.en,
            Language::Portuguese => &self.pt,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quality_is_a_decimal_in_millionths() {
        let found = ["1", "0", "0.0", "0.8", ".5", "1.", "0.1234567", "", ".", "x", "-1", "1e1"].map(quality);
        let expected = [
            Some(WHOLE),
            Some(0),
            Some(0),
            Some(800_000),
            Some(500_000),
            Some(WHOLE),
            Some(123_456),
            None,
            None,
            None,
            None,
            None,
        ];
        assert_eq!(found, expected);
    }
}
