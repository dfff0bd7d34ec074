//! Test support: hand-drawn road networks and random points.

mod rng;
mod sketch;

pub use rng::Rng;
pub use sketch::{Form, Pairs, Sketch, at};
