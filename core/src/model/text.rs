//! Texts in the supported languages.

use serde::{Deserialize, Serialize};

/// Quality 1 in millionths, which is also the default.
const QUALITY_ONE: u32 = 1_000_000;

/// Parses the quality of a header item, such as `0.8` after `q=`, in millionths. Digits after the
/// sixth decimal are ignored. The standard library's float parser would add 12 kB of tables.
pub fn quality(text: &str) -> Option<u32> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if text.len() <= usize::from(text.bytes().any(|byte| byte == b'.'))
        || !digits(whole)
        || !digits(decimals)
    {
        return None;
    }
    let whole = if whole.is_empty() {
        0
    } else {
        whole.parse::<u32>().unwrap_or(u32::MAX)
    };
    let places = decimals.bytes().chain(std::iter::repeat(b'0')).take(6);
    let millionths = places.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    Some(whole.saturating_mul(QUALITY_ONE).saturating_add(millionths))
}

/// A supported language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// English, the default.
    #[default]
    English,
    /// Brazilian Portuguese.
    Portuguese,
}

impl Language {
    /// Selects the language with the higher quality in an `Accept-Language` header. English is the
    /// default.
    ///
    /// ```
    /// use despacho_core::model::Language;
    /// assert_eq!(Language::of("pt-BR,pt;q=0.9,en;q=0.8"), Language::Portuguese);
    /// assert_eq!(Language::of("en, pt;q=0.5"), Language::English);
    /// assert_eq!(Language::of("fr"), Language::English);
    /// assert_eq!(Language::of("pt;q=NaN"), Language::English);
    /// ```
    pub fn of(header: &str) -> Language {
        let weight = |language: &str| {
            let weights = header.split(',').take(32).filter_map(|range| {
                let mut parts = range.split(';').map(str::trim);
                let tag = parts.next()?.to_ascii_lowercase();
                let primary = tag.split('-').next()?.to_owned();
                // An item whose quality is not a number is ignored.
                let quality = parts
                    .find_map(|part| part.strip_prefix("q="))
                    .map_or(Some(QUALITY_ONE), quality)?;
                (primary == language).then_some(quality)
            });
            weights.max().unwrap_or(0)
        };
        if weight("pt") > weight("en") {
            Language::Portuguese
        } else {
            Language::English
        }
    }

    /// Returns the language tag for `Content-Language`.
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Portuguese => "pt-BR",
        }
    }
}

/// A text in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// English text.
    pub en: String,
    /// Brazilian Portuguese text.
    pub pt: String,
}

impl Text {
    /// Creates a text from both versions.
    pub fn new(en: impl Into<String>, pt: impl Into<String>) -> Text {
        Text {
            en: en.into(),
            pt: pt.into(),
        }
    }

    /// Returns the text in a language.
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
    fn quality_parses_in_millionths() {
        let found = [
            "1",
            "0",
            "0.0",
            "0.8",
            ".5",
            "1.",
            "0.1234567",
            "",
            ".",
            "x",
            "-1",
            "1e1",
        ]
        .map(quality);
        let expected = [
            Some(QUALITY_ONE),
            Some(0),
            Some(0),
            Some(800_000),
            Some(500_000),
            Some(QUALITY_ONE),
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
