//! Texts for people, in both languages of the service.

use serde::{Deserialize, Serialize};

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
    /// use despacho_core::domain::Language;
    /// assert_eq!(Language::of("pt-BR,pt;q=0.9,en;q=0.8"), Language::Portuguese);
    /// assert_eq!(Language::of("en, pt;q=0.5"), Language::English);
    /// assert_eq!(Language::of("fr"), Language::English);
    /// ```
    pub fn of(header: &str) -> Language {
        let weight = |wanted: &str| {
            let weights = header.split(',').take(32).filter_map(|range| {
                let mut parts = range.split(';').map(str::trim);
                let tag = parts.next()?.to_ascii_lowercase();
                let primary = tag.split('-').next()?.to_owned();
                let quality = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok()).unwrap_or(1.0);
                (primary == wanted && quality.is_finite()).then_some(quality)
            });
            weights.fold(0.0, f32::max)
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
