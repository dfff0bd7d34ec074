//! A dual simplex method for bounded columns. It gives branch and cut its dual prices.
//!
//! With bounded columns, any prices are dual feasible (Koberstein 2005): a column with a negative
//! reduced cost starts at its upper bound. The leaving variable is chosen by steepest edge (Forrest
//! and Goldfarb 1992). The inverse is stored explicitly, which is fast for a few hundred rows and
//! gives the steepest-edge weights at no cost. Columns that reach their other bound during the
//! ratio test are flipped without a pivot (Maros 2003).
//!
//! It uses only additions, multiplications and divisions of floats, which every platform rounds
//! identically. Its results are not trusted: [`super::branch_and_cut`] rounds the prices to
//! integers and proves their bound.

use std::cmp::Reverse;

mod pivot;
mod reinvert;
mod snapshot;
mod zero_half;

pub(super) use snapshot::Snapshot;

/// The feasibility tolerance of a basic variable.
const FEASIBILITY: f64 = 1e-6;
/// The minimum absolute value of a pivot.
const MIN_PIVOT: f64 = 1e-7;
/// Entries below this are rounding errors.
const ZERO: f64 = 1e-11;
/// Variables from this index on are artificial, one per row. An artificial variable that leaves the
/// basis never returns.
const ARTIFICIAL: usize = 1 << 24;
/// The number of pivots after which the inverse is recomputed.
const MAX_AGE: usize = 2_000;
/// The increment of the inverse's capacity.
const GROWTH: usize = 32;
/// The number of lanes in which rows of the inverse are processed, which become independent vector
/// instructions. Rows are padded with zeros.
const LANES: usize = 8;
/// The maximum number of cuts in the pool.
const MAX_POOL: usize = 1_000;
/// Adding and subtracting this rounds to an integer. The absolute value must be below 2⁵¹.
pub(super) const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// The outcome of a run of pivots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PivotOutcome {
    /// The basis is primal feasible.
    Optimal,
    /// The objective exceeded the limit.
    LimitExceeded,
    /// No values within the bounds satisfy the rows.
    Infeasible,
    /// The pivot or work limit was reached, or rounding errors are too large to continue.
    LimitReached,
}

/// A column: a leg, between 0 and 1 unless it is fixed.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) cost: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) reduced: f64,
    /// Whether the column is permanently fixed at zero.
    pub(super) removed: bool,
    at_high: bool,
    basic: bool,
}

/// The non-zero coefficients of a row, by column.
pub(super) type Entries = Vec<(usize, f64)>;

/// An initial upper-limit row: its coefficients, right-hand side, and price, which is at most zero.
pub(super) struct Limit {
    pub(super) entries: Entries,
    pub(super) max: f64,
    pub(super) dual: f64,
}

/// The state of the linear program.
pub(super) struct Simplex {
    /// The row and coefficient of each entry. Those of column `j` begin at `starts[j]`.
    starts: Vec<usize>,
    entries: Vec<(usize, f64)>,
    /// The two equations of each column, with a coefficient of one.
    ends: Vec<(usize, usize)>,
    /// The coefficients of each added row.
    cuts: Vec<Entries>,
    /// Removed cuts with their right-hand sides. If one is violated again, it need not be separated
    /// again.
    pool: Vec<(Entries, f64)>,
    pub(super) rhs: Vec<f64>,
    /// The cost of each row's artificial variable: the row's initial price.
    artificial_costs: Vec<f64>,
    /// The number of equations. The rows after them are upper limits.
    equations: usize,
    /// The columns that are not permanently fixed.
    pub(super) active: Vec<usize>,
    pub(super) state: State,
    /// The row of the inverse at the leaving position.
    pivot_row: Vec<f64>,
    /// The entries of the tableau's pivot row by column. Only those in `nonzero` are current.
    alphas: Vec<f64>,
    /// The columns with a non-zero entry in the pivot row.
    nonzero: Vec<usize>,
    /// The step lengths of the ratio test with their columns or slacks.
    breakpoints: Vec<(f64, usize)>,
    /// The column of the tableau of the entering variable.
    pivot_column: Vec<f64>,
    /// Scratch space: the rows with a non-zero entry.
    used: Vec<usize>,
    /// The change of each row by moved non-basic columns that the basic variables do not reflect
    /// yet.
    displaced: Vec<f64>,
    /// Whether there is such a change.
    moved: bool,
    /// After an infeasible run: the sign of the dual ray and the slope of the objective along it.
    pub(super) ray: (f64, f64),
    /// The work done so far.
    pub(super) work: u64,
    /// The work at which pivots end.
    pub(super) max_work: u64,
}

/// The state changed by pivots, separate so that strong branching can restore it.
#[derive(Default)]
pub(super) struct State {
    pub(super) columns: Vec<Column>,
    /// The basic variable at each position: a column, the slack of a row (numbered after the
    /// columns), or an [`ARTIFICIAL`] variable.
    basis: Vec<usize>,
    /// The value of each basic variable.
    value: Vec<f64>,
    /// The squared norm of each row of the inverse.
    norm: Vec<f64>,
    /// The price of each row.
    pub(super) duals: Vec<f64>,
    /// The inverse of the basis, row-major.
    inverse: Vec<f64>,
    /// The length of a row of the inverse.
    stride: usize,
    /// The number of pivots since the inverse was recomputed.
    age: usize,
}

impl State {
    /// Copies another state without allocating.
    pub(super) fn copy(&mut self, other: &State) {
        self.columns.clone_from(&other.columns);
        self.basis.clone_from(&other.basis);
        self.value.clone_from(&other.value);
        self.norm.clone_from(&other.norm);
        self.duals.clone_from(&other.duals);
        self.inverse.clone_from(&other.inverse);
        (self.stride, self.age) = (other.stride, other.age);
    }
}

impl Simplex {
    /// Creates a program from columns (cost and two equations), equations (right-hand side and
    /// price) and limits. It starts at the given prices.
    pub(super) fn new(
        columns: &[(f64, (usize, usize))],
        equations: &[(f64, f64)],
        limits: Vec<Limit>,
    ) -> Simplex {
        let rows = equations.len() + limits.len();
        let stride = (rows + GROWTH).next_multiple_of(LANES);
        let mut inverse = vec![0.0; rows * stride];
        for row in 0..rows {
            inverse[row * stride + row] = 1.0;
        }
        let (rhs, duals): (Vec<f64>, Vec<f64>) = equations
            .iter()
            .copied()
            .chain(limits.iter().map(|limit| (limit.max, limit.dual)))
            .unzip();
        let column = |&(cost, _): &(f64, (usize, usize))| Column {
            cost,
            low: 0.0,
            high: 1.0,
            reduced: 0.0,
            removed: false,
            at_high: false,
            basic: false,
        };
        let state = State {
            columns: columns.iter().map(column).collect(),
            basis: (ARTIFICIAL..ARTIFICIAL + rows).collect(),
            value: rhs.clone(),
            norm: vec![1.0; rows],
            duals: duals.clone(),
            inverse,
            stride,
            age: 0,
        };
        let mut simplex = Simplex {
            starts: Vec::new(),
            entries: Vec::new(),
            ends: columns.iter().map(|column| column.1).collect(),
            pool: Vec::new(),
            cuts: limits.into_iter().map(|limit| limit.entries).collect(),
            rhs,
            artificial_costs: duals,
            equations: equations.len(),
            active: Vec::new(),
            state,
            pivot_row: Vec::new(),
            alphas: vec![0.0; columns.len()],
            nonzero: Vec::new(),
            breakpoints: Vec::new(),
            pivot_column: Vec::new(),
            used: Vec::new(),
            displaced: Vec::new(),
            moved: false,
            ray: (1.0, 1.0),
            work: 0,
            max_work: u64::MAX,
        };
        simplex.index();
        for column in 0..columns.len() {
            // A column with a negative reduced cost starts at its upper bound.
            simplex.set_bounds(column, 0.0, 1.0);
        }
        simplex.update_basic_values();
        simplex
    }

    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rhs.len()
    }

    /// Returns the dual objective at the current prices: a lower bound of every solution, except
    /// for rounding errors.
    pub(super) fn objective(&self) -> f64 {
        let rows: f64 = self
            .rhs
            .iter()
            .zip(&self.state.duals)
            .map(|(rhs, dual)| rhs * dual)
            .sum();
        let columns = self
            .active
            .iter()
            .map(|&index| &self.state.columns[index])
            .filter(|column| !column.basic);
        rows + columns
            .map(|column| column.reduced * column.bound_value())
            .sum::<f64>()
    }

    /// After an infeasible run, returns prices whose objective is higher by `rise`.
    pub(super) fn ray_duals(&self, rise: f64) -> Vec<f64> {
        let (sign, slope) = self.ray;
        let theta = sign * rise / slope;
        self.state
            .duals
            .iter()
            .zip(&self.pivot_row)
            .map(|(dual, entry)| dual - theta * entry)
            .collect()
    }

    /// Writes the value of every column.
    pub(super) fn values(&self, into: &mut Vec<f64>) {
        into.clear();
        into.extend(self.state.columns.iter().map(|column| {
            if column.basic {
                0.0
            } else {
                column.bound_value()
            }
        }));
        for (&variable, &value) in self.state.basis.iter().zip(&self.state.value) {
            if variable < into.len() {
                into[variable] = value;
            }
        }
    }

    /// Returns whether a column is basic.
    pub(super) fn is_basic(&self, column: usize) -> bool {
        self.state.columns[column].basic
    }

    /// Returns the rows and coefficients of a column.
    pub(super) fn entries(&self, column: usize) -> &[(usize, f64)] {
        &self.entries[self.starts[column]..self.starts[column + 1]]
    }

    /// Returns whether a row is an upper limit, whose price is at most zero.
    pub(super) fn is_limit(&self, row: usize) -> bool {
        row >= self.equations
    }

    /// Sets the bounds of a column. The next run restores primal feasibility. Call
    /// [`Simplex::update_basic_values`] before anything else.
    pub(super) fn set_bounds(&mut self, column: usize, low: f64, high: f64) {
        let priced = self
            .entries(column)
            .iter()
            .map(|&(row, coefficient)| coefficient * self.state.duals[row]);
        let priced: f64 = priced.sum();
        let state = &mut self.state.columns[column];
        let was = state.bound_value();
        (state.low, state.high) = (low, high);
        if state.basic {
            return;
        }
        // The reduced cost of an eliminated column is not maintained.
        state.reduced = state.cost - priced;
        state.at_high = state.reduced < 0.0;
        let change = state.bound_value() - was;
        if change != 0.0 {
            self.displace(column, change);
        }
    }

    /// Records the move of a non-basic column; [`Simplex::update_basic_values`] applies it.
    fn displace(&mut self, column: usize, change: f64) {
        self.displaced.resize(self.rhs.len(), 0.0);
        for &(row, coefficient) in &self.entries[self.starts[column]..self.starts[column + 1]] {
            self.displaced[row] += coefficient * change;
        }
        self.moved = true;
    }

    /// Applies all recorded moves to the basic variables.
    pub(super) fn update_basic_values(&mut self) {
        if !std::mem::take(&mut self.moved) {
            return;
        }
        self.used.clear();
        self.used
            .extend((0..self.displaced.len()).filter(|&row| self.displaced[row] != 0.0));
        for (value, line) in self
            .state
            .value
            .iter_mut()
            .zip(self.state.inverse.chunks_exact(self.state.stride))
        {
            *value -= self
                .used
                .iter()
                .map(|&row| self.displaced[row] * line[row])
                .sum::<f64>();
        }
        self.work += (self.used.len() * self.rhs.len()) as u64;
        self.displaced.clear();
    }
}

impl Column {
    fn bound_value(&self) -> f64 {
        if self.at_high { self.high } else { self.low }
    }
}

impl Simplex {
    /// Adds an upper-limit row. Call [`Simplex::index`] before the next pivot.
    pub(super) fn add_cut(&mut self, cut: Entries, limit: f64) {
        let rows = self.rows();
        if rows + 1 > self.state.stride {
            let wider = rows + GROWTH;
            let mut inverse = vec![0.0; rows * wider];
            for (to, from) in inverse
                .chunks_exact_mut(wider)
                .zip(self.state.inverse.chunks_exact(self.state.stride))
            {
                to[..rows].copy_from_slice(&from[..rows]);
            }
            (self.state.inverse, self.state.stride) = (inverse, wider);
        }
        let stride = self.state.stride;
        let mut coefficients = vec![0.0; self.state.columns.len()];
        let mut value = limit;
        for &(column, coefficient) in &cut {
            coefficients[column] = coefficient;
            if !self.state.columns[column].basic {
                value -= coefficient * self.state.columns[column].bound_value();
            }
        }
        let mut new_row = vec![0.0; stride];
        for position in 0..rows {
            self.state.inverse[position * stride + rows] = 0.0;
            let variable = self.state.basis[position];
            if variable < coefficients.len() && coefficients[variable] != 0.0 {
                let coefficient = coefficients[variable];
                value -= coefficient * self.state.value[position];
                for (entry, &above) in new_row[..rows]
                    .iter_mut()
                    .zip(&self.state.inverse[position * stride..])
                {
                    *entry -= coefficient * above;
                }
            }
        }
        new_row[rows] = 1.0;
        self.state
            .norm
            .push(new_row.iter().map(|entry| entry * entry).sum());
        self.state.inverse.extend_from_slice(&new_row);
        self.state.basis.push(self.state.columns.len() + rows);
        self.state.value.push(value);
        self.state.duals.push(0.0);
        self.rhs.push(limit);
        self.artificial_costs.push(0.0);
        self.cuts.push(cut);
        self.work += 20 * rows as u64 + 2 * coefficients.len() as u64;
    }

    /// Adds the `max` most violated pool cuts whose violation exceeds `min_violation`. Returns
    /// whether there were any.
    pub(super) fn add_from_pool(&mut self, values: &[f64], min_violation: f64, max: usize) -> bool {
        let mut found: Vec<(f64, usize)> = Vec::new();
        for (at, (entries, limit)) in self.pool.iter().enumerate() {
            let above = entries
                .iter()
                .map(|&(column, entry)| entry * values[column])
                .sum::<f64>()
                - limit;
            self.work += 2 + 2 * entries.len() as u64;
            if above > min_violation {
                found.push((above, at));
            }
        }
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(max);
        // Descending indices stay valid under `swap_remove`.
        found.sort_unstable_by_key(|&(_, at)| Reverse(at));
        for &(_, at) in &found {
            let (entries, limit) = self.pool.swap_remove(at);
            self.add_cut(entries, limit);
        }
        if !found.is_empty() {
            self.index();
        }
        !found.is_empty()
    }

    /// Removes the cuts with more than `slack` slack and puts them into the pool.
    pub(super) fn remove_slack_cuts(&mut self, slack: f64) {
        let count = self.state.columns.len();
        let mut position = 0;
        while position < self.state.basis.len() {
            let variable = self.state.basis[position];
            if variable < ARTIFICIAL && variable >= count && self.state.value[position] > slack {
                self.drop_row(position, variable - count);
            } else {
                position += 1;
            }
        }
    }

    /// Removes a row whose slack is basic. The last row and the last basis position fill the gaps.
    fn drop_row(&mut self, position: usize, row: usize) {
        let last = self.rows() - 1;
        let (count, stride) = (self.state.columns.len(), self.state.stride);
        for line in self.state.inverse.chunks_exact_mut(stride) {
            line[row] = line[last];
            line[last] = 0.0;
        }
        self.state
            .inverse
            .copy_within(last * stride..(last + 1) * stride, position * stride);
        self.state.inverse.truncate(last * stride);
        self.state.basis.swap_remove(position);
        self.state.value.swap_remove(position);
        self.state.norm.swap_remove(position);
        self.state.duals.swap_remove(row);
        self.artificial_costs.swap_remove(row);
        if self.pool.len() == MAX_POOL {
            self.pool.swap_remove(0);
        }
        self.pool.push((
            self.cuts.swap_remove(row - self.equations),
            self.rhs.swap_remove(row),
        ));
        for variable in &mut self.state.basis {
            for first in [count, ARTIFICIAL] {
                if *variable == first + last {
                    *variable = first + row;
                }
            }
        }
        self.work += 2 * last as u64;
    }

    /// Rebuilds the columns after rows were added or removed, and the list of active columns.
    pub(super) fn index(&mut self) {
        let count = self.state.columns.len();
        let mut starts = vec![2; count + 1];
        starts[0] = 0;
        for &(column, _) in self.cuts.iter().flatten() {
            starts[column + 1] += 1;
        }
        for column in 0..count {
            starts[column + 1] += starts[column];
        }
        let mut filled = starts.clone();
        self.entries.clear();
        self.entries.resize(starts[count], (0, 0.0));
        let mut insert = |column: usize, row: usize, coefficient: f64| {
            self.entries[filled[column]] = (row, coefficient);
            filled[column] += 1;
        };
        for (column, &(from, to)) in self.ends.iter().enumerate() {
            insert(column, from, 1.0);
            insert(column, to, 1.0);
        }
        for (cut, row) in self.cuts.iter().zip(self.equations..) {
            for &(column, coefficient) in cut {
                insert(column, row, coefficient);
            }
        }
        self.starts = starts;
        self.active = (0..count)
            .filter(|&column| !self.state.columns[column].removed)
            .collect();
        self.work += 2 * self.entries.len() as u64;
    }
}

/// Converts a whole number to an integer.
#[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
pub(super) fn to_i64(sum: f64) -> i64 {
    sum as i64
}
