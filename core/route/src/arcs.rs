//! The square distance matrix of the local search: the free stops and, as the last node, the origin.

use super::model::Model;
use super::problem::UNREACHABLE;
use super::tree::{Prices, Scale};

/// The sum of six legs of this length fits an `i32`.
const MAX_FORBIDDEN: i32 = 1 << 28;

/// The legs between free stops and origin, small enough to be added in an `i32`.
///
/// Missing roads cost more than any route. Legs of thousands of kilometres are halved until they fit. This affects only
/// the search: orders are compared by their exact length elsewhere.
pub(super) struct Arcs {
    pub(super) size: usize,
    legs: Vec<i32>,
    pub(super) symmetric: bool,
    forbidden: i32,
    /// The number of times the metres were halved.
    shift: i32,
}

impl Arcs {
    pub(super) fn new(model: &Model) -> Arcs {
        let size = model.count + 1;
        let nodes = size as u64 + 1;
        let mut shift = 0;
        while (u64::from(model.longest()) >> shift) * nodes >= MAX_FORBIDDEN.unsigned_abs().into() {
            shift += 1;
        }
        let forbidden = i32::try_from((u64::from(model.longest()) >> shift) * nodes + 1).unwrap_or(MAX_FORBIDDEN);
        let scaled = |metres: u32| match metres {
            UNREACHABLE => forbidden,
            _ => i32::try_from(metres >> shift).unwrap_or(forbidden),
        };
        let mut legs = vec![forbidden; size * size];
        for i in 0..model.count {
            for j in 0..model.count {
                legs[i * size + j] = scaled(model.legs[i * model.count + j]);
            }
            legs[i * size + model.count] = scaled(model.back[i]);
            legs[model.count * size + i] = scaled(model.out[i]);
        }
        Arcs { size, legs, symmetric: model.symmetric, forbidden, shift }
    }

    /// Returns the reduced costs of the legs. The prices change the cost of every tour by the same amount, and the
    /// reduced cost of a leg predicts better than its length whether a short tour contains it (Helsgaun 2000).
    pub(super) fn reduced_costs(&self, prices: &Prices, scale: Scale) -> Arcs {
        let (size, enter) = (self.size, prices.enter(self.symmetric));
        let price = |prices: &[i32], node: usize| prices.get(node).map_or(0, |&price| i64::from(price));
        let mut reduced = vec![None; size * size];
        let mut max = 1;
        for from in 0..size {
            for to in (0..size).filter(|&to| to != from && self.at(from, to) < self.forbidden) {
                let leg = scale.units(i64::from(self.at(from, to)) << self.shift);
                let cost = leg + price(&prices.leave, from) + price(enter, to);
                max = max.max(cost.abs());
                reduced[from * size + to] = Some(cost);
            }
        }
        // Negative legs can compensate for a missing one, so it costs twice as much as any route.
        let nodes = 2 * (size as u64 + 1);
        let mut shift = 0;
        while (max.unsigned_abs() >> shift) * nodes >= MAX_FORBIDDEN.unsigned_abs().into() {
            shift += 1;
        }
        let forbidden = i32::try_from((max.unsigned_abs() >> shift) * nodes + 1).unwrap_or(MAX_FORBIDDEN);
        let scaled = |cost: Option<i64>| cost.and_then(|cost| i32::try_from(cost >> shift).ok()).unwrap_or(forbidden);
        let legs = reduced.into_iter().map(scaled).collect();
        Arcs { size, legs, symmetric: self.symmetric, forbidden, shift: 0 }
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
