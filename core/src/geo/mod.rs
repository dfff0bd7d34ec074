//! Where addresses are and how far apart on the road, from embedded data alone.

pub mod candidate;
pub mod cnefe;
mod detour;
mod gazetteer;
mod locate;
mod located;
pub mod names;
mod outline;
pub mod pack;
mod street;
pub mod tables;

pub(crate) use detour::leg_over;
pub use detour::{great_circle_m, leg};
pub use gazetteer::{Gazetteer, Municipality};
pub use locate::LocateError;
pub use located::{leg_located, matrix_located, matrix_with_roads};
pub use street::{StreetKey, street_key, street_number};

use crate::model::{Address, DistanceMatrix, Located};

/// Where an address is, by embedded data alone: [`Gazetteer::locate`].
///
/// # Errors
/// Why it has no place, and what would help.
pub fn locate(address: &Address) -> Result<Located, LocateError> {
    Gazetteer::embedded().locate(address)
}

/// Legs between every pair of places, by the embedded model alone: [`matrix_located`].
pub fn matrix(places: &[Located]) -> DistanceMatrix {
    matrix_located(places)
}
