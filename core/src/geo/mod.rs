//! Where addresses are and how far apart on the road, from embedded data alone.

mod detour;
mod locate;

pub use detour::{great_circle_m, leg, matrix};
pub use locate::{LocateFault, locate};
