//! Road legs from an OpenStreetMap extract (`.osm.pbf`), in this process and without any service.
//!
//! The legs are those of the fastest ride by car or motorcycle: one-ways, access rules, barriers, turn restrictions, speed limits,
//! traffic signals and the cost of turns count. Search and rounding are in whole numbers, so that every host gets the same legs.
//!
//! ```no_run
//! use despacho_core::model::Point;
//! use despacho_roads::Roads;
//! # fn main() -> Result<(), despacho_roads::RoadsError> {
//! # let points: Vec<Point> = Vec::new();
//! let roads = Roads::load("porto-alegre.osm.pbf".as_ref())?;
//! let legs = roads.matrix(&points);
//! match legs.leg(0, 1) {
//!     Some(leg) => println!("{} m, {} ms in free flow", leg.metres, leg.ms),
//!     None if !legs.is_snapped(0) || !legs.is_snapped(1) => println!("an end is far from every road of the extract"),
//!     None => println!("no road leads there"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! What a leg does not know: traffic (multiply the time), ferries, tolls and hours of closure.

mod cost;
mod draft;
mod error;
mod grid;
mod hierarchy;
mod matrix;
mod network;
mod parts;
mod pbf;
mod place;
mod profile;
mod restriction;
mod search;
mod snap;
mod stretches;
#[cfg(feature = "testing")]
pub mod testing;
mod turns;

pub use error::RoadsError;
pub use matrix::{RoadLeg, RoadMatrix};
pub use network::{Roads, Size};
pub use snap::SNAP_LIMIT_M;
