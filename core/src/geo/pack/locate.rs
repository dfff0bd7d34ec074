//! Locates addresses in a pack.

use super::{
    Pack, PackLocation, Street,
    format::{Table, from_offset, read_be},
};
use crate::{
    geo::{
        Gazetteer, great_circle_m,
        street::{StreetKey, street_key, street_number},
    },
    model::{Address, Cep, Located, Point, Precision},
};

/// Typical distance in metres between an address' coordinates and its door.
const DOOR_M: u32 = 15;

/// Maximum difference of the two street numbers between which a missing number is interpolated, and their maximum distance in
/// metres.
const MAX_INTERPOLATED_NUMBERS: u32 = 200;
const MAX_INTERPOLATED_M: u32 = 400;

/// Locations of one address within this many metres of each other count as one location.
const SAME_LOCATION_M: u32 = 300;

/// Maximum distance in metres between a street and the CEP of the address, added to three times the CEP's radius.
const CEP_TOLERANCE_M: u32 = 2_000;

impl Street<'_> {
    fn door(&self, index: usize) -> Option<(u32, PackLocation)> {
        let width = Table::Doors.width();
        let record = self.doors.get(index * width..(index + 1) * width)?;
        let point = Point {
            lat_e7: from_offset(self.location.point.lat_e7, &record[3..6]),
            lon_e7: from_offset(self.location.point.lon_e7, &record[6..9]),
        };
        let radius_m = (u32::from(record[9]) * 4).max(DOOR_M);
        Some((number_of(record), PackLocation { point, radius_m }))
    }

    /// Returns the index of the first door with this or a higher number.
    fn first_from(&self, number: u32) -> usize {
        let width = Table::Doors.width();
        let (mut low, mut high) = (0, self.doors.len() / width);
        while low < high {
            let middle = low.midpoint(high);
            if number_of(&self.doors[middle * width..]) < number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Returns the location of the door with this number.
    pub fn at(&self, number: u32) -> Option<PackLocation> {
        self.door(self.first_from(number)).filter(|(found, _)| *found == number).map(|(_, location)| location)
    }

    /// Interpolates the location of a missing number between its neighbours on the same side, else on either side.
    ///
    /// Even and odd numbers are on opposite sides in Brazil. The neighbours must be within 200 numbers and 400 m of each other.
    /// The location is on the line between them, with half their distance as radius. Numbers beyond the last one are not
    /// extrapolated.
    pub fn interpolate(&self, number: u32) -> Option<PackLocation> {
        let from = self.first_from(number);
        let same_side = |(found, _): &(u32, PackLocation)| found % 2 == number % 2;
        let any_side = |_: &(u32, PackLocation)| true;
        // Eight doors in each direction are enough: more in a row on the other side of the street are rare.
        let below = || (1..=8).filter_map(|back| self.door(from.checked_sub(back)?));
        let above = || (0..8).filter_map(|ahead| self.door(from + ahead));
        let sided = below().find(same_side).zip(above().find(same_side));
        let pair = |(low, high): ((u32, PackLocation), (u32, PackLocation))| {
            let distance_m = great_circle_m(low.1.point, high.1.point);
            let near = high.0 - low.0 <= MAX_INTERPOLATED_NUMBERS && distance_m <= MAX_INTERPOLATED_M;
            near.then(|| PackLocation {
                point: Point {
                    lat_e7: on_line(number, (low.0, low.1.point.lat_e7), (high.0, high.1.point.lat_e7)),
                    lon_e7: on_line(number, (low.0, low.1.point.lon_e7), (high.0, high.1.point.lon_e7)),
                },
                radius_m: (distance_m / 2).max(2 * DOOR_M),
            })
        };
        sided.and_then(pair).or_else(|| below().find(any_side).zip(above().find(any_side)).and_then(pair))
    }
}

fn number_of(record: &[u8]) -> u32 {
    u32::try_from(read_be(&record[..3.min(record.len())])).unwrap_or_default()
}

fn on_line(number: u32, low: (u32, i32), high: (u32, i32)) -> i32 {
    let span = i64::from(high.0 - low.0).max(1);
    let part = i64::from(high.1 - low.1) * i64::from(number.saturating_sub(low.0)) / span;
    low.1.saturating_add(i32::try_from(part).unwrap_or_default())
}

impl Pack<'_> {
    /// Returns the most precise location of an address, or `None` if the pack has neither its street nor its CEP.
    ///
    /// Precisions in descending order are number, street, CEP and CEP5. City and state determine the municipality, else the
    /// CEP. Of several streets with the same name, the one in the address' CEP wins, then the one of the same kind and title. If
    /// several distant ones remain, none is used. A street far from the CEP of the address is ignored, and the CEP's location is
    /// returned.
    pub fn locate(&self, gazetteer: Gazetteer, address: &Address) -> Option<Located> {
        let cep = address.cep();
        let by_cep = cep.and_then(|cep| self.cep(cep));
        if let Some(found) = self.in_street(gazetteer, address, cep, by_cep.map(|(location, _)| location)) {
            return Some(found);
        }
        let located = |location: PackLocation, precision| Located {
            point: location.point,
            precision,
            radius_m: location.radius_m,
        };
        by_cep
            .map(|(location, _)| located(location, Precision::Cep))
            .or_else(|| Some(located(self.cep5(cep?)?, Precision::Cep5)))
    }

    fn in_street(
        &self,
        gazetteer: Gazetteer,
        address: &Address,
        cep: Option<Cep>,
        by_cep: Option<PackLocation>,
    ) -> Option<Located> {
        let text = address.street.as_deref()?;
        let key = street_key(text)?;
        let ibge = self.municipality(gazetteer, address, cep)?;
        let number = address.number.as_deref().or_else(|| text.split_once(',').map(|(_, rest)| rest));
        let number = number.and_then(street_number);
        let namesakes: Vec<Street<'_>> = self.streets(ibge, key.hash).take(4_096).collect();
        let streets = narrow_down(&namesakes, key, cep);
        let locate = |find: &dyn Fn(&Street<'_>) -> Option<PackLocation>| {
            single_location(streets.iter().filter_map(|one| find(one)))
        };
        let at = number.and_then(|number| locate(&|street| street.at(number)));
        let interpolated = || number.and_then(|number| locate(&|street| street.interpolate(number)));
        let (location, precision) = at
            .map(|location| (location, Precision::Number))
            .or_else(|| interpolated().map(|location| (location, Precision::Street)))
            .or_else(|| locate(&|street| Some(street.location)).map(|location| (location, Precision::Street)))?;
        let is_far = by_cep.is_some_and(|cep| {
            great_circle_m(cep.point, location.point) > CEP_TOLERANCE_M.saturating_add(cep.radius_m.saturating_mul(3))
        });
        (!is_far).then_some(Located { point: location.point, precision, radius_m: location.radius_m })
    }

    /// Returns the IBGE code of the address' municipality.
    fn municipality(&self, gazetteer: Gazetteer, address: &Address, cep: Option<Cep>) -> Option<u32> {
        let named = address.city.as_deref().zip(address.uf()).and_then(|(city, uf)| gazetteer.municipality(city, uf));
        named
            .map(|town| town.ibge())
            .or_else(|| Some(self.cep(cep?)?.1))
            .or_else(|| Some(gazetteer.municipality_by_cep(cep?)?.ibge()))
    }
}

/// Narrows the namesakes down to the streets in the address' CEP, then to those of its kind, then to those with its titles. A
/// criterion that no remaining street meets is skipped.
fn narrow_down<'s, 'a>(namesakes: &'s [Street<'a>], key: StreetKey, cep: Option<Cep>) -> Vec<&'s Street<'a>> {
    let mut remaining: Vec<&Street<'_>> = namesakes.iter().collect();
    let prefer = |remaining: &mut Vec<&'s Street<'a>>, fits: &dyn Fn(&Street<'_>) -> bool| {
        if remaining.iter().any(|street| fits(street)) {
            remaining.retain(|street| fits(street));
        }
    };
    if let Some(cep) = cep {
        prefer(&mut remaining, &|street| street.cep == cep.number());
    }
    if key.kind != 0 {
        prefer(&mut remaining, &|street| street.key.kind == key.kind);
    }
    prefer(&mut remaining, &|street| street.key.title == key.title);
    remaining
}

/// Merges locations that are close together. Returns `None` if they are too far from each other, or if there are none.
fn single_location(locations: impl Iterator<Item = PackLocation>) -> Option<PackLocation> {
    let locations: Vec<PackLocation> = locations.take(4_096).collect();
    let first = locations.first()?;
    let distance = locations.iter().map(|location| great_circle_m(first.point, location.point)).max().unwrap_or(0);
    let reach = locations.iter().map(|location| location.radius_m).max().unwrap_or(0).max(SAME_LOCATION_M);
    let radius_m = first.radius_m.max(distance);
    (distance <= reach).then_some(PackLocation { radius_m, ..*first })
}
