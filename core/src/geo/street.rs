//! Reduces street names, as people and registers write them, to keys that identify a street within a city.

use super::names::{plain, unify_spelling};

/// Key of a street: a hash of its name without kind and titles, and these two, which distinguish namesakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StreetKey {
    /// 40 bits of FNV-1a over the folded name.
    pub hash: u64,
    /// Kind: rua, avenida, praça...; 0 if the text has none.
    pub kind: u8,
    /// Hash of the titles (doutor, padre, barão de...); 0 if there is none.
    pub title: u8,
}

/// Kinds of street with their abbreviations. Packs contain these numbers: never change one, only add new ones.
const KINDS: [(&str, u8); 91] = [
    ("ac", 22),
    ("acesso", 22),
    ("al", 5),
    ("alameda", 5),
    ("alto", 23),
    ("av", 2),
    ("ave", 2),
    ("avenida", 2),
    ("bc", 11),
    ("beco", 11),
    ("boulevard", 24),
    ("bulevar", 24),
    ("calcada", 25),
    ("calcadao", 25),
    ("cam", 26),
    ("caminho", 26),
    ("campo", 27),
    ("ch", 28),
    ("chacara", 28),
    ("cj", 18),
    ("colonia", 29),
    ("condominio", 30),
    ("conj", 18),
    ("conjunto", 18),
    ("corredor", 31),
    ("esc", 32),
    ("escada", 32),
    ("escadaria", 32),
    ("esplanada", 33),
    ("est", 7),
    ("estr", 7),
    ("estrada", 7),
    ("faz", 34),
    ("fazenda", 34),
    ("galeria", 35),
    ("jardim", 20),
    ("jd", 20),
    ("lad", 12),
    ("ladeira", 12),
    ("largo", 6),
    ("ld", 12),
    ("lg", 6),
    ("lgo", 6),
    ("linha", 36),
    ("lot", 37),
    ("loteamento", 37),
    ("marginal", 38),
    ("morro", 39),
    ("parque", 19),
    ("pass", 15),
    ("passagem", 15),
    ("passarela", 40),
    ("patio", 41),
    ("pc", 4),
    ("pca", 4),
    ("ponte", 42),
    ("pov", 43),
    ("povoado", 43),
    ("pq", 19),
    ("praca", 4),
    ("praia", 44),
    ("prq", 19),
    ("psg", 15),
    ("q", 17),
    ("qd", 17),
    ("quadra", 17),
    ("r", 1),
    ("ramal", 45),
    ("residencial", 46),
    ("rod", 8),
    ("rodovia", 8),
    ("rua", 1),
    ("serv", 16),
    ("servidao", 16),
    ("setor", 47),
    ("sitio", 48),
    ("trav", 3),
    ("travessa", 3),
    ("trecho", 49),
    ("tv", 3),
    ("vd", 14),
    ("vereda", 50),
    ("via", 13),
    ("viaduto", 14),
    ("vicinal", 51),
    ("viela", 9),
    ("vila", 10),
    ("vl", 10),
    ("vla", 9),
    ("zona", 52),
    ("zr", 52),
];

/// Titles with their abbreviations. Everyday use often omits them, so they are not part of the name.
const TITLES: [(&str, &str); 90] = [
    ("alm", "almirante"),
    ("almirante", "almirante"),
    ("arcebispo", "arcebispo"),
    ("aviador", "aviador"),
    ("barao", "barao"),
    ("bispo", "bispo"),
    ("brig", "brigadeiro"),
    ("brigadeiro", "brigadeiro"),
    ("cabo", "cabo"),
    ("cap", "capitao"),
    ("capitao", "capitao"),
    ("cardeal", "cardeal"),
    ("cb", "cabo"),
    ("cel", "coronel"),
    ("cmte", "comandante"),
    ("com", "comendador"),
    ("comandante", "comandante"),
    ("comendador", "comendador"),
    ("conde", "conde"),
    ("condessa", "condessa"),
    ("conego", "conego"),
    ("cons", "conselheiro"),
    ("conselheiro", "conselheiro"),
    ("coronel", "coronel"),
    ("cpt", "capitao"),
    ("dep", "deputado"),
    ("deputado", "deputado"),
    ("des", "desembargador"),
    ("desembargador", "desembargador"),
    ("dom", "dom"),
    ("dona", "dona"),
    ("doutor", "doutor"),
    ("doutora", "doutora"),
    ("dr", "doutor"),
    ("dra", "doutora"),
    ("duque", "duque"),
    ("emb", "embaixador"),
    ("embaixador", "embaixador"),
    ("eng", "engenheiro"),
    ("engenheiro", "engenheiro"),
    ("exp", "expedicionario"),
    ("expedicionario", "expedicionario"),
    ("frei", "frei"),
    ("gal", "general"),
    ("gen", "general"),
    ("general", "general"),
    ("gov", "governador"),
    ("governador", "governador"),
    ("imperador", "imperador"),
    ("irma", "irma"),
    ("irmao", "irmao"),
    ("juiz", "juiz"),
    ("maestro", "maestro"),
    ("maj", "major"),
    ("major", "major"),
    ("mal", "marechal"),
    ("marechal", "marechal"),
    ("marques", "marques"),
    ("mestre", "mestre"),
    ("min", "ministro"),
    ("ministro", "ministro"),
    ("mons", "monsenhor"),
    ("monsenhor", "monsenhor"),
    ("padre", "padre"),
    ("pastor", "pastor"),
    ("pe", "padre"),
    ("pref", "prefeito"),
    ("prefeito", "prefeito"),
    ("pres", "presidente"),
    ("presidente", "presidente"),
    ("princesa", "princesa"),
    ("principe", "principe"),
    ("prof", "professor"),
    ("profa", "professora"),
    ("professor", "professor"),
    ("professora", "professora"),
    ("rainha", "rainha"),
    ("rei", "rei"),
    ("sarg", "sargento"),
    ("sargento", "sargento"),
    ("sd", "soldado"),
    ("sen", "senador"),
    ("senador", "senador"),
    ("sgt", "sargento"),
    ("soldado", "soldado"),
    ("ten", "tenente"),
    ("tenente", "tenente"),
    ("ver", "vereador"),
    ("vereador", "vereador"),
    ("visconde", "visconde"),
];

/// Expansions of abbreviations, and digits for numbers in words or Roman numerals: `Quinze`, `XV` and `15` are equal.
const WORDS: [(&str, &str); 66] = [
    ("1o", "1"),
    ("20o", "20"),
    ("2o", "2"),
    ("3o", "3"),
    ("cinco", "5"),
    ("dez", "10"),
    ("dezanove", "19"),
    ("dezenove", "19"),
    ("dezesseis", "16"),
    ("dezessete", "17"),
    ("dezoito", "18"),
    ("dois", "2"),
    ("doze", "12"),
    ("duas", "2"),
    ("gde", "grande"),
    ("ii", "2"),
    ("iii", "3"),
    ("iv", "4"),
    ("ix", "9"),
    ("jr", "junior"),
    ("n", "nossa"),
    ("nove", "9"),
    ("nsa", "nossa"),
    ("nsra", "nossa senhora"),
    ("oito", "8"),
    ("onze", "11"),
    ("primeira", "1"),
    ("primeiro", "1"),
    ("quatorze", "14"),
    ("quatro", "4"),
    ("quinze", "15"),
    ("s", "sao"),
    ("segunda", "2"),
    ("segundo", "2"),
    ("seis", "6"),
    ("sete", "7"),
    ("sra", "senhora"),
    ("sta", "santa"),
    ("sto", "santo"),
    ("terceira", "3"),
    ("terceiro", "3"),
    ("tres", "3"),
    ("treze", "13"),
    ("um", "1"),
    ("uma", "1"),
    ("vi", "6"),
    ("vii", "7"),
    ("viii", "8"),
    ("xi", "11"),
    ("xii", "12"),
    ("xiii", "13"),
    ("xiv", "14"),
    ("xix", "19"),
    ("xv", "15"),
    ("xvi", "16"),
    ("xvii", "17"),
    ("xviii", "18"),
    ("xx", "20"),
    ("xxi", "21"),
    ("xxii", "22"),
    ("xxiii", "23"),
    ("xxiv", "24"),
    ("xxix", "29"),
    ("xxv", "25"),
    ("xxvii", "27"),
    ("xxx", "30"),
];

fn find<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.binary_search_by_key(&word, |(short, _)| short).ok().map(|index| table[index].1)
}

/// Returns the key of a street's name, or `None` if the text has no name.
///
/// The first token may be a kind. Titles are separated from the name, unless nothing else remains. Particles are removed,
/// numbers become digits, and spellings are unified as for municipalities. Text after a comma (`Rua X, 12`) is ignored.
///
/// ```
/// use despacho_core::geo::street_key;
/// let key = |text| street_key(text).map(|key| key.hash);
/// assert_eq!(key("R. Dr. João Moura"), key("RUA DOUTOR DOUTOR JOAO MOURA"));
/// assert_eq!(key("Rua XV de Novembro"), key("Rua Quinze de Novembro"));
/// assert_eq!(key("Av. Brig. Luís Antônio"), key("Avenida Brigadeiro Luiz Antonio"));
/// assert!(street_key("Rua").is_none());
/// ```
pub fn street_key(text: &str) -> Option<StreetKey> {
    let text = text.split(',').next().unwrap_or_default();
    let folded = plain(text);
    let mut tokens = folded.split(' ').filter(|token| !token.is_empty()).peekable();
    let kind = tokens.peek().and_then(|first| find(&KINDS, first));
    if kind.is_some() {
        tokens.next();
    }
    let mut name = String::with_capacity(folded.len());
    let mut titles: Vec<&str> = Vec::new();
    let mut tens = false;
    for token in tokens {
        if matches!(token, "d" | "de" | "da" | "do" | "dos" | "das" | "e") {
            continue;
        }
        if let Some(title) = find(&TITLES, token) {
            if !titles.contains(&title) {
                titles.push(title);
            }
            continue;
        }
        push_token(&mut name, token, &mut tens);
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
    Some(StreetKey {
        hash: fnv64(&unify_spelling(&name)) >> 24,
        kind: kind.unwrap_or(0),
        title: if titles.is_empty() { 0 } else { title.max(1) },
    })
}

/// Appends a token with its abbreviation expanded. Combines `vinte` or `trinta` with a following unit: `vinte e cinco` is 25.
fn push_token(name: &mut String, token: &str, tens: &mut bool) {
    let unit_of_tens = std::mem::take(tens);
    match token {
        "vinte" | "trinta" => {
            name.push_str(if token == "vinte" { "20" } else { "30" });
            *tens = true;
        }
        _ => {
            let expanded = find(&WORDS, token).unwrap_or(token);
            if unit_of_tens && expanded.len() == 1 && expanded.as_bytes()[0].is_ascii_digit() {
                name.pop();
            }
            name.extend(expanded.chars().filter(|letter| *letter != ' '));
        }
    }
}

fn fnv64(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Parses the street number in a text: its leading digits, below 2^24. Returns `None` for S/N, kilometres and words.
///
/// ```
/// use despacho_core::geo::street_number;
/// assert_eq!((street_number("438"), street_number(" 12-A "), street_number("nº 7")), (Some(438), Some(12), Some(7)));
/// assert_eq!((street_number("S/N"), street_number("0"), street_number("km 12")), (None, None, None));
/// ```
pub fn street_number(text: &str) -> Option<u32> {
    let folded = plain(text);
    let word = folded.split(' ').find(|word| !matches!(*word, "no" | "n" | "num" | "numero"))?;
    let digits = word.find(|letter: char| !letter.is_ascii_digit()).map_or(Some(word), |end| word.get(..end))?;
    digits.parse().ok().filter(|number| (1..1 << 24).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_for_the_search() {
        assert!(KINDS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(TITLES.is_sorted_by(|a, b| a.0 < b.0));
        assert!(WORDS.is_sorted_by(|a, b| a.0 < b.0));
    }

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
            ("Rua Prof. Dr. Lúcio Martins Rodrigues", "Rua Lucio Martins Rodrigues"),
            ("Rua dos Três Irmãos, 500", "RUA TRES IRMAOS"),
            ("Rua Barão de Itapetininga", "BARAO ITAPETININGA"),
        ] {
            assert_eq!(street_key(one).expect(one).hash, street_key(other).expect(other).hash, "{one} / {other}");
        }
        for (one, other) in [("Rua A", "Rua B"), ("Rua 1", "Rua 11"), ("Rua 20 de Maio", "Rua 2 de Maio")] {
            assert_ne!(street_key(one).expect(one).hash, street_key(other).expect(other).hash, "{one} / {other}");
        }
    }

    #[test]
    fn kind_and_title_distinguish_namesakes() {
        let (street, lane) =
            (street_key("Rua Itu").expect("street with a name"), street_key("Tv. Itu").expect("street with a name"));
        assert_eq!((street.hash, street.title), (lane.hash, lane.title));
        assert_ne!(street.kind, lane.kind);
        let (baron, marquis) = (street_key("Rua Barão de Itu"), street_key("Rua Marquês de Itu"));
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
