//! The pivots: what leaves the basis, what enters, and what follows from it.

use super::{ARTIFICIAL, Ended, FEASIBLE, LANES, OLD, PIVOT, Simplex, ZERO};
use crate::sort::{sort, sort_smallest};

/// Where the edge fills fewer of its entries than one in so many, only these are touched.
const SPARSE: usize = 4;
/// A squared length that is updated by differences is recomputed once it is this short.
const SHORT: f64 = 0.01;
/// So many of the columns that end a step are put in order at first: nearly always they suffice.
const FIRST: usize = 6;

/// Pivots.
impl Simplex {
    /// Pivots until nothing is violated, the value passes a limit, or so many pivots are done.
    pub(crate) fn run(&mut self, limit: f64, pivots: usize) -> Ended {
        self.shift();
        if self.now.age > OLD {
            self.renew();
        }
        for pivot in 0..pivots {
            if self.work >= self.max_work {
                break;
            }
            if pivot % 4 == 3 && self.objective() > limit {
                return Ended::Above;
            }
            let Some((place, up, target)) = self.leaving() else { return Ended::Optimal };
            // What every pivot takes, however little it touches.
            self.work += 4 * (self.active.len() + self.rhs.len()) as u64;
            self.edge.clear();
            self.edge.extend_from_slice(&self.now.inverse[place * self.now.stride..][..self.now.basis.len()]);
            let sign = if up { 1.0 } else { -1.0 };
            self.price();
            self.block(sign);
            let missing = (self.now.value[place] - target).abs();
            let Some((entering, passed)) = self.entering(missing, sign) else { return Ended::Infeasible };
            if self.exchange(place, target, sign, entering, passed) {
                self.now.age += 1;
            } else if self.now.age == 0 {
                return Ended::Spent;
            } else {
                self.renew();
            }
        }
        Ended::Spent
    }

    /// How much the first pivot raises the value if a basic column is set to zero, and if it is set to one.
    pub(crate) fn look(&mut self, column: usize) -> [f64; 2] {
        let place = self.now.basis.iter().position(|&variable| variable == column);
        let Some(place) = place else { return [0.0; 2] };
        self.edge.clear();
        self.edge.extend_from_slice(&self.now.inverse[place * self.now.stride..][..self.now.basis.len()]);
        let value = self.now.value[place];
        let min = |blocking: &[(f64, usize)]| {
            blocking.iter().map(|blocking| blocking.0).fold(f64::MAX, |a, b| if b < a { b } else { a })
        };
        self.price();
        [(-1.0, value), (1.0, 1.0 - value)].map(|(sign, missing)| {
            self.block(sign);
            missing * min(&self.blocking)
        })
    }

    /// The place whose basic variable is violated the most for the length of its edge, whether it must rise, and to what.
    fn leaving(&mut self) -> Option<(usize, bool, f64)> {
        let (mut best, mut max) = (None, 0.0);
        for (place, (&variable, &value)) in self.now.basis.iter().zip(&self.now.value).enumerate() {
            let (low, high) = match self.now.columns.get(variable) {
                Some(column) => (column.low, column.high),
                None if variable >= ARTIFICIAL => (0.0, 0.0),
                None => (0.0, f64::INFINITY),
            };
            let (up, missing) = if value < low { (true, low - value) } else { (false, value - high) };
            if missing > FEASIBLE && missing * missing > max * self.now.norm[place] {
                max = missing * missing / self.now.norm[place];
                best = Some((place, up, if up { low } else { high }));
            }
        }
        self.work += self.now.basis.len() as u64;
        best
    }

    /// The row of the program that belongs to the edge.
    fn price(&mut self) {
        for &index in &self.active {
            let (one, other) = self.ends[index];
            self.alphas[index] = self.edge[one] + self.edge[other];
        }
        // By rows, most of which are long: columns are short, each of another length.
        let mut touched = 3 * self.active.len();
        for (cut, &share) in self.cuts.iter().zip(&self.edge[self.equations..]) {
            if share.abs() > ZERO {
                touched += cut.len();
                cut.iter().for_each(|&(index, coefficient)| self.alphas[index] += coefficient * share);
            }
        }
        // Columns that are ruled out are skipped; their reduced cost is recomputed when they return. No processor can predict which
        // columns are left, so there is no branch on it.
        self.priced.resize(self.active.len(), 0);
        let mut left = 0;
        for &index in &self.active {
            let column = &self.now.columns[index];
            self.priced[left] = index;
            left += usize::from(!column.basic & (column.high > 0.0) & (self.alphas[index] != 0.0));
        }
        self.priced.truncate(left);
        self.work += touched as u64;
    }

    /// The columns that end a step along the edge, with how far it goes.
    fn block(&mut self, sign: f64) {
        self.blocking.clear();
        for &index in &self.priced {
            let (along, column) = (sign * self.alphas[index], &self.now.columns[index]);
            let blocks = if column.at_high { along > PIVOT } else { along < -PIVOT };
            if blocks && column.low < column.high {
                self.blocking.push(((column.reduced / along).abs(), index));
            }
        }
        let count = self.now.columns.len();
        for row in self.equations..self.rhs.len() {
            // A slack waits at zero, with the price of its row for a reduced cost.
            if sign * self.edge[row] < -PIVOT {
                self.blocking.push(((self.now.duals[row] / self.edge[row]).abs(), count + row));
            }
        }
        self.work += (self.active.len() + self.edge.len()) as u64;
    }

    /// What enters, and how many columns before it in the list are turned over instead.
    fn entering(&mut self, missing: f64, sign: f64) -> Option<(usize, usize)> {
        let count = self.now.columns.len();
        let before = |a: &(f64, usize), b: &(f64, usize)| a.0 < b.0 || a.0 == b.0 && a.1 < b.1;
        sort_smallest(&mut self.blocking, FIRST, before);
        let mut slope = missing;
        for rank in 0..self.blocking.len() {
            if rank == FIRST {
                sort(&mut self.blocking[FIRST..], before);
            }
            let variable = self.blocking[rank].1;
            if variable >= count {
                return Some((variable, rank));
            }
            slope -= self.alphas[variable].abs();
            if slope <= FEASIBLE {
                return Some((variable, rank));
            }
        }
        self.ray = (sign, slope);
        None
    }

    /// Lets one variable in for another; false where rounding errors make that impossible.
    fn exchange(&mut self, place: usize, target: f64, sign: f64, entering: usize, passed: usize) -> bool {
        let count = self.now.columns.len();
        for rank in 0..passed {
            let index = self.blocking[rank].1;
            let column = &mut self.now.columns[index];
            let was = column.at();
            column.at_high = !column.at_high;
            let change = column.at() - was;
            self.displace(index, change);
        }
        self.shift();
        self.project(entering);
        let pivot = self.image[place];
        let (expected, reduced, from) = match self.now.columns.get(entering) {
            Some(column) => (self.alphas[entering], column.reduced, column.at()),
            None => (self.edge[entering - count], -self.now.duals[entering - count], 0.0),
        };
        if (pivot - expected).abs() > 1e-6 * (1.0 + expected.abs()) || pivot.abs() < PIVOT / 2.0 {
            return false;
        }
        let step = (self.now.value[place] - target) / pivot;
        for (value, image) in self.now.value.iter_mut().zip(&self.image) {
            *value -= step * image;
        }
        // The price of the step: reduced costs that a rounding error put on the wrong side do not move it back.
        let theta = -reduced / pivot;
        let theta = if theta * sign < 0.0 { 0.0 } else { theta };
        for (dual, edge) in self.now.duals.iter_mut().zip(&self.edge) {
            *dual -= theta * edge;
        }
        for &index in &self.priced {
            self.now.columns[index].reduced += theta * self.alphas[index];
        }
        let leaving = std::mem::replace(&mut self.now.basis[place], entering);
        if let Some(column) = self.now.columns.get_mut(leaving) {
            column.basic = false;
            column.at_high = sign < 0.0;
            column.reduced = theta;
        }
        if let Some(column) = self.now.columns.get_mut(entering) {
            column.basic = true;
            column.reduced = 0.0;
        }
        self.now.value[place] = from + step;
        self.invert(place, pivot);
        true
    }

    /// The image of a column or slack under the inverse.
    pub(super) fn project(&mut self, variable: usize) {
        let (count, stride, rows) = (self.now.columns.len(), self.now.stride, self.now.basis.len());
        self.image.clear();
        self.image.resize(rows, 0.0);
        let unit = [(variable.saturating_sub(count), 1.0)];
        let entries =
            if variable < count { &self.entries[self.starts[variable]..self.starts[variable + 1]] } else { &unit[..] };
        for &(row, coefficient) in entries {
            for (image, line) in self.image.iter_mut().zip(self.now.inverse.chunks_exact(stride)) {
                *image += coefficient * line[row];
            }
        }
        self.work += (entries.len() * rows) as u64;
    }

    /// The inverse after the exchange.
    pub(super) fn invert(&mut self, place: usize, pivot: f64) {
        let (stride, rows) = (self.now.stride, self.now.basis.len());
        self.used.clear();
        for (row, entry) in self.edge.iter_mut().enumerate() {
            *entry = if entry.abs() > ZERO { *entry / pivot } else { 0.0 };
            if *entry != 0.0 {
                self.used.push(row);
            }
        }
        let width = rows.next_multiple_of(LANES);
        self.edge.resize(width, 0.0);
        // In the beginning rows are nearly empty, later every other entry is filled and whole rows are quicker.
        let sparse = self.used.len() * SPARSE < rows;
        let mut touched = 1;
        for (other, line) in self.now.inverse.chunks_exact_mut(stride).enumerate() {
            let (line, factor) = (&mut line[..width], self.image[other]);
            if other == place {
                line.copy_from_slice(&self.edge);
                self.now.norm[other] = squared(line);
                continue;
            }
            if factor.abs() <= ZERO {
                continue;
            }
            touched += 1;
            if sparse {
                let mut norm = self.now.norm[other];
                for &row in &self.used {
                    let (was, now) = (line[row], line[row] - factor * self.edge[row]);
                    norm += (now - was) * (now + was);
                    line[row] = now;
                }
                self.now.norm[other] = if norm > SHORT { norm } else { squared(line) };
            } else {
                self.now.norm[other] = eliminate(line, &self.edge, factor);
            }
        }
        let filled = if sparse { 2 * self.used.len() } else { rows };
        self.work += (rows + touched * filled) as u64;
    }
}

/// Takes a multiple of the edge from a row; the squared length of what is left.
fn eliminate(row: &mut [f64], edge: &[f64], factor: f64) -> f64 {
    let mut lanes = [0.0; LANES];
    for (chunk, edge) in row.as_chunks_mut::<LANES>().0.iter_mut().zip(edge.as_chunks::<LANES>().0) {
        // A copy of its own for each step: else the lanes are shuffled for every entry.
        let mut left = *chunk;
        left.iter_mut().zip(edge).for_each(|(entry, edge)| *entry -= factor * edge);
        *chunk = left;
        lanes.iter_mut().zip(left).for_each(|(lane, entry)| *lane += entry * entry);
    }
    total(lanes)
}

/// The squared length of a row.
fn squared(row: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for chunk in row.as_chunks::<LANES>().0 {
        lanes.iter_mut().zip(chunk).for_each(|(lane, entry)| *lane += entry * entry);
    }
    total(lanes)
}

/// The sum of all lanes, by halves.
fn total([a, b, c, d, e, f, g, h]: [f64; LANES]) -> f64 {
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
