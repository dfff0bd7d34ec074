//! Forms in which people write an address. Each form has a name and writes an address of the
//! register in that form.

use despacho_core::{
    geo::names::plain,
    model::{Address, Point},
};

/// An address of a register, with its street as people write it in full.
#[derive(Clone, Debug)]
pub(crate) struct Door {
    pub(crate) city: &'static str,
    pub(crate) state: &'static str,
    pub(crate) ibge: u32,
    /// Kind of the street, such as `Avenida`, or empty.
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) number: u32,
    pub(crate) cep: u32,
    pub(crate) point: Point,
    /// Number of the street. Namesakes in one city have different ones.
    pub(crate) street: usize,
}

/// A deterministic random number generator.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit.max(1)
    }

    fn pick(&mut self, list: &[&'static str]) -> &'static str {
        let index = self.below(list.len());
        list.get(index).copied().unwrap_or_default()
    }
}

/// A form: its name, whether the streets are missing from the pack, and the function that writes an
/// address. The function returns `None` if the form does not apply to the address.
pub(crate) struct Form {
    pub(crate) name: &'static str,
    pub(crate) is_absent: bool,
    pub(crate) write: fn(&Door, &mut Rng) -> Option<Address>,
}

const fn form(name: &'static str, write: fn(&Door, &mut Rng) -> Option<Address>) -> Form {
    Form {
        name,
        is_absent: false,
        write,
    }
}

const fn absent(name: &'static str, write: fn(&Door, &mut Rng) -> Option<Address>) -> Form {
    Form {
        name,
        is_absent: true,
        write,
    }
}

/// Name of the form without titles.
pub(crate) const TITLES_OMITTED: &str = "titles omitted";

/// All forms.
pub(crate) const FORMS: [Form; 28] = [
    form("as in the register", |door, _| Some(plainly(door))),
    form("kind abbreviated", |door, rng| {
        Some(with_street(door, &abbreviated(&full(door), &KINDS, rng)?))
    }),
    form("kind omitted", |door, _| {
        (!door.kind.is_empty()).then(|| with_street(door, &door.name))
    }),
    form("titles and words abbreviated", |door, rng| {
        Some(with_street(door, &abbreviated(&full(door), &WORDS, rng)?))
    }),
    form(TITLES_OMITTED, titles_omitted),
    form("lower case without accents", |door, _| {
        Some(with_street(door, &plain(&full(door))))
    }),
    form("number in the street after a comma", |door, _| {
        Some(in_street(door, &format!(", {}", door.number)))
    }),
    form("number in the street without a comma", |door, _| {
        Some(in_street(door, &format!(" {}", door.number)))
    }),
    form("number and flat in the street", |door, rng| {
        let text = rng.pick(&[
            " # apto 12",
            ", # - ap 12",
            " nº # bloco B",
            ", n. # casa 2",
            " #, sala 3",
            ", num # fundos",
        ]);
        Some(in_street(
            door,
            &text.replace('#', &door.number.to_string()),
        ))
    }),
    form("street with number in both fields", |door, _| {
        Some(with_street(
            door,
            &format!("{} {}", full(door), door.number),
        ))
    }),
    form("flat in the number", |door, rng| {
        Some(with_number(
            door,
            rng.pick(&[
                "# ap 12",
                "#/12",
                "# - bloco B",
                "#A",
                "# casa 3",
                "#, fundos",
            ]),
        ))
    }),
    form("number with a prefix", |door, rng| {
        Some(with_number(
            door,
            rng.pick(&["nº #", "Nº#", "n. #", "n.#", "num #", "no. #", "número #"]),
        ))
    }),
    form("number with a thousands separator", |door, _| {
        let (thousands, rest) = (door.number / 1_000, door.number % 1_000);
        (thousands > 0).then(|| Address {
            number: Some(format!("{thousands}.{rest:03}")),
            ..plainly(door)
        })
    }),
    form("number in the name in another spelling", respelled),
    form("no number (S/N)", |door, rng| {
        Some(with_number(
            door,
            rng.pick(&["S/N", "s/n", "SN", "s/nº", "sem número"]),
        ))
    }),
    form("S/N in the street", |door, rng| {
        Some(in_street(door, rng.pick(&[", s/n", " s/n", " S/N"])))
    }),
    form("kilometre in the street", |door, rng| {
        Some(in_street(
            door,
            rng.pick(&[" km 12", ", km 12", " Km 12,5"]),
        ))
    }),
    form("neighbourhood after the street", |door, rng| {
        let text = rng.pick(&[" - Centro", " (Centro)", " – Vila Nova"]);
        Some(with_street(door, &format!("{}{text}", full(door))))
    }),
    form("neighbourhood as city, with CEP", |door, _| {
        Some(Address {
            city: Some("Vila Que Não Existe".to_owned()),
            ..with_cep(door, plainly(door))
        })
    }),
    form("one typing error, with CEP", |door, rng| {
        Some(with_cep(door, with_errors(door, 1, rng)?))
    }),
    form("one typing error", |door, rng| with_errors(door, 1, rng)),
    form("two typing errors, with CEP", |door, rng| {
        Some(with_cep(door, with_errors(door, 2, rng)?))
    }),
    form("two typing errors", |door, rng| with_errors(door, 2, rng)),
    absent("street missing from the pack, with CEP", |door, _| {
        Some(with_cep(door, plainly(door)))
    }),
    absent("street missing from the pack", |door, _| {
        Some(plainly(door))
    }),
    absent("street missing from the pack, typing error", |door, rng| {
        with_errors(door, 1, rng)
    }),
    form(
        "abbreviations, typing error and number in the street, with CEP",
        |door, rng| Some(with_cep(door, combined(door, rng)?)),
    ),
    form(
        "abbreviations, typing error and number in the street",
        combined,
    ),
];

/// Numbers from 1 as words and as Roman numerals.
const NUMBERS: [(&str, &str); 45] = [
    ("Um", ""),
    ("Dois", "II"),
    ("Três", "III"),
    ("Quatro", "IV"),
    ("Cinco", ""),
    ("Seis", "VI"),
    ("Sete", "VII"),
    ("Oito", "VIII"),
    ("Nove", "IX"),
    ("Dez", ""),
    ("Onze", "XI"),
    ("Doze", "XII"),
    ("Treze", "XIII"),
    ("Catorze", "XIV"),
    ("Quinze", "XV"),
    ("Dezesseis", "XVI"),
    ("Dezessete", "XVII"),
    ("Dezoito", "XVIII"),
    ("Dezenove", "XIX"),
    ("Vinte", "XX"),
    ("Vinte e Um", "XXI"),
    ("Vinte e Dois", "XXII"),
    ("Vinte e Três", "XXIII"),
    ("Vinte e Quatro", "XXIV"),
    ("Vinte e Cinco", "XXV"),
    ("Vinte e Seis", "XXVI"),
    ("Vinte e Sete", "XXVII"),
    ("Vinte e Oito", "XXVIII"),
    ("Vinte e Nove", "XXIX"),
    ("Trinta", "XXX"),
    ("Trinta e Um", "XXXI"),
    ("Trinta e Dois", "XXXII"),
    ("Trinta e Três", "XXXIII"),
    ("Trinta e Quatro", "XXXIV"),
    ("Trinta e Cinco", "XXXV"),
    ("Trinta e Seis", "XXXVI"),
    ("Trinta e Sete", "XXXVII"),
    ("Trinta e Oito", "XXXVIII"),
    ("Trinta e Nove", "XXXIX"),
    ("Quarenta", ""),
    ("Quarenta e Um", ""),
    ("Quarenta e Dois", ""),
    ("Quarenta e Três", ""),
    ("Quarenta e Quatro", ""),
    ("Quarenta e Cinco", ""),
];

/// The first number of a name as digits, with a leading zero, in words or as a Roman numeral,
/// whichever it is not.
fn respelled(door: &Door, rng: &mut Rng) -> Option<Address> {
    let spaced = format!(" {} ", plain(&door.name));
    let forms = (1..).zip(NUMBERS).map(|(number, (words, roman))| {
        let digits = if number < 10 {
            format!("0{number}")
        } else {
            number.to_string()
        };
        (
            number,
            [number.to_string(), digits, plain(words), plain(roman)],
        )
    });
    let found = forms.flat_map(|(number, forms)| forms.map(|form| (number, form)));
    let found = found.filter(|(_, form)| !form.is_empty() && spaced.contains(&format!(" {form} ")));
    // `vinte e cinco` contains `cinco`.
    let (number, form) = found.max_by_key(|(_, form)| form.len())?;
    let (words, roman) = NUMBERS.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
    let padded = format!("0{number}");
    let others = [
        number.to_string(),
        padded,
        (*words).to_owned(),
        (*roman).to_owned(),
    ];
    let others: Vec<&String> = others
        .iter()
        .filter(|other| !other.is_empty() && plain(other) != form)
        .collect();
    let other = others.get(rng.below(others.len()))?;
    let name = spaced.replacen(&format!(" {form} "), &format!(" {other} "), 1);
    Some(with_street(
        door,
        format!("{} {}", door.kind, name.trim()).trim(),
    ))
}

fn full(door: &Door) -> String {
    format!("{} {}", door.kind, door.name).trim().to_owned()
}

fn plainly(door: &Door) -> Address {
    Address {
        street: Some(full(door)),
        number: Some(door.number.to_string()),
        city: Some(door.city.to_owned()),
        state: Some(door.state.to_owned()),
        ..Address::default()
    }
}

fn with_street(door: &Door, street: &str) -> Address {
    Address {
        street: Some(street.to_owned()),
        ..plainly(door)
    }
}

/// The number, or another text, after the street, and no number in its own field.
fn in_street(door: &Door, suffix: &str) -> Address {
    Address {
        number: None,
        ..with_street(door, &(full(door) + suffix))
    }
}

fn with_number(door: &Door, text: &str) -> Address {
    Address {
        number: Some(text.replace('#', &door.number.to_string())),
        ..plainly(door)
    }
}

fn with_cep(door: &Door, address: Address) -> Address {
    Address {
        zip_code: Some(format!("{:08}", door.cep)),
        ..address
    }
}

fn titles_omitted(door: &Door, _: &mut Rng) -> Option<Address> {
    let kept: Vec<&str> = door
        .name
        .split(' ')
        .filter(|word| !TITLES.contains(&plain(word).as_str()))
        .collect();
    let is_changed =
        kept.len() < door.name.split(' ').count() && kept.iter().any(|word| word.len() > 3);
    is_changed.then(|| with_street(door, &format!("{} {}", door.kind, kept.join(" "))))
}

/// Replaces each word that has abbreviations by one of them. Returns `None` if no word has.
fn abbreviated(text: &str, table: &[(&str, &[&'static str])], rng: &mut Rng) -> Option<String> {
    let mut is_changed = false;
    let words: Vec<String> = text
        .split(' ')
        .map(|word| {
            let key = plain(word);
            table.iter().find(|entry| entry.0 == key).map_or_else(
                || word.to_owned(),
                |(_, short)| {
                    is_changed = true;
                    rng.pick(short).to_owned()
                },
            )
        })
        .collect();
    is_changed.then(|| words.join(" "))
}

/// Changes letters of the name: exchanges, replaces, omits or inserts one. Returns `None` for short
/// names.
fn with_errors(door: &Door, errors: usize, rng: &mut Rng) -> Option<Address> {
    let mut letters: Vec<char> = door.name.chars().collect();
    if letters
        .iter()
        .filter(|letter| letter.is_alphabetic())
        .count()
        < 5
    {
        return None;
    }
    let before = plain(&door.name).replace(' ', "");
    for _ in 0..errors {
        loop {
            let at = rng.below(letters.len() - 1);
            if !letters[at].is_alphabetic() || !letters[at + 1].is_alphabetic() {
                continue;
            }
            let letter = char::from(b'a' + u8::try_from(rng.below(26)).unwrap_or_default());
            match rng.below(4) {
                0 => letters.swap(at, at + 1),
                1 => letters[at] = letter,
                2 => drop(letters.remove(at)),
                _ => letters.insert(at, letter),
            }
            break;
        }
    }
    let name: String = letters.into_iter().collect();
    (plain(&name).replace(' ', "") != before)
        .then(|| with_street(door, &format!("{} {name}", door.kind)))
}

/// Writes a name with one typing error, random abbreviations, and the number in the street.
fn combined(door: &Door, rng: &mut Rng) -> Option<Address> {
    let mut street = with_errors(door, 1, rng)?.street?;
    for table in [&KINDS[..], &WORDS] {
        // Half of the addresses keep the words.
        if rng.below(2) == 0 {
            street = abbreviated(&street, table, rng).unwrap_or(street);
        }
    }
    let number = rng
        .pick(&[", #", " #", " nº #", ", # ap 12", " # - bloco B"])
        .replace('#', &door.number.to_string());
    Some(Address {
        number: None,
        ..with_street(door, &(street + &number))
    })
}

/// Kinds with their abbreviations, as found on envelopes and in order forms.
const KINDS: [(&str, &[&str]); 15] = [
    ("rua", &["R.", "R", "r."]),
    ("avenida", &["Av.", "Av", "AV", "Aven."]),
    ("travessa", &["Tv.", "Trav.", "Tv", "Trv."]),
    ("praca", &["Pça", "Pça.", "Pc.", "Pca"]),
    ("alameda", &["Al.", "Al", "Alam."]),
    ("largo", &["Lgo.", "Lg.", "Lgo"]),
    ("rodovia", &["Rod.", "Rod", "Rodov."]),
    ("estrada", &["Estr.", "Est.", "Estr"]),
    ("viaduto", &["Vd.", "Viad.", "Vdto."]),
    ("beco", &["Bc.", "Bco."]),
    ("ladeira", &["Lad.", "Ld."]),
    ("parque", &["Pq.", "Pque.", "Prq."]),
    ("passagem", &["Pass.", "Psg."]),
    ("acesso", &["Ac.", "Aces."]),
    ("vila", &["Vl.", "V."]),
];

/// Titles and other words with their abbreviations.
const WORDS: [(&str, &[&str]); 44] = [
    ("almirante", &["Alm.", "Alte."]),
    ("barao", &["Br.", "Bar."]),
    ("brigadeiro", &["Brig.", "Brig"]),
    ("capitao", &["Cap.", "Cap", "Cpt."]),
    ("comandante", &["Cmte.", "Com."]),
    ("comendador", &["Com.", "Comend."]),
    ("conde", &["Cde."]),
    ("conego", &["Côn.", "Con."]),
    ("conselheiro", &["Cons.", "Cons", "Conselh."]),
    ("coronel", &["Cel.", "Cel"]),
    ("deputado", &["Dep.", "Dep"]),
    ("desembargador", &["Des.", "Desemb."]),
    ("dom", &["D."]),
    ("dona", &["D.", "Da."]),
    ("doutor", &["Dr.", "Dr"]),
    ("doutora", &["Dra.", "Drª"]),
    ("duque", &["Dq."]),
    ("engenheiro", &["Eng.", "Engº", "Eng"]),
    ("frei", &["Fr."]),
    ("general", &["Gal.", "Gen.", "Gal"]),
    ("governador", &["Gov.", "Gov"]),
    ("jardim", &["Jd.", "Jd"]),
    ("junior", &["Jr.", "Jr"]),
    ("major", &["Maj.", "Maj"]),
    ("marechal", &["Mal.", "Mal"]),
    ("marques", &["Mq.", "Marq."]),
    ("ministro", &["Min.", "Min"]),
    ("monsenhor", &["Mons.", "Mons"]),
    ("nossa", &["N.", "Nª", "Nsa."]),
    ("padre", &["Pe.", "Pe"]),
    ("prefeito", &["Pref.", "Prefº"]),
    ("presidente", &["Pres.", "Pres", "Presid."]),
    ("professor", &["Prof.", "Prof"]),
    ("professora", &["Profª", "Profa."]),
    ("santa", &["Sta.", "Sta", "S.", "Stª"]),
    ("santo", &["Sto.", "Sto", "S."]),
    ("sao", &["S.", "S"]),
    ("sargento", &["Sgt.", "Sarg."]),
    ("senador", &["Sen.", "Sen"]),
    ("senhora", &["Sra.", "Srª", "S."]),
    ("tenente", &["Ten.", "Ten"]),
    ("vereador", &["Ver.", "Ver"]),
    ("vila", &["Vl.", "Vl"]),
    ("visconde", &["Visc.", "Visc"]),
];

/// Titles that everyday use omits.
const TITLES: [&str; 22] = [
    "almirante",
    "brigadeiro",
    "capitao",
    "comendador",
    "conselheiro",
    "coronel",
    "deputado",
    "desembargador",
    "doutor",
    "doutora",
    "engenheiro",
    "general",
    "governador",
    "major",
    "marechal",
    "monsenhor",
    "prefeito",
    "presidente",
    "professor",
    "professora",
    "senador",
    "vereador",
];
