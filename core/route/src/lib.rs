//! The visiting order for an order's stops, and the assignment of couriers to waiting orders.
//!
//! Pure and deterministic: no clock, no randomness, no threads. Proofs use integers. Floats only propose prices, by sums,
//! products and quotients, which every platform rounds alike. So the same input gives the same bytes on every host.
//! [`best_order`] returns an order, whether it is proven optimal, and a lower bound on the length of every order.
//!
//! # Which algorithm at which size
//!
//! A fixed start, an open end, a return and pinned stops all become one shape: free stops between an origin that is left
//! once and entered once. Co-located stops are merged. Then, by the number of free stops n:
//!
//! | free stops | algorithm | work | source |
//! |---|---|---|---|
//! | 1 to 12 | table over subsets, always proven | n² · 2ⁿ | Bellman 1962; Held and Karp 1962 |
//! | 13 and more | search: segment exchange, 2-opt reversal, Or-opt moves of up to three stops; neighbour lists, don't-look bits; kicked by local double bridges | about n a round | Or 1976; Lin 1965; Bentley 1992; Martin, Otto and Felten 1991 |
//! | 13 and more | bound: cheapest tree with two legs under prices, raised by subgradient steps; from 17 stops on first along each stop's nearest, then over all legs | n² a step, n along the nearest | Held and Karp 1970 and 1971; Held, Wolfe and Crowder 1974; Helsgaun 2000 |
//! | 13 and more | proof: branch and bound, best bound first; three-way branching on the stop whose legs are the most expensive to replace; legs are ruled out by reduced cost | at worst exponential, cut by the budget | Volgenant and Jonker 1982 |
//! | 13 to 60, more with a large budget | cutting planes for the remaining gap: a linear program over the remaining legs, with violated subtour, blossom and lifted cycle cuts, on one-way matrices also {0, ½}-cuts of these, and branch and bound on it | some hundred pivots a part | Dantzig, Fulkerson and Johnson 1954; Grötschel and Padberg 1985; Padberg and Rinaldi 1991; Caprara and Fischetti 1996; Fischetti and Toth 1997 |
//!
//! On one-way matrices leaving and entering have prices of their own, which gives the same bound as the cheapest
//! arborescence (Edmonds 1967) at its best prices. Prices are integers, 1024ths of a metre at most. Where every leg is a
//! multiple of some metres, as roads rounded to tens are, so is every route, and the bound is rounded up to it.
//!
//! Within [`Budget::PROOF`] the proof is complete for nearly every problem of up to 50 stops. If the budget ends first,
//! [`Visit::bound`] limits how far the order can be from the optimum: typically one per cent at 100 stops.
//! `core/route/README.md` has the measurements.
//!
//! # Rules
//!
//! - A [`Budget`] counts work, never time: about a nanosecond a unit.
//! - The result is never longer than the order sent: by index, with pinned stops in their positions.
//! - Ties: if the order sent is as short as the best order found, it is returned. Otherwise, up to twelve free stops, the
//!   first optimum in index order is returned. Beyond that it is the first one that the fixed sequence of steps finds, and
//!   co-located stops follow each other by index.
//! - [`UNREACHABLE`] marks a missing road. If every order needs one, the error states whether that is proven.
//!
//! # Assignment
//!
//! [`assign`] finds the cheapest assignment by shortest augmenting paths (Jonker and Volgenant 1987) over the allowed
//! pairs; a row may stay unassigned at a price. Its module gives the reason why no published crate is used.

#![forbid(missing_docs)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod arcs;
mod ascent;
mod assign;
mod cycles;
pub mod line;
mod links;
mod model;
mod open;
mod planes;
mod problem;
mod proof;
mod search;
mod separate;
mod simplex;
mod solve;
mod sort;
mod split;
mod subset;
#[cfg(test)]
mod tests;
mod tree;

pub use assign::{AssignError, Assignment, Costs, MAX_COST, MAX_SIDE, assign};
pub use problem::{Budget, MAX_STOPS, Pin, Problem, RouteError, UNREACHABLE, Visit};
pub use solve::{best_order, given_order};
