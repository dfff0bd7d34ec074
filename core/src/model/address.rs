//! Brazilian addresses: the strings as sent, and their parsed parts.

use serde::{Deserialize, Serialize};

use super::Point;

/// One of the 27 federative units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uf([u8; 2]);

impl Uf {
    /// The Federal District, whose addresses have blocks instead of streets.
    pub const FEDERAL_DISTRICT: Uf = Uf(*b"DF");

    /// The federative units, sorted by code: the code, the first two digits of the IBGE codes of
    /// its municipalities, and the name.
    const UNITS: [(&'static str, u32, &'static str); 27] = [
        ("AC", 12, "Acre"),
        ("AL", 27, "Alagoas"),
        ("AM", 13, "Amazonas"),
        ("AP", 16, "Amapá"),
        ("BA", 29, "Bahia"),
        ("CE", 23, "Ceará"),
        ("DF", 53, "Distrito Federal"),
        ("ES", 32, "Espírito Santo"),
        ("GO", 52, "Goiás"),
        ("MA", 21, "Maranhão"),
        ("MG", 31, "Minas Gerais"),
        ("MS", 50, "Mato Grosso do Sul"),
        ("MT", 51, "Mato Grosso"),
        ("PA", 15, "Pará"),
        ("PB", 25, "Paraíba"),
        ("PE", 26, "Pernambuco"),
        ("PI", 22, "Piauí"),
        ("PR", 41, "Paraná"),
        ("RJ", 33, "Rio de Janeiro"),
        ("RN", 24, "Rio Grande do Norte"),
        ("RO", 11, "Rondônia"),
        ("RR", 14, "Roraima"),
        ("RS", 43, "Rio Grande do Sul"),
        ("SC", 42, "Santa Catarina"),
        ("SE", 28, "Sergipe"),
        ("SP", 35, "São Paulo"),
        ("TO", 17, "Tocantins"),
    ];

    /// Returns all federative units, sorted by code.
    pub fn all() -> impl Iterator<Item = Uf> {
        Uf::UNITS.iter().filter_map(|(code, ..)| Uf::parse(code))
    }

    /// Returns the unit whose municipalities have IBGE codes that start with these two digits.
    pub fn from_ibge(digits: u32) -> Option<Uf> {
        Uf::UNITS
            .iter()
            .find(|unit| unit.1 == digits)
            .and_then(|(code, ..)| Uf::parse(code))
    }

    /// Returns the name, such as `São Paulo`.
    pub fn name(&self) -> &'static str {
        Uf::UNITS
            .iter()
            .find(|unit| unit.0 == self.code())
            .map_or("", |(.., name)| name)
    }

    /// Parses a code in upper or lower case, with optional surrounding spaces.
    ///
    /// ```
    /// use despacho_core::model::Uf;
    /// assert_eq!(Uf::parse(" sp ").map(|uf| uf.code().to_owned()).as_deref(), Some("SP"));
    /// assert!(Uf::parse("XX").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Uf> {
        let bytes: [u8; 2] = text.trim().as_bytes().try_into().ok()?;
        let upper = bytes.map(|byte| byte.to_ascii_uppercase());
        Uf::UNITS
            .iter()
            .any(|unit| unit.0.as_bytes() == upper)
            .then_some(Uf(upper))
    }

    /// Returns the two-letter code in upper case.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// A postal code of eight digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cep(u32);

impl Cep {
    /// Parses a postal code. Hyphens, dots and spaces are ignored.
    ///
    /// ```
    /// use despacho_core::model::Cep;
    /// assert_eq!(Cep::parse("01310-100").map(|cep| cep.number()), Some(1_310_100));
    /// assert!(Cep::parse("0131-100").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Cep> {
        let mut digits = 0u32;
        let mut count = 0;
        for letter in text.chars() {
            match letter {
                '0'..='9' if count < 8 => {
                    digits = digits * 10 + letter.to_digit(10)?;
                    count += 1;
                }
                '-' | '.' | ' ' => {}
                _ => return None,
            }
        }
        (count == 8).then_some(Cep(digits))
    }

    /// Returns the eight digits as a number, 0 to 99,999,999.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// An address. Strings are as sent, trimmed. Absent fields are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Address {
    /// Street name with its type, such as `Avenida Paulista`.
    pub street: Option<String>,
    /// House number, or `S/N` if there is none.
    pub number: Option<String>,
    /// Flat, floor, block.
    pub complement: Option<String>,
    /// Neighbourhood (bairro).
    pub neighborhood: Option<String>,
    /// Municipality.
    pub city: Option<String>,
    /// Code of the federative unit, as sent. [`Address::uf`] parses it.
    pub state: Option<String>,
    /// Postal code, as sent. [`Address::cep`] parses it.
    pub zip_code: Option<String>,
    /// Coordinates as sent, which locate the address.
    pub point: Option<Point>,
}

impl Address {
    /// Returns the federative unit, or `None` if the code is missing or invalid.
    pub fn uf(&self) -> Option<Uf> {
        Uf::parse(self.state.as_deref()?)
    }

    /// Returns the postal code, or `None` if it is missing or invalid.
    pub fn cep(&self) -> Option<Cep> {
        Cep::parse(self.zip_code.as_deref()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_codes_parse_in_any_case() {
        assert_eq!(Uf::all().count(), 27);
        for uf in Uf::all() {
            assert_eq!(Uf::parse(&uf.code().to_lowercase()), Some(uf));
        }
        assert!(Uf::UNITS.is_sorted());
        assert_eq!(Uf::from_ibge(35).map(|uf| uf.name()), Some("São Paulo"));
        assert!(Uf::parse("São Paulo").is_none() && Uf::parse("").is_none());
    }

    #[test]
    fn cep_requires_eight_digits() {
        assert_eq!(Cep::parse("69.005-070").map(Cep::number), Some(69_005_070));
        for bad in ["", "123", "123456789", "0131O-100", "01310_100", "٠١٣١٠١٠٠"] {
            assert!(Cep::parse(bad).is_none(), "{bad}");
        }
    }
}
