//! Brazil's municipalities by name and by CEP.

use std::cmp::Reverse;

use super::{
    great_circle_m,
    names::{city_key, hash32, plain},
    tables::{self, Tables},
};
use crate::model::{Cep, Located, Point, Precision, Uf};

/// Data of Brazil's 5,571 municipalities (names, municipal seats, population, CEP ranges) and its
/// borders. Sources and licences: `core/data`.
///
/// ```
/// use despacho_core::{geo::Gazetteer, model::Uf};
/// let uf = Uf::parse("SP").expect("valid federative unit");
/// let city = Gazetteer::embedded().municipality("S. Bernardo do Campo", uf).expect("known municipality");
/// assert_eq!((city.name().as_str(), city.ibge()), ("São Bernardo do Campo", 3_548_708));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Gazetteer(pub(super) &'static Tables);

/// A municipality of a gazetteer.
#[derive(Clone, Copy)]
pub struct Municipality {
    tables: &'static Tables,
    index: u16,
}

/// Population in thousands, and the typical distance in metres between an address and the municipal
/// seat.
///
/// The distance is two thirds of the radius of a disc with the built-up area of Brazilian towns of
/// that size (3,000 inhabitants per km² in small towns, 9,000 in the largest). The largest is
/// measured: 74 % of the CEP5s of São Paulo are within 13 km of its seat. The minimum of 500 m is
/// the error of the seats' coordinates.
const RADII: [(u32, u32); 11] = [
    (1, 500),
    (10, 800),
    (20, 1_000),
    (50, 1_500),
    (100, 2_000),
    (200, 2_700),
    (500, 4_000),
    (1_000, 5_500),
    (2_000, 7_000),
    (5_000, 12_000),
    (12_000, 13_000),
];

/// The IBGE code of Rio de Janeiro, and the distance. Its seat is at the eastern end of the city:
/// the distance of its size would contain only 39 % of its CEP5s. The measured one contains 74 %,
/// as in São Paulo.
const RIO: (u32, u32) = (3_304_557, 30_000);

impl Municipality {
    /// Returns the name with its accents.
    pub fn name(self) -> String {
        self.tables.name(self.index)
    }

    /// Returns the federative unit.
    pub fn uf(self) -> Uf {
        Uf::from_ibge(self.ibge() / 100_000)
            .unwrap_or_else(|| unreachable!("a test checks every record's federative unit"))
    }

    /// Returns the seven-digit IBGE code.
    pub fn ibge(self) -> u32 {
        self.tables.ibge(self.index)
    }

    /// Returns the municipal seat. Its median error is half a kilometre, its maximum a few
    /// kilometres.
    pub fn municipal_seat(self) -> Point {
        self.tables.municipal_seat(self.index)
    }

    /// Returns the population of the municipal seat, accurate to about 5 %.
    pub fn population(self) -> u32 {
        self.tables.population(self.index)
    }

    /// Returns the typical distance in metres between an address and the municipal seat, estimated
    /// from the population.
    pub fn radius_m(self) -> u32 {
        if self.ibge() == RIO.0 {
            return RIO.1;
        }
        let inhabitants = self.population();
        let (mut below, mut last) = ((0, RADII[0].1), RADII[0]);
        for (thousands, radius) in RADII {
            last = (thousands * 1_000, radius);
            if inhabitants <= last.0 {
                break;
            }
            below = last;
        }
        let span = (last.0 - below.0).max(1);
        let part = u64::from(last.1 - below.1)
            * u64::from(inhabitants.min(last.0).saturating_sub(below.0));
        below.1 + u32::try_from(part / u64::from(span)).unwrap_or_default()
    }

    /// Returns the municipality as a location of municipality precision.
    pub fn located(self) -> Located {
        Located {
            point: self.municipal_seat(),
            precision: Precision::Municipality,
            radius_m: self.radius_m(),
        }
    }

    /// Returns the number of five-digit CEPs in the municipality's ranges; many of them are not in
    /// use.
    pub(super) fn cep5s(self) -> u32 {
        self.tables.cep5s(self.index)
    }

    /// Whether the municipality has a CEP range. The newest municipality has none yet.
    pub(super) fn has_ceps(self) -> bool {
        self.tables.has_ceps(self.index)
    }
}

impl PartialEq for Municipality {
    fn eq(&self, other: &Municipality) -> bool {
        self.ibge() == other.ibge()
    }
}

impl Eq for Municipality {}

impl std::fmt::Debug for Municipality {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({} {})", self.name(), self.uf().code(), self.ibge())
    }
}

impl Gazetteer {
    /// Returns the embedded gazetteer, without reading or parsing anything.
    pub fn embedded() -> Gazetteer {
        Gazetteer(&tables::EMBEDDED)
    }

    /// Returns a gazetteer without municipalities, which accepts all coordinates in and around
    /// Brazil.
    pub fn empty() -> Gazetteer {
        Gazetteer(&tables::EMPTY)
    }

    /// Opens the file `gazetteer.bin` of the browser package. Returns `None` if it is damaged. The
    /// gazetteer remains in memory until the program ends.
    pub fn open(bytes: &'static [u8]) -> Option<Gazetteer> {
        Some(Gazetteer(Box::leak(Box::new(Tables::open(bytes)?))))
    }

    /// The files in `core/data` that [`Gazetteer::of_tables`] takes, in this order.
    pub const TABLES: [&str; 4] = ["municipalities.bin", "ceps.bin", "outline.bin", "land.bin"];

    /// Returns the gazetteer of the files [`Gazetteer::TABLES`]. Returns `None` if one of them is
    /// damaged. The gazetteer remains in memory until the program ends.
    pub fn of_tables(tables: [&'static [u8]; 4]) -> Option<Gazetteer> {
        Some(Gazetteer(Box::leak(Box::new(Tables::of(tables)?))))
    }

    fn at(self, index: u16) -> Municipality {
        Municipality {
            tables: self.0,
            index,
        }
    }

    /// Iterates over all municipalities in unspecified order.
    pub fn all(self) -> impl Iterator<Item = Municipality> {
        (0..self.0.count()).map(move |index| self.at(index))
    }

    /// Returns the municipality with this name in this federative unit, in any spelling that
    /// [`city_key`] unifies.
    ///
    /// Also accepts `São Paulo - SP` and `São Paulo/SP`. If two municipalities of a unit have the
    /// same key, only the exact name finds either of them.
    pub fn municipality(self, name: &str, uf: Uf) -> Option<Municipality> {
        let trimmed = name.trim_end();
        let bare = trimmed.strip_suffix(')').unwrap_or(trimmed).trim_end();
        let parts = bare
            .len()
            .checked_sub(2)
            .and_then(|cut| bare.split_at_checked(cut));
        let head = parts.filter(|(head, tail)| {
            head.ends_with([' ', '-', '/', ',', '(']) && Uf::parse(tail) == Some(uf)
        });
        head.and_then(|(head, _)| self.find(head, uf))
            .or_else(|| self.find(name, uf))
    }

    /// Tries the possible meanings of a standalone `s.` and returns the first match.
    fn find(self, name: &str, uf: Uf) -> Option<Municipality> {
        ["sao", "santo", "santa"].into_iter().find_map(|saint| {
            let key = city_key(name, saint);
            if key.is_empty() {
                return None;
            }
            let mut found = self.with_key(&key).filter(|town| town.uf() == uf);
            match (found.next(), found.next()) {
                (Some(one), None) => Some(one),
                (Some(_), Some(_)) => {
                    let exact = plain(name);
                    self.with_key(&key)
                        .find(|town| town.uf() == uf && plain(&town.name()) == exact)
                }
                (None, _) => self
                    .0
                    .with_alias(tables::alias_hash(&key))
                    .map(|index| self.at(index))
                    .find(|town| town.uf() == uf),
            }
        })
    }

    /// Returns the municipalities with this key. Compares the key itself, because hashes can
    /// collide.
    fn with_key(self, key: &str) -> impl Iterator<Item = Municipality> {
        self.0
            .with_hash(hash32(key))
            .map(move |index| self.at(index))
            .filter(move |town| city_key(&town.name(), "sao") == key)
    }

    /// Returns the municipalities with this name in all federative units, the most populous first.
    pub fn namesakes(self, name: &str) -> Vec<Municipality> {
        let key = city_key(name, "sao");
        let mut found: Vec<Municipality> = self.with_key(&key).collect();
        found.sort_by_key(|town| (Reverse(town.population()), town.ibge()));
        found
    }

    /// Returns the municipality whose CEP range contains this CEP.
    ///
    /// ```
    /// use despacho_core::{geo::Gazetteer, model::Cep};
    /// let cep = Cep::parse("69005-070").expect("valid CEP");
    /// assert_eq!(Gazetteer::embedded().municipality_by_cep(cep).map(|city| city.name()).as_deref(), Some("Manaus"));
    /// ```
    pub fn municipality_by_cep(self, cep: Cep) -> Option<Municipality> {
        self.0.with_cep(cep.number()).map(|index| self.at(index))
    }

    /// Returns the municipality with the nearest seat, and the distance to the seat in metres.
    pub fn nearest(self, point: Point) -> Option<(Municipality, u32)> {
        self.all()
            .map(|town| (town, great_circle_m(town.municipal_seat(), point)))
            .min_by_key(|(town, metres)| (*metres, town.index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uf(code: &str) -> Uf {
        Uf::parse(code).expect("valid federative unit")
    }

    fn named(name: &str, code: &str) -> Option<u32> {
        Gazetteer::embedded()
            .municipality(name, uf(code))
            .map(Municipality::ibge)
    }

    #[test]
    fn every_municipality_is_found_with_and_without_accents() {
        let gazetteer = Gazetteer::embedded();
        for town in gazetteer.all() {
            let name = town.name();
            for spelling in [
                name.clone(),
                name.to_uppercase(),
                plain(&name),
                format!(" {name} - {} ", town.uf().code()),
            ] {
                assert_eq!(
                    gazetteer.municipality(&spelling, town.uf()),
                    Some(town),
                    "{spelling}"
                );
            }
            assert!(
                town.radius_m() >= 500 && town.population() >= 500,
                "{town:?}"
            );
        }
        assert_eq!(gazetteer.all().count(), 5_571);
    }

    #[test]
    fn everyday_spellings_are_found() {
        for (name, code, ibge) in [
            ("S. Paulo", "SP", 3_550_308),
            ("Sto. André", "SP", 3_547_809),
            ("S. André", "SP", 3_547_809),
            ("Sta. Bárbara do Oeste", "SP", 3_545_803),
            ("N. Sra. do Socorro", "SE", 2_804_805),
            ("Olho d’Água", "PB", 2_510_402),
            ("OLHO DAGUA", "PB", 2_510_402),
            ("Moji das Cruzes", "SP", 3_530_607),
            ("Mogi-Mirim", "SP", 3_530_805),
            ("BRASILIA", "DF", 5_300_108),
            ("Taguatinga", "DF", 5_300_108),
            ("Parati", "RJ", 3_303_807),
            ("Embu", "SP", 3_515_004),
            ("São José dos Campos/SP", "SP", 3_549_904),
            ("Gov. Valadares", "MG", 3_127_701),
        ] {
            assert_eq!(named(name, code), Some(ibge), "{name} {code}");
        }
        for (name, code) in [
            ("", "SP"),
            ("SP", "SP"),
            ("São Paulo", "RJ"),
            ("Gotham", "SP"),
            ("-/(),", "AM"),
        ] {
            assert_eq!(named(name, code), None, "{name} {code}");
        }
    }

    #[test]
    fn namesakes_belong_to_their_own_units() {
        assert_ne!(named("Bom Jesus", "PI"), named("Bom Jesus", "RS"));
        let namesakes = Gazetteer::embedded().namesakes("São Domingos");
        let codes: Vec<String> = namesakes
            .iter()
            .map(|town| town.uf().code().to_owned())
            .collect();
        assert!(
            codes.len() >= 4 && codes.contains(&"GO".to_owned()),
            "{codes:?}"
        );
        for town in namesakes {
            assert_eq!(
                Gazetteer::embedded().municipality("SAO DOMINGOS", town.uf()),
                Some(town)
            );
        }
    }

    #[test]
    fn cep_belongs_to_its_municipality() {
        let by_cep = |text: &str| {
            let town =
                Gazetteer::embedded().municipality_by_cep(Cep::parse(text).expect("valid CEP"));
            town.map(|town| (town.name(), town.uf().code().to_owned()))
        };
        for (cep, name, code) in [
            ("01001-000", "São Paulo", "SP"),
            ("05999-999", "São Paulo", "SP"),
            ("06000-000", "Osasco", "SP"),
            ("08499-999", "São Paulo", "SP"),
            ("20010-000", "Rio de Janeiro", "RJ"),
            ("30110-000", "Belo Horizonte", "MG"),
            ("69005-070", "Manaus", "AM"),
            ("70040-010", "Brasília", "DF"),
            ("72010-010", "Brasília", "DF"),
            ("72800-000", "Luziânia", "GO"),
            ("90010-000", "Porto Alegre", "RS"),
            ("53990-000", "Fernando de Noronha", "PE"),
        ] {
            assert_eq!(
                by_cep(cep),
                Some((name.to_owned(), code.to_owned())),
                "{cep}"
            );
        }
        assert_eq!(by_cep("00000-000"), None);
        assert_eq!(by_cep("00999-999"), None);
    }

    #[test]
    fn every_cep_range_is_in_its_unit() {
        // Ranges of the federative units as published by Correios, by their first two digits.
        let unit_of = |cep: u32| match cep / 1_000_000 {
            1..=19 => "SP",
            20..=28 => "RJ",
            29 => "ES",
            30..=39 => "MG",
            40..=48 => "BA",
            49 => "SE",
            50..=56 => "PE",
            57 => "AL",
            58 => "PB",
            59 => "RN",
            60..=63 => "CE",
            64 => "PI",
            65 => "MA",
            80..=87 => "PR",
            88..=89 => "SC",
            90..=99 => "RS",
            // Several units share these two digits.
            _ => "",
        };
        for cep in (0..100_000_000).step_by(2_500) {
            let town = tables::EMBEDDED
                .with_cep(cep)
                .map(|index| Gazetteer::embedded().at(index));
            let unit = unit_of(cep);
            if let (Some(town), false) = (town, unit.is_empty()) {
                assert_eq!(town.uf().code(), unit, "{cep:08} {town:?}");
            }
        }
    }

    #[test]
    fn larger_cities_have_wider_radii() {
        let radius = |name: &str, code: &str| {
            Gazetteer::embedded()
                .municipality(name, uf(code))
                .expect("known municipality")
                .radius_m()
        };
        assert_eq!(
            (radius("São Paulo", "SP"), radius("Rio de Janeiro", "RJ")),
            (13_000, 30_000)
        );
        assert!(radius("Manaus", "AM") > radius("Campinas", "SP"));
        assert!(radius("Campinas", "SP") > radius("Borá", "SP"));
    }
}
