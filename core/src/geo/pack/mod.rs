//! Gazetteer packs: addresses of a city or a country, by street and number, CEP and CEP5, made from the IBGE register.
//!
//! A host reads or maps the file and hands its bytes to [`Pack::open`]; lookups are binary searches over those bytes.

mod builder;
pub mod format;
mod locate;

pub use builder::{Builder, ROW, Sink, row_bytes};

/// The checksum of a pack: XXH64 with seed 0, which detects damage but not forgery.
pub use twox_hash::XxHash64 as Checksum;

use std::hash::Hasher;

use super::{
    pack::format::{CHECKSUM_AT, HEADER, LABEL, MAGIC, Table, VERSION, big, little, point},
    street::StreetKey,
};
use crate::model::{Cep, Point};

/// An open pack over bytes that the host holds.
#[derive(Clone, Copy)]
pub struct Pack<'a> {
    tables: [&'a [u8]; 4],
    info: PackInfo,
}

/// What a pack holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackInfo {
    /// CEP5 records.
    pub cep5s: u64,
    /// CEP records.
    pub ceps: u64,
    /// Streets, each within one CEP.
    pub streets: u64,
    /// Street numbers.
    pub doors: u64,
    /// Register rows that were read to make it.
    pub rows: u64,
    /// What it was made from, as its maker wrote it.
    label: [u8; LABEL],
}

impl PackInfo {
    /// What it was made from, as its maker wrote it.
    pub fn label(&self) -> &str {
        let end = self.label.iter().position(|byte| *byte == 0).unwrap_or(LABEL);
        std::str::from_utf8(&self.label[..end]).unwrap_or_default()
    }
}

/// Why bytes are no pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackError {
    /// They are something else: the first bytes are not a pack's.
    NotAPack,
    /// A newer program made it.
    FutureVersion {
        /// Its version; this program reads up to [`VERSION`].
        version: u16,
    },
    /// Fewer or more bytes than the header announces.
    Truncated {
        /// Bytes announced.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// The checksum differs: some byte is not what was written.
    Damaged,
}

impl std::fmt::Display for PackError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PackError::NotAPack => write!(f, "not a gazetteer pack"),
            PackError::FutureVersion { version } => {
                write!(f, "gazetteer pack of version {version}; this program reads up to version {VERSION}")
            }
            PackError::Truncated { expected, found } => {
                write!(f, "gazetteer pack of {found} bytes that should have {expected}: not wholly copied?")
            }
            PackError::Damaged => write!(f, "gazetteer pack whose checksum differs: build or copy it anew"),
        }
    }
}

impl std::error::Error for PackError {}

/// A place of a pack with its typical error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where it is.
    pub point: Point,
    /// Typical distance of its addresses from there, in metres.
    pub radius_m: u32,
}

/// One street within one CEP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Street<'a> {
    /// Name, kind and titles.
    pub key: StreetKey,
    /// Its CEP.
    pub cep: u32,
    /// Its middle.
    pub place: Place,
    doors: &'a [u8],
}

impl<'a> Pack<'a> {
    /// Opens a pack after checking every byte of it.
    ///
    /// # Errors
    /// [`PackError`] tells foreign, newer, cut off and damaged files apart.
    pub fn open(bytes: &'a [u8]) -> Result<Pack<'a>, PackError> {
        let header = bytes.get(..HEADER).filter(|header| header.starts_with(&MAGIC)).ok_or(PackError::NotAPack)?;
        let version = u16::from_le_bytes([header[8], header[9]]);
        if version > VERSION {
            return Err(PackError::FutureVersion { version });
        }
        let counts: [u64; 4] = std::array::from_fn(|index| little(&header[16 + index * 8..24 + index * 8]));
        let found = bytes.len() as u64;
        let lengths = counts.iter().zip(Table::ALL).map(|(count, table)| count.checked_mul(table.width() as u64));
        let body = lengths.clone().try_fold(HEADER as u64, |sum, length| sum.checked_add(length?));
        if body != Some(found) {
            return Err(PackError::Truncated { expected: body.unwrap_or(u64::MAX), found });
        }
        let mut sum = Checksum::default();
        sum.write(&header[..CHECKSUM_AT]);
        sum.write(&bytes[HEADER..]);
        if version == 0 || sum.finish() != little(&header[CHECKSUM_AT..]) {
            return Err(PackError::Damaged);
        }
        let mut rest = &bytes[HEADER..];
        let tables = std::array::from_fn(|index| {
            let length = counts[index].saturating_mul(Table::ALL[index].width() as u64);
            let (table, after) = rest.split_at(usize::try_from(length).unwrap_or(rest.len()).min(rest.len()));
            rest = after;
            table
        });
        let [cep5s, ceps, streets, doors] = counts;
        let mut label = [0; LABEL];
        label.copy_from_slice(&header[56..56 + LABEL]);
        let info = PackInfo { cep5s, ceps, streets, doors, rows: little(&header[48..56]), label };
        Ok(Pack { tables, info })
    }

    /// What it holds.
    pub fn info(&self) -> PackInfo {
        self.info
    }

    /// Records of a table whose key starts with these bytes.
    fn matching(&self, table: Table, prefix: &[u8]) -> impl Iterator<Item = &'a [u8]> + use<'a, '_> {
        let (bytes, width) = (self.tables[table as usize], table.width());
        let key_at = |index: usize| bytes.get(index * width..index * width + prefix.len()).unwrap_or_default();
        let (mut low, mut high) = (0, bytes.len() / width);
        while low < high {
            let middle = low.midpoint(high);
            if key_at(middle) < prefix {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let prefix = prefix.to_vec();
        bytes[low * width..].chunks_exact(width).take_while(move |record| record.starts_with(&prefix))
    }

    /// The middle of a CEP, and the IBGE code of its municipality.
    pub fn cep(&self, cep: Cep) -> Option<(Place, u32)> {
        let record = self.matching(Table::Cep, &cep.number().to_be_bytes()).next()?;
        Some((place(&record[7..]), u32::try_from(big(&record[4..7])).ok()?))
    }

    /// The middle of the CEPs that share the first five digits.
    pub fn cep5(&self, cep: Cep) -> Option<Place> {
        let record = self.matching(Table::Cep5, &(cep.number() / 1_000).to_be_bytes()[1..]).next()?;
        Some(place(&record[3..]))
    }

    /// Every street of that name in a municipality, of any kind and title, one for each CEP.
    pub fn streets(&self, ibge: u32, hash: u64) -> impl Iterator<Item = Street<'a>> + use<'a, '_> {
        let doors = self.tables[Table::Doors as usize];
        self.matching(Table::Streets, &format::street_name(ibge, hash)).map(move |record| {
            let number = |from: usize| usize::try_from(little(&record[from..from + 4])).unwrap_or_default();
            let width = Table::Doors.width();
            let from = number(14).saturating_mul(width);
            let to = from.saturating_add(number(18).saturating_mul(width));
            Street {
                key: StreetKey { hash, kind: record[8], title: record[9] },
                cep: u32::try_from(big(&record[10..14])).unwrap_or_default(),
                place: place(&record[22..]),
                doors: doors.get(from..to).unwrap_or_default(),
            }
        })
    }
}

fn place(bytes: &[u8]) -> Place {
    Place { point: point(bytes), radius_m: u32::try_from(little(&bytes[8..10])).unwrap_or_default() }
}

impl std::fmt::Debug for Pack<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.info.fmt(f)
    }
}

#[cfg(test)]
mod tests;
