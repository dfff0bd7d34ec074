//! Limits read off the program itself: halves of some rows added up and rounded down, which every route keeps and the present
//! solution breaks (Gomory 1958; Caprara and Fischetti 1996).
//!
//! Only integers define such a cut: halves of any rows give a valid one, whatever rows the floats propose.

use super::{Entries, ROUNDER, Simplex, whole};
use crate::sort::sort;

/// A leg is used in part between this and one less this.
const PART: f64 = 0.01;
/// How close to a half or a whole the share of a row has to be.
const CLOSE: f64 = 1e-6;
/// The most rows that a limit is made of, and the most that are tried, those of the fewest rows first.
const ROWS: usize = 40;
const TRIED: usize = 30;
/// What falls short of a limit by less than this does not count.
const VIOLATED: f64 = 0.05;

impl Simplex {
    /// Limits that the present solution breaks, at most so many, those that cut the deepest; every entry and right side of the
    /// program has to be a whole number.
    pub(crate) fn halves(&mut self, values: &[f64], max: usize) -> Vec<(Entries, f64)> {
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (place, &variable) in self.now.basis.iter().enumerate() {
            if values.get(variable).is_some_and(|&value| value > PART && value < 1.0 - PART) {
                let filled = self.line(place).iter().filter(|&&share| (share - nearest(share)).abs() > CLOSE).count();
                self.work += 2 * self.rhs.len() as u64;
                if filled > 0 && filled <= ROWS {
                    places.push((filled, place));
                }
            }
        }
        sort(&mut places, |a, b| a < b);
        places.truncate(TRIED);
        let mut found: Vec<(f64, Entries, f64)> = Vec::new();
        for (_, place) in places {
            found.extend(self.half(place, values));
        }
        sort(&mut found, |a, b| b.0.total_cmp(&a.0).then_with(|| a.1.len().cmp(&b.1.len())).is_lt());
        found.dedup_by(|a, b| a.1 == b.1);
        found.truncate(max);
        found.into_iter().map(|(_, entries, limit)| (entries, limit)).collect()
    }

    /// The row of the inverse that belongs to a place.
    fn line(&self, place: usize) -> &[f64] {
        &self.now.inverse[place * self.now.stride..][..self.rhs.len()]
    }

    /// The limit of the rows whose share in a place is an odd number of halves, with how deep it cuts, where no other share
    /// is in it and it is broken.
    fn half(&mut self, place: usize, values: &[f64]) -> Option<(f64, Entries, f64)> {
        let mut taken = vec![false; self.rhs.len()];
        let mut right = 0;
        for (row, (taken, share)) in taken.iter_mut().zip(self.line(place)).enumerate() {
            let halves = nearest(2.0 * share);
            if (2.0 * share - halves).abs() > CLOSE {
                return None;
            }
            *taken = whole(halves).rem_euclid(2) == 1;
            right += if *taken { whole(self.rhs[row]) } else { 0 };
        }
        let (mut entries, mut held, mut squares) = (Entries::new(), 0.0, 0.0);
        for &index in &self.active {
            let own = &self.entries[self.starts[index]..self.starts[index + 1]];
            let sum = whole(own.iter().filter(|&&(row, _)| taken[row]).map(|&(_, entry)| entry).sum());
            let column = &self.now.columns[index];
            // What waits at one is rounded up: half of its own limit, which is one, is added for that.
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
        (above > VIOLATED && squares > 0.0).then_some((above * above / squares, entries, limit))
    }
}

/// The nearest whole number.
fn nearest(share: f64) -> f64 {
    (share + ROUNDER) - ROUNDER
}

/// A whole number as a float: it counts places.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn float(count: i64) -> f64 {
    count as f64
}
