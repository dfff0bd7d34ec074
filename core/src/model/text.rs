//! Texts in the supported languages.

use serde::{Deserialize, Serialize};

/// Parses the quality of a header item, such as `0.8` after `q=`.
pub fn quality(text: &str) -> Option<f32> {
    // `parse` would also accept signs, exponents and names such as `inf`.
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| is_plain)
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
                    .map_or(Some(1.0), quality)?;
                (primary == language).then_some(quality)
            });
            weights.fold(0.0, f32::max)
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
    fn quality_is_a_decimal_without_sign_or_exponent() {
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
            Some(1.0),
            Some(0.0),
            Some(0.0),
            Some(0.8),
            Some(0.5),
            Some(1.0),
            Some(0.123_456_7),
            None,
            None,
            None,
            None,
            None,
        ];
        assert_eq!(found, expected);
    }
}
