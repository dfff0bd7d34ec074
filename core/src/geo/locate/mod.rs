//! From an address to a place, by what the embedded gazetteer knows.

use super::{
    gazetteer::{Gazetteer, Municipality},
    great_circle_m, outline,
    pack::Pack,
};
use crate::model::{Address, Located, Point, Precision, Uf};

/// How far coordinates may lie from the seat of the municipality named beside them, in metres.
const MISMATCH_M: u32 = 50_000;

/// From this distance of the nearest seat on, a point is open country of a vast municipality, in metres.
const OPEN_COUNTRY_M: u32 = 25_000;

/// Why an address has no place. Each is a different thing to put right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocateError {
    /// Neither coordinates, nor a CEP, nor city and state were sent.
    NoLocation,
    /// No municipality has that name in that state, nor in any other, and no known CEP helps.
    NotFound,
    /// No municipality's range holds the CEP, and city and state were not sent.
    CepUnknown,
    /// The city is not in the state that was named.
    CityNotInState {
        /// The most populous municipality of that name.
        elsewhere: Municipality,
    },
    /// The CEP belongs to another municipality than the one named.
    CepElsewhere {
        /// Whose CEP it is.
        belongs_to: Municipality,
    },
    /// The coordinates lie too far from the municipality named beside them.
    CoordinatesMismatch {
        /// The municipality named.
        municipality: Municipality,
        /// Great-circle metres from its seat.
        distance_m: u32,
    },
    /// The coordinates lie outside Brazil, or in the sea.
    CoordinatesOutside {
        /// Where they lead with latitude and longitude exchanged, if that is in Brazil.
        swapped: Option<Point>,
        /// Whether they lead to Brazil with their signs turned to negative.
        sign_lost: bool,
    },
}

/// What an address' text says of its municipality.
enum Named {
    Known(Municipality),
    /// A city was named that no state has, or without a state.
    Unknown,
    Elsewhere(Municipality),
    Nothing,
}

impl Gazetteer {
    /// Locates an address: coordinates win, then the CEP, then city and state.
    ///
    /// - Coordinates must lie in Brazil, and near the municipality named beside them, if one is known: by city and state, or
    ///   else by the CEP. Near is 50 km from its seat. A point that no seat is within 25 km of is open country of a vast
    ///   municipality (Altamira reaches 700 km from its seat): there five times the distance to the nearest seat is granted on
    ///   top, if that seat is in the same state. Coordinates beside an unknown city are taken as they are.
    /// - A CEP and a city that contradict each other are refused, and so are a CEP and a state. A city that the gazetteer does
    ///   not know (a district, say) does not contradict.
    ///
    /// # Errors
    /// A [`LocateError`] says what is wrong and, where it can, what would be right.
    pub fn locate(self, address: &Address) -> Result<Located, LocateError> {
        if let Some(point) = address.point {
            return self.check_point(point, address);
        }
        let by_cep = address.cep().and_then(|cep| self.municipality_by_cep(cep));
        match (self.named(address), by_cep) {
            (Named::Known(town), None) => Ok(town.located()),
            (Named::Known(town), Some(owner)) if town == owner || !town.has_ceps() => Ok(town.located()),
            (Named::Known(_), Some(owner)) => Err(LocateError::CepElsewhere { belongs_to: owner }),
            (Named::Elsewhere(town), Some(owner)) if town == owner => {
                Err(LocateError::CityNotInState { elsewhere: town })
            }
            (Named::Elsewhere(_) | Named::Unknown | Named::Nothing, Some(owner)) => match address.uf() {
                Some(uf) if uf != owner.uf() => Err(LocateError::CepElsewhere { belongs_to: owner }),
                _ => self.check_bare_city(address, owner),
            },
            (Named::Elsewhere(town), None) => Err(LocateError::CityNotInState { elsewhere: town }),
            (Named::Unknown, None) => Err(LocateError::NotFound),
            (Named::Nothing, None) if address.cep().is_some() => Err(LocateError::CepUnknown),
            (Named::Nothing, None) => Err(LocateError::NoLocation),
        }
    }

    /// Locates an address with packs at hand: what [`Gazetteer::locate`] refuses stays refused, what it knows by its
    /// municipality alone is asked of the packs, and the most precise answer wins; among equals the first pack's.
    ///
    /// A CEP, or a city, that only a pack knows is enough.
    ///
    /// # Errors
    /// As [`Gazetteer::locate`].
    pub fn locate_with(self, packs: &[Pack<'_>], address: &Address) -> Result<Located, LocateError> {
        let embedded = self.locate(address);
        let open = match &embedded {
            Ok(located) => located.precision == Precision::Municipality,
            Err(error) => matches!(error, LocateError::NotFound | LocateError::CepUnknown),
        };
        if !open {
            return embedded;
        }
        let found = packs.iter().filter_map(|pack| pack.locate(self, address)).min_by_key(|located| located.precision);
        found.map_or(embedded, Ok)
    }

    fn named(self, address: &Address) -> Named {
        let (Some(city), Some(uf)) = (address.city.as_deref(), address.uf()) else {
            return Named::Nothing;
        };
        match self.municipality(city, uf) {
            Some(town) => Named::Known(town),
            None => self.namesakes(city).first().map_or(Named::Unknown, |town| Named::Elsewhere(*town)),
        }
    }

    /// A city without a state beside a CEP: it contradicts if it is known, though not in the CEP's state.
    fn check_bare_city(self, address: &Address, owner: Municipality) -> Result<Located, LocateError> {
        let city = address.city.as_deref().filter(|_| address.uf().is_none());
        let contradicts = city.is_some_and(|city| match self.municipality(city, owner.uf()) {
            Some(town) => town != owner && town.has_ceps(),
            None => !self.namesakes(city).is_empty(),
        });
        if contradicts { Err(LocateError::CepElsewhere { belongs_to: owner }) } else { Ok(owner.located()) }
    }

    fn check_point(self, point: Point, address: &Address) -> Result<Located, LocateError> {
        if !outline::holds(self.0, point) {
            return Err(self.outside(point));
        }
        let named = match self.named(address) {
            Named::Known(town) => Some(town),
            Named::Nothing => address.cep().and_then(|cep| self.municipality_by_cep(cep)),
            Named::Unknown | Named::Elsewhere(_) => None,
        };
        if let Some(town) = named {
            let distance_m = great_circle_m(point, town.municipal_seat());
            if distance_m > MISMATCH_M && !self.is_open_country(point, town.uf(), distance_m) {
                return Err(LocateError::CoordinatesMismatch { municipality: town, distance_m });
            }
        }
        Ok(Located { point, precision: Precision::Coordinates, radius_m: 0 })
    }

    fn is_open_country(self, point: Point, uf: Uf, distance_m: u32) -> bool {
        self.nearest(point).is_some_and(|(town, nearest_m)| {
            let reach = MISMATCH_M.saturating_add(nearest_m.saturating_mul(5));
            nearest_m >= OPEN_COUNTRY_M && town.uf() == uf && distance_m <= reach
        })
    }
    /// Coordinates outside Brazil, with the two mistakes that people make most.
    fn outside(self, point: Point) -> LocateError {
        let exchanged = Point { lat_e7: point.lon_e7, lon_e7: point.lat_e7 };
        let on_planet = Point::from_degrees(exchanged.latitude(), exchanged.longitude());
        let negative = Point { lat_e7: -point.lat_e7.abs(), lon_e7: -point.lon_e7.abs() };
        LocateError::CoordinatesOutside {
            swapped: on_planet.filter(|point| outline::holds(self.0, *point)),
            sign_lost: outline::holds(self.0, negative),
        }
    }
}

#[cfg(test)]
mod tests;
