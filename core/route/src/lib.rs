//! The visiting order for an order's stops, and the assignment of couriers to waiting orders.
//!
//! Pure and deterministic: no clock, no randomness, no threads, integers in whatever is proven, and floats where prices are
//! proposed alone, by sums, products and quotients that every host rounds alike; so that the same question gets the same
//! bytes on every host. [`best_order`] says not only an order but whether it is proven best,
//! and below what no order can be.
//!
//! # Which algorithm at which size
//!
//! A fixed start, an open end, a return and pinned stops all become one shape: free stops between an origin that is left
//! once and entered once. Co-located stops are merged. Then, by the number of free stops n:
//!
//! | free stops | algorithm | work | source |
//! |---|---|---|---|
//! | 1 to 12 | table over subsets, always proven | n² · 2ⁿ | Bellman 1962; Held and Karp 1962 |
//! | 13 and more | search: segments change places, reversals, segments of up to three moved and turned; neighbour lists, don't-look bits; kicked by local double bridges | about n a round | Or 1976; Lin 1965; Bentley 1992; Martin, Otto and Felten 1991 |
//! | 13 and more | bound: cheapest tree with two legs under prices, raised by subgradient steps; from 17 stops on first along each stop's nearest, then over all legs | n² a step, n along the nearest | Held and Karp 1970 and 1971; Held, Wolfe and Crowder 1974; Helsgaun 2000 |
//! | 13 and more | proof: branch and bound, best bound first; the stop whose legs are the dearest to replace is split in three; legs whose reduced cost leaves no room are ruled out | at worst exponential, cut by the budget | Volgenant and Jonker 1982 |
//! | 13 to 60, more where the budget is large | cutting planes where that leaves anything: a linear program over the legs that are left, with subtour, blossom and lifted cycle limits as they are broken, on one-way matrices halves of these as well, and branch and bound on it | some hundred pivots a part | Dantzig, Fulkerson and Johnson 1954; Grötschel and Padberg 1985; Padberg and Rinaldi 1991; Caprara and Fischetti 1996; Fischetti and Toth 1997 |
//!
//! On one-way matrices leaving and entering have prices of their own, which gives the same bound as the cheapest
//! arborescence (Edmonds 1967) at its best prices. Prices are integers, 1024ths of a metre at most. Where every leg is a
//! multiple of some metres, as roads rounded to tens are, so is every route, and the bound is rounded up to it.
//!
//! The proof is finished for nearly every question of up to 50 stops within [`Budget::PROOF`]. Where the budget ends
//! first, [`Visit::bound`] tells how far from the best the order can be at most: at 100 stops typically one per cent.
//! `core/route/README.md` has what was measured.
//!
//! # Rules
//!
//! - A [`Budget`] counts work, never time: about a nanosecond a unit.
//! - The answer is never longer than the order sent, which is by index with pinned stops in their places.
//! - Ties: an order sent that is as short as the answer is the answer. Up to twelve free stops the answer is otherwise the
//!   first in index order among the best. Beyond that it is the first that the fixed sequence of steps finds, and
//!   co-located stops follow each other by index.
//! - [`UNREACHABLE`] is a road that does not exist; where every order needs one the fault says whether that is proven.
//!
//! # Assignment
//!
//! [`assign`] finds the cheapest assignment by shortest augmenting paths (Jonker and Volgenant 1987) over the pairs that are
//! allowed, with staying alone as a choice that has a price. See its module for why no published crate is used.

mod arcs;
mod ascent;
mod assign;
mod cycles;
pub mod line;
mod links;
mod model;
mod planes;
mod problem;
mod proof;
mod search;
mod separate;
mod simplex;
mod solve;
pub mod sort;
mod split;
mod subset;
#[cfg(test)]
mod tests;
mod tree;

pub use assign::{AssignFault, Assignment, Costs, MAX_COST, MAX_SIDE, assign};
pub use problem::{Budget, MAX_STOPS, Pin, Problem, RouteFault, UNREACHABLE, Visit};
pub use solve::{best_order, given_order};
