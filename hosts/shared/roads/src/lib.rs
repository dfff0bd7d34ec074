//! Road distances and travel times from an OpenStreetMap extract (`.osm.pbf`), or from a road file
//! that [`Roads::save`] wrote, computed in this process without an external service.
//!
//! The legs are those of the fastest trip by car or motorcycle. They account for one-way streets,
//! access rules, barriers, turn restrictions, speed limits, traffic signals and turn costs. Search
//! and rounding use integers, so every host computes the same legs.
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
//! Legs do not include traffic (multiply the time by a factor), ferries, tolls and time-dependent
//! closures.

mod component;
mod components;
mod contraction;
mod coord;
mod cost;
mod cut;
mod dissection;
mod elimination;
mod error;
mod extract;
mod grid;
mod hierarchy;
mod links;
mod load;
mod matrix;
mod nearest;
mod network;
mod path;
mod pbf;
mod profile;
mod restriction;
mod road_file;
mod segments;
mod simplify;
mod snap;
mod sparse;
#[cfg(feature = "streets")]
pub mod streets;
mod sweep;
#[cfg(feature = "testing")]
pub mod testing;
mod trip;
mod turns;

pub use cut::{Area, CutReport, cut};
pub use error::RoadsError;
pub use matrix::{RoadLeg, RoadMatrix};
pub use nearest::SNAP_LIMIT_M;
pub use network::{ConnectedRoads, Roads, Size};
