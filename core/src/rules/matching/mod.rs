//! Matching of orders and couriers.

pub(crate) mod assign;
mod config;
pub(crate) mod nearby;

pub use assign::matches;
pub use config::Dispatch;
