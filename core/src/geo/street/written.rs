//! The streets and numbers that an address may mean, as people write it: with the number, the flat
//! or the neighbourhood in the street, or the block of a superquadra in another field.

use super::{Form, StreetKey, StreetName, find, join_thousands, street_number, words::KINDS};
use crate::{
    geo::names::plain,
    model::{Address, Uf},
};

/// A street and a number that an address may mean.
#[derive(Clone, Debug)]
pub(in crate::geo) struct Reading {
    pub(in crate::geo) key: StreetKey,
    pub(in crate::geo) folded: String,
    pub(in crate::geo) number: Option<u32>,
}

/// Maximum readings of an address, and maximum tokens of a street.
const MAX_READINGS: usize = 24;
const MAX_TOKENS: usize = 24;

/// Words after a street that are not part of its name. They are in names too, so the whole text is
/// always read first.
const COMPLEMENTS: [&str; 45] = [
    "altura",
    "and",
    "andar",
    "ap",
    "apart",
    "apartamento",
    "apt",
    "apto",
    "bairro",
    "bl",
    "bloco",
    "box",
    "casa",
    "cep",
    "cj",
    "cond",
    "condominio",
    "conj",
    "conjunto",
    "cs",
    "edificio",
    "esq",
    "esquina",
    "fds",
    "frente",
    "fundos",
    "galpao",
    "km",
    "lj",
    "loja",
    "lote",
    "lt",
    "predio",
    "prox",
    "proximo",
    "qd",
    "quadra",
    "sala",
    "sem",
    "sl",
    "sn",
    "sobreloja",
    "sobrado",
    "terreo",
    "torre",
];

/// Returns the readings of an address, the most literal first: the text up to a comma, then without
/// a complement, without the number at its end, and with the other meanings of `S.`. A street that
/// is only a number keeps it (`Rua 15`).
///
/// The caller uses the first reading that a register contains, so `Rua Projetada 12` is the street
/// of that name if there is one.
pub(in crate::geo) fn readings(address: &Address, form: Form) -> Vec<Reading> {
    let text = join_thousands(address.street.as_deref().unwrap_or_default());
    let (head, rest) = split_head(&text);
    let field = address.number.as_deref().and_then(street_number);
    // The 5 of `km 12,5` is not a street number.
    let has_kilometre = |text: &str| {
        plain(text)
            .split(' ')
            .any(|token| token == "km" || is_kilometre(token))
    };
    let mut parts = rest
        .split([',', ';', '-', '–', '('])
        .take_while(|part| !has_kilometre(part));
    let number = field.or_else(|| {
        parts
            .find_map(street_number)
            .filter(|_| !has_kilometre(head))
    });
    let folded = plain(head);
    let tokens: Vec<&str> = folded.split(' ').take(MAX_TOKENS).collect();
    let others = [
        Some(rest),
        address.number.as_deref(),
        address.complement.as_deref(),
    ];
    let others = plain(
        &others
            .into_iter()
            .flatten()
            .collect::<Vec<&str>>()
            .join(" "),
    );
    let others: Vec<&str> = others.split(' ').collect();
    let mut list = Readings {
        form,
        list: Vec::new(),
        block: after(&others, &["bloco", "bl", "conjunto", "conj", "cj"]),
    };
    // In the Federal District, a house of a block has a number only as `Casa 10`.
    let house = || {
        after(&others, &["casa", "cs"])
            .or(after(&tokens, &["casa", "cs"]))
            .and_then(|token| token.parse().ok())
    };
    let number = number.or_else(|| {
        address
            .uf()
            .filter(|uf| *uf == Uf::FEDERAL_DISTRICT)
            .and_then(|_| house())
    });
    for end in (1..=tokens.len())
        .rev()
        .filter(|end| *end == tokens.len() || is_complement(&tokens, *end))
    {
        let (name, tail) = tokens.split_at(end);
        let after_street = tail
            .iter()
            .find_map(|token| street_number(token))
            .filter(|_| is_number_prefix(tail));
        list.add(name, number.or(after_street));
        let last = name.split_last().filter(|(_, rest)| has_name(rest));
        if let Some((number_in_name, rest)) =
            last.and_then(|(last, rest)| Some((house_number(last)?, rest)))
        {
            list.add(rest, number.or(Some(number_in_name)));
        }
    }
    // `Rua Augusta 1508 Consolação`
    let middle = (1..tokens.len())
        .rev()
        .find(|at| has_name(&tokens[..*at]) && house_number(tokens[*at]).is_some());
    if let Some(at) = middle {
        list.add(&tokens[..at], number.or(house_number(tokens[at])));
    }
    if find(&KINDS, tokens[0]).is_some() {
        list.push(&tokens, "sao", false, number);
    }
    list.list
}

struct Readings<'a> {
    form: Form,
    list: Vec<Reading>,
    /// The block or conjunto in another field than the street.
    block: Option<&'a str>,
}

impl<'a> Readings<'a> {
    /// Adds a name: first with the block, if the name has digits as in `SQN 208`, then with each
    /// meaning of a standalone `s`.
    fn add(&mut self, name: &[&'a str], number: Option<u32>) {
        let has_digits = name
            .iter()
            .any(|token| token.starts_with(|first: char| first.is_ascii_digit()));
        if let Some(block) = self.block.filter(|_| has_digits) {
            for word in ["bloco", "conjunto"] {
                self.push(&[name, &[word, block]].concat(), "sao", true, number);
            }
        }
        let saints = if name.contains(&"s") {
            ["sao", "santo", "santa"].as_slice()
        } else {
            &["sao"]
        };
        for saint in saints {
            self.push(name, saint, true, number);
        }
    }

    fn push(&mut self, tokens: &[&str], saint: &str, has_kind: bool, number: Option<u32>) {
        let Some(StreetName { key, folded }) = StreetName::of(tokens, saint, has_kind, self.form)
        else {
            return;
        };
        let is_new = !self
            .list
            .iter()
            .any(|known| known.key == key && known.number == number);
        if is_new && self.list.len() < MAX_READINGS {
            self.list.push(Reading {
                key,
                folded,
                number,
            });
        }
    }
}

/// Splits a street before a comma, a parenthesis or a spaced dash.
fn split_head(text: &str) -> (&str, &str) {
    let ends = [
        text.find([',', ';', '(', '|']),
        text.find(" - "),
        text.find(" – "),
        text.find(" — "),
    ];
    text.split_at(ends.into_iter().flatten().min().unwrap_or(text.len()))
}

/// Whether a complement starts at a token: `apto`, `km12`, `s/n`, or a number with a prefix.
fn is_complement(tokens: &[&str], at: usize) -> bool {
    let Some((token, rest)) = tokens.get(at..).and_then(<[&str]>::split_first) else {
        return false;
    };
    let is_unnumbered = *token == "s" && matches!(rest, ["n" | "no" | "num" | "numero"]);
    COMPLEMENTS.contains(token)
        || is_kilometre(token)
        || is_unnumbered
        || is_number_prefix(&tokens[at..])
}

/// Whether a token is a kilometre, as `km12`.
fn is_kilometre(token: &str) -> bool {
    token
        .strip_prefix("km")
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Whether tokens are a number with its prefix, as in `nº 12`.
fn is_number_prefix(tokens: &[&str]) -> bool {
    match tokens {
        [first, ..] if first.starts_with("no") && street_number(first).is_some() => true,
        ["n" | "no" | "nr" | "nro" | "num" | "numero", second, ..] => {
            house_number(second).is_some()
        }
        _ => false,
    }
}

/// Parses a token that can be a house number: digits with at most one letter.
fn house_number(token: &str) -> Option<u32> {
    let digits = token.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let is_number = !digits.is_empty() && digits.len() <= 6 && token.len() <= digits.len() + 1;
    if is_number {
        street_number(token)
    } else {
        None
    }
}

/// Whether tokens contain more than a kind.
fn has_name(tokens: &[&str]) -> bool {
    match tokens {
        [] => false,
        [only] => find(&KINDS, only).is_none(),
        [_, rest @ ..] => rest
            .iter()
            .any(|token| !matches!(*token, "de" | "da" | "do" | "dos" | "das" | "e")),
    }
}

/// Returns the token after one of these words.
fn after<'a>(tokens: &[&'a str], words: &[&str]) -> Option<&'a str> {
    tokens
        .windows(2)
        .find(|pair| words.contains(&pair[0]))
        .map(|pair| pair[1])
}

#[cfg(test)]
mod tests {
    use super::{super::street_key, *};

    /// Parses `street | number | complement`, and `UF` as a fourth part.
    fn address(text: &str) -> Address {
        let mut parts = text
            .split('|')
            .map(|part| Some(part.trim().to_owned()).filter(|part| !part.is_empty()));
        let mut next = || parts.next().flatten();
        Address {
            street: next(),
            number: next(),
            complement: next(),
            state: next(),
            ..Address::default()
        }
    }

    #[test]
    fn written_forms_mean_a_street_and_a_number() {
        for (written, street, number) in [
            ("Rua Augusta | 1508", "Rua Augusta", Some(1_508)),
            ("Rua Augusta, 1508", "Rua Augusta", Some(1_508)),
            ("Rua Augusta 1508", "Rua Augusta", Some(1_508)),
            ("Rua Augusta 1.508", "Rua Augusta", Some(1_508)),
            ("Rua Augusta 1508A", "Rua Augusta", Some(1_508)),
            ("Rua Augusta 1508 apto 12", "Rua Augusta", Some(1_508)),
            ("Rua Augusta nº 1508, ap. 12", "Rua Augusta", Some(1_508)),
            ("Rua Augusta n. 1508", "Rua Augusta", Some(1_508)),
            ("Rua Augusta num 1508 fundos", "Rua Augusta", Some(1_508)),
            (
                "Rua Augusta - Consolação | 1508",
                "Rua Augusta",
                Some(1_508),
            ),
            ("Rua Augusta 1508 - Consolação", "Rua Augusta", Some(1_508)),
            ("Rua Augusta 1508 Consolação", "Rua Augusta", Some(1_508)),
            ("Rua Augusta, 2º andar, 1508", "Rua Augusta", Some(1_508)),
            ("Rua Augusta (esquina) | nº1508", "Rua Augusta", Some(1_508)),
            ("Rua Augusta | 1508 ap 12", "Rua Augusta", Some(1_508)),
            ("Rua Augusta 1508 | 1508", "Rua Augusta", Some(1_508)),
            ("Rua Augusta apto 12", "Rua Augusta", None),
            ("Rua Augusta s/n", "Rua Augusta", None),
            ("Rua Augusta s/nº", "Rua Augusta", None),
            ("Rua Augusta | S/N", "Rua Augusta", None),
            ("Rua Augusta | sem número", "Rua Augusta", None),
            ("Rod. Raposo Tavares km 12", "Rodovia Raposo Tavares", None),
            (
                "Rod. Raposo Tavares, Km 12,5",
                "Rodovia Raposo Tavares",
                None,
            ),
            ("Estr. do Campo Limpo km12", "Estrada do Campo Limpo", None),
            (
                "Rua 15 de Novembro 100",
                "Rua Quinze de Novembro",
                Some(100),
            ),
            ("Rua 7", "Rua Sete", None),
            ("Rua 7 100", "Rua Sete", Some(100)),
            ("Rua 01, 20", "Rua Um", Some(20)),
            ("Rua Quarenta e Um 100", "Rua 41", Some(100)),
            ("Rua Vinte 5", "Rua 20", Some(5)),
            ("QE 7 | 12", "QUADRA QE 07", Some(12)),
            ("BR-40 | 900", "RODOVIA BR 040", Some(900)),
            (
                "QNM 1 Conjunto A || casa 10 | DF",
                "QUADRA QNM 01 CONJUNTO A",
                Some(10),
            ),
            ("Pça. S. Antônio | 5", "Praça Santo Antônio", Some(5)),
            ("R. S. Rita | 5", "Rua Santa Rita", Some(5)),
            ("Jardim Botânico | 5", "Rua Jardim Botânico", Some(5)),
            ("Rua C-15 Qd 3 Lt 5", "Rua C 15", None),
            ("QD 3 LT 5", "Quadra 3", None),
            ("Quadra 3 Conjunto B Casa 7 ||| DF", "QD 3 CJ B", Some(7)),
            ("SQN 208 Bloco D Apto 301", "SQN 208 Bl. D", None),
            ("SQN 208, Bloco D, Apto 301", "SQN 208 Bloco D", None),
            ("SQS 308 | Bloco C | apto 204", "SQS 308 Bloco C", None),
            (
                "SQN 208 || Bl D ap 301",
                "Superquadra Norte 208 Bloco D",
                None,
            ),
            (
                "QNM 3 Conj. A || casa 10 | DF",
                "QNM 3 Conjunto A",
                Some(10),
            ),
            (
                "SHIN QI 5 Conjunto 9 Casa 12 ||| DF",
                "SHIN QI 5 Conjunto 9",
                Some(12),
            ),
        ] {
            let (list, key) = (
                readings(&address(written), Form::Current),
                street_key(street).expect("a street"),
            );
            let is_meant =
                |reading: &Reading| reading.key.hash == key.hash && reading.number == number;
            assert!(
                list.iter().any(is_meant) && list.len() < 12,
                "{written}: {list:?}"
            );
        }
    }

    #[test]
    fn whole_text_is_read_first() {
        for text in [
            "Rua Projetada 12",
            "Rua Quadra 3",
            "Avenida Casa Grande",
            "Rua Km 18",
            "Rua A 1",
            "Beco E 28",
        ] {
            let list = readings(&address(text), Form::Current);
            assert_eq!(
                list.first().map(|reading| reading.key),
                street_key(text),
                "{text}"
            );
        }
        let is_unread = |text: &str| readings(&address(text), Form::Current).is_empty();
        assert!(is_unread("") && is_unread(" , 12"));
    }

    #[test]
    fn readings_of_hostile_text_are_bounded() {
        for text in [
            "s ",
            "s apto ",
            "1 ",
            "qd 1 bl 2 ",
            "💥",
            "1.",
            "ª",
            "(",
            "- ",
        ] {
            let list = readings(
                &address(&format!(
                    "{} | {} | bloco b",
                    text.repeat(300),
                    text.repeat(9)
                )),
                Form::Current,
            );
            assert!(list.len() <= MAX_READINGS, "{text}");
        }
    }

    #[test]
    fn thousands_separator_is_removed() {
        for (text, joined) in [
            ("1.508", "1508"),
            ("12.5", "12.5"),
            ("1.5080", "1.5080"),
            ("a.508", "a.508"),
            ("É 1.508", "É 1508"),
        ] {
            assert_eq!(join_thousands(text), joined);
        }
    }
}
