//! Reads rows of the IBGE address register, CNEFE 2022: 34 columns separated by `;`, UTF-8, SIRGAS
//! 2000 (equivalent to WGS 84 at this precision).

use super::street::{StreetKey, street_key, street_number};
use crate::model::Point;

/// Number of columns in a row.
pub const COLUMNS: usize = 34;

const MUNICIPALITY: usize = 2;
const CEP: usize = 8;
/// First of three columns with the kind, title and name of the street. The name may repeat the
/// title.
const STREET: usize = 10;
const NUMBER: usize = 13;
const LATITUDE: usize = 25;
const LONGITUDE: usize = 26;
const LEVEL: usize = 27;

/// The values of a row that a pack needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Seven-digit IBGE code.
    pub ibge: u32,
    /// Postal code.
    pub cep: u32,
    /// Key of the street, if it has a name.
    pub street: Option<StreetKey>,
    /// Street number, or 0 if there is none.
    pub number: u32,
    /// Coordinates of the address.
    pub point: Point,
    /// Whether the coordinates are those of the address or its block face (levels 1 to 4), and not
    /// of its locality or census sector.
    pub exact: bool,
}

/// The reason a row is skipped. Variants have the order of [`RowError::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum RowError {
    /// The row has fewer than 34 columns.
    #[error("fewer than 34 columns")]
    Columns,
    /// The street is not valid UTF-8.
    #[error("the street is not valid UTF-8")]
    Text,
    /// The municipality is not an IBGE code.
    #[error("the municipality is not an IBGE code")]
    Municipality,
    /// The CEP does not have eight digits.
    #[error("the CEP does not have eight digits")]
    Cep,
    /// The coordinates are missing, invalid or outside Brazil.
    #[error("the coordinates are missing, invalid or outside Brazil")]
    Coordinates,
}

impl RowError {
    /// All errors, for counters.
    pub const ALL: [RowError; 5] = [
        RowError::Columns,
        RowError::Text,
        RowError::Municipality,
        RowError::Cep,
        RowError::Coordinates,
    ];
}

/// Reads rows and caches the last street, because neighbouring rows usually have the same street.
#[derive(Clone, Debug, Default)]
pub struct RowReader {
    last: Vec<u8>,
    last_key: Option<StreetKey>,
    text: String,
}

impl RowReader {
    /// Parses a line without its line ending.
    ///
    /// # Errors
    /// Returns a [`RowError`] that names the invalid column.
    pub fn read(&mut self, line: &[u8]) -> Result<Row, RowError> {
        let fields = fields(line.strip_suffix(b"\r").unwrap_or(line))?;
        let ibge =
            digits(fields[MUNICIPALITY]).filter(|code| (1_100_000..5_400_000).contains(code));
        let cep = digits(fields[CEP]).filter(|_| fields[CEP].len() == 8);
        let point = degrees_e7(fields[LATITUDE]).zip(degrees_e7(fields[LONGITUDE]));
        let point = point
            .map(|(lat_e7, lon_e7)| Point { lat_e7, lon_e7 })
            .filter(|point| is_in_bounds(*point));
        let level = digits(fields[LEVEL]).unwrap_or(6);
        let number = digits(fields[NUMBER])
            .or_else(|| street_number(std::str::from_utf8(fields[NUMBER]).ok()?))
            .filter(|number| *number < 1 << 24);
        Ok(Row {
            ibge: ibge.ok_or(RowError::Municipality)?,
            cep: cep.ok_or(RowError::Cep)?,
            point: point.ok_or(RowError::Coordinates)?,
            street: self.street([fields[STREET], fields[STREET + 1], fields[STREET + 2]])?,
            number: number.unwrap_or(0),
            exact: (1..=4).contains(&level),
        })
    }

    fn street(&mut self, parts: [&[u8]; 3]) -> Result<Option<StreetKey>, RowError> {
        let same = self.last.len() == parts.iter().map(|part| part.len() + 1).sum::<usize>();
        if same
            && self
                .last
                .split(|byte| *byte == b';')
                .eq(parts.iter().copied().chain([b"".as_slice()]))
        {
            return Ok(self.last_key);
        }
        self.last.clear();
        self.text.clear();
        for part in parts {
            self.last.extend_from_slice(part);
            self.last.push(b';');
            let part = std::str::from_utf8(part).map_err(|_| RowError::Text)?;
            self.text.push_str(part);
            self.text.push(' ');
        }
        self.last_key = street_key(&self.text);
        Ok(self.last_key)
    }
}

/// Whether a line is the header line, with which every file of the register starts.
pub fn is_header(line: &[u8]) -> bool {
    line.strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(line)
        .starts_with(b"COD_UNICO_ENDERECO")
}

/// Returns the first 34 columns. Further separators belong to the last column, a free text that is
/// not read.
fn fields(line: &[u8]) -> Result<[&[u8]; COLUMNS], RowError> {
    let mut fields = [b"".as_slice(); COLUMNS];
    let mut count = 0;
    let mut start = 0;
    for (at, byte) in line.iter().enumerate() {
        if *byte == b';' {
            fields[count] = &line[start..at];
            count += 1;
            start = at + 1;
            if count + 1 == COLUMNS {
                break;
            }
        }
    }
    fields[count] = &line[start..];
    if count + 1 == COLUMNS {
        Ok(fields)
    } else {
        Err(RowError::Columns)
    }
}

/// Parses a number of one to nine digits.
fn digits(field: &[u8]) -> Option<u32> {
    if field.is_empty() || field.len() > 9 {
        return None;
    }
    field.iter().try_fold(0u32, |sum, byte| {
        byte.is_ascii_digit()
            .then(|| sum * 10 + u32::from(byte - b'0'))
    })
}

/// Parses decimal degrees, with a point or a comma, and rounds them to units of 10⁻⁷.
fn degrees_e7(field: &[u8]) -> Option<i32> {
    let (negative, digits) = field
        .strip_prefix(b"-")
        .map_or((false, field), |digits| (true, digits));
    let (mut value, mut decimals, mut any) = (0i64, None, false);
    for byte in digits {
        match (byte, decimals) {
            (b'.' | b',', None) => decimals = Some(0),
            (b'0'..=b'9', None) if value < 1_000 => value = value * 10 + i64::from(byte - b'0'),
            (b'0'..=b'9', Some(places @ 0..=7)) => {
                value = value * 10 + i64::from(byte - b'0');
                decimals = Some(places + 1);
            }
            (b'0'..=b'9', Some(_)) => {}
            _ => return None,
        }
        any |= byte.is_ascii_digit();
    }
    for _ in decimals.unwrap_or(0)..8 {
        value *= 10;
    }
    let rounded = (value + 5) / 10;
    any.then(|| i32::try_from(if negative { -rounded } else { rounded }).ok())?
}

/// Whether a point is in Brazil's bounding box, islands included. The register contains erroneous
/// points outside it.
fn is_in_bounds(point: Point) -> bool {
    (-338_000_000..=53_000_000).contains(&point.lat_e7)
        && (-740_000_000..=-288_000_000).contains(&point.lon_e7)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(
        cep: &str,
        street: [&str; 3],
        number: &str,
        latitude: &str,
        longitude: &str,
        level: &str,
    ) -> String {
        let [kind, title, name] = street;
        let start = format!(
            "1;35;3550308;355030805;35503080500;355030805000001P;1;1;{cep};;{kind};{title};{name};{number}"
        );
        format!("{start};;;;;;;;;;;;{latitude};{longitude};{level};1;LOJA;1;1;1;1")
    }

    fn read(line: &str) -> Result<Row, RowError> {
        RowReader::default().read(line.as_bytes())
    }

    const SE: [&str; 3] = ["PRACA", "", "DA SE"];

    #[test]
    fn row_is_parsed() {
        let row = read(&line(
            "01001000",
            SE,
            "100",
            "-23.5505201",
            "-46.63330894",
            "1",
        ))
        .expect("valid row");
        assert_eq!(
            (row.ibge, row.cep, row.number, row.exact),
            (3_550_308, 1_001_000, 100, true)
        );
        assert_eq!(
            row.point,
            Point {
                lat_e7: -235_505_201,
                lon_e7: -466_333_089
            }
        );
        assert_eq!(row.street, street_key("Praça da Sé"));
        let title = ["RUA", "DOUTOR", "DOUTOR ARNALDO"];
        let row = read(&line("01246000", title, "0", "-23,55", "-46,67", "6")).expect("valid row");
        assert_eq!(
            (row.street, row.number, row.exact),
            (street_key("R. Dr. Arnaldo"), 0, false)
        );
    }

    #[test]
    fn invalid_row_returns_the_reason() {
        for (text, error) in [
            (
                line("0100100", SE, "1", "-23.5", "-46.6", "1"),
                RowError::Cep,
            ),
            (
                line("01001-00", SE, "1", "-23.5", "-46.6", "1"),
                RowError::Cep,
            ),
            (
                line("01001000", SE, "1", "", "", "1"),
                RowError::Coordinates,
            ),
            (
                line("01001000", SE, "1", "23.5", "-46.6", "1"),
                RowError::Coordinates,
            ),
            (
                line("01001000", SE, "1", "-46.6", "-23.5", "1"),
                RowError::Coordinates,
            ),
            (
                line("01001000", SE, "1", "-23.5.1", "-46.6", "1"),
                RowError::Coordinates,
            ),
            ("a;b;c".to_owned(), RowError::Columns),
            (String::new(), RowError::Columns),
            (
                line("01001000", SE, "1", "-23.5", "-46.6", "1").replace("3550308;", "9950308;"),
                RowError::Municipality,
            ),
        ] {
            assert_eq!(read(&text), Err(error), "{text}");
        }
        let mut bytes =
            line("01001000", ["RUA", "", "X?"], "1", "-23.5", "-46.6", "1").into_bytes();
        let at = bytes
            .iter()
            .position(|byte| *byte == b'?')
            .expect("placeholder");
        bytes[at] = 0xff;
        assert_eq!(RowReader::default().read(&bytes), Err(RowError::Text));
    }

    #[test]
    fn cached_street_matches_only_identical_columns() {
        let mut reader = RowReader::default();
        for street in [
            SE,
            SE,
            ["RUA", "", "DIREITA"],
            ["RUA", "DIREITA", ""],
            ["", "", ""],
            SE,
        ] {
            let text = line("01001000", street, "1", "-23.5", "-46.6", "1");
            let row = reader.read(text.as_bytes()).expect("valid row");
            assert_eq!(row.street, street_key(&street.join(" ")));
        }
    }

    #[test]
    fn header_is_recognised() {
        assert!(
            is_header(b"COD_UNICO_ENDERECO;COD_UF")
                && is_header(b"\xef\xbb\xbfCOD_UNICO_ENDERECO;COD_UF")
        );
        assert!(!is_header(b"1;35;3550308"));
    }
}
