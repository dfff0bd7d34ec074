//! Gazetteer packs: addresses of a city or a country by street and number, CEP and CEP5, built from
//! the IBGE register.
//!
//! A host reads or maps the file and passes its bytes to [`Pack::open`]. Lookups are binary
//! searches over these bytes.

mod builder;
pub mod format;
mod locate;

pub use builder::{Builder, ROW, Sink, row_bytes};

/// Checksum of a pack: XXH64 with seed 0. It detects corruption but not tampering.
pub use twox_hash::XxHash64 as Checksum;

use std::hash::Hasher;

use super::{
    pack::format::{
        CHECKSUM_AT, HEADER, LABEL, MAGIC, Table, VERSION, VERSION_OF_SPELLINGS, point, read_be,
        read_le,
    },
    street::{Form, StreetKey},
};
use crate::model::{Cep, Point};

/// An open pack that borrows its bytes from the host.
#[derive(Clone, Copy)]
pub struct Pack<'a> {
    tables: [&'a [u8]; 4],
    info: PackInfo,
    version: u16,
}

/// Metadata of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackInfo {
    /// Number of CEP5 records.
    pub cep5s: u64,
    /// Number of CEP records.
    pub ceps: u64,
    /// Number of streets. A street counts once for each of its CEPs.
    pub streets: u64,
    /// Number of street numbers.
    pub doors: u64,
    /// Number of register rows read to build the pack.
    pub rows: u64,
    /// Description of the source.
    label: [u8; LABEL],
}

impl PackInfo {
    /// Returns the description of the source, as written when the pack was built.
    pub fn label(&self) -> &str {
        let end = self
            .label
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(LABEL);
        std::str::from_utf8(&self.label[..end]).unwrap_or_default()
    }
}

/// The reason a pack cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// The bytes do not start with a pack's magic number.
    #[error("not a gazetteer pack")]
    NotAPack,
    /// A newer version of the program built the pack.
    #[error(
        "gazetteer pack version {version} is too new; this program reads versions up to {VERSION}"
    )]
    FutureVersion {
        /// Version of the pack. This program reads versions up to [`VERSION`].
        version: u16,
    },
    /// The size differs from the size in the header.
    #[error("gazetteer pack has {found} bytes instead of {expected}; the copy may be incomplete")]
    Truncated {
        /// Size in bytes according to the header.
        expected: u64,
        /// Actual size in bytes.
        found: u64,
    },
    /// The checksum is wrong: the contents have changed since the pack was written.
    #[error("gazetteer pack has a wrong checksum; build or copy it again")]
    Damaged,
}

/// A location in a pack, with its typical error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackLocation {
    /// Coordinates.
    pub point: Point,
    /// Typical distance in metres between its addresses and the point.
    pub radius_m: u32,
}

/// One street within one CEP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Street<'a> {
    /// Name, kind and titles.
    pub key: StreetKey,
    /// CEP.
    pub cep: u32,
    /// Centre of the street.
    pub location: PackLocation,
    doors: &'a [u8],
}

impl<'a> Pack<'a> {
    /// Opens a pack and verifies its checksum.
    ///
    /// # Errors
    /// Returns a [`PackError`] if the bytes are not a pack, or a newer, truncated or damaged one.
    pub fn open(bytes: &'a [u8]) -> Result<Pack<'a>, PackError> {
        let header = bytes
            .get(..HEADER)
            .filter(|header| header.starts_with(&MAGIC))
            .ok_or(PackError::NotAPack)?;
        let version = u16::from_le_bytes([header[8], header[9]]);
        if version > VERSION {
            return Err(PackError::FutureVersion { version });
        }
        let counts: [u64; 4] =
            std::array::from_fn(|index| read_le(&header[16 + index * 8..24 + index * 8]));
        let found = bytes.len() as u64;
        let lengths = counts
            .iter()
            .zip(Table::ALL)
            .map(|(count, table)| count.checked_mul(table.width() as u64));
        let body = lengths
            .clone()
            .try_fold(HEADER as u64, |sum, length| sum.checked_add(length?));
        if body != Some(found) {
            return Err(PackError::Truncated {
                expected: body.unwrap_or(u64::MAX),
                found,
            });
        }
        let mut sum = Checksum::default();
        sum.write(&header[..CHECKSUM_AT]);
        sum.write(&bytes[HEADER..]);
        if version == 0 || sum.finish() != read_le(&header[CHECKSUM_AT..]) {
            return Err(PackError::Damaged);
        }
        let mut rest = &bytes[HEADER..];
        let tables = std::array::from_fn(|index| {
            let length = counts[index].saturating_mul(Table::ALL[index].width() as u64);
            let (table, after) = rest.split_at(
                usize::try_from(length)
                    .unwrap_or(rest.len())
                    .min(rest.len()),
            );
            rest = after;
            table
        });
        let [cep5s, ceps, streets, doors] = counts;
        let mut label = [0; LABEL];
        label.copy_from_slice(&header[56..56 + LABEL]);
        let info = PackInfo {
            cep5s,
            ceps,
            streets,
            doors,
            rows: read_le(&header[48..56]),
            label,
        };
        Ok(Pack {
            tables,
            info,
            version,
        })
    }

    /// Returns the pack's metadata.
    pub fn info(&self) -> PackInfo {
        self.info
    }

    /// Returns the version of the pack's format.
    pub fn version(&self) -> u16 {
        self.version
    }

    /// Returns whether an earlier version of the program built the pack. It finds a street whose
    /// name has a number only in the register's spelling (`Rua 01`); a pack that is built again
    /// finds it in all of them (`Rua 1`, `Rua Um`).
    pub fn is_outdated(&self) -> bool {
        self.version <= VERSION_OF_SPELLINGS
    }

    /// Returns the form of the names in the pack.
    fn form(&self) -> Form {
        if self.is_outdated() {
            Form::First
        } else {
            Form::Current
        }
    }

    /// Returns whether the pack contains streets of a municipality.
    pub fn covers(&self, ibge: u32) -> bool {
        self.matching(Table::Streets, &ibge.to_be_bytes()[1..])
            .next()
            .is_some()
    }

    /// Returns the records of a table whose key starts with these bytes.
    fn matching(
        &self,
        table: Table,
        prefix: &[u8],
    ) -> impl Iterator<Item = &'a [u8]> + use<'a, '_> {
        let (bytes, width) = (self.tables[table as usize], table.width());
        let key_at = |index: usize| {
            bytes
                .get(index * width..index * width + prefix.len())
                .unwrap_or_default()
        };
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
        bytes[low * width..]
            .chunks_exact(width)
            .take_while(move |record| record.starts_with(&prefix))
    }

    /// Returns the centre of a CEP and the IBGE code of its municipality.
    pub fn cep(&self, cep: Cep) -> Option<(PackLocation, u32)> {
        let record = self
            .matching(Table::Cep, &cep.number().to_be_bytes())
            .next()?;
        Some((
            location(&record[7..]),
            u32::try_from(read_be(&record[4..7])).ok()?,
        ))
    }

    /// Returns the centre of all CEPs with the same first five digits.
    pub fn cep5(&self, cep: Cep) -> Option<PackLocation> {
        let record = self
            .matching(Table::Cep5, &(cep.number() / 1_000).to_be_bytes()[1..])
            .next()?;
        Some(location(&record[3..]))
    }

    /// Returns the streets of this name in a municipality, with any kind and title, one for each
    /// CEP.
    pub fn streets(&self, ibge: u32, hash: u64) -> impl Iterator<Item = Street<'a>> + use<'a, '_> {
        let doors = self.tables[Table::Doors as usize];
        self.matching(Table::Streets, &format::street_name(ibge, hash))
            .map(move |record| {
                let number = |from: usize| {
                    usize::try_from(read_le(&record[from..from + 4])).unwrap_or_default()
                };
                let width = Table::Doors.width();
                let from = number(14).saturating_mul(width);
                let to = from.saturating_add(number(18).saturating_mul(width));
                Street {
                    key: StreetKey {
                        hash,
                        kind: record[8],
                        title: record[9],
                    },
                    cep: u32::try_from(read_be(&record[10..14])).unwrap_or_default(),
                    location: location(&record[22..]),
                    doors: doors.get(from..to).unwrap_or_default(),
                }
            })
    }
}

fn location(bytes: &[u8]) -> PackLocation {
    PackLocation {
        point: point(bytes),
        radius_m: u32::try_from(read_le(&bytes[8..10])).unwrap_or_default(),
    }
}

impl std::fmt::Debug for Pack<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.info.fmt(f)
    }
}

#[cfg(test)]
mod tests;
