//! Binary format of a pack: a header of 96 bytes, then four sorted tables of fixed-width records.
//!
//! Keys are big-endian for sorting as bytes; values are little-endian. Coordinates are in 10⁻⁷
//! degrees. A door's coordinates are offsets from its street in 10⁻⁶ degrees (11 cm). Order in the
//! file: CEP5, CEP, streets, doors.
//!
//! | table | key | value |
//! |---|---|---|
//! | CEP5 | cep5 3 | point 8, radius 2 |
//! | CEP | cep 4 | municipality 3, point 8, radius 2 |
//! | streets | municipality 3, name 5, kind 1, title 1, cep 4 | first door 4, doors 4, point 8, radius 2 |
//! | doors | by street: number 3 | latitude 3, longitude 3, spread 1 (units of 4 m) |

use crate::{geo::street::StreetKey, model::Point};

/// Magic number at the start of every pack.
pub const MAGIC: [u8; 8] = *b"DESPGAZ\0";
/// Version of the format that this program writes. Every change of the format increases it.
pub const VERSION: u16 = 2;
/// The earlier version, which this program reads. Its names of streets have an earlier form, in
/// which the numbers in names have several spellings (`Rua 01` is not `Rua 1`).
pub const VERSION_OF_SPELLINGS: u16 = 1;
/// Size of the header in bytes: magic 8, version 2, zeros 6, counts 4 × 8, rows 8, label 32,
/// checksum 8.
pub const HEADER: usize = 96;
/// Offset of the checksum, which covers all other bytes.
pub const CHECKSUM_AT: usize = 88;
/// Size of the label, a free text that describes the source, in bytes.
pub const LABEL: usize = 32;

/// The tables of a pack, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// CEPs by their first five digits.
    Cep5,
    /// CEPs.
    Cep,
    /// Streets of a municipality, one record for each CEP.
    Streets,
    /// Street numbers.
    Doors,
}

impl Table {
    /// All tables, in the order of the file.
    pub const ALL: [Table; 4] = [Table::Cep5, Table::Cep, Table::Streets, Table::Doors];

    /// Returns the size of a record in bytes.
    pub const fn width(self) -> usize {
        match self {
            Table::Cep5 => 13,
            Table::Cep => 17,
            Table::Streets => STREET,
            Table::Doors => 10,
        }
    }
}

/// Size of a street record in bytes.
pub const STREET: usize = 32;

/// Size in bytes of the part of a street's key that holds municipality and name hash.
pub const STREET_NAME: usize = 8;

/// Contents of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Number of records in each table, in the order of the file.
    pub counts: [u64; 4],
    /// Number of register rows read to build the pack.
    pub rows: u64,
    /// Description of the source, as UTF-8 padded with zeros.
    pub label: [u8; LABEL],
}

impl Header {
    /// Returns the header's bytes with a checksum of zero.
    pub fn to_bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
        for (count, at) in self.counts.iter().zip((16..48).step_by(8)) {
            bytes[at..at + 8].copy_from_slice(&count.to_le_bytes());
        }
        bytes[48..56].copy_from_slice(&self.rows.to_le_bytes());
        bytes[56..56 + LABEL].copy_from_slice(&self.label);
        bytes
    }
}

/// Reads a number from up to eight little-endian bytes.
pub fn read_le(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Reads a number from up to eight big-endian bytes.
pub fn read_be(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Reads a point from eight bytes.
pub fn point(bytes: &[u8]) -> Point {
    let part = |from: usize| {
        let mut part = [0; 4];
        part.iter_mut()
            .zip(bytes.iter().skip(from))
            .for_each(|(to, byte)| *to = *byte);
        i32::from_le_bytes(part)
    };
    Point {
        lat_e7: part(0),
        lon_e7: part(4),
    }
}

/// Converts a point to eight bytes.
pub fn point_bytes(point: Point) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&point.lat_e7.to_le_bytes());
    bytes[4..].copy_from_slice(&point.lon_e7.to_le_bytes());
    bytes
}

/// Returns the first eight bytes of a street's key, which are the search key.
pub fn street_name(ibge: u32, hash: u64) -> [u8; STREET_NAME] {
    (u64::from(ibge) << 40 | hash & 0xff_ffff_ffff).to_be_bytes()
}

/// Returns the 14-byte sort key of a street.
pub fn street_key_bytes(ibge: u32, street: StreetKey, cep: u32) -> [u8; 14] {
    let mut key = [0; 14];
    key[..STREET_NAME].copy_from_slice(&street_name(ibge, street.hash));
    key[8] = street.kind;
    key[9] = street.title;
    key[10..].copy_from_slice(&cep.to_be_bytes());
    key
}

/// Encodes a door's offset from its street as 10⁻⁶ degrees in three bytes. Returns `None` if it is
/// more than 8 degrees.
pub fn offset(from_e7: i32, to_e7: i32) -> Option<[u8; 3]> {
    let difference = i64::from(to_e7) - i64::from(from_e7);
    let micro = (difference + 5).div_euclid(10);
    let fits = (-(1 << 23)..1 << 23).contains(&micro);
    let [a, b, c, ..] = micro.to_le_bytes();
    fits.then_some([a, b, c])
}

/// Decodes [`offset`] and returns the coordinate in 10⁻⁷ degrees.
pub fn from_offset(from_e7: i32, bytes: &[u8]) -> i32 {
    let raw = read_le(&bytes[..3.min(bytes.len())]);
    let micro = i32::try_from(raw).unwrap_or_default();
    let signed = if micro >= 1 << 23 {
        micro - (1 << 24)
    } else {
        micro
    };
    from_e7.saturating_add(signed.saturating_mul(10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offset_round_trip_is_within_half_a_unit() {
        for (from, to) in [
            (0, 0),
            (-235_505_201, -235_505_196),
            (-235_505_201, -235_400_000),
            (5, -83_000_000),
        ] {
            let back = from_offset(from, &offset(from, to).expect("offset in range"));
            assert!((back - to).abs() <= 5, "{from} {to} {back}");
        }
        assert!(offset(0, 90_000_000).is_none());
    }

    #[test]
    fn keys_sort_as_numbers() {
        let key = |ibge, hash, cep| {
            street_key_bytes(
                ibge,
                StreetKey {
                    hash,
                    kind: 1,
                    title: 0,
                },
                cep,
            )
        };
        assert!(key(3_550_308, 255, 0) < key(3_550_308, 256, 0));
        assert!(key(3_550_308, u64::MAX, 0) < key(3_550_309, 0, 0));
        assert!(key(1_100_015, 7, 1_000_255) < key(1_100_015, 7, 1_000_256));
    }
}
