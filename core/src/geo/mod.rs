//! Geocodes addresses and estimates road distances from embedded data only.

mod area;
#[doc(hidden)]
pub mod candidate;
#[doc(hidden)]
pub mod cnefe;
mod detour;
mod gazetteer;
mod locate;
mod located;
#[doc(hidden)]
pub mod names;
mod outline;
#[doc(hidden)]
pub mod pack;
mod plane;
mod proximity;
mod street;
#[doc(hidden)]
pub mod tables;
mod zone;

pub use area::{first_crossing, first_outside, has_three_edges, is_in_box};
pub(crate) use detour::leg_over;
pub use detour::{great_circle_m, leg};
pub use gazetteer::{Gazetteer, Municipality};
pub use locate::LocateError;
pub use located::{leg_located, matrix_located, matrix_with_roads};
pub use proximity::{WrittenPlace, with_texts};
pub use street::{StreetKey, street_key, street_number};
pub use zone::zone;

use crate::model::{DistanceMatrix, Located};

/// Returns the legs between every pair of places, from the embedded model only; see
/// [`matrix_located`].
pub fn matrix(places: &[Located]) -> DistanceMatrix {
    matrix_located(places)
}
