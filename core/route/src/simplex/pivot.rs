//! Dual simplex pivots.

use super::{ARTIFICIAL, FEASIBILITY, LANES, MAX_AGE, MIN_PIVOT, PivotOutcome, Simplex, ZERO};

/// If the pivot row has fewer than one non-zero entry in this many, only these entries are updated.
const SPARSE_FRACTION: usize = 4;
/// A squared norm below this is recomputed instead of updated, because of cancellation.
const MIN_UPDATED_NORM: f64 = 0.01;
/// The number of breakpoints sorted first. They nearly always suffice.
const SORTED_BREAKPOINTS: usize = 6;

impl Simplex {
    /// Pivots until the basis is primal feasible, the objective exceeds `limit`, or `pivots` pivots
    /// are done.
    pub(crate) fn run(&mut self, limit: f64, pivots: usize) -> PivotOutcome {
        self.update_basic_values();
        if self.state.age > MAX_AGE {
            self.reinvert();
        }
        for pivot in 0..pivots {
            if self.work >= self.max_work {
                break;
            }
            if pivot % 4 == 3 && self.objective() > limit {
                return PivotOutcome::LimitExceeded;
            }
            let Some((position, up, target)) = self.choose_leaving() else {
                return PivotOutcome::Optimal;
            };
            // The fixed work of a pivot.
            self.work += 4 * (self.active.len() + self.rhs.len()) as u64;
            self.pivot_row.clear();
            self.pivot_row.extend_from_slice(
                &self.state.inverse[position * self.state.stride..][..self.state.basis.len()],
            );
            let sign = if up { 1.0 } else { -1.0 };
            self.compute_pivot_row();
            self.collect_breakpoints(sign);
            let missing = (self.state.value[position] - target).abs();
            let Some((entering, passed)) = self.choose_entering(missing, sign) else {
                return PivotOutcome::Infeasible;
            };
            if self.exchange(position, target, sign, entering, passed) {
                self.state.age += 1;
            } else if self.state.age == 0 {
                return PivotOutcome::LimitReached;
            } else {
                self.reinvert();
            }
        }
        PivotOutcome::LimitReached
    }

    /// Returns the gain of the first dual pivot if a basic column is fixed at zero, and if it is
    /// fixed at one.
    pub(crate) fn pivot_gains(&mut self, column: usize) -> [f64; 2] {
        let position = self
            .state
            .basis
            .iter()
            .position(|&variable| variable == column);
        let Some(position) = position else {
            return [0.0; 2];
        };
        self.pivot_row.clear();
        self.pivot_row.extend_from_slice(
            &self.state.inverse[position * self.state.stride..][..self.state.basis.len()],
        );
        let value = self.state.value[position];
        let min = |breakpoints: &[(f64, usize)]| {
            breakpoints
                .iter()
                .map(|breakpoint| breakpoint.0)
                .fold(f64::MAX, |a, b| if b < a { b } else { a })
        };
        self.compute_pivot_row();
        [(-1.0, value), (1.0, 1.0 - value)].map(|(sign, missing)| {
            self.collect_breakpoints(sign);
            missing * min(&self.breakpoints)
        })
    }

    /// Chooses the leaving variable by dual steepest edge. Returns its position, whether it must
    /// rise, and its bound.
    fn choose_leaving(&mut self) -> Option<(usize, bool, f64)> {
        let (mut best, mut max) = (None, 0.0);
        for (position, (&variable, &value)) in
            self.state.basis.iter().zip(&self.state.value).enumerate()
        {
            let (low, high) = match self.state.columns.get(variable) {
                Some(column) => (column.low, column.high),
                None if variable >= ARTIFICIAL => (0.0, 0.0),
                None => (0.0, f64::INFINITY),
            };
            let (up, missing) = if value < low {
                (true, low - value)
            } else {
                (false, value - high)
            };
            if missing > FEASIBILITY && missing * missing > max * self.state.norm[position] {
                max = missing * missing / self.state.norm[position];
                best = Some((position, up, if up { low } else { high }));
            }
        }
        self.work += self.state.basis.len() as u64;
        best
    }

    /// Computes the pivot row.
    fn compute_pivot_row(&mut self) {
        for &index in &self.active {
            let (one, other) = self.ends[index];
            self.alphas[index] = self.pivot_row[one] + self.pivot_row[other];
        }
        // Row by row: rows are mostly long, while columns are short and differ in length.
        let mut touched = 3 * self.active.len();
        for (cut, &share) in self.cuts.iter().zip(&self.pivot_row[self.equations..]) {
            if share.abs() > ZERO {
                touched += cut.len();
                cut.iter()
                    .for_each(|&(index, coefficient)| self.alphas[index] += coefficient * share);
            }
        }
        // Eliminated columns are skipped; their reduced cost is recomputed if they return. The
        // branch would be unpredictable, so there is none.
        self.nonzero.resize(self.active.len(), 0);
        let mut left = 0;
        for &index in &self.active {
            let column = &self.state.columns[index];
            self.nonzero[left] = index;
            left += usize::from(!column.basic & (column.high > 0.0) & (self.alphas[index] != 0.0));
        }
        self.nonzero.truncate(left);
        self.work += touched as u64;
    }

    /// Collects the breakpoints of the ratio test, with their step lengths.
    fn collect_breakpoints(&mut self, sign: f64) {
        self.breakpoints.clear();
        for &index in &self.nonzero {
            let (along, column) = (sign * self.alphas[index], &self.state.columns[index]);
            let blocks = if column.at_high {
                along > MIN_PIVOT
            } else {
                along < -MIN_PIVOT
            };
            if blocks && column.low < column.high {
                self.breakpoints
                    .push(((column.reduced / along).abs(), index));
            }
        }
        let count = self.state.columns.len();
        for row in self.equations..self.rhs.len() {
            // A slack is at zero, and its reduced cost is the price of its row.
            if sign * self.pivot_row[row] < -MIN_PIVOT {
                self.breakpoints.push((
                    (self.state.duals[row] / self.pivot_row[row]).abs(),
                    count + row,
                ));
            }
        }
        self.work += (self.active.len() + self.pivot_row.len()) as u64;
    }

    /// Chooses the entering variable by the bound-flipping ratio test. Also returns the number of
    /// columns to flip before it.
    fn choose_entering(&mut self, missing: f64, sign: f64) -> Option<(usize, usize)> {
        let count = self.state.columns.len();
        let nearest = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let sorted = SORTED_BREAKPOINTS.min(self.breakpoints.len());
        if sorted < self.breakpoints.len() {
            self.breakpoints.select_nth_unstable_by(sorted, nearest);
        }
        self.breakpoints[..sorted].sort_unstable_by(nearest);
        let mut slope = missing;
        for rank in 0..self.breakpoints.len() {
            if rank == SORTED_BREAKPOINTS {
                self.breakpoints[SORTED_BREAKPOINTS..].sort_unstable_by(nearest);
            }
            let variable = self.breakpoints[rank].1;
            if variable >= count {
                return Some((variable, rank));
            }
            slope -= self.alphas[variable].abs();
            if slope <= FEASIBILITY {
                return Some((variable, rank));
            }
        }
        self.ray = (sign, slope);
        None
    }

    /// Exchanges the leaving for the entering variable. Returns false if rounding errors prevent
    /// it.
    fn exchange(
        &mut self,
        position: usize,
        target: f64,
        sign: f64,
        entering: usize,
        passed: usize,
    ) -> bool {
        let count = self.state.columns.len();
        for rank in 0..passed {
            let index = self.breakpoints[rank].1;
            let column = &mut self.state.columns[index];
            let was = column.bound_value();
            column.at_high = !column.at_high;
            let change = column.bound_value() - was;
            self.displace(index, change);
        }
        self.update_basic_values();
        self.compute_pivot_column(entering);
        let pivot = self.pivot_column[position];
        let (expected, reduced, from) = match self.state.columns.get(entering) {
            Some(column) => (self.alphas[entering], column.reduced, column.bound_value()),
            None => (
                self.pivot_row[entering - count],
                -self.state.duals[entering - count],
                0.0,
            ),
        };
        if (pivot - expected).abs() > 1e-6 * (1.0 + expected.abs()) || pivot.abs() < MIN_PIVOT / 2.0
        {
            return false;
        }
        let step = (self.state.value[position] - target) / pivot;
        for (value, entry) in self.state.value.iter_mut().zip(&self.pivot_column) {
            *value -= step * entry;
        }
        // The dual step. Reduced costs with the wrong sign due to rounding errors must not reverse
        // it.
        let theta = -reduced / pivot;
        let theta = if theta * sign < 0.0 { 0.0 } else { theta };
        for (dual, entry) in self.state.duals.iter_mut().zip(&self.pivot_row) {
            *dual -= theta * entry;
        }
        for &index in &self.nonzero {
            self.state.columns[index].reduced += theta * self.alphas[index];
        }
        let leaving = std::mem::replace(&mut self.state.basis[position], entering);
        if let Some(column) = self.state.columns.get_mut(leaving) {
            column.basic = false;
            column.at_high = sign < 0.0;
            column.reduced = theta;
        }
        if let Some(column) = self.state.columns.get_mut(entering) {
            column.basic = true;
            column.reduced = 0.0;
        }
        self.state.value[position] = from + step;
        self.update_inverse(position, pivot);
        true
    }

    /// Computes a column of the current tableau: the inverse times a column or slack.
    pub(super) fn compute_pivot_column(&mut self, variable: usize) {
        let (count, stride, rows) = (
            self.state.columns.len(),
            self.state.stride,
            self.state.basis.len(),
        );
        self.pivot_column.clear();
        self.pivot_column.resize(rows, 0.0);
        let unit = [(variable.saturating_sub(count), 1.0)];
        let entries = if variable < count {
            &self.entries[self.starts[variable]..self.starts[variable + 1]]
        } else {
            &unit[..]
        };
        for &(row, coefficient) in entries {
            for (entry, line) in self
                .pivot_column
                .iter_mut()
                .zip(self.state.inverse.chunks_exact(stride))
            {
                *entry += coefficient * line[row];
            }
        }
        self.work += (entries.len() * rows) as u64;
    }

    /// Updates the inverse after the exchange.
    pub(super) fn update_inverse(&mut self, position: usize, pivot: f64) {
        let (stride, rows) = (self.state.stride, self.state.basis.len());
        self.used.clear();
        for (row, entry) in self.pivot_row.iter_mut().enumerate() {
            *entry = if entry.abs() > ZERO {
                *entry / pivot
            } else {
                0.0
            };
            if *entry != 0.0 {
                self.used.push(row);
            }
        }
        let width = rows.next_multiple_of(LANES);
        self.pivot_row.resize(width, 0.0);
        // Initially rows are nearly empty. Later half of the entries are filled, and processing
        // whole rows is faster.
        let sparse = self.used.len() * SPARSE_FRACTION < rows;
        let mut touched = 1;
        for (other, line) in self.state.inverse.chunks_exact_mut(stride).enumerate() {
            let (line, factor) = (&mut line[..width], self.pivot_column[other]);
            if other == position {
                line.copy_from_slice(&self.pivot_row);
                self.state.norm[other] = squared(line);
                continue;
            }
            if factor.abs() <= ZERO {
                continue;
            }
            touched += 1;
            if sparse {
                let mut norm = self.state.norm[other];
                for &row in &self.used {
                    let (was, now) = (line[row], line[row] - factor * self.pivot_row[row]);
                    norm += (now - was) * (now + was);
                    line[row] = now;
                }
                self.state.norm[other] = if norm > MIN_UPDATED_NORM {
                    norm
                } else {
                    squared(line)
                };
            } else {
                self.state.norm[other] = eliminate(line, &self.pivot_row, factor);
            }
        }
        let filled = if sparse { 2 * self.used.len() } else { rows };
        self.work += (rows + touched * filled) as u64;
    }
}

/// Subtracts a multiple of the pivot row from a row and returns the row's new squared norm.
fn eliminate(row: &mut [f64], pivot_row: &[f64], factor: f64) -> f64 {
    let mut lanes = [0.0; LANES];
    for (chunk, pivots) in row
        .as_chunks_mut::<LANES>()
        .0
        .iter_mut()
        .zip(pivot_row.as_chunks::<LANES>().0)
    {
        // Without a local copy, the compiler shuffles lanes for every entry.
        let mut left = *chunk;
        left.iter_mut()
            .zip(pivots)
            .for_each(|(entry, pivot)| *entry -= factor * pivot);
        *chunk = left;
        lanes
            .iter_mut()
            .zip(left)
            .for_each(|(lane, entry)| *lane += entry * entry);
    }
    sum_lanes(lanes)
}

/// Returns the squared norm of a row.
fn squared(row: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for chunk in row.as_chunks::<LANES>().0 {
        lanes
            .iter_mut()
            .zip(chunk)
            .for_each(|(lane, entry)| *lane += entry * entry);
    }
    sum_lanes(lanes)
}

/// Returns the sum of all lanes, by halves.
fn sum_lanes([a, b, c, d, e, f, g, h]: [f64; LANES]) -> f64 {
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
