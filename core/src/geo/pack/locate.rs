//! From an address to the best place that a pack knows.

use super::{
    Pack, Place, Street,
    format::{Table, big, from_offset},
};
use crate::{
    geo::{
        Gazetteer, great_circle_m,
        street::{StreetKey, street_key, street_number},
    },
    model::{Address, Cep, Located, Point, Precision},
};

/// Typical distance between an address' point and its door, in metres.
const DOOR_M: u32 = 15;

/// Numbers to either side between which a missing one is placed on the straight line, and their greatest distance in metres.
const BETWEEN_NUMBERS: u32 = 200;
const BETWEEN_M: u32 = 400;

/// Places of one address that lie within this many metres of each other are one place.
const SAME_PLACE_M: u32 = 300;

/// A street farther than this from the CEP beside it contradicts it, in metres, on top of the CEP's own radius.
const CEP_REACH_M: u32 = 2_000;

impl Street<'_> {
    fn door(&self, index: usize) -> Option<(u32, Place)> {
        let width = Table::Doors.width();
        let record = self.doors.get(index * width..(index + 1) * width)?;
        let point = Point {
            lat_e7: from_offset(self.place.point.lat_e7, &record[3..6]),
            lon_e7: from_offset(self.place.point.lon_e7, &record[6..9]),
        };
        let radius_m = (u32::from(record[9]) * 4).max(DOOR_M);
        Some((number_of(record), Place { point, radius_m }))
    }

    /// Index of the first door with at least this number.
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

    /// The door with this number.
    pub fn at(&self, number: u32) -> Option<Place> {
        self.door(self.first_from(number)).filter(|(found, _)| *found == number).map(|(_, place)| place)
    }

    /// Where a number that is not in the register must be: between its neighbours of the same side, else of either side.
    ///
    /// Even and odd numbers face each other in Brazil. The neighbours may be at most 200 numbers and 400 m apart; the place is
    /// on the line between them, and its radius half their distance. Beyond the last number nothing is guessed.
    pub fn between(&self, number: u32) -> Option<Place> {
        let from = self.first_from(number);
        let same_side = |(found, _): &(u32, Place)| found % 2 == number % 2;
        let any_side = |_: &(u32, Place)| true;
        // A few doors to either side are enough: the other side of the street rarely has more in a row.
        let below = || (1..=8).filter_map(|back| self.door(from.checked_sub(back)?));
        let above = || (0..8).filter_map(|ahead| self.door(from + ahead));
        let sided = below().find(same_side).zip(above().find(same_side));
        let pair = |(low, high): ((u32, Place), (u32, Place))| {
            let distance_m = great_circle_m(low.1.point, high.1.point);
            let near = high.0 - low.0 <= BETWEEN_NUMBERS && distance_m <= BETWEEN_M;
            near.then(|| Place {
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
    u32::try_from(big(&record[..3.min(record.len())])).unwrap_or_default()
}

fn on_line(number: u32, low: (u32, i32), high: (u32, i32)) -> i32 {
    let span = i64::from(high.0 - low.0).max(1);
    let part = i64::from(high.1 - low.1) * i64::from(number.saturating_sub(low.0)) / span;
    low.1.saturating_add(i32::try_from(part).unwrap_or_default())
}

impl Pack<'_> {
    /// The best place that the pack knows for an address; `None` where it knows neither its street nor its CEP.
    ///
    /// Number, then street, CEP, CEP5. The municipality comes from city and state, else from the CEP. Of streets with one name
    /// the one in the address' CEP wins, then the one of the same kind and title; where several far apart remain, none is
    /// guessed. A street that lies far from the CEP named beside it is not trusted: the CEP's place is returned.
    pub fn locate(&self, gazetteer: Gazetteer, address: &Address) -> Option<Located> {
        let cep = address.cep();
        let by_cep = cep.and_then(|cep| self.cep(cep));
        if let Some(found) = self.in_street(gazetteer, address, cep, by_cep.map(|(place, _)| place)) {
            return Some(found);
        }
        let located = |place: Place, precision| Located { point: place.point, precision, radius_m: place.radius_m };
        by_cep
            .map(|(place, _)| located(place, Precision::Cep))
            .or_else(|| Some(located(self.cep5(cep?)?, Precision::Cep5)))
    }

    fn in_street(
        &self,
        gazetteer: Gazetteer,
        address: &Address,
        cep: Option<Cep>,
        by_cep: Option<Place>,
    ) -> Option<Located> {
        let text = address.street.as_deref()?;
        let key = street_key(text)?;
        let ibge = self.municipality(gazetteer, address, cep)?;
        let number = address.number.as_deref().or_else(|| text.split_once(',').map(|(_, rest)| rest));
        let number = number.and_then(street_number);
        let namesakes: Vec<Street<'_>> = self.streets(ibge, key.hash).take(4_096).collect();
        let streets = choose(&namesakes, key, cep);
        let places =
            |find: &dyn Fn(&Street<'_>) -> Option<Place>| one_place(streets.iter().filter_map(|one| find(one)));
        let at = number.and_then(|number| places(&|street| street.at(number)));
        let between = || number.and_then(|number| places(&|street| street.between(number)));
        let (place, precision) = at
            .map(|place| (place, Precision::Number))
            .or_else(|| between().map(|place| (place, Precision::Street)))
            .or_else(|| places(&|street| Some(street.place)).map(|place| (place, Precision::Street)))?;
        let far = by_cep.is_some_and(|cep| {
            great_circle_m(cep.point, place.point) > CEP_REACH_M.saturating_add(cep.radius_m.saturating_mul(3))
        });
        (!far).then_some(Located { point: place.point, precision, radius_m: place.radius_m })
    }

    /// IBGE code of the address' municipality.
    fn municipality(&self, gazetteer: Gazetteer, address: &Address, cep: Option<Cep>) -> Option<u32> {
        let named = address.city.as_deref().zip(address.uf()).and_then(|(city, uf)| gazetteer.municipality(city, uf));
        named
            .map(|town| town.ibge())
            .or_else(|| Some(self.cep(cep?)?.1))
            .or_else(|| Some(gazetteer.municipality_by_cep(cep?)?.ibge()))
    }
}

/// The streets that the address can mean: those in its CEP if any are, then those of its kind, then of its titles.
fn choose<'s, 'a>(namesakes: &'s [Street<'a>], key: StreetKey, cep: Option<Cep>) -> Vec<&'s Street<'a>> {
    let mut left: Vec<&Street<'_>> = namesakes.iter().collect();
    let prefer = |left: &mut Vec<&'s Street<'a>>, fits: &dyn Fn(&Street<'_>) -> bool| {
        if left.iter().any(|street| fits(street)) {
            left.retain(|street| fits(street));
        }
    };
    if let Some(cep) = cep {
        prefer(&mut left, &|street| street.cep == cep.number());
    }
    if key.kind != 0 {
        prefer(&mut left, &|street| street.key.kind == key.kind);
    }
    prefer(&mut left, &|street| street.key.title == key.title);
    left
}

/// The one place among several that lie together; `None` where they are far apart, or there is none.
fn one_place(places: impl Iterator<Item = Place>) -> Option<Place> {
    let places: Vec<Place> = places.take(4_096).collect();
    let first = places.first()?;
    let distance = places.iter().map(|place| great_circle_m(first.point, place.point)).max().unwrap_or(0);
    let reach = places.iter().map(|place| place.radius_m).max().unwrap_or(0).max(SAME_PLACE_M);
    let radius_m = first.radius_m.max(distance);
    (distance <= reach).then_some(Place { radius_m, ..*first })
}
