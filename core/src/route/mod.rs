//! The visiting order for an order's stops, and the assignment of couriers to waiting orders.

mod arcs;
mod ascent;
mod assign;
pub mod line;
mod model;
mod problem;
mod proof;
mod search;
mod solve;
mod split;
mod subset;
#[cfg(test)]
mod tests;
mod tree;

pub use assign::{AssignFault, Assignment, Costs, MAX_COST, MAX_SIDE, assign};
pub use problem::{Budget, MAX_STOPS, Pin, Problem, RouteFault, UNREACHABLE, Visit};
pub use solve::{best_order, given_order};
