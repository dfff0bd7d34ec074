//! The visiting order for an order's stops, and the assignment of couriers to waiting orders.

mod arcs;
mod ascent;
mod branch;
mod model;
mod problem;
mod search;
mod solve;
mod subset;
#[cfg(test)]
mod tests;
mod tree;

pub use problem::{Budget, MAX_STOPS, Pin, Problem, RouteFault, UNREACHABLE, Visit};
pub use solve::{best_order, given_order};
