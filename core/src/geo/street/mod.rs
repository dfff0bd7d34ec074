//! Reduces street names, as people and registers write them, to keys that identify a street within
//! a city.

mod numbers;
pub(super) mod typing;
mod words;
pub(super) mod written;

use super::names::{plain, unify_spelling};
use words::{KINDS, TITLES, WORDS, find};

/// Key of a street: a hash of its name without kind and titles, and these two, which distinguish
/// namesakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StreetKey {
    /// 40 bits of FNV-1a over the folded name.
    pub hash: u64,
    /// Kind: rua, avenida, praça...; 0 if the text has none.
    pub kind: u8,
    /// Hash of the titles (doutor, padre, barão de...); 0 if there is none.
    pub title: u8,
}

/// The form in which names are compared. A pack contains the hashes of one form, so an earlier form
/// never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// That of packs of format 1: numbers have several forms. `Rua 01` is not `Rua 1`, nor
    /// `Rua Quarenta e Um` `Rua 41`.
    First,
    /// Numbers have one form.
    Current,
}

/// Returns the key of a street's name, or `None` if the text has no name.
///
/// The first token may be a kind. Titles are separated from the name, unless nothing else remains.
/// Particles are removed, numbers in words, ordinals and Roman numerals become digits without
/// leading zeros, and spellings are unified as for municipalities. Text after a comma (`Rua X, 12`)
/// is ignored.
///
/// ```
/// use despacho_core::geo::street_key;
/// let key = |text| street_key(text).map(|key| key.hash);
/// assert_eq!(key("R. Dr. João Moura"), key("RUA DOUTOR DOUTOR JOAO MOURA"));
/// assert_eq!(key("Rua XV de Novembro"), key("Rua Quinze de Novembro"));
/// assert_eq!(key("RUA 01"), key("Rua Um"));
/// assert_eq!(key("Av. Brig. Luís Antônio"), key("Avenida Brigadeiro Luiz Antonio"));
/// assert!(street_key("Rua").is_none());
/// ```
pub fn street_key(text: &str) -> Option<StreetKey> {
    street_key_in(text, Form::Current)
}

/// Returns the key of a street's name in a form.
pub(super) fn street_key_in(text: &str, form: Form) -> Option<StreetKey> {
    let folded = plain(text.split(',').next().unwrap_or_default());
    let tokens: Vec<&str> = folded.split(' ').collect();
    Some(StreetName::of(&tokens, "sao", true, form)?.key)
}

/// A street's name with its key.
#[derive(Clone, Debug)]
pub(super) struct StreetName {
    pub(super) key: StreetKey,
    /// The name that the key's hash stands for: folded, without kind, titles and spaces.
    pub(super) folded: String,
}

impl StreetName {
    /// Reads the tokens of a name. A standalone `s` becomes `saint`. Without `has_kind` the first
    /// token is part of the name: the name of `Jardim Botânico` can be that of a street.
    fn of(tokens: &[&str], saint: &str, has_kind: bool, form: Form) -> Option<StreetName> {
        let kind = tokens
            .first()
            .filter(|_| has_kind)
            .and_then(|first| find(&KINDS, first));
        let mut name = String::new();
        let mut titles: Vec<&str> = Vec::new();
        let (mut tens, mut at) = (false, usize::from(kind.is_some()));
        while let Some(token) = tokens.get(at).copied() {
            let next = tokens.get(at + 1).copied().unwrap_or_default();
            let number = match form {
                Form::First => None,
                Form::Current => numbers::number(
                    &tokens[at..],
                    at.checked_sub(1).map(|before| tokens[before]),
                ),
            };
            if let Some((digits, count)) = number {
                push_number(&mut name, &digits);
                at += count;
                continue;
            }
            at += 1;
            match (token, next) {
                // The streets `E` and `D` have only this letter, perhaps with a number; so do
                // blocks.
                ("d" | "e", "") => {}
                ("d" | "e", _)
                    if name.is_empty() && next.chars().all(|letter| letter.is_ascii_digit()) => {}
                ("d" | "de" | "da" | "do" | "dos" | "das" | "e", _) => continue,
                ("n" | "na" | "nsa", "s") => {
                    at += 1;
                    name.push_str("nossasenhora");
                    continue;
                }
                ("superquadra", "norte" | "sul") => {
                    at += 1;
                    name.push_str(if next == "norte" { "sqn" } else { "sqs" });
                    continue;
                }
                _ => {}
            }
            if let Some(title) = find(&TITLES, token) {
                if !titles.contains(&title) {
                    titles.push(title);
                }
                continue;
            }
            push_token(
                &mut name,
                if token == "s" { saint } else { token },
                &mut tens,
            );
        }
        if name.is_empty() {
            titles.iter().for_each(|title| name.push_str(title));
            titles.clear();
        }
        if matches!(name.as_str(), "" | "semdenominacao" | "semnome" | "sn") {
            return None;
        }
        let title = titles.iter().fold(0u64, |hash, title| hash ^ fnv64(title));
        let [title, ..] = title.to_le_bytes();
        let title = if titles.is_empty() { 0 } else { title.max(1) };
        let folded = fold_name(&name);
        let key = StreetKey {
            hash: hash40(&folded),
            kind: kind.unwrap_or(0),
            title,
        };
        Some(StreetName { key, folded })
    }
}

/// Unifies the spelling of a name, except of one or two letters: the streets `V` and `W`, or `A`
/// and `AH`, are different.
fn fold_name(name: &str) -> String {
    let letters = name.bytes().filter(u8::is_ascii_lowercase).count();
    if letters > 2 {
        unify_spelling(name)
    } else {
        name.to_owned()
    }
}

/// Returns the hash of a folded name in packs.
fn hash40(folded: &str) -> u64 {
    fnv64(folded) >> 24
}

/// Appends digits. `Rua 1` with the number 59 is not `Rua 159`.
fn push_number(name: &mut String, digits: &str) {
    if name.ends_with(|letter: char| letter.is_ascii_digit())
        && digits.starts_with(|first: char| first.is_ascii_digit())
    {
        name.push('-');
    }
    name.push_str(digits);
}

/// Appends a token with its abbreviation expanded. In the first form, it also replaces numbers, and
/// combines `vinte` or `trinta` with a following unit: `vinte e cinco` is 25.
fn push_token(name: &mut String, token: &str, tens: &mut bool) {
    let unit_of_tens = std::mem::take(tens);
    match token {
        "vinte" | "trinta" => {
            name.push_str(if token == "vinte" { "20" } else { "30" });
            *tens = true;
        }
        _ => {
            let expanded = find(&WORDS, token).unwrap_or(token);
            let ends_in_digit = name.ends_with(|letter: char| letter.is_ascii_digit());
            if unit_of_tens && expanded.len() == 1 && expanded.as_bytes()[0].is_ascii_digit() {
                name.pop();
            } else if ends_in_digit && expanded.starts_with(|letter: char| letter.is_ascii_digit())
            {
                // `Rua 1` with the number 59 is not `Rua 159`.
                name.push('-');
            }
            name.extend(expanded.chars().filter(|letter| *letter != ' '));
        }
    }
}

fn fnv64(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Parses the street number in a text: its leading digits, below 2^24. Returns `None` for S/N,
/// kilometres, floors and words.
///
/// ```
/// use despacho_core::geo::street_number;
/// assert_eq!((street_number("438"), street_number(" 12-A "), street_number("nº7")), (Some(438), Some(12), Some(7)));
/// assert_eq!((street_number("1.508 ap 12"), street_number("2º andar")), (Some(1_508), None));
/// assert_eq!((street_number("S/N"), street_number("0"), street_number("km 12")), (None, None, None));
/// ```
pub fn street_number(text: &str) -> Option<u32> {
    let folded = plain(&join_thousands(text));
    let is_prefix = |word: &str| {
        matches!(
            word,
            "n" | "no" | "nr" | "nro" | "num" | "numero" | "numeros"
        )
    };
    let word = folded.split(' ').find(|word| !is_prefix(word))?;
    let start = word.find(|letter: char| letter.is_ascii_digit())?;
    let (prefix, rest) = word.split_at(start);
    let end = rest
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(rest.len());
    let (digits, suffix) = rest.split_at(end);
    let is_number = (prefix.is_empty() || is_prefix(prefix)) && suffix != "o";
    digits
        .parse()
        .ok()
        .filter(|number| is_number && (1..1 << 24).contains(number))
}

/// Removes the point of `1.508`, which is a thousands separator in Brazil.
fn join_thousands(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_separator = |at: usize| {
        at > 0
            && digit(at - 1)
            && (at + 1..at + 4).all(digit)
            && !digit(at + 4)
            && bytes.get(at) == Some(&b'.')
    };
    text.char_indices()
        .filter(|(at, _)| !is_separator(*at))
        .map(|(_, letter)| letter)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and their hashes in the first form.
    const FIRST_HASHES: [(&str, u64); 8] = [
        ("Avenida Paulista", 0x83_5ca5_6dcc),
        ("RUA 01", 0x07_fc17_07b4),
        ("Rua Vinte e Cinco de Março", 0x21_4140_07ee),
        ("RUA XXVI DE AGOSTO", 0x73_d8e6_1d9c),
        ("Rua Quarenta e Um", 0x53_1636_6fce),
        ("Rua Pio XII", 0x1c_cde9_661b),
        ("SQN 208 Bloco D", 0xba_567e_6a44),
        ("Rua N. S. de Fátima", 0xc7_1742_0163),
    ];

    #[test]
    fn spellings_of_a_street_have_the_same_hash() {
        for (one, other) in [
            ("Avenida Paulista", "AV PAULISTA"),
            ("Pça. da Sé", "PRACA SE"),
            ("Rua 25 de Março", "Rua Vinte e Cinco de Marco"),
            ("Rua Sete de Setembro", "R 7 de Setembro"),
            ("Rua Trinta e Um de Março", "Rua 31 de Março"),
            ("Rua Pio XII", "Rua Pio Doze"),
            ("Rua 1º de Maio", "Rua Primeiro de Maio"),
            ("Rua Sta. Ifigênia", "Rua Santa Iphigenia"),
            (
                "Rua Prof. Dr. Lúcio Martins Rodrigues",
                "Rua Lucio Martins Rodrigues",
            ),
            ("Rua dos Três Irmãos, 500", "RUA TRES IRMAOS"),
            ("Rua Barão de Itapetininga", "BARAO ITAPETININGA"),
            ("R. N. S. de Fátima", "Rua Nossa Senhora de Fátima"),
            ("Trv. Cde. d'Eu", "Travessa Conde D Eu"),
            ("Av. Visc. de Guarapuava", "AVENIDA VISCONDE DE GUARAPUAVA"),
            ("Rua Jd. da Vl. Mariana", "Rua Jardim da Vila Mariana"),
        ] {
            assert_eq!(
                street_key(one).expect(one).hash,
                street_key(other).expect(other).hash,
                "{one} / {other}"
            );
        }
        for (one, other) in [
            ("Rua A", "Rua B"),
            ("Rua 1", "Rua 11"),
            ("Rua 20 de Maio", "Rua 2 de Maio"),
            ("Beco 1 59", "Beco 159"),
            ("Beco E 28", "Beco 28"),
            ("Rua H 28", "Rua 28"),
            ("Rua V", "Rua W"),
            ("Beco A", "Beco AH"),
            ("SQN 208 Bloco D", "SQN 208 Bloco E"),
        ] {
            assert_ne!(
                street_key(one).expect(one).hash,
                street_key(other).expect(other).hash,
                "{one} / {other}"
            );
        }
    }

    #[test]
    fn numbers_in_names_have_one_form() {
        let hash = |text: &str| street_key(text).expect(text).hash;
        for (one, other) in [
            ("Rua 1", "RUA 01"),
            ("Rua Um", "RUA 001"),
            ("Av. 5", "AVENIDA 05"),
            ("Rua 08", "RUA 8"),
            ("QE 7", "QUADRA QE 07"),
            ("QNM 1 Conjunto A", "QUADRA QNM 01 CONJUNTO A"),
            ("BR-40", "RODOVIA BR 040"),
            ("Rod. BR040", "BR-40"),
            ("Rua C-05", "Rua C 5"),
            ("Rua Catorze de Julho", "RUA QUATORZE DE JULHO"),
            ("Rua 14 de Julho", "RUA CATORZE DE JULHO"),
            ("Rua Quarenta e Um", "RUA 41"),
            ("Rua 42", "RUA QUARENTA E DOIS"),
            ("Rua 50", "RUA CINQUENTA"),
            ("Rua 26 de Agosto", "RUA XXVI DE AGOSTO"),
            ("Rua XXVIII de Setembro", "RUA VINTE E OITO DE SETEMBRO"),
            ("Rua Cento e Vinte e Três", "RUA 123"),
            ("Rua 1º de Maio", "RUA 1 DE MAIO"),
            ("Av. IV Centenário", "AVENIDA QUARTO CENTENARIO"),
            ("Av. D. Pedro II", "AVENIDA DOM PEDRO SEGUNDO"),
            ("Av. Dom Pedro I", "AVENIDA DOM PEDRO PRIMEIRO"),
            ("Rua João XXIII", "RUA JOAO VINTE E TRES"),
            ("Rua Pio X", "RUA PIO DEZ"),
            ("1ª Travessa Bela", "PRIMEIRA TRAVESSA BELA"),
            ("5A TRAVESSA BELA", "Quinta Travessa Bela"),
        ] {
            assert_eq!(hash(one), hash(other), "{one} / {other}");
        }
    }

    #[test]
    fn streets_with_similar_numbers_are_different() {
        let hash = |text: &str| street_key(text).expect(text).hash;
        for (one, other) in [
            ("Rua 1", "Rua 10"),
            ("Rua 01", "Rua 010"),
            ("Rua 1", "Rua 1-A"),
            ("Rua 1", "Rua A-1"),
            ("Rua Sete", "Rua Sete de Setembro"),
            ("Rua Vinte", "Rua Vinte e Um"),
            ("Rua I", "Rua 1"),
            ("Rua V", "Rua 5"),
            ("Rua X", "Rua 10"),
            ("Rua L", "Rua 50"),
            ("Rua C", "Rua 100"),
            ("Rua CC", "Rua 200"),
            ("Rua Li", "Rua 51"),
            ("Rua Projetada X", "Rua Projetada 10"),
            ("Rua da Quinta", "Rua 5"),
            ("Rua 1-10", "Rua 110"),
            ("BR-40", "BR-400"),
        ] {
            assert_ne!(hash(one), hash(other), "{one} / {other}");
        }
    }

    /// Packs of format 1 contain these hashes.
    #[test]
    fn first_form_never_changes() {
        for (text, hash) in FIRST_HASHES {
            let key = street_key_in(text, Form::First).expect(text);
            assert_eq!(key.hash, hash, "{text} {:#x}", key.hash);
        }
    }

    #[test]
    fn kind_and_title_distinguish_namesakes() {
        let (street, lane) = (
            street_key("Rua Itu").expect("street with a name"),
            street_key("Tv. Itu").expect("street with a name"),
        );
        assert_eq!((street.hash, street.title), (lane.hash, lane.title));
        assert_ne!(street.kind, lane.kind);
        let (baron, marquis) = (
            street_key("Rua Barão de Itu"),
            street_key("Rua Marquês de Itu"),
        );
        assert_ne!(baron, marquis);
        assert_eq!(street_key("Rua do Professor").map(|key| key.title), Some(0));
    }

    #[test]
    fn text_without_name_returns_no_key() {
        for text in ["", "Rua", " , 12", "RUA SEM DENOMINACAO", "!!!"] {
            assert_eq!(street_key(text), None, "{text}");
        }
    }
}
