//! Reads the gazetteer's tables in place: fixed-width little-endian records after a short header,
//! without parsing.
//!
//! `core/examples/gazetteer` writes the tables. A test in this file checks all of them. In a
//! damaged table lookups find nothing and do not panic.

use super::names::hash32;
use crate::model::{Point, Uf};

/// Size of [`Tables::land`] in bytes: 160 rows of 20 bytes.
const LAND_LEN: usize = 3_200;

/// The tables of a gazetteer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tables {
    municipalities: &'static [u8],
    ceps: &'static [u8],
    outline: &'static [u8],
    /// Bitmap of the grid cells that are entirely on Brazil's land; see [`super::outline`].
    pub(super) land: &'static [u8],
}

pub(super) static EMBEDDED: Tables = Tables {
    municipalities: include_bytes!("../../data/municipalities.bin"),
    ceps: include_bytes!("../../data/ceps.bin"),
    outline: include_bytes!("../../data/outline.bin"),
    land: include_bytes!("../../data/land.bin"),
};

/// Tables without data. Every grid cell counts as land.
pub(super) static EMPTY: Tables = Tables {
    municipalities: &[],
    ceps: &[],
    outline: &[],
    land: &[0xff; LAND_LEN],
};

/// Size of a municipality in bytes: hash 4, latitude 2, longitude 2, IBGE code 3, population 1,
/// start of the name 2.
const RECORD: usize = 14;
/// Size of an alias in bytes: FNV-1a of its key 4, FNV-1a of its reversed key 4, record 2.
const ALIAS: usize = 10;
/// Size of a CEP range in bytes: first CEP divided by ten 3, record 2.
const RANGE: usize = 5;
const HEADER: usize = 16;
/// Marks a CEP range without a municipality.
const NO_MUNICIPALITY: u16 = u16::MAX;

/// Returns the 64-bit hash of an alias' key. Aliases are stored without their text, so 32 bits
/// could collide unnoticed.
pub fn alias_hash(key: &str) -> u64 {
    let reversed: String = key.chars().rev().collect();
    u64::from(hash32(key)) << 32 | u64::from(hash32(&reversed))
}

/// Grid over Brazil with 16-bit coordinates: south end −34 degrees, steps of 6e-4; west end −74
/// degrees, steps of 6.5e-4.
const GRID: (i32, i32, i32, i32) = (-340_000_000, 6_000, -740_000_000, 6_500);

/// Returns the point of a grid cell, at most 36 m from the points rounded to it in each direction.
fn grid_point(lat: u16, lon: u16) -> Point {
    let (south, lat_step, west, lon_step) = GRID;
    Point {
        lat_e7: south + i32::from(lat) * lat_step,
        lon_e7: west + i32::from(lon) * lon_step,
    }
}

/// Returns the grid cell nearest to a point, or `None` outside the grid.
pub fn to_grid(point: Point) -> Option<(u16, u16)> {
    let (south, lat_step, west, lon_step) = GRID;
    let cell = |value: i32, from: i32, step: i32| {
        u16::try_from((value - from + step / 2).div_euclid(step)).ok()
    };
    Some((
        cell(point.lat_e7, south, lat_step)?,
        cell(point.lon_e7, west, lon_step)?,
    ))
}

fn byte(table: &[u8], at: usize) -> u8 {
    table.get(at).copied().unwrap_or_default()
}

fn u16_at(table: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([byte(table, at), byte(table, at + 1)])
}

fn u24_at(table: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([byte(table, at), byte(table, at + 1), byte(table, at + 2), 0])
}

fn u32_at(table: &[u8], at: usize) -> u32 {
    u32::from(u16_at(table, at)) | u32::from(u16_at(table, at + 2)) << 16
}

fn record(index: u16) -> usize {
    HEADER + usize::from(index) * RECORD
}

/// Returns 500 · 2^(code/8), computed with integers for identical results on every host.
pub fn population_of(code: u32) -> u32 {
    const EIGHTHS: [u32; 8] = [
        500_000, 545_254, 594_604, 648_420, 707_107, 771_105, 840_896, 917_004,
    ];
    let eighth = EIGHTHS[(code % 8) as usize];
    (u64::from(eighth) << (code / 8).min(31))
        .div_ceil(1_000)
        .try_into()
        .unwrap_or(u32::MAX)
}

/// Returns the first index for which `before` is false. `before` must not be true for any later
/// index.
fn partition(len: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low.midpoint(high);
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

impl Tables {
    /// Returns these tables, in the order of the fields. Returns `None` if they are invalid.
    pub(super) fn of([municipalities, ceps, outline, land]: [&'static [u8]; 4]) -> Option<Tables> {
        let tables = Tables {
            municipalities,
            ceps,
            outline,
            land,
        };
        let is_valid = municipalities.starts_with(b"DGM1")
            && ceps.starts_with(b"DGC1")
            && outline.starts_with(b"DGO1")
            && land.len() == LAND_LEN
            && (0..tables.count())
                .all(|index| Uf::from_ibge(tables.ibge(index) / 100_000).is_some());
        is_valid.then_some(tables)
    }

    /// Opens four tables, each preceded by its length in four bytes. Returns `None` if they are
    /// invalid.
    pub(super) fn open(mut bytes: &'static [u8]) -> Option<Tables> {
        let mut next = || {
            let (length, rest) = bytes.split_first_chunk()?;
            let (table, rest) =
                rest.split_at_checked(u32::from_le_bytes(*length).try_into().ok()?)?;
            bytes = rest;
            Some(table)
        };
        let tables = [next()?, next()?, next()?, next()?];
        Tables::of(tables).filter(|_| bytes.is_empty())
    }

    /// Returns the number of municipalities.
    pub(super) fn count(&self) -> u16 {
        u16_at(self.municipalities, 4)
    }

    /// Returns the municipal seat.
    pub(super) fn municipal_seat(&self, index: u16) -> Point {
        let at = record(index);
        grid_point(
            u16_at(self.municipalities, at + 4),
            u16_at(self.municipalities, at + 6),
        )
    }

    /// Returns the seven-digit IBGE code.
    pub(super) fn ibge(&self, index: u16) -> u32 {
        u24_at(self.municipalities, record(index) + 8)
    }

    /// Returns the population, which is stored in steps of an eighth of an octave above 500.
    pub(super) fn population(&self, index: u16) -> u32 {
        let code = u32::from(byte(self.municipalities, record(index) + 11));
        population_of(code)
    }

    /// Returns the name with its accents, decoded from one-byte codes that stand for a few letters
    /// each.
    pub(super) fn name(&self, index: u16) -> String {
        let codes = usize::from(u16_at(self.municipalities, 8));
        let text_len = usize::from(u16_at(self.municipalities, 10));
        let aliases = usize::from(u16_at(self.municipalities, 6));
        let starts = record(self.count()) + 2 + aliases * ALIAS;
        let text = starts + (codes + 1) * 2;
        let names = text + text_len;
        let from = usize::from(u16_at(self.municipalities, record(index) + 12));
        // A name ends where the next record's name starts. The two bytes after the last record hold
        // the end of the last name.
        let next = index.saturating_add(1);
        let end = if next == self.count() {
            record(next)
        } else {
            record(next) + 12
        };
        let to = usize::from(u16_at(self.municipalities, end));
        let mut whole = Vec::with_capacity(32);
        for &code in self
            .municipalities
            .get(names + from..names + to)
            .unwrap_or_default()
        {
            let at = starts + usize::from(code) * 2;
            let (start, end) = (
                usize::from(u16_at(self.municipalities, at)),
                usize::from(u16_at(self.municipalities, at + 2)),
            );
            whole.extend_from_slice(
                self.municipalities
                    .get(text + start..text + end)
                    .unwrap_or_default(),
            );
        }
        String::from_utf8(whole).unwrap_or_default()
    }

    /// Returns the municipalities whose key has this hash, in table order.
    pub(super) fn with_hash(&self, hash: u32) -> impl Iterator<Item = u16> {
        let first = partition(usize::from(self.count()), |index| {
            u32_at(self.municipalities, HEADER + index * RECORD) < hash
        });
        let first = u16::try_from(first).unwrap_or(u16::MAX);
        (first..self.count())
            .take_while(move |index| u32_at(self.municipalities, record(*index)) == hash)
    }

    /// Returns the municipalities that have an alias with this hash.
    pub(super) fn with_alias(&self, hash: u64) -> impl Iterator<Item = u16> {
        let base = record(self.count()) + 2;
        let total = usize::from(u16_at(self.municipalities, 6));
        let read = move |index: usize| {
            let at = base + index * ALIAS;
            u64::from(u32_at(self.municipalities, at)) << 32
                | u64::from(u32_at(self.municipalities, at + 4))
        };
        let first = partition(total, |index| read(index) < hash);
        (first..total)
            .take_while(move |index| read(*index) == hash)
            .map(move |index| u16_at(self.municipalities, base + index * ALIAS + 8))
            .filter(|index| *index < self.count())
    }

    /// Returns the municipality whose range contains this CEP.
    pub(super) fn with_cep(&self, cep: u32) -> Option<u16> {
        let total = (self.ceps.len().saturating_sub(4)) / RANGE;
        let next = partition(total, |index| {
            u24_at(self.ceps, 4 + index * RANGE) <= cep / 10
        });
        let index = u16_at(self.ceps, 4 + next.checked_sub(1)? * RANGE + 3);
        (index != NO_MUNICIPALITY && index < self.count()).then_some(index)
    }

    /// Whether this municipality has a CEP range. A few have none.
    pub(super) fn has_ceps(&self, index: u16) -> bool {
        self.ceps
            .get(4..)
            .unwrap_or_default()
            .chunks_exact(RANGE)
            .any(|range| u16_at(range, 3) == index)
    }

    /// Returns the number of five-digit CEPs in the ranges of this municipality, rounded up.
    pub(super) fn cep5s(&self, index: u16) -> u32 {
        /// The table has the first seven digits.
        const PER_CEP5: u32 = 100;
        const END: u32 = 10_000_000;
        let ranges = || self.ceps.get(4..).unwrap_or_default().chunks_exact(RANGE);
        let ends = ranges().skip(1).map(|range| u24_at(range, 0)).chain([END]);
        let own = ranges()
            .zip(ends)
            .filter(|(range, _)| u16_at(range, 3) == index);
        own.map(|(range, end)| end.saturating_sub(u24_at(range, 0)))
            .sum::<u32>()
            .div_ceil(PER_CEP5)
    }

    /// Returns Brazil's outline, islands included, simplified to about 1.3 km. The strips together
    /// form closed rings.
    pub(super) fn strips(&self) -> impl Iterator<Item = Strip> {
        let mut at = 4;
        std::iter::from_fn(move || {
            let (south, north) = (u16_at(self.outline, at + 2), u16_at(self.outline, at + 4));
            let from = at + 6;
            at = from + usize::from(u16_at(self.outline, at)) * 4;
            let cells = self
                .outline
                .get(from..at)
                .filter(|cells| !cells.is_empty())?;
            Some(Strip {
                south_e7: grid_point(south, 0).lat_e7,
                north_e7: grid_point(north, 0).lat_e7,
                cells,
            })
        })
    }
}

/// A section of Brazil's outline with up to 16 edges and their latitude range.
pub(super) struct Strip {
    /// Minimum latitude in 10⁻⁷ degrees.
    pub(super) south_e7: i32,
    /// Maximum latitude in 10⁻⁷ degrees.
    pub(super) north_e7: i32,
    cells: &'static [u8],
}

impl Strip {
    /// Returns the edges in order.
    pub(super) fn edges(&self) -> impl Iterator<Item = (Point, Point)> {
        let points = || {
            self.cells
                .chunks_exact(4)
                .map(|cell| grid_point(u16_at(cell, 0), u16_at(cell, 2)))
        };
        points().zip(points().skip(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_complete_and_sorted() {
        let Tables {
            municipalities,
            ceps,
            outline,
            ..
        } = EMBEDDED;
        assert_eq!(EMBEDDED.count(), 5_571);
        let hashes: Vec<u32> = (0..EMBEDDED.count())
            .map(|index| u32_at(municipalities, record(index)))
            .collect();
        assert!(hashes.is_sorted());
        let starts: Vec<u32> = ceps[4..]
            .chunks_exact(RANGE)
            .map(|range| u24_at(range, 0))
            .collect();
        assert!(starts.is_sorted_by(|a, b| a < b), "CEP ranges overlap");
        assert!(municipalities.len() + ceps.len() + outline.len() < 170_000);
    }

    fn file(tables: Tables) -> Vec<u8> {
        let with_length = |table: &[u8]| {
            [
                &u32::try_from(table.len()).expect("short").to_le_bytes(),
                table,
            ]
            .concat()
        };
        [
            tables.municipalities,
            tables.ceps,
            tables.outline,
            tables.land,
        ]
        .map(with_length)
        .concat()
    }

    #[test]
    fn opened_tables_equal_the_written_ones() {
        let bytes = file(EMBEDDED).leak();
        let opened = Tables::open(bytes).expect("the embedded tables");
        assert!(opened.municipalities == EMBEDDED.municipalities && opened.ceps == EMBEDDED.ceps);
        assert!(opened.outline == EMBEDDED.outline && opened.land == EMBEDDED.land);
    }

    #[test]
    fn invalid_tables_are_rejected() {
        let without_units = Tables {
            municipalities: &EMBEDDED.municipalities[..1_000],
            ..EMBEDDED
        };
        let swapped = Tables {
            ceps: EMBEDDED.outline,
            outline: EMBEDDED.ceps,
            ..EMBEDDED
        };
        let longer = [file(EMBEDDED), vec![0]].concat();
        let shorter = file(EMBEDDED)[..100_000].to_vec();
        for bytes in [
            file(without_units),
            file(swapped),
            file(EMPTY),
            longer,
            shorter,
            Vec::new(),
            vec![0xff; 7],
        ] {
            assert!(Tables::open(bytes.leak()).is_none());
        }
    }

    #[test]
    fn grid_rounds_to_36_metres() {
        let place = Point::from_degrees(-23.550_520_1, -46.633_308_9).expect("valid coordinates");
        let (lat, lon) = to_grid(place).expect("point on the grid");
        assert!(super::super::great_circle_m(place, grid_point(lat, lon)) < 50);
        assert!(
            to_grid(Point {
                lat_e7: 900_000_000,
                lon_e7: 0
            })
            .is_none()
        );
    }
}
