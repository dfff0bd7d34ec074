//! What a courier earns: the lines of an order and of a shift, and the entries of an order's end.
//!
//! `core/PAY.md` describes the rules.

mod entries;
mod lines;
mod shares;
mod shift;

pub(crate) use entries::{ended_entries, released_entries};
pub use entries::{estimate, fixed};
pub use lines::{Outcome, Stage, Work, order_lines, total};
pub use shares::shares;
pub use shift::{ShiftWork, shift_lines};

#[cfg(test)]
mod tests;
