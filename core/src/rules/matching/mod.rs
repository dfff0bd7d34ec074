//! Which courier carries which order: the matching of a pass, its spatial search and its
//! configuration.

pub(crate) mod assign;
mod config;
pub mod engine;
pub(crate) mod nearby;

pub use assign::{
    Assessed, Available, Decision, Exclusion, OpenReason, Pass, PlannedAssignment, decide,
};
pub use config::Dispatch;

#[cfg(test)]
mod tests;
