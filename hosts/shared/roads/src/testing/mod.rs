//! Test support: hand-drawn road networks, random points, and the named roads of an extract.

mod named;
mod rng;
mod sketch;

pub use named::{NamedRoad, named_roads};
pub use rng::Rng;
pub use sketch::{Form, Pairs, Sketch, at};
