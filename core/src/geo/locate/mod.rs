//! Locates addresses with the embedded gazetteer.

use super::{
    gazetteer::{Gazetteer, Municipality},
    great_circle_m, outline,
    pack::Pack,
};
use crate::model::{Address, Located, Point, Precision, Uf};

/// Maximum distance in metres between coordinates and the municipal seat of the address.
const MISMATCH_M: u32 = 50_000;

/// Minimum distance in metres from the nearest municipal seat at which a point counts as remote.
const REMOTE_M: u32 = 25_000;

/// The reason an address cannot be located. Each variant needs a different correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocateError {
    /// The address has no coordinates, no CEP, and not both city and state.
    #[error("the address has no coordinates, no CEP, and not both city and state")]
    NoLocation,
    /// No municipality in any state has this name, and the CEP is missing or unknown.
    #[error("no municipality has this name")]
    NotFound,
    /// The CEP is in no municipality's range, and the address does not have both city and state.
    #[error("the CEP is in no municipality's range")]
    CepUnknown,
    /// The state has no city of this name, but another state does.
    #[error("the state has no city of this name")]
    CityNotInState {
        /// The most populous municipality with this name.
        elsewhere: Municipality,
    },
    /// The CEP belongs to a different municipality than the address states.
    #[error("the CEP belongs to another municipality")]
    CepElsewhere {
        /// The municipality of the CEP.
        belongs_to: Municipality,
    },
    /// The coordinates are too far from the municipality of the address.
    #[error("the coordinates are {distance_m} m from the municipality")]
    CoordinatesMismatch {
        /// The municipality of the address.
        municipality: Municipality,
        /// Great-circle distance from the municipal seat in metres.
        distance_m: u32,
    },
    /// The coordinates are outside Brazil or at sea.
    #[error("the coordinates are outside Brazil or at sea")]
    CoordinatesOutside {
        /// The point with latitude and longitude exchanged, if that is in Brazil.
        swapped: Option<Point>,
        /// Whether the point is in Brazil if both coordinates are negative.
        sign_lost: bool,
    },
}

/// Result of looking up the address's city and state.
enum CityLookup {
    Found(Municipality),
    /// No state has a city of this name.
    Unknown,
    /// The most populous city of this name in another state.
    InOtherState(Municipality),
    /// City, state or both are missing or invalid.
    Incomplete,
}

impl Gazetteer {
    /// Locates an address from its coordinates, else from its CEP, else from city and state.
    ///
    /// - Coordinates must be in Brazil. If the municipality is known from city and state, or else
    ///   from the CEP, they must be within 50 km of its seat. A remote point, at least 25 km from
    ///   every seat, may belong to a vast municipality (Altamira reaches 700 km from its seat). If
    ///   the seat nearest to it is in the same state, the limit grows by five times the distance to
    ///   that seat. Coordinates with an unknown city are accepted without this check.
    /// - A CEP that contradicts the city or the state is rejected. An unknown city (a district, for
    ///   example) contradicts no CEP.
    ///
    /// # Errors
    /// Returns a [`LocateError`] with the reason and, if known, the correction.
    pub fn locate(self, address: &Address) -> Result<Located, LocateError> {
        if let Some(point) = address.point {
            return self.check_point(point, address);
        }
        let by_cep = address.cep().and_then(|cep| self.municipality_by_cep(cep));
        match (self.look_up_city(address), by_cep) {
            (CityLookup::Found(town), None) => Ok(town.located()),
            (CityLookup::Found(town), Some(owner)) if town == owner || !town.has_ceps() => {
                Ok(town.located())
            }
            (CityLookup::Found(_), Some(owner)) => {
                Err(LocateError::CepElsewhere { belongs_to: owner })
            }
            (CityLookup::InOtherState(town), Some(owner)) if town == owner => {
                Err(LocateError::CityNotInState { elsewhere: town })
            }
            (
                CityLookup::InOtherState(_) | CityLookup::Unknown | CityLookup::Incomplete,
                Some(owner),
            ) => match address.uf() {
                Some(uf) if uf != owner.uf() => {
                    Err(LocateError::CepElsewhere { belongs_to: owner })
                }
                _ => self.check_bare_city(address, owner),
            },
            (CityLookup::InOtherState(town), None) => {
                Err(LocateError::CityNotInState { elsewhere: town })
            }
            (CityLookup::Unknown, None) => Err(LocateError::NotFound),
            (CityLookup::Incomplete, None) if address.cep().is_some() => {
                Err(LocateError::CepUnknown)
            }
            (CityLookup::Incomplete, None) => Err(LocateError::NoLocation),
        }
    }

    /// Locates an address with the embedded gazetteer, then refines the result with packs.
    ///
    /// Packs are searched if [`Gazetteer::locate`] finds only the municipality, or does not know
    /// the city or the CEP. Its other errors are final. The most precise result wins, and among
    /// equals the first pack's.
    ///
    /// # Errors
    /// See [`Gazetteer::locate`].
    pub fn locate_with(
        self,
        packs: &[Pack<'_>],
        address: &Address,
    ) -> Result<Located, LocateError> {
        let embedded = self.locate(address);
        let needs_packs = match &embedded {
            Ok(located) => located.precision == Precision::Municipality,
            Err(error) => matches!(error, LocateError::NotFound | LocateError::CepUnknown),
        };
        if !needs_packs {
            return embedded;
        }
        let found = packs
            .iter()
            .filter_map(|pack| pack.locate(self, address))
            .min_by_key(|located| located.precision);
        found.map_or(embedded, Ok)
    }

    fn look_up_city(self, address: &Address) -> CityLookup {
        let (Some(city), Some(uf)) = (address.city.as_deref(), address.uf()) else {
            return CityLookup::Incomplete;
        };
        match self.municipality(city, uf) {
            Some(town) => CityLookup::Found(town),
            None => self
                .namesakes(city)
                .first()
                .map_or(CityLookup::Unknown, |town| CityLookup::InOtherState(*town)),
        }
    }

    /// Checks a city without a state against the municipality of its CEP. A known city contradicts
    /// the CEP if it is another municipality of the CEP's state, or exists only in other states.
    fn check_bare_city(
        self,
        address: &Address,
        owner: Municipality,
    ) -> Result<Located, LocateError> {
        let city = address.city.as_deref().filter(|_| address.uf().is_none());
        let contradicts = city.is_some_and(|city| match self.municipality(city, owner.uf()) {
            Some(town) => town != owner && town.has_ceps(),
            None => !self.namesakes(city).is_empty(),
        });
        if contradicts {
            Err(LocateError::CepElsewhere { belongs_to: owner })
        } else {
            Ok(owner.located())
        }
    }

    fn check_point(self, point: Point, address: &Address) -> Result<Located, LocateError> {
        if !outline::contains(self.0, point) {
            return Err(self.outside_error(point));
        }
        let named = match self.look_up_city(address) {
            CityLookup::Found(town) => Some(town),
            CityLookup::Incomplete => address.cep().and_then(|cep| self.municipality_by_cep(cep)),
            CityLookup::Unknown | CityLookup::InOtherState(_) => None,
        };
        if let Some(town) = named {
            let distance_m = great_circle_m(point, town.municipal_seat());
            if distance_m > MISMATCH_M && !self.is_remote(point, town.uf(), distance_m) {
                return Err(LocateError::CoordinatesMismatch {
                    municipality: town,
                    distance_m,
                });
            }
        }
        Ok(Located {
            point,
            precision: Precision::Coordinates,
            radius_m: 0,
        })
    }

    fn is_remote(self, point: Point, uf: Uf, distance_m: u32) -> bool {
        self.nearest(point).is_some_and(|(town, nearest_m)| {
            let reach = MISMATCH_M.saturating_add(nearest_m.saturating_mul(5));
            nearest_m >= REMOTE_M && town.uf() == uf && distance_m <= reach
        })
    }
    /// Builds the error for coordinates outside Brazil and checks the two common causes: exchanged
    /// axes and missing signs.
    fn outside_error(self, point: Point) -> LocateError {
        let exchanged = Point {
            lat_e7: point.lon_e7,
            lon_e7: point.lat_e7,
        };
        let on_planet = Point::from_degrees(exchanged.latitude(), exchanged.longitude());
        let negative = Point {
            lat_e7: -point.lat_e7.abs(),
            lon_e7: -point.lon_e7.abs(),
        };
        LocateError::CoordinatesOutside {
            swapped: on_planet.filter(|point| outline::contains(self.0, *point)),
            sign_lost: outline::contains(self.0, negative),
        }
    }
}

#[cfg(test)]
mod tests;
