//! From sorted register rows to the tables of a pack, one group at a time.

use super::format::{Table, offset, point_bytes, street_key_bytes};
use crate::{
    geo::{cnefe::Row, street::StreetKey},
    model::Point,
};

/// Bytes of a row in the order that a builder wants.
pub const ROW: usize = 27;

/// A row as bytes that sort: by CEP, municipality, street, number, then place. Equal bytes are one address.
pub fn row_bytes(row: &Row) -> [u8; ROW] {
    let mut bytes = [0; ROW];
    let street = row.street.unwrap_or(StreetKey { hash: 0, kind: 0, title: 0 });
    bytes[..4].copy_from_slice(&row.cep.to_be_bytes());
    bytes[4..14].copy_from_slice(&street_key_bytes(row.ibge, street, 0)[..10]);
    bytes[14] = u8::from(row.street.is_some());
    bytes[15..18].copy_from_slice(&row.number.to_be_bytes()[1..]);
    bytes[18..26].copy_from_slice(&point_bytes(row.point));
    bytes[26] = u8::from(row.exact);
    bytes
}

fn row_from(bytes: &[u8; ROW]) -> Row {
    use crate::geo::pack::format::{big, point};
    let small = |value: u64| u32::try_from(value).unwrap_or_default();
    let street = StreetKey { hash: big(&bytes[7..12]), kind: bytes[12], title: bytes[13] };
    Row {
        cep: small(big(&bytes[..4])),
        ibge: small(big(&bytes[4..7])),
        street: (bytes[14] == 1).then_some(street),
        number: small(big(&bytes[15..18])),
        point: point(&bytes[18..26]),
        exact: bytes[26] == 1,
    }
}

/// Where a builder's records go; a host keeps one growing file for each table.
pub trait Sink {
    /// What can go wrong while writing.
    type Error;

    /// Appends a record to a table. Streets come in the order of their doors, not of their keys: the host sorts them, as
    /// bytes, before it joins the tables.
    ///
    /// # Errors
    /// Whatever the host's writing meets; the builder passes it on.
    fn append(&mut self, table: Table, record: &[u8]) -> Result<(), Self::Error>;
}

/// Sums from which a mean place and a typical distance come.
#[derive(Clone, Copy, Debug, Default)]
struct Cloud {
    count: i64,
    lat: i64,
    lon: i64,
    /// Of differences from the first place, so that squares of a country's register fit.
    square: i128,
    first: (i64, i64),
    d_lat: i64,
    d_lon: i64,
}

impl Cloud {
    fn add(&mut self, point: Point) {
        let (lat, lon) = (i64::from(point.lat_e7), i64::from(point.lon_e7));
        if self.count == 0 {
            self.first = (lat, lon);
        }
        self.count += 1;
        self.lat += lat;
        self.lon += lon;
        // A degree of longitude is shorter: 0.9 of one of latitude in the middle of Brazil. Radii need no more.
        let (d_lat, d_lon) = (lat - self.first.0, (lon - self.first.1) * 9 / 10);
        self.d_lat += d_lat;
        self.d_lon += d_lon;
        self.square += i128::from(d_lat) * i128::from(d_lat) + i128::from(d_lon) * i128::from(d_lon);
    }

    fn mean(&self) -> Point {
        let part = |sum: i64| i32::try_from(sum.div_euclid(self.count.max(1))).unwrap_or_default();
        Point { lat_e7: part(self.lat), lon_e7: part(self.lon) }
    }

    /// Root mean square distance from the mean, in metres: 90 of 10⁻⁷ degrees are one.
    fn radius_m(&self) -> u32 {
        let count = i128::from(self.count.max(1));
        let of_mean = |sum: i64| i128::from(sum) * i128::from(sum) / count;
        let variance = (self.square - of_mean(self.d_lat) - of_mean(self.d_lon)) / count;
        u32::try_from(variance.max(0).isqrt() / 90).unwrap_or(u32::MAX)
    }
}

/// A place that prefers exact rows and falls back on the others.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    exact: Cloud,
    any: Cloud,
}

impl Spot {
    fn add(&mut self, row: &Row) {
        if row.exact {
            self.exact.add(row.point);
        }
        self.any.add(row.point);
    }

    /// Its point and radius; a single address cannot tell how far the others are, so at least 50 m.
    fn bytes(&self) -> [u8; 10] {
        let cloud = if self.exact.count > 0 { &self.exact } else { &self.any };
        place_bytes(cloud, 50)
    }
}

fn place_bytes(cloud: &Cloud, min_m: u32) -> [u8; 10] {
    let mut bytes = [0; 10];
    bytes[..8].copy_from_slice(&point_bytes(cloud.mean()));
    let radius = u16::try_from(cloud.radius_m().max(min_m)).unwrap_or(u16::MAX);
    bytes[8..].copy_from_slice(&radius.to_le_bytes());
    bytes
}

/// Doors of one street that are held at a time; a longer street becomes several records with one key.
const HELD_DOORS: usize = 1 << 18;

/// Builds the tables of a pack from sorted rows, holding one street and the sums of one CEP.
#[derive(Debug, Default)]
pub struct Builder {
    /// CEP, its municipality, their sums.
    cep: Option<(u32, u32, Spot)>,
    cep5: Option<(u32, Spot)>,
    street: Option<Street>,
    doors: u32,
    counts: [u64; 4],
}

#[derive(Debug)]
struct Street {
    key: [u8; 14],
    cloud: Cloud,
    doors: Vec<(u32, Point)>,
}

impl Builder {
    /// Takes the next row; rows must come sorted as bytes, equal ones once.
    ///
    /// # Errors
    /// What the sink met.
    pub fn push<S: Sink>(&mut self, bytes: &[u8; ROW], sink: &mut S) -> Result<(), S::Error> {
        let row = row_from(bytes);
        if self.cep.as_ref().is_some_and(|(cep, ..)| *cep != row.cep) {
            self.end_cep(sink)?;
        }
        if self.cep5.as_ref().is_some_and(|(cep5, _)| *cep5 != row.cep / 1_000) {
            self.end_cep5(sink)?;
        }
        self.cep.get_or_insert((row.cep, row.ibge, Spot::default())).2.add(&row);
        self.cep5.get_or_insert((row.cep / 1_000, Spot::default())).1.add(&row);
        let Some(street) = row.street.filter(|_| row.exact) else {
            return Ok(());
        };
        let key = street_key_bytes(row.ibge, street, row.cep);
        let ended = self.street.as_ref().is_some_and(|held| held.key != key || held.is_full(row.number));
        if ended {
            self.end_street(sink)?;
        }
        let held = self.street.get_or_insert_with(|| Street { key, cloud: Cloud::default(), doors: Vec::new() });
        held.cloud.add(row.point);
        if row.number > 0 {
            held.doors.push((row.number, row.point));
        }
        Ok(())
    }

    /// Ends the last groups and says how many records each table has.
    ///
    /// # Errors
    /// What the sink met.
    pub fn finish<S: Sink>(mut self, sink: &mut S) -> Result<[u64; 4], S::Error> {
        self.end_cep(sink)?;
        self.end_cep5(sink)?;
        Ok(self.counts)
    }

    fn write<S: Sink>(&mut self, table: Table, record: &[u8], sink: &mut S) -> Result<(), S::Error> {
        self.counts[table as usize] += 1;
        sink.append(table, record)
    }

    fn end_cep<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        self.end_street(sink)?;
        let Some((cep, ibge, spot)) = self.cep.take() else { return Ok(()) };
        let mut record = [0; Table::Cep.width()];
        record[..4].copy_from_slice(&cep.to_be_bytes());
        record[4..7].copy_from_slice(&ibge.to_be_bytes()[1..]);
        record[7..].copy_from_slice(&spot.bytes());
        self.write(Table::Cep, &record, sink)
    }

    fn end_cep5<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        let Some((cep5, spot)) = self.cep5.take() else { return Ok(()) };
        let mut record = [0; Table::Cep5.width()];
        record[..3].copy_from_slice(&cep5.to_be_bytes()[1..]);
        record[3..].copy_from_slice(&spot.bytes());
        self.write(Table::Cep5, &record, sink)
    }

    fn end_street<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        let Some(Street { key, cloud, doors }) = self.street.take() else { return Ok(()) };
        let (middle, first) = (cloud.mean(), self.doors);
        for same in doors.chunk_by(|a, b| a.0 == b.0) {
            let (place, spread_m) = medoid(same);
            let offsets = offset(middle.lat_e7, place.lat_e7).zip(offset(middle.lon_e7, place.lon_e7));
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
        record[22..].copy_from_slice(&place_bytes(&cloud, 30));
        self.write(Table::Streets, &record, sink)
    }
}

impl Street {
    /// Whether to end it before this number, so that memory stays bounded however long a street is.
    fn is_full(&self, number: u32) -> bool {
        self.doors.len() >= HELD_DOORS && self.doors.last().is_some_and(|last| last.0 != number)
    }
}

/// Of several places with one number, the one nearest to their mean, and their typical distance from the mean in metres.
///
/// A real place is better than a mean that may lie in the middle of a block.
fn medoid(same: &[(u32, Point)]) -> (Point, u32) {
    let mut cloud = Cloud::default();
    same.iter().for_each(|(_, place)| cloud.add(*place));
    let mean = cloud.mean();
    let off = |place: &Point| {
        let lat = i64::from(place.lat_e7 - mean.lat_e7);
        let lon = i64::from(place.lon_e7 - mean.lon_e7) * 9 / 10;
        lat * lat + lon * lon
    };
    let nearest = same.iter().map(|(_, place)| *place).min_by_key(|place| (off(place), *place));
    (nearest.unwrap_or(mean), cloud.radius_m())
}
