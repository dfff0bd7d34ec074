//! Test support: hand-drawn and synthetic road networks, random points, and the named roads of an
//! extract.

mod format;
mod named;
mod region;
mod rng;
mod sketch;

pub use format::in_format_2;
pub use named::{NamedRoad, named_roads};
pub use region::write_region;
pub use rng::Rng;
pub use sketch::{Form, Pairs, Sketch, at};
