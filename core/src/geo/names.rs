//! Reduces names as people write them to comparable keys, without accents, case, punctuation,
//! abbreviations and old spellings.

use crate::model::{Folded, fold};

/// Converts a text to lower-case ASCII tokens separated by spaces. Accents are removed; any other
/// character ends a token.
///
/// Composed and decomposed accents give the same result. `º` and `ª` count as letters: `Stª`
/// becomes `sta`.
///
/// ```
/// use despacho_core::geo::names::plain;
/// assert_eq!(plain("  Olho-d’Água  do BORGES"), "olho d agua do borges");
/// assert_eq!(plain("Sa\u{303}o Paulo"), "sao paulo");
/// ```
pub fn plain(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut gap = false;
    for letter in text.chars() {
        match fold(letter) {
            Folded::Letter(letter) => {
                if gap && !words.is_empty() {
                    words.push(' ');
                }
                gap = false;
                words.push(letter);
            }
            Folded::Mark => {}
            Folded::Other => gap = true,
        }
    }
    words
}

/// Abbreviations in names of municipalities. A standalone `s` is missing because it can be São,
/// Santo or Santa.
const ABBREVIATIONS: [(&str, &str); 31] = [
    ("alm", "almirante"),
    ("cap", "capitao"),
    ("cel", "coronel"),
    ("cons", "conselheiro"),
    ("dep", "deputado"),
    ("dr", "doutor"),
    ("eng", "engenheiro"),
    ("fco", "francisco"),
    ("gal", "general"),
    ("gde", "grande"),
    ("gen", "general"),
    ("gov", "governador"),
    ("jd", "jardim"),
    ("maj", "major"),
    ("mal", "marechal"),
    ("min", "ministro"),
    ("mons", "monsenhor"),
    ("n", "nossa"),
    ("na", "nossa"),
    ("ns", "nossa senhora"),
    ("nsa", "nossa"),
    ("nsra", "nossa senhora"),
    ("pe", "padre"),
    ("pres", "presidente"),
    ("prof", "professor"),
    ("sen", "senador"),
    ("sra", "senhora"),
    ("sta", "santa"),
    ("sto", "santo"),
    ("visc", "visconde"),
    ("vl", "vila"),
];

/// Tokens written together with their `d’`, as in `Olho Dagua` and `São Jorge Doeste`.
const GLUED: [&str; 7] = [
    "dabadia", "dagua", "dalianca", "dalho", "darco", "davila", "doeste",
];

/// Returns the lookup key of a municipality's name, equal for all its common spellings.
///
/// Particles (de, do, d’, e) and spaces are removed, and abbreviations expanded; a standalone `s`
/// becomes `saint`. Letters that vary between official spellings become one: y/i, z/s, w/v, ph/f,
/// th/t, g/j before e and i, silent h, doubled letters.
///
/// ```
/// use despacho_core::geo::names::city_key;
/// assert_eq!(city_key("Sta. Bárbara do Oeste", "sao"), city_key("Santa Bárbara d'Oeste", "sao"));
/// assert_eq!(city_key("Moji-Mirim", "sao"), city_key("Mogi Mirim", "sao"));
/// assert_eq!(city_key("S. Paulo", "sao"), city_key("SÃO PAULO", "sao"));
/// ```
pub fn city_key(text: &str, saint: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for word in plain(text).split(' ') {
        match word {
            "d" | "de" | "da" | "do" | "dos" | "das" | "e" => {}
            "s" => joined.push_str(saint),
            _ if GLUED.contains(&word) => joined.push_str(word.get(1..).unwrap_or_default()),
            _ => match ABBREVIATIONS.binary_search_by_key(&word, |(short, _)| short) {
                Ok(index) => joined.extend(
                    ABBREVIATIONS[index]
                        .1
                        .chars()
                        .filter(|letter| *letter != ' '),
                ),
                Err(_) => joined.push_str(word),
            },
        }
    }
    unify_spelling(&joined)
}

/// Replaces letters that sound the same in old and new spellings by one of them.
pub(super) fn unify_spelling(joined: &str) -> String {
    let bytes = joined.as_bytes();
    let mut key = String::with_capacity(bytes.len());
    let mut last = 0u8;
    for (index, &byte) in bytes.iter().enumerate() {
        let next = bytes.get(index + 1).copied().unwrap_or(0);
        let letter = match byte {
            b'y' => b'i',
            b'z' => b's',
            b'w' => b'v',
            b'p' if next == b'h' => b'f',
            b'g' if matches!(next, b'e' | b'i' | b'y') => b'j',
            // `ch`, `lh` and `nh` are distinct sounds; any other h is silent.
            b'h' if !matches!(last, b'c' | b'l' | b'n') => continue,
            _ => byte,
        };
        if letter != last || letter.is_ascii_digit() {
            key.push(char::from(letter));
        }
        last = letter;
    }
    key
}

/// Returns the 32-bit FNV-1a hash of a key. It determines the order of the embedded table, so it
/// must be the same on every host.
pub fn hash32(key: &str) -> u32 {
    key.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_are_sorted_for_the_search() {
        assert!(ABBREVIATIONS.is_sorted_by_key(|(short, _)| short));
    }

    #[test]
    fn spellings_of_a_city_have_the_same_key() {
        for (one, other) in [
            ("Olho d'Água das Flores", "OLHO DAGUA DAS FLORES"),
            ("Olho-d’Água", "olho d agua"),
            ("Sto. André", "Santo Andre"),
            ("N. Sra. do Socorro", "Nossa Senhora do Socorro"),
            ("Nª Srª das Dores", "Nossa Senhora das Dores"),
            ("São Luiz do Paraitinga", "São Luís do Paraitinga"),
            ("Santa Izabel do Pará", "Santa Isabel do Para"),
            ("Itapajé", "Itapage"),
            ("Presidente Castello Branco", "Pres. Castelo Branco"),
            ("Paraty", "Parati"),
            ("Gracho Cardoso", "Graccho Cardoso"),
            ("Brasília", "BRASÍLIA "),
            ("Theresópolis", "Teresópolis"),
        ] {
            assert_eq!(
                city_key(one, "sao"),
                city_key(other, "sao"),
                "{one} / {other}"
            );
        }
    }

    #[test]
    fn arbitrary_text_does_not_panic() {
        for text in ["", " ", "'", "\u{0}\u{fffd}", "💥💥", "ÀÀÀÀ\u{301}\u{301}"] {
            let _ = city_key(text, "sao");
        }
        assert_eq!(plain("\u{301}"), "");
    }
}
