//! Where addresses are and how far apart on the road, from embedded data alone.

pub mod cnefe;
mod detour;
mod located;
pub mod names;
mod street;

#[cfg(feature = "gazetteer")]
mod gazetteer;
#[cfg(feature = "gazetteer")]
mod locate;
#[cfg(feature = "gazetteer")]
mod outline;
#[cfg(feature = "gazetteer")]
pub mod pack;
#[cfg(feature = "gazetteer")]
pub mod tables;

pub use detour::{great_circle_m, leg, matrix};
pub use located::{leg_located, matrix_located};
pub use street::{StreetKey, street_key, street_number};

#[cfg(feature = "gazetteer")]
pub use gazetteer::{Gazetteer, Municipality};
#[cfg(feature = "gazetteer")]
pub use locate::LocateFault;
