//! Builds the tables of a pack from sorted register rows, one group at a time.

use super::format::{Table, offset, point_bytes, street_key_bytes};
use crate::{
    geo::{cnefe::Row, street::StreetKey},
    model::Point,
};

/// Size in bytes of an encoded row.
pub const ROW: usize = 27;

/// Encodes a row as bytes that sort by CEP, municipality, street, number and coordinates. Equal
/// bytes are the same address.
pub fn row_bytes(row: &Row) -> [u8; ROW] {
    let mut bytes = [0; ROW];
    let street = row.street.unwrap_or(StreetKey {
        hash: 0,
        kind: 0,
        title: 0,
    });
    bytes[..4].copy_from_slice(&row.cep.to_be_bytes());
    bytes[4..14].copy_from_slice(&street_key_bytes(row.ibge, street, 0)[..10]);
    bytes[14] = u8::from(row.street.is_some());
    bytes[15..18].copy_from_slice(&row.number.to_be_bytes()[1..]);
    bytes[18..26].copy_from_slice(&point_bytes(row.point));
    bytes[26] = u8::from(row.exact);
    bytes
}

fn row_from(bytes: &[u8; ROW]) -> Row {
    use crate::geo::pack::format::{point, read_be};
    let small = |value: u64| u32::try_from(value).unwrap_or_default();
    let street = StreetKey {
        hash: read_be(&bytes[7..12]),
        kind: bytes[12],
        title: bytes[13],
    };
    Row {
        cep: small(read_be(&bytes[..4])),
        ibge: small(read_be(&bytes[4..7])),
        street: (bytes[14] == 1).then_some(street),
        number: small(read_be(&bytes[15..18])),
        point: point(&bytes[18..26]),
        exact: bytes[26] == 1,
    }
}

/// Receives the records of a builder. A host appends them to one file for each table.
pub trait Sink {
    /// Error of a failed write.
    type Error;

    /// Appends a record to a table.
    ///
    /// Streets arrive in the order of their doors, not of their keys. The host must sort their
    /// records as bytes before it joins the tables.
    ///
    /// # Errors
    /// Returns the host's write error, which the builder passes on.
    fn append(&mut self, table: Table, record: &[u8]) -> Result<(), Self::Error>;
}

/// Sums for the mean of several points and their typical distance from it.
#[derive(Clone, Copy, Debug, Default)]
struct PointSums {
    count: i64,
    lat: i64,
    lon: i64,
    /// Sum of squared differences from the first point. With absolute coordinates, the squares of a
    /// whole country would overflow.
    square: i128,
    first: (i64, i64),
    d_lat: i64,
    d_lon: i64,
}

impl PointSums {
    fn add(&mut self, point: Point) {
        let (lat, lon) = (i64::from(point.lat_e7), i64::from(point.lon_e7));
        if self.count == 0 {
            self.first = (lat, lon);
        }
        self.count += 1;
        self.lat += lat;
        self.lon += lon;
        // In the middle of Brazil a degree of longitude has 0.9 times the length of a degree of
        // latitude. This is accurate enough for radii.
        let (d_lat, d_lon) = (lat - self.first.0, (lon - self.first.1) * 9 / 10);
        self.d_lat += d_lat;
        self.d_lon += d_lon;
        self.square +=
            i128::from(d_lat) * i128::from(d_lat) + i128::from(d_lon) * i128::from(d_lon);
    }

    fn mean(&self) -> Point {
        let part = |sum: i64| i32::try_from(sum.div_euclid(self.count.max(1))).unwrap_or_default();
        Point {
            lat_e7: part(self.lat),
            lon_e7: part(self.lon),
        }
    }

    /// Returns the root mean square distance from the mean in metres. 90 units of 10⁻⁷ degrees are
    /// one metre.
    fn radius_m(&self) -> u32 {
        let count = i128::from(self.count.max(1));
        let of_mean = |sum: i64| i128::from(sum) * i128::from(sum) / count;
        let variance = (self.square - of_mean(self.d_lat) - of_mean(self.d_lon)) / count;
        u32::try_from(variance.max(0).isqrt() / 90).unwrap_or(u32::MAX)
    }
}

/// Sums for a location that uses exact rows only, if there are any.
#[derive(Clone, Copy, Debug, Default)]
struct LocationSums {
    exact: PointSums,
    any: PointSums,
}

impl LocationSums {
    fn add(&mut self, row: &Row) {
        if row.exact {
            self.exact.add(row.point);
        }
        self.any.add(row.point);
    }

    /// Encodes the point and the radius. The minimum radius is 50 m, because one address does not
    /// show the extent of its CEP.
    fn bytes(&self) -> [u8; 10] {
        let sums = if self.exact.count > 0 {
            &self.exact
        } else {
            &self.any
        };
        location_bytes(sums, 50)
    }
}

fn location_bytes(sums: &PointSums, min_m: u32) -> [u8; 10] {
    let mut bytes = [0; 10];
    bytes[..8].copy_from_slice(&point_bytes(sums.mean()));
    let radius = u16::try_from(sums.radius_m().max(min_m)).unwrap_or(u16::MAX);
    bytes[8..].copy_from_slice(&radius.to_le_bytes());
    bytes
}

/// Maximum number of doors in memory. A street with more doors becomes several records with the
/// same key.
const MAX_DOORS: usize = 1 << 18;

/// Builds the tables of a pack from sorted rows. Only one street and the sums of one CEP are in
/// memory.
#[derive(Debug, Default)]
pub struct Builder {
    /// CEP, municipality and sums.
    cep: Option<(u32, u32, LocationSums)>,
    cep5: Option<(u32, LocationSums)>,
    street: Option<Street>,
    doors: u32,
    counts: [u64; 4],
}

#[derive(Debug)]
struct Street {
    key: [u8; 14],
    sums: PointSums,
    doors: Vec<(u32, Point)>,
}

impl Builder {
    /// Adds the next row. Rows must be sorted as bytes, without duplicates.
    ///
    /// # Errors
    /// Returns the sink's error.
    pub fn push<S: Sink>(&mut self, bytes: &[u8; ROW], sink: &mut S) -> Result<(), S::Error> {
        let row = row_from(bytes);
        if self.cep.as_ref().is_some_and(|(cep, ..)| *cep != row.cep) {
            self.end_cep(sink)?;
        }
        if self
            .cep5
            .as_ref()
            .is_some_and(|(cep5, _)| *cep5 != row.cep / 1_000)
        {
            self.end_cep5(sink)?;
        }
        self.cep
            .get_or_insert((row.cep, row.ibge, LocationSums::default()))
            .2
            .add(&row);
        self.cep5
            .get_or_insert((row.cep / 1_000, LocationSums::default()))
            .1
            .add(&row);
        let Some(street) = row.street.filter(|_| row.exact) else {
            return Ok(());
        };
        let key = street_key_bytes(row.ibge, street, row.cep);
        let ended = self
            .street
            .as_ref()
            .is_some_and(|held| held.key != key || held.is_full(row.number));
        if ended {
            self.end_street(sink)?;
        }
        let held = self.street.get_or_insert_with(|| Street {
            key,
            sums: PointSums::default(),
            doors: Vec::new(),
        });
        held.sums.add(row.point);
        if row.number > 0 {
            held.doors.push((row.number, row.point));
        }
        Ok(())
    }

    /// Writes the last groups and returns the number of records in each table.
    ///
    /// # Errors
    /// Returns the sink's error.
    pub fn finish<S: Sink>(mut self, sink: &mut S) -> Result<[u64; 4], S::Error> {
        self.end_cep(sink)?;
        self.end_cep5(sink)?;
        Ok(self.counts)
    }

    fn write<S: Sink>(
        &mut self,
        table: Table,
        record: &[u8],
        sink: &mut S,
    ) -> Result<(), S::Error> {
        self.counts[table as usize] += 1;
        sink.append(table, record)
    }

    fn end_cep<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        self.end_street(sink)?;
        let Some((cep, ibge, sums)) = self.cep.take() else {
            return Ok(());
        };
        let mut record = [0; Table::Cep.width()];
        record[..4].copy_from_slice(&cep.to_be_bytes());
        record[4..7].copy_from_slice(&ibge.to_be_bytes()[1..]);
        record[7..].copy_from_slice(&sums.bytes());
        self.write(Table::Cep, &record, sink)
    }

    fn end_cep5<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        let Some((cep5, sums)) = self.cep5.take() else {
            return Ok(());
        };
        let mut record = [0; Table::Cep5.width()];
        record[..3].copy_from_slice(&cep5.to_be_bytes()[1..]);
        record[3..].copy_from_slice(&sums.bytes());
        self.write(Table::Cep5, &record, sink)
    }

    fn end_street<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        let Some(Street { key, sums, doors }) = self.street.take() else {
            return Ok(());
        };
        let (middle, first) = (sums.mean(), self.doors);
        for same in doors.chunk_by(|a, b| a.0 == b.0) {
            let (point, spread_m) = medoid(same);
            let offsets =
                offset(middle.lat_e7, point.lat_e7).zip(offset(middle.lon_e7, point.lon_e7));
            let Some((lat, lon)) = offsets else { continue };
            let [_, number @ ..] = same[0].0.to_be_bytes();
            let spread = u8::try_from(spread_m.div_ceil(4)).unwrap_or(u8::MAX);
            let mut record = [0; Table::Doors.width()];
            record[..3].copy_from_slice(&number);
            record[3..6].copy_from_slice(&lat);
            record[6..9].copy_from_slice(&lon);
            record[9] = spread;
            self.write(Table::Doors, &record, sink)?;
            self.doors = self.doors.saturating_add(1);
        }
        let mut record = [0; Table::Streets.width()];
        record[..14].copy_from_slice(&key);
        record[14..18].copy_from_slice(&first.to_le_bytes());
        record[18..22].copy_from_slice(&(self.doors - first).to_le_bytes());
        record[22..].copy_from_slice(&location_bytes(&sums, 30));
        self.write(Table::Streets, &record, sink)
    }
}

impl Street {
    /// Whether the record must end before this number to bound memory use.
    fn is_full(&self, number: u32) -> bool {
        self.doors.len() >= MAX_DOORS && self.doors.last().is_some_and(|last| last.0 != number)
    }
}

/// Returns the point nearest to the mean of several points with one number, and their typical
/// distance from the mean in metres.
///
/// The mean itself may be in the middle of a block.
fn medoid(same: &[(u32, Point)]) -> (Point, u32) {
    let mut sums = PointSums::default();
    same.iter().for_each(|(_, point)| sums.add(*point));
    let mean = sums.mean();
    let distance = |point: &Point| {
        let lat = i64::from(point.lat_e7 - mean.lat_e7);
        let lon = i64::from(point.lon_e7 - mean.lon_e7) * 9 / 10;
        lat * lat + lon * lon
    };
    let nearest = same
        .iter()
        .map(|(_, point)| *point)
        .min_by_key(|point| (distance(point), *point));
    (nearest.unwrap_or(mean), sums.radius_m())
}
