//! Finds the shortest visiting order for up to 200 stops, and the cheapest assignment of couriers
//! to waiting orders.
//!
//! The crate is pure and deterministic: it has no clock, randomness or threads. Every proof uses
//! integers. Floating point only proposes dual prices, with additions, multiplications and
//! divisions, which IEEE 754 rounds identically on every platform. The same input therefore gives
//! the same bytes on every host.
//!
//! [`best_order`] returns an order, whether it is proven optimal, and a lower bound on the length
//! of every order.
//!
//! # Example
//!
//! ```
//! use despacho_route::{Budget, Problem, best_order};
//!
//! // Distances in whole metres, row by row. The route starts at index 0 and returns.
//! let metres = vec![0, 900, 400, 900, 0, 500, 400, 500, 0];
//! let problem = Problem::new(3, metres)?.closed(true);
//! let route = best_order(&problem, Budget::PROOF)?;
//! assert!(route.proven);
//! assert_eq!((route.order.len(), route.cost), (2, 1_800));
//! # Ok::<(), despacho_route::RouteError>(())
//! ```
//!
//! # Algorithms by size
//!
//! A fixed start, an open end, a return and pinned stops are all reduced to one model: free stops,
//! and an origin that is left once and entered once. Co-located stops are merged. The number of
//! free stops n then selects the algorithm:
//!
//! | free stops | algorithm | work | source |
//! |---|---|---|---|
//! | 1 to 12 | dynamic programming over subsets, always proven | n² · 2ⁿ | Bellman 1962; Held and Karp 1962 |
//! | 13 and more | iterated local search: sequential 2-opt and 3-opt moves on symmetric matrices, 2-opt and segment exchange (or-3opt) on asymmetric ones; neighbour lists, don't-look bits; kicks by local double bridges and segment exchanges; from 61 stops on, and on asymmetric matrices, over reduced costs after the first lower bound | about 13,000 units per round of 200 stops with symmetric legs | Or 1976; Lin 1965; Bentley 1992; Martin, Otto and Felten 1991; Helsgaun 2000 |
//! | 13 and more | lower bound: minimum 1-tree under dual prices, raised by subgradient steps; from 17 stops on, first over each stop's nearest neighbours, then over all legs | n² per step, n over the neighbours | Held and Karp 1970 and 1971; Held, Wolfe and Crowder 1974; Helsgaun 2000 |
//! | 13 and more | branch and bound, best bound first; three-way branching on the stop whose legs are the most expensive to replace; legs are eliminated by reduced cost | exponential in the worst case, limited by the budget | Volgenant and Jonker 1982 |
//! | 13 to 60, more with a large budget | branch and cut for the remaining gap: a linear program over the remaining legs with violated subtour, blossom and lifted cycle cuts, and on asymmetric matrices {0, ½}-cuts | a few hundred pivots per node | Dantzig, Fulkerson and Johnson 1954; Grötschel and Padberg 1985; Padberg and Rinaldi 1991; Caprara and Fischetti 1996; Fischetti and Toth 1997 |
//!
//! On asymmetric matrices, leaving and entering a stop have separate prices. At its best prices,
//! this gives the same bound as the cheapest arborescence (Edmonds 1967). Prices are integers, in
//! units of 1/1024 metre or coarser. If all legs have a common divisor, such as 10 m, the length of
//! every route is a multiple of it, and the bound is rounded up to the next multiple.
//!
//! With [`Budget::PROOF`], the proof is complete for nearly every problem of up to 50 stops. If the
//! budget ends first, [`Route::bound`] limits the distance from the optimum: typically one per cent
//! at 100 stops. `core/route/README.md` has the measurements.
//!
//! # Rules
//!
//! - A [`Budget`] counts work instead of time. One unit is about one nanosecond.
//! - The result is never longer than the given order, which is by index with pinned stops in their
//!   positions.
//! - Ties: if the given order is as short as the best order found, it is returned. Otherwise, with
//!   up to twelve free stops, the first optimum in lexicographic order is returned. With more, the
//!   first one found by the deterministic search is returned, and co-located stops are consecutive
//!   and in ascending order.
//! - [`UNREACHABLE`] marks a missing road. If no order without a missing road is found, the error
//!   states whether this is proven.
//!
//! # Assignment
//!
//! [`assign()`] finds the cheapest assignment by shortest augmenting paths (Jonker and Volgenant
//! 1987) over the allowed pairs. A row can stay unassigned at a given price.

#![forbid(missing_docs)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod arcs;
mod ascent;
mod assign;
mod branch_and_cut;
mod branching;
mod cycles;
pub mod line;
mod model;
mod neighbours;
mod open_node;
mod problem;
mod proof;
mod search;
mod separate;
mod simplex;
mod solve;
mod subset;
#[cfg(test)]
mod tests;
mod tree;

pub use assign::{AssignError, Assignment, Costs, MAX_COST, MAX_SIDE, assign};
pub use problem::{Budget, MAX_STOPS, Pin, Problem, Route, RouteError, UNREACHABLE};
pub use solve::{best_order, given_order};
