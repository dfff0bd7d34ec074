//! The model as one square matrix for the local search: the free stops and, as the last node, the origin.

use super::model::Model;
use super::problem::UNREACHABLE;
use super::tree::{Prices, Scale};

/// Six legs of this length still add up in an `i32`.
const MAX_FORBIDDEN: i32 = 1 << 28;

/// Legs among free stops and origin, small enough to be added in an `i32`.
///
/// Missing roads cost more than any route. Matrices with legs of thousands of kilometres are halved until they fit, which
/// only blurs the search: orders are compared by their true length outside.
pub(super) struct Arcs {
    pub(super) size: usize,
    legs: Vec<i32>,
    pub(super) symmetric: bool,
    forbidden: i32,
    /// How often the metres were halved.
    shift: i32,
}

impl Arcs {
    pub(super) fn of(model: &Model) -> Arcs {
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

    /// The same legs with prices of leaving and entering, which every tour pays alike: the reduced cost of a leg predicts better than
    /// its length whether a short tour uses it (Helsgaun 2000).
    pub(super) fn priced(&self, prices: &Prices, scale: Scale) -> Arcs {
        let (size, enter) = (self.size, prices.enter(self.symmetric));
        let price = |prices: &[i32], place: usize| prices.get(place).map_or(0, |&price| i64::from(price));
        let mut left = vec![None; size * size];
        let mut max = 1;
        for from in 0..size {
            for to in (0..size).filter(|&to| to != from && self.at(from, to) < self.forbidden) {
                let leg = scale.units(i64::from(self.at(from, to)) << self.shift);
                let rest = leg + price(&prices.leave, from) + price(enter, to);
                max = max.max(rest.abs());
                left[from * size + to] = Some(rest);
            }
        }
        // Legs below zero make up for one that is missing: it costs twice as much as any route.
        let nodes = 2 * (size as u64 + 1);
        let mut shift = 0;
        while (max.unsigned_abs() >> shift) * nodes >= MAX_FORBIDDEN.unsigned_abs().into() {
            shift += 1;
        }
        let forbidden = i32::try_from((max.unsigned_abs() >> shift) * nodes + 1).unwrap_or(MAX_FORBIDDEN);
        let scaled = |rest: Option<i64>| rest.and_then(|rest| i32::try_from(rest >> shift).ok()).unwrap_or(forbidden);
        let legs = left.into_iter().map(scaled).collect();
        Arcs { size, legs, symmetric: self.symmetric, forbidden, shift: 0 }
    }

    #[inline]
    pub(super) fn at(&self, from: usize, to: usize) -> i32 {
        self.legs[from * self.size + to]
    }

    pub(super) fn length(&self, tour: &[usize]) -> i64 {
        let around = tour.iter().zip(tour.iter().cycle().skip(1));
        around.map(|(&from, &to)| i64::from(self.at(from, to))).sum()
    }
}
