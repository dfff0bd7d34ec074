//! Names as people write them, folded to keys that compare: accents, case, punctuation, abbreviations, old spellings.

/// Lower-case ASCII words of a text: accents dropped, everything else a word's end.
///
/// Composed and decomposed accents give the same words. `º` and `ª` are letters: `Stª` is `sta`.
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

enum Folded {
    Letter(char),
    Mark,
    Other,
}

/// One letter without its accent. Covers Latin-1 and the few others that Brazilian files hold.
fn fold(letter: char) -> Folded {
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

/// Abbreviations in the names of municipalities. `s` alone is not here: it is São, Santo or Santa.
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

/// Words glued to their `d’`, as in `Olho Dagua` and `São Jorge Doeste`.
const GLUED: [&str; 7] = ["dabadia", "dagua", "dalianca", "dalho", "darco", "davila", "doeste"];

/// The key under which a municipality's name is found, however it is spelt.
///
/// Particles (de, do, d’, e) and spaces go; abbreviations are spelt out, with `saint` for a lone `s`; letters that
/// official spellings waver between become one: y/i, z/s, w/v, ph/f, th/t, g/j before e and i, a mute h, doubled letters.
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
                Ok(index) => joined.extend(ABBREVIATIONS[index].1.chars().filter(|letter| *letter != ' ')),
                Err(_) => joined.push_str(word),
            },
        }
    }
    one_spelling(&joined)
}

/// Letters that sound alike in old and new spellings, made one.
pub(super) fn one_spelling(joined: &str) -> String {
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
            // `ch`, `lh` and `nh` are sounds of their own; any other h is mute.
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

/// FNV-1a of a key, 32 bits: the order of the embedded table, which every host must compute alike.
pub fn hash32(key: &str) -> u32 {
    key.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_are_sorted_for_the_search() {
        assert!(ABBREVIATIONS.is_sorted_by_key(|(short, _)| short));
    }

    #[test]
    fn spellings_of_one_place_meet() {
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
            assert_eq!(city_key(one, "sao"), city_key(other, "sao"), "{one} / {other}");
        }
    }

    #[test]
    fn hostile_text_is_only_text() {
        for text in ["", " ", "'", "\u{0}\u{fffd}", "💥💥", "ÀÀÀÀ\u{301}\u{301}"] {
            let _ = city_key(text, "sao");
        }
        assert_eq!(plain("\u{301}"), "");
    }
}
