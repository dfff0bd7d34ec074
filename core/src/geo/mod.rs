//! Where addresses are and how far apart on the road, from embedded data alone.

mod detour;

pub use detour::{great_circle_m, leg, matrix};
