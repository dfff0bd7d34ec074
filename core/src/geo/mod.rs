//! Where addresses are and how far apart on the road, from embedded data alone.

mod detour;
mod gazetteer;
mod locate;
mod located;
pub mod names;
mod outline;
pub mod tables;

pub use detour::{great_circle_m, leg};
pub use gazetteer::{Gazetteer, Municipality};
pub use locate::LocateFault;
pub use located::{leg_located, matrix_located};
