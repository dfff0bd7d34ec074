//! Zero-half cuts: sums of halves of rows, rounded down, that every route satisfies and the current
//! solution violates (Gomory 1958; Caprara and Fischetti 1996).
//!
//! The cut is computed in integers: halves of any rows give a valid cut, regardless of which rows
//! the floats propose.

use super::{Entries, ROUNDER, Simplex, to_i64};

/// A value is fractional if it is at least this far from zero and one.
const MIN_FRACTION: f64 = 0.01;
/// The tolerance for multiples of one half.
const HALF_TOLERANCE: f64 = 1e-6;
/// The maximum number of rows in a cut, and the maximum number of cuts tried, those with the fewest
/// rows first.
const MAX_ROWS: usize = 40;
const MAX_TRIED: usize = 30;
/// The minimum violation of a cut.
const MIN_VIOLATION: f64 = 0.05;

impl Simplex {
    /// Returns at most `max` violated cuts, the deepest first. Every coefficient and right-hand
    /// side of the program must be an integer.
    pub(crate) fn zero_half_cuts(&mut self, values: &[f64], max: usize) -> Vec<(Entries, f64)> {
        let mut positions: Vec<(usize, usize)> = Vec::new();
        for (position, &variable) in self.state.basis.iter().enumerate() {
            if values
                .get(variable)
                .is_some_and(|&value| value > MIN_FRACTION && value < 1.0 - MIN_FRACTION)
            {
                let filled = self
                    .inverse_row(position)
                    .iter()
                    .filter(|&&share| (share - nearest(share)).abs() > HALF_TOLERANCE)
                    .count();
                self.work += 2 * self.rhs.len() as u64;
                if filled > 0 && filled <= MAX_ROWS {
                    positions.push((filled, position));
                }
            }
        }
        positions.sort_unstable();
        positions.truncate(MAX_TRIED);
        let mut found: Vec<(f64, Entries, f64)> = Vec::new();
        for (_, position) in positions {
            found.extend(self.zero_half_cut(position, values));
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.len().cmp(&b.1.len())));
        found.dedup_by(|a, b| a.1 == b.1);
        found.truncate(max);
        found
            .into_iter()
            .map(|(_, entries, limit)| (entries, limit))
            .collect()
    }

    /// Returns the inverse's row at a basis position.
    fn inverse_row(&self, position: usize) -> &[f64] {
        &self.state.inverse[position * self.state.stride..][..self.rhs.len()]
    }

    /// Returns the cut from the rows whose multiplier at a basis position is an odd multiple of one
    /// half, with its depth. Returns `None` if another multiplier is not a multiple of one half, or
    /// the cut is not violated.
    fn zero_half_cut(&mut self, position: usize, values: &[f64]) -> Option<(f64, Entries, f64)> {
        let mut taken = vec![false; self.rhs.len()];
        let mut right = 0;
        for (row, (taken, share)) in taken.iter_mut().zip(self.inverse_row(position)).enumerate() {
            let halves = nearest(2.0 * share);
            if (2.0 * share - halves).abs() > HALF_TOLERANCE {
                return None;
            }
            *taken = to_i64(halves).rem_euclid(2) == 1;
            right += if *taken { to_i64(self.rhs[row]) } else { 0 };
        }
        let (mut entries, mut held, mut squares) = (Entries::new(), 0.0, 0.0);
        for &index in &self.active {
            let own = &self.entries[self.starts[index]..self.starts[index + 1]];
            let sum = to_i64(
                own.iter()
                    .filter(|&&(row, _)| taken[row])
                    .map(|&(_, entry)| entry)
                    .sum(),
            );
            let column = &self.state.columns[index];
            // A column at its upper bound is rounded up: half of the inequality x ≤ 1 is added.
            let up = i64::from(!column.basic && column.at_high && column.high > 0.0) & sum;
            right += up;
            let half = float((sum + up).div_euclid(2));
            if half != 0.0 {
                entries.push((index, half));
                held += half * values[index];
                squares += half * half;
            }
        }
        self.work += self.entries.len() as u64;
        let limit = float(right.div_euclid(2));
        let above = held - limit;
        (above > MIN_VIOLATION && squares > 0.0).then_some((
            above * above / squares,
            entries,
            limit,
        ))
    }
}

/// Rounds to the nearest integer.
fn nearest(share: f64) -> f64 {
    (share + ROUNDER) - ROUNDER
}

/// Converts an integer to a float.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn float(count: i64) -> f64 {
    count as f64
}
