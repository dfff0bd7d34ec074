//! The square distance matrix of the local search: the free stops and, as the last two nodes, the
//! start and the end.

use super::model::Model;
use super::problem::UNREACHABLE;
use super::tree::{Prices, Scale};

/// The sum of six legs of this length fits an `i32`.
const MAX_FORBIDDEN: i32 = 1 << 28;

/// The cost of the leg from the end to the start, which no move removes.
pub(super) const FIXED: i32 = -MAX_FORBIDDEN;

/// The reduced cost of a missing leg: it exceeds an `i32` after every shift.
const MISSING: i64 = i64::MAX;

/// The legs between free stops, start and end, small enough to be added in an `i32`.
///
/// Missing roads cost more than any route. Legs of thousands of kilometres are halved until they
/// fit. This affects only the search: orders are compared by their exact length elsewhere.
pub(super) struct Arcs {
    pub(super) size: usize,
    legs: Vec<i32>,
    pub(super) symmetric: bool,
    forbidden: i32,
    /// The number of times the metres were halved.
    shift: i32,
}

/// Returns the shift of legs up to `longest` after which a tour of so many nodes fits, and the cost
/// of a missing leg.
fn fit(longest: u64, nodes: usize) -> (i32, i32) {
    let (mut shift, nodes) = (0, nodes as u64);
    while (longest >> shift) * nodes >= MAX_FORBIDDEN.unsigned_abs().into() {
        shift += 1;
    }
    (
        shift,
        i32::try_from((longest >> shift) * nodes + 1).unwrap_or(MAX_FORBIDDEN),
    )
}

impl Arcs {
    pub(super) fn new(model: &Model) -> Arcs {
        let (count, size) = (model.count, model.count + 2);
        let (shift, forbidden) = fit(model.longest().into(), size);
        let scaled = |metres: u32| match metres {
            UNREACHABLE => forbidden,
            _ => i32::try_from(metres >> shift).unwrap_or(forbidden),
        };
        let mut arcs = Arcs {
            size,
            legs: vec![forbidden; size * size],
            symmetric: model.symmetric,
            forbidden,
            shift,
        };
        for i in 0..count {
            for j in 0..count {
                arcs.set(i, j, scaled(model.legs[i * count + j]));
            }
            arcs.set(count, i, scaled(model.out[i]));
            arcs.set(i, count + 1, scaled(model.back[i]));
            if model.symmetric {
                arcs.set(i, count, scaled(model.out[i]));
                arcs.set(count + 1, i, scaled(model.back[i]));
            }
        }
        arcs.fix_ends();
        arcs
    }

    fn set(&mut self, from: usize, to: usize, leg: i32) {
        self.legs[from * self.size + to] = leg;
    }

    /// Makes every tour contain the leg from the end to the start.
    fn fix_ends(&mut self) {
        self.set(self.end(), self.start(), FIXED);
        if self.symmetric {
            self.set(self.start(), self.end(), FIXED);
        }
    }

    pub(super) fn start(&self) -> usize {
        self.size - 2
    }

    pub(super) fn end(&self) -> usize {
        self.size - 1
    }

    /// Returns the reduced costs of the legs. The prices change the cost of every tour by the same
    /// amount, and the reduced cost of a leg predicts better than its length whether a short tour
    /// contains it (Helsgaun 2000).
    pub(super) fn reduced_costs(&self, prices: &Prices, scale: Scale) -> Arcs {
        let (size, enter) = (self.size, prices.enter(self.symmetric));
        let price =
            |prices: &[i32], node: usize| prices.get(node).map_or(0, |&price| i64::from(price));
        let mut reduced = vec![MISSING; size * size];
        let mut max = 1;
        for from in 0..size {
            for to in (0..size)
                .filter(|&to| to != from && (0..self.forbidden).contains(&self.at(from, to)))
            {
                let leg = scale.units(i64::from(self.at(from, to)) << self.shift);
                let cost = leg + price(&prices.leave, from) + price(enter, to);
                max = max.max(cost.unsigned_abs());
                reduced[from * size + to] = cost;
            }
        }
        // Negative legs can compensate for a missing one, so it costs twice as much as any route.
        let (shift, forbidden) = fit(max, 2 * size);
        let scaled = |cost: i64| i32::try_from(cost >> shift).unwrap_or(forbidden);
        let legs = reduced.into_iter().map(scaled).collect();
        let mut arcs = Arcs {
            size,
            legs,
            symmetric: self.symmetric,
            forbidden,
            shift: 0,
        };
        arcs.fix_ends();
        arcs
    }

    #[inline]
    pub(super) fn at(&self, from: usize, to: usize) -> i32 {
        self.legs[from * self.size + to]
    }

    pub(super) fn length(&self, tour: &[usize]) -> i64 {
        let legs = tour.iter().zip(tour.iter().cycle().skip(1));
        legs.map(|(&from, &to)| i64::from(self.at(from, to))).sum()
    }
}
