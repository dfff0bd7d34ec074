//! Aids for tests: road networks drawn by hand, and random points.

mod sample;
mod sketch;

pub use sample::Draw;
pub use sketch::{Form, Pairs, Sketch, at};
