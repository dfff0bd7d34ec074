//! The model as one square matrix for the local search: the free stops and, as the last node, the origin.

use super::model::Model;
use super::problem::UNREACHABLE;

/// Six legs of this length still add up in an `i32`.
const FORBIDDEN_MOST: i32 = 1 << 28;

/// Legs among free stops and origin, small enough to be added in an `i32`.
///
/// Missing roads cost more than any route. Matrices with legs of thousands of kilometres are halved until they fit, which
/// only blurs the search: orders are compared by their true length outside.
pub(super) struct Arcs {
    pub(super) size: usize,
    legs: Vec<i32>,
    pub(super) symmetric: bool,
}

impl Arcs {
    pub(super) fn of(model: &Model) -> Arcs {
        let size = model.count + 1;
        let nodes = size as u64 + 1;
        let mut shift = 0;
        while (u64::from(model.longest()) >> shift) * nodes >= FORBIDDEN_MOST.unsigned_abs().into() {
            shift += 1;
        }
        let forbidden = i32::try_from((u64::from(model.longest()) >> shift) * nodes + 1).unwrap_or(FORBIDDEN_MOST);
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
        Arcs { size, legs, symmetric: model.symmetric }
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
