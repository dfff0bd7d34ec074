//! Numbers in names of streets: digits, words, ordinals and Roman numerals become the same digits.

use super::find;

/// Number words with their values, and the value below which a further word adds to them: `vinte`
/// and `cinco` are 25. The ordinals `quarta` to `decima` are missing, because a street can be named
/// after a farm (`quinta`): see [`FOLLOWERS`].
const WORDS: [(&str, (u32, u32)); 66] = [
    ("catorze", (14, 0)),
    ("cem", (100, 100)),
    ("cento", (100, 100)),
    ("cinco", (5, 0)),
    ("cincoenta", (50, 10)),
    ("cinquenta", (50, 10)),
    ("decimo", (10, 10)),
    ("dez", (10, 0)),
    ("dezanove", (19, 0)),
    ("dezasseis", (16, 0)),
    ("dezassete", (17, 0)),
    ("dezenove", (19, 0)),
    ("dezesseis", (16, 0)),
    ("dezessete", (17, 0)),
    ("dezoito", (18, 0)),
    ("dois", (2, 0)),
    ("doze", (12, 0)),
    ("duas", (2, 0)),
    ("duzentas", (200, 100)),
    ("duzentos", (200, 100)),
    ("mil", (1_000, 1_000)),
    ("nono", (9, 0)),
    ("nove", (9, 0)),
    ("novecentos", (900, 100)),
    ("noventa", (90, 10)),
    ("oitavo", (8, 0)),
    ("oitenta", (80, 10)),
    ("oito", (8, 0)),
    ("oitocentos", (800, 100)),
    ("onze", (11, 0)),
    ("primeira", (1, 0)),
    ("primeiro", (1, 0)),
    ("quadragesimo", (40, 10)),
    ("quarenta", (40, 10)),
    ("quarto", (4, 0)),
    ("quatorze", (14, 0)),
    ("quatro", (4, 0)),
    ("quatrocentos", (400, 100)),
    ("quinhentos", (500, 100)),
    ("quinquagesimo", (50, 10)),
    ("quinto", (5, 0)),
    ("quinze", (15, 0)),
    ("segunda", (2, 0)),
    ("segundo", (2, 0)),
    ("seis", (6, 0)),
    ("seiscentos", (600, 100)),
    ("sessenta", (60, 10)),
    ("sete", (7, 0)),
    ("setecentos", (700, 100)),
    ("setenta", (70, 10)),
    ("setimo", (7, 0)),
    ("sexagesimo", (60, 10)),
    ("sexto", (6, 0)),
    ("terceira", (3, 0)),
    ("terceiro", (3, 0)),
    ("tres", (3, 0)),
    ("treze", (13, 0)),
    ("trezentas", (300, 100)),
    ("trezentos", (300, 100)),
    ("trigesimo", (30, 10)),
    ("trinta", (30, 10)),
    ("um", (1, 0)),
    ("uma", (1, 0)),
    ("vigesimo", (20, 10)),
    ("vinte", (20, 10)),
    ("zero", (0, 0)),
];

/// Feminine ordinals that are numbers only before one of [`FOLLOWERS`].
const FEMININE: [(&str, u32); 7] = [
    ("decima", 10),
    ("nona", 9),
    ("oitava", 8),
    ("quarta", 4),
    ("quinta", 5),
    ("setima", 7),
    ("sexta", 6),
];

/// Words before which a feminine ordinal, or digits with an `a`, count streets: `Quinta Travessa`,
/// `5A TRAVESSA`.
const FOLLOWERS: [&str; 16] = [
    "al",
    "alameda",
    "av",
    "avenida",
    "etapa",
    "linha",
    "passagem",
    "r",
    "rua",
    "transversal",
    "trav",
    "travessa",
    "tv",
    "via",
    "viela",
    "vila",
];

/// Names of popes and kings, after which the letters `I`, `V` and `X` are numerals at the end of a
/// name: `Pio X`. Elsewhere they are letters: `Rua V`, `Quadra X`.
const REGNAL: [&str; 19] = [
    "afonso", "bento", "carlos", "clemente", "felipe", "filipe", "gregorio", "henrique", "joao",
    "jose", "leao", "luis", "luiz", "manoel", "manuel", "maria", "paulo", "pedro", "pio",
];

/// Returns the digits of the number with which tokens begin, and how many tokens it has. `before`
/// is the token before them.
///
/// Digits lose their leading zeros, also within a token (`br040`). One letter after digits remains:
/// `1a` is a street beside `1`.
pub(super) fn number(tokens: &[&str], before: Option<&str>) -> Option<(String, usize)> {
    let (first, rest) = tokens.split_first()?;
    let follows = || rest.first().is_some_and(|next| FOLLOWERS.contains(next));
    if let Some((value, count)) = words(tokens) {
        return Some((value.to_string(), count));
    }
    if let Some(value) = find(&FEMININE, first).filter(|_| follows()) {
        return Some((value.to_string(), 1));
    }
    if first.contains(|letter: char| letter.is_ascii_digit()) {
        let ordinal = first
            .strip_suffix('o')
            .or_else(|| first.strip_suffix('a').filter(|_| follows()));
        let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
        return Some((without_zeros(ordinal.filter(is_number).unwrap_or(first)), 1));
    }
    let is_regnal = || rest.is_empty() && before.is_some_and(|name| REGNAL.contains(&name));
    let value = roman(first).filter(|_| first.len() > 1 || is_regnal())?;
    Some((value.to_string(), 1))
}

/// Returns the value of number words, and how many tokens they have with an `e` between them.
fn words(tokens: &[&str]) -> Option<(u32, usize)> {
    let (mut sum, mut room, mut count) = (0u32, u32::MAX, 0);
    while let Some(next) = tokens.get(count) {
        let skipped = usize::from(count > 0 && *next == "e");
        let word = tokens
            .get(count + skipped)
            .and_then(|word| find(&WORDS, word));
        let Some((value, room_after)) = word else {
            break;
        };
        let is_multiplied = value == 1_000 && skipped == 0 && (2..1_000).contains(&sum);
        if is_multiplied {
            sum *= 1_000;
        } else if value < room {
            sum += value;
        } else {
            break;
        }
        (room, count) = (room_after, count + skipped + 1);
    }
    (count > 0).then_some((sum, count))
}

/// Removes the leading zeros of each number in a token.
fn without_zeros(token: &str) -> String {
    let mut kept = String::with_capacity(token.len());
    let mut letters = token.chars().peekable();
    let mut is_in_number = false;
    while let Some(letter) = letters.next() {
        let is_followed = letters.peek().is_some_and(char::is_ascii_digit);
        if letter == '0' && !is_in_number && is_followed {
            continue;
        }
        is_in_number = letter.is_ascii_digit();
        kept.push(letter);
    }
    kept
}

/// Returns the value of a Roman numeral from 1 to 39 in its usual form. Larger ones are not in
/// names of streets, but their letters are: `Rua CC`, `Rua Li`.
fn roman(token: &str) -> Option<u32> {
    let tens = token.bytes().take_while(|byte| *byte == b'x').count();
    let is_nine_or_less = |units: &str| {
        ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"]
            .iter()
            .position(|one| *one == units)
    };
    let value = tens * 10 + is_nine_or_less(token.get(tens..)?)?;
    u32::try_from(value)
        .ok()
        .filter(|value| (1..40).contains(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, before: Option<&str>) -> Option<(String, usize)> {
        number(&text.split(' ').collect::<Vec<_>>(), before)
    }

    #[test]
    fn tables_are_sorted_for_the_search() {
        assert!(WORDS.is_sorted_by(|a, b| a.0 < b.0) && FEMININE.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn numbers_have_one_form() {
        for (text, digits, count) in [
            ("sete de setembro", "7", 1),
            ("catorze", "14", 1),
            ("quatorze", "14", 1),
            ("quarenta e um", "41", 3),
            ("quarenta um", "41", 2),
            ("cinquenta", "50", 1),
            ("cento e vinte e tres b", "123", 5),
            ("cem e um", "101", 3),
            ("duzentos e quarto", "204", 3),
            ("mil", "1000", 1),
            ("mil e quinhentos e dois", "1502", 5),
            ("dois mil e cinco", "2005", 4),
            ("vinte e onze", "20", 1),
            ("um dois", "1", 1),
            ("sete e oito", "7", 1),
            ("vinte 5", "20", 1),
            ("vinte e", "20", 1),
            ("decimo primeiro", "11", 2),
            ("1o de maio", "1", 1),
            ("01", "1", 1),
            ("0", "0", 1),
            ("007", "7", 1),
            ("br040", "br40", 1),
            ("a01b", "a1b", 1),
            ("10", "10", 1),
            ("1a", "1a", 1),
            ("1a travessa", "1", 1),
            ("quinta travessa", "5", 1),
            ("xxvi de agosto", "26", 1),
            ("xxviii", "28", 1),
            ("ix", "9", 1),
            ("xx", "20", 1),
        ] {
            assert_eq!(read(text, None), Some((digits.to_owned(), count)), "{text}");
        }
        for text in [
            "quinta",
            "quinta das flores",
            "i",
            "v",
            "x",
            "xl",
            "iix",
            "vv",
            "cc",
            "li",
            "xxxx",
            "e",
            "",
            "augusta",
        ] {
            assert_eq!(read(text, None), None, "{text}");
        }
        assert_eq!(read("x", Some("pio")), Some(("10".to_owned(), 1)));
        assert_eq!(read("i", Some("pedro")), Some(("1".to_owned(), 1)));
        assert_eq!(
            (read("v silva", Some("joao")), read("x", Some("quadra"))),
            (None, None)
        );
    }
}
