//! Locates addresses in a pack.

use super::{
    Pack, PackLocation, Street,
    format::{Table, from_offset, read_be},
};
use crate::{
    geo::{
        Gazetteer, great_circle_m,
        street::{
            StreetKey,
            typing::for_each_neighbour,
            written::{Reading, readings},
        },
    },
    model::{Address, Cep, Located, Point, Precision},
};

/// Typical distance in metres between an address' coordinates and its door.
const DOOR_M: u32 = 15;

/// Maximum difference of the two street numbers between which a missing number is interpolated, and
/// their maximum distance in metres.
const MAX_INTERPOLATED_NUMBERS: u32 = 200;
const MAX_INTERPOLATED_M: u32 = 400;

/// Locations of one address within this many metres of each other count as one location.
const SAME_LOCATION_M: u32 = 300;

/// Maximum distance in metres between a street and the CEP of the address, added to three times the
/// CEP's radius.
const CEP_TOLERANCE_M: u32 = 2_000;

/// Maximum namesakes of a street that are compared.
const MAX_NAMESAKES: usize = 4_096;

/// Maximum sections of a street whose middle is computed.
const MAX_SECTIONS: usize = 256;

/// Maximum radius in metres of a CEP that confirms a street. That of a small town is the CEP of all
/// its streets.
const MAX_LOCAL_M: u32 = 1_000;

/// Minimum length of a name in letters from which a typing error is corrected without a CEP: short
/// names are too similar.
const MIN_LETTERS: usize = 8;

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
        self.door(self.first_from(number))
            .filter(|(found, _)| *found == number)
            .map(|(_, location)| location)
    }

    /// Interpolates the location of a missing number between its neighbours on the same side, else
    /// on either side.
    ///
    /// Even and odd numbers are on opposite sides in Brazil. The neighbours must be within 200
    /// numbers and 400 m of each other. The location is on the line between them, with half their
    /// distance as radius. Numbers beyond the last one are not extrapolated.
    pub fn interpolate(&self, number: u32) -> Option<PackLocation> {
        let from = self.first_from(number);
        let same_side = |(found, _): &(u32, PackLocation)| found % 2 == number % 2;
        let any_side = |_: &(u32, PackLocation)| true;
        // Eight doors in each direction are enough: more in a row on the other side of the street
        // are rare.
        let below = || (1..=8).filter_map(|back| self.door(from.checked_sub(back)?));
        let above = || (0..8).filter_map(|ahead| self.door(from + ahead));
        let sided = below().find(same_side).zip(above().find(same_side));
        let pair = |(low, high): ((u32, PackLocation), (u32, PackLocation))| {
            let distance_m = great_circle_m(low.1.point, high.1.point);
            let near =
                high.0 - low.0 <= MAX_INTERPOLATED_NUMBERS && distance_m <= MAX_INTERPOLATED_M;
            near.then(|| PackLocation {
                point: Point {
                    lat_e7: on_line(
                        number,
                        (low.0, low.1.point.lat_e7),
                        (high.0, high.1.point.lat_e7),
                    ),
                    lon_e7: on_line(
                        number,
                        (low.0, low.1.point.lon_e7),
                        (high.0, high.1.point.lon_e7),
                    ),
                },
                radius_m: (distance_m / 2).max(2 * DOOR_M),
            })
        };
        sided.and_then(pair).or_else(|| {
            below()
                .find(any_side)
                .zip(above().find(any_side))
                .and_then(pair)
        })
    }
}

fn number_of(record: &[u8]) -> u32 {
    u32::try_from(read_be(&record[..3.min(record.len())])).unwrap_or_default()
}

fn on_line(number: u32, low: (u32, i32), high: (u32, i32)) -> i32 {
    let span = i64::from(high.0 - low.0).max(1);
    let part = i64::from(high.1 - low.1) * i64::from(number.saturating_sub(low.0)) / span;
    low.1
        .saturating_add(i32::try_from(part).unwrap_or_default())
}

impl Pack<'_> {
    /// Returns the most precise location of an address, or `None` if the pack has neither its
    /// street nor its CEP.
    ///
    /// Precisions in descending order are number, street, CEP and CEP5. City and state determine
    /// the municipality, else the CEP. Of several streets with the same name, the one in the
    /// address' CEP wins, then the one of the same kind and title. If several distant ones remain,
    /// none is used. A street far from the CEP of the address is ignored, and the CEP's location is
    /// returned.
    pub fn locate(&self, gazetteer: Gazetteer, address: &Address) -> Option<Located> {
        let cep = address.cep();
        let by_cep = cep.and_then(|cep| self.cep(cep));
        if let Some(found) = self.in_street(
            gazetteer,
            address,
            cep,
            by_cep.map(|(location, _)| location),
        ) {
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
        let readings = readings(address, self.form());
        let local = cep.filter(|_| by_cep.is_none_or(|location| location.radius_m <= MAX_LOCAL_M));
        let ibge = self.municipality(gazetteer, address, cep)?;
        let search = Search {
            ibge,
            cep,
            local,
            has_cep: by_cep.is_some(),
        };
        let found = readings.iter().find_map(|reading| {
            let namesakes = self
                .streets(search.ibge, reading.key.hash)
                .take(MAX_NAMESAKES)
                .collect();
            let streets = search.narrow_down(namesakes, reading);
            (!streets.is_empty()).then(|| locate_number(&streets, reading.number))
        });
        let (location, precision) = found.unwrap_or_else(|| self.corrected(&search, &readings))?;
        let near = by_cep.or_else(|| self.cep5(cep?));
        let is_far = near.is_some_and(|cep| {
            great_circle_m(cep.point, location.point)
                > CEP_TOLERANCE_M.saturating_add(cep.radius_m.saturating_mul(3))
        });
        (!is_far).then_some(Located {
            point: location.point,
            precision,
            radius_m: location.radius_m,
        })
    }

    /// Locates an address whose street has a typing error, if exactly one street fits.
    fn corrected(
        &self,
        search: &Search,
        readings: &[Reading],
    ) -> Option<(PackLocation, Precision)> {
        // The shortest reading has neither number nor complement.
        let shortest = readings.iter().min_by_key(|reading| reading.folded.len());
        let mut found: Option<Vec<Street<'_>>> = None;
        let mut is_unique = true;
        for reading in readings.first().into_iter().chain(shortest) {
            for_each_neighbour(&reading.folded, |hash| {
                let namesakes: Vec<Street<'_>> = self
                    .streets(search.ibge, hash)
                    .take(MAX_NAMESAKES)
                    .collect();
                let streets = search.correct(namesakes, reading);
                let known = found
                    .as_ref()
                    .and_then(|streets| streets.first())
                    .map(|street| street.key.hash);
                is_unique &= streets.is_empty() || known.is_none_or(|known| known == hash);
                if !streets.is_empty() {
                    found = Some(streets);
                }
            });
        }
        let streets = found.filter(|_| is_unique)?;
        locate_number(&streets, shortest?.number)
    }

    /// Returns the IBGE code of the address' municipality.
    fn municipality(
        &self,
        gazetteer: Gazetteer,
        address: &Address,
        cep: Option<Cep>,
    ) -> Option<u32> {
        let named = address
            .city
            .as_deref()
            .zip(address.uf())
            .and_then(|(city, uf)| gazetteer.municipality(city, uf));
        named
            .map(|town| town.ibge())
            .or_else(|| Some(self.cep(cep?)?.1))
            .or_else(|| Some(gazetteer.municipality_by_cep(cep?)?.ibge()))
    }
}

/// The city and CEP in which a street is searched.
struct Search {
    ibge: u32,
    cep: Option<Cep>,
    /// The same, unless it is that of an entire town, which confirms no street.
    local: Option<Cep>,
    /// Whether the pack has the CEP itself.
    has_cep: bool,
}

impl Search {
    /// Narrows the namesakes down to the streets in the address' CEP, else in its first five
    /// digits, then to those of its kind, then to those with its titles. A criterion that no
    /// remaining street meets is skipped.
    ///
    /// A street of another kind or with other titles is another street, unless the CEP or the
    /// number confirms it.
    fn narrow_down<'a>(&self, mut streets: Vec<Street<'a>>, reading: &Reading) -> Vec<Street<'a>> {
        streets.retain(|street| {
            is_alike(street.key, reading.key)
                || self.confirms(street, reading)
                || (self.local.is_none()
                    && !is_short(reading)
                    && reading
                        .number
                        .is_some_and(|number| street.at(number).is_some()))
        });
        if let Some(cep) = self.cep {
            prefer(&mut streets, |street| street.cep == cep.number());
            prefer(&mut streets, |street| {
                street.cep / 1_000 == cep.number() / 1_000
            });
        }
        if reading.key.kind != 0 {
            prefer(&mut streets, |street| street.key.kind == reading.key.kind);
        }
        prefer(&mut streets, |street| street.key.title == reading.key.title);
        streets
    }

    /// Returns the streets that an address with a typing error means: those that its CEP confirms
    /// or, without a CEP, those of its kind that have its number.
    fn correct<'a>(&self, mut streets: Vec<Street<'a>>, reading: &Reading) -> Vec<Street<'a>> {
        streets.retain(|street| {
            if is_short(reading) {
                return false;
            }
            let is_numbered = || {
                let number = reading
                    .number
                    .is_some_and(|number| street.at(number).is_some());
                number && reading.folded.len() >= MIN_LETTERS && street.key.kind == reading.key.kind
            };
            is_alike(street.key, reading.key)
                && (self.confirms(street, reading) || (self.local.is_none() && is_numbered()))
        });
        streets
    }

    /// Whether a street is in the CEP of the address. If the pack does not have this CEP, its first
    /// five digits suffice for a name that is not as common as `A` or `12`.
    fn confirms(&self, street: &Street<'_>, reading: &Reading) -> bool {
        self.local.is_some_and(|cep| {
            let (cep, of_street) = (cep.number(), street.cep);
            cep == of_street
                || (!self.has_cep && !is_short(reading) && cep / 1_000 == of_street / 1_000)
        })
    }
}

/// Whether a name is so short that streets of this name are common.
fn is_short(reading: &Reading) -> bool {
    reading.folded.len() < 5
}

/// Whether two streets of the same name have the same kind and titles. A missing one fits every
/// other.
fn is_alike(one: StreetKey, other: StreetKey) -> bool {
    let fits = |a: u8, b: u8| a == b || a == 0 || b == 0;
    fits(one.kind, other.kind) && fits(one.title, other.title)
}

fn prefer<'a>(streets: &mut Vec<Street<'a>>, fits: impl Fn(&Street<'a>) -> bool) {
    if streets.iter().any(&fits) {
        streets.retain(fits);
    }
}

/// Returns the location of a number in streets of the same name: its door, else between its
/// neighbours, else the middle of the street.
fn locate_number(streets: &[Street<'_>], number: Option<u32>) -> Option<(PackLocation, Precision)> {
    let locate = |find: &dyn Fn(&Street<'_>) -> Option<PackLocation>| {
        single_location(streets.iter().filter_map(find))
    };
    let at = number.and_then(|number| locate(&|street| street.at(number)));
    let interpolated = || number.and_then(|number| locate(&|street| street.interpolate(number)));
    at.map(|location| (location, Precision::Number))
        .or_else(|| {
            interpolated()
                .or_else(|| middle(streets))
                .map(|found| (found, Precision::Street))
        })
}

/// Returns the middle of a street. Its sections of several CEPs must form a chain: otherwise they
/// are different streets.
fn middle(streets: &[Street<'_>]) -> Option<PackLocation> {
    let (first, mut rest) = streets
        .split_first()
        .map(|(first, rest)| (first, rest.iter().collect::<Vec<_>>()))?;
    if rest.len() > MAX_SECTIONS || rest.iter().any(|street| street.key != first.key) {
        return single_location(streets.iter().map(|street| street.location));
    }
    let mut chain = vec![first.location];
    let mut next = 0;
    while let Some(section) = chain.get(next).copied() {
        // The radius is 0.3 times the length of a straight section, so the middles of neighbours
        // are 1.7 times the sum of the radii apart.
        let is_near = |other: &PackLocation| {
            great_circle_m(section.point, other.point)
                <= 2 * (section.radius_m + other.radius_m) + SAME_LOCATION_M
        };
        rest.retain(|street| {
            let joins = is_near(&street.location);
            if joins {
                chain.push(street.location);
            }
            !joins
        });
        next += 1;
    }
    rest.is_empty().then(|| mean(&chain))
}

/// Returns the mean of the sections of a street, with the typical distance of its addresses.
fn mean(sections: &[PackLocation]) -> PackLocation {
    let count = i64::try_from(sections.len()).unwrap_or(i64::MAX).max(1);
    let part = |value: &dyn Fn(&PackLocation) -> i32| {
        let sum: i64 = sections
            .iter()
            .map(|section| i64::from(value(section)))
            .sum();
        i32::try_from(sum.div_euclid(count)).unwrap_or_default()
    };
    let point = Point {
        lat_e7: part(&|section| section.point.lat_e7),
        lon_e7: part(&|section| section.point.lon_e7),
    };
    let square = |metres: u32| u64::from(metres) * u64::from(metres);
    let squares = sections
        .iter()
        .map(|one| square(one.radius_m) + square(great_circle_m(one.point, point)))
        .sum::<u64>();
    let radius_m = u32::try_from((squares / count.unsigned_abs()).isqrt()).unwrap_or(u32::MAX);
    PackLocation { point, radius_m }
}

/// Merges locations that are close together. Returns `None` if they are too far from each other, or
/// if there are none.
fn single_location(locations: impl Iterator<Item = PackLocation>) -> Option<PackLocation> {
    let locations: Vec<PackLocation> = locations.take(4_096).collect();
    let first = locations.first()?;
    let distance = locations
        .iter()
        .map(|location| great_circle_m(first.point, location.point))
        .max()
        .unwrap_or(0);
    let reach = locations
        .iter()
        .map(|location| location.radius_m)
        .max()
        .unwrap_or(0)
        .max(SAME_LOCATION_M);
    let radius_m = first.radius_m.max(distance);
    (distance <= reach).then_some(PackLocation { radius_m, ..*first })
}
