//! Comparison of texts without accents, case and punctuation.

/// A letter without its accent and case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folded {
    /// A lower-case ASCII letter or a digit.
    Letter(char),
    /// A combining accent.
    Mark,
    /// Another character.
    Other,
}

/// Removes the accent of a letter. Covers Latin-1 and the few other letters found in Brazilian
/// files.
pub fn fold(letter: char) -> Folded {
    let base = match letter {
        'a'..='z' | '0'..='9' => letter,
        'A'..='Z' => letter.to_ascii_lowercase(),
        'à'..='å' | 'À'..='Å' | 'ā' | 'Ā' | 'ª' => 'a',
        'ç' | 'Ç' => 'c',
        'è'..='ë' | 'È'..='Ë' | 'ẽ' | 'Ẽ' => 'e',
        'ì'..='ï' | 'Ì'..='Ï' | 'ĩ' | 'Ĩ' => 'i',
        'ñ' | 'Ñ' => 'n',
        'ò'..='ö' | 'Ò'..='Ö' | 'º' => 'o',
        'ù'..='ü' | 'Ù'..='Ü' | 'ũ' | 'Ũ' => 'u',
        'ý' | 'ÿ' | 'Ý' => 'y',
        '\u{300}'..='\u{36f}' => return Folded::Mark,
        _ => return Folded::Other,
    };
    Folded::Letter(base)
}

/// The characters that [`searchable`] removes. They include the wildcards and the escape character
/// of SQL's `LIKE`.
pub const PUNCTUATION: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`|~‘’–—";

/// Reduces a text for a search: without accents, ASCII case and punctuation. White space becomes
/// spaces, which separate words.
///
/// ```
/// use despacho_core::model::searchable;
/// assert_eq!(searchable("João d'Água (92) 99100-0000"), "joao dagua 92 991000000");
/// ```
pub fn searchable(text: &str) -> String {
    let kept = text.chars().filter_map(|letter| match fold(letter) {
        Folded::Letter(letter) => Some(letter),
        Folded::Other if letter.is_whitespace() => Some(' '),
        Folded::Other if !letter.is_ascii() && !PUNCTUATION.contains(letter) => Some(letter),
        Folded::Mark | Folded::Other => None,
    });
    kept.collect()
}

/// The words of a search, reduced by [`searchable`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchWords(Vec<String>);

impl SearchWords {
    /// Maximum number of words.
    pub const MAX: usize = 6;
    /// Minimum and maximum number of characters of the text.
    pub const CHARS: (usize, usize) = (2, 60);

    /// Splits a text into words. `None` unless the text has 2 to 60 characters and 1 to 6 words
    /// with letters or digits.
    pub fn parse(text: &str) -> Option<SearchWords> {
        let (min, max) = SearchWords::CHARS;
        let words: Vec<String> = searchable(text)
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        let fits = (min..=max).contains(&text.chars().count())
            && (1..=SearchWords::MAX).contains(&words.len());
        fits.then_some(SearchWords(words))
    }

    /// Returns the words.
    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// Returns the number that the search consists of, which can be an ID.
    pub fn number(&self) -> Option<u64> {
        match self.0.as_slice() {
            [word] => word.parse().ok(),
            _ => None,
        }
    }

    /// Whether a text, reduced by [`searchable`], contains all words.
    pub fn match_text(&self, text: &str) -> bool {
        self.0.iter().all(|word| text.contains(word.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_has_two_to_sixty_characters_and_six_words() {
        let words = |text: &str| SearchWords::parse(text).map(|search| search.0);
        assert_eq!(
            words(" JOÃO  da-Silva "),
            Some(vec!["joao".to_owned(), "dasilva".to_owned()])
        );
        assert_eq!(words("a b c d e f").map(|words| words.len()), Some(6));
        for rejected in ["", "a", "a b c d e f g", "--%", &"x".repeat(61)] {
            assert_eq!(words(rejected), None, "{rejected}");
        }
        assert!(words(&"ã".repeat(60)).is_some());
    }

    #[test]
    fn search_matches_if_all_words_occur() {
        let text = searchable("P-17 João da Silva +5592991000000");
        for (search, expected) in [
            ("joao silva", true),
            ("SILVA João", true),
            ("João Souza", false),
            ("(92) 99100-0000", true),
            ("+55 92", true),
            ("p-17", true),
            ("p 18", false),
        ] {
            assert_eq!(
                SearchWords::parse(search).unwrap().match_text(&text),
                expected,
                "{search}"
            );
        }
        assert_eq!(SearchWords::parse("#17").unwrap().number(), Some(17));
        assert_eq!(SearchWords::parse("17 a").unwrap().number(), None);
    }
}
