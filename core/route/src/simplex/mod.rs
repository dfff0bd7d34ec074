//! A dual simplex method over columns between bounds: where the cutting planes get their prices from.
//!
//! Bounded columns make any prices a start (Koberstein 2005): a column whose reduced cost is negative waits at its upper
//! bound. The basis leaves by steepest edge (Forrest and Goldfarb 1992); its inverse is kept whole, which is quick for a
//! few hundred rows and gives the weights of the edges for nothing. Columns that reach their other bound on the way are
//! turned over without a pivot (Maros 2003).
//!
//! Floats, but only additions, multiplications and divisions, which every platform rounds alike. No result is trusted:
//! [`super::planes`] rounds the prices to integers and proves their bound.

use crate::sort::sort;

mod halves;
mod pivot;
mod renew;
mod snapshot;

pub(super) use snapshot::Snapshot;

/// A column that has reached neither of its bounds is violated by more than this.
const FEASIBLE: f64 = 1e-6;
/// The smallest entry that may become a pivot.
const PIVOT: f64 = 1e-7;
/// Entries below this are rounding errors.
const ZERO: f64 = 1e-11;
/// Variables from this index on are artificial: one per unfilled row. An artificial variable leaves the basis and never returns.
const ARTIFICIAL: usize = 1 << 24;
/// Pivots after which the inverse is recomputed.
const OLD: usize = 2_000;
/// Rows and columns are added in steps of so many.
const GROWTH: usize = 32;
/// Rows of the inverse are worked on in so many lanes, which become vector instructions that need not wait for each other; what
/// fills a row up is zero.
const LANES: usize = 8;
/// The most limits that are kept after they were taken away.
const SHELF: usize = 1_000;
/// Adding this and taking it away rounds to a whole number; it has to stay below 2⁵².
pub(super) const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// How a run of pivots ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// Nothing is violated.
    Optimal,
    /// The value has passed the limit.
    Above,
    /// Nothing within the bounds fulfils the rows.
    Infeasible,
    /// The pivots are spent, or rounding errors have grown too large to continue.
    Spent,
}

/// A column: a leg of the route, between 0 and 1 unless it is decided.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) cost: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) reduced: f64,
    /// Whether it is zero for good.
    pub(super) gone: bool,
    at_high: bool,
    basic: bool,
}

/// The entries of a row, by column.
pub(super) type Entries = Vec<(usize, f64)>;

/// An upper limit to begin with: its entries by column, the most they may add up to, and its price, never above zero.
pub(super) struct Limit {
    pub(super) entries: Entries,
    pub(super) max: f64,
    pub(super) dual: f64,
}

/// A program under way.
pub(super) struct Simplex {
    /// Entries of the columns: row and coefficient, those of column `j` from `starts[j]` on.
    starts: Vec<usize>,
    entries: Vec<(usize, f64)>,
    /// The two initial rows of each column, with a coefficient of one.
    ends: Vec<(usize, usize)>,
    /// The entries of each row that was added, by column.
    cuts: Vec<Entries>,
    /// Cuts that were removed, with their right-hand side: a cut that is violated again need not be separated again.
    shelf: Vec<(Entries, f64)>,
    pub(super) rhs: Vec<f64>,
    /// What a row costs that nothing fills: its price at the beginning.
    unfilled: Vec<f64>,
    /// Rows that are equations; those after them are upper limits.
    equations: usize,
    /// Columns that are not fixed for good.
    pub(super) active: Vec<usize>,
    pub(super) now: State,
    edge: Vec<f64>,
    /// What the edge does to the columns, and which of them it touches: the entries of all others are old.
    alphas: Vec<f64>,
    priced: Vec<usize>,
    blocking: Vec<(f64, usize)>,
    image: Vec<f64>,
    /// Rows with an entry in what is at work.
    used: Vec<usize>,
    /// What moved columns add to each row beyond what the basic ones make up for already, and whether there is any.
    displaced: Vec<f64>,
    moved: bool,
    /// Where nothing fulfils the rows: which way the prices may move without end, and how fast the value rises then.
    pub(super) ray: (f64, f64),
    /// Work done so far, and where pivots end for it.
    pub(super) work: u64,
    pub(super) max_work: u64,
}

/// The state that pivots change: separate, so that a trial can be undone.
#[derive(Default)]
pub(super) struct State {
    pub(super) columns: Vec<Column>,
    /// What is basic at each place: a column, the slack of a row (from the columns' count on), or nothing ([`ARTIFICIAL`]).
    basis: Vec<usize>,
    /// The value of what is basic at each place.
    value: Vec<f64>,
    /// The squared length of each row of the inverse.
    norm: Vec<f64>,
    /// The price of each row.
    pub(super) duals: Vec<f64>,
    inverse: Vec<f64>,
    stride: usize,
    /// Pivots since the inverse was recomputed.
    age: usize,
}

impl State {
    /// Takes over another state without new memory.
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
    /// A program of equations, each with its right side and its price, and of limits; each column has its cost and its two
    /// equations. The prices are where it starts.
    pub(super) fn new(columns: &[(f64, (usize, usize))], equations: &[(f64, f64)], limits: Vec<Limit>) -> Simplex {
        let rows = equations.len() + limits.len();
        let stride = (rows + GROWTH).next_multiple_of(LANES);
        let mut inverse = vec![0.0; rows * stride];
        for row in 0..rows {
            inverse[row * stride + row] = 1.0;
        }
        let (rhs, duals): (Vec<f64>, Vec<f64>) =
            equations.iter().copied().chain(limits.iter().map(|limit| (limit.max, limit.dual))).unzip();
        let column = |&(cost, _): &(f64, (usize, usize))| Column {
            cost,
            low: 0.0,
            high: 1.0,
            reduced: 0.0,
            gone: false,
            at_high: false,
            basic: false,
        };
        let now = State {
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
            shelf: Vec::new(),
            cuts: limits.into_iter().map(|limit| limit.entries).collect(),
            rhs,
            unfilled: duals,
            equations: equations.len(),
            active: Vec::new(),
            now,
            edge: Vec::new(),
            alphas: vec![0.0; columns.len()],
            priced: Vec::new(),
            blocking: Vec::new(),
            image: Vec::new(),
            used: Vec::new(),
            displaced: Vec::new(),
            moved: false,
            ray: (1.0, 1.0),
            work: 0,
            max_work: u64::MAX,
        };
        simplex.index();
        for column in 0..columns.len() {
            // Where the price of a column is below zero it begins at one.
            simplex.bound(column, 0.0, 1.0);
        }
        simplex.shift();
        simplex
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.rhs.len()
    }

    /// The value of the program at the current prices: a lower bound of every solution, except for rounding errors.
    pub(super) fn objective(&self) -> f64 {
        let rows: f64 = self.rhs.iter().zip(&self.now.duals).map(|(rhs, dual)| rhs * dual).sum();
        let columns = self.active.iter().map(|&index| &self.now.columns[index]).filter(|column| !column.basic);
        rows + columns.map(|column| column.reduced * column.at()).sum::<f64>()
    }

    /// Prices that prove, after a run that ended infeasible, that the value rises by so much.
    pub(super) fn beyond(&self, rise: f64) -> Vec<f64> {
        let (sign, slope) = self.ray;
        let theta = sign * rise / slope;
        self.now.duals.iter().zip(&self.edge).map(|(dual, edge)| dual - theta * edge).collect()
    }

    /// The value of every column.
    pub(super) fn values(&self, into: &mut Vec<f64>) {
        into.clear();
        into.extend(self.now.columns.iter().map(|column| if column.basic { 0.0 } else { column.at() }));
        for (&variable, &value) in self.now.basis.iter().zip(&self.now.value) {
            if variable < into.len() {
                into[variable] = value;
            }
        }
    }

    /// Whether a column is in the basis.
    pub(super) fn is_basic(&self, column: usize) -> bool {
        self.now.columns[column].basic
    }

    /// Coefficients of a column.
    pub(super) fn entries(&self, column: usize) -> &[(usize, f64)] {
        &self.entries[self.starts[column]..self.starts[column + 1]]
    }

    /// Whether a row is an upper limit, whose price is never above zero.
    pub(super) fn is_limit(&self, row: usize) -> bool {
        row >= self.equations
    }

    /// Moves the bounds of a column; the next pivots repair what that violates. [`Simplex::shift`] must follow before
    /// anything else.
    pub(super) fn bound(&mut self, column: usize, low: f64, high: f64) {
        let priced = self.entries(column).iter().map(|&(row, coefficient)| coefficient * self.now.duals[row]);
        let priced: f64 = priced.sum();
        let state = &mut self.now.columns[column];
        let was = state.at();
        (state.low, state.high) = (low, high);
        if state.basic {
            return;
        }
        // While a column is ruled out its reduced cost is not kept.
        state.reduced = state.cost - priced;
        state.at_high = state.reduced < 0.0;
        let change = state.at() - was;
        if change != 0.0 {
            self.displace(column, change);
        }
    }

    /// Moves a column that is not basic; [`Simplex::shift`] lets the basic ones make up for it.
    fn displace(&mut self, column: usize, change: f64) {
        self.displaced.resize(self.rhs.len(), 0.0);
        for &(row, coefficient) in &self.entries[self.starts[column]..self.starts[column + 1]] {
            self.displaced[row] += coefficient * change;
        }
        self.moved = true;
    }

    /// Lets the basic columns make up for all that was moved, at once.
    pub(super) fn shift(&mut self) {
        if !std::mem::take(&mut self.moved) {
            return;
        }
        self.used.clear();
        self.used.extend((0..self.displaced.len()).filter(|&row| self.displaced[row] != 0.0));
        for (value, line) in self.now.value.iter_mut().zip(self.now.inverse.chunks_exact(self.now.stride)) {
            *value -= self.used.iter().map(|&row| self.displaced[row] * line[row]).sum::<f64>();
        }
        self.work += (self.used.len() * self.rhs.len()) as u64;
        self.displaced.clear();
    }
}

impl Column {
    fn at(&self) -> f64 {
        if self.at_high { self.high } else { self.low }
    }
}

/// Rows come and go.
impl Simplex {
    /// Adds an upper limit; [`Simplex::index`] must follow before the next pivot.
    pub(super) fn add(&mut self, cut: Entries, limit: f64) {
        let rows = self.rows();
        if rows + 1 > self.now.stride {
            let wider = rows + GROWTH;
            let mut inverse = vec![0.0; rows * wider];
            for (to, from) in inverse.chunks_exact_mut(wider).zip(self.now.inverse.chunks_exact(self.now.stride)) {
                to[..rows].copy_from_slice(&from[..rows]);
            }
            (self.now.inverse, self.now.stride) = (inverse, wider);
        }
        let stride = self.now.stride;
        let mut coefficients = vec![0.0; self.now.columns.len()];
        let mut value = limit;
        for &(column, coefficient) in &cut {
            coefficients[column] = coefficient;
            if !self.now.columns[column].basic {
                value -= coefficient * self.now.columns[column].at();
            }
        }
        let mut fresh = vec![0.0; stride];
        for place in 0..rows {
            self.now.inverse[place * stride + rows] = 0.0;
            let variable = self.now.basis[place];
            if variable < coefficients.len() && coefficients[variable] != 0.0 {
                let coefficient = coefficients[variable];
                value -= coefficient * self.now.value[place];
                for (entry, &above) in fresh[..rows].iter_mut().zip(&self.now.inverse[place * stride..]) {
                    *entry -= coefficient * above;
                }
            }
        }
        fresh[rows] = 1.0;
        self.now.norm.push(fresh.iter().map(|entry| entry * entry).sum());
        self.now.inverse.extend_from_slice(&fresh);
        self.now.basis.push(self.now.columns.len() + rows);
        self.now.value.push(value);
        self.now.duals.push(0.0);
        self.rhs.push(limit);
        self.unfilled.push(0.0);
        self.cuts.push(cut);
        self.work += 20 * rows as u64 + 2 * coefficients.len() as u64;
    }

    /// Adds those of the limits taken away that some values break by more than so much, the most broken ones; whether there
    /// were any.
    pub(super) fn recall(&mut self, values: &[f64], broken: f64, max: usize) -> bool {
        let mut found: Vec<(f64, usize)> = Vec::new();
        for (at, (entries, limit)) in self.shelf.iter().enumerate() {
            let above = entries.iter().map(|&(column, entry)| entry * values[column]).sum::<f64>() - limit;
            self.work += 2 + 2 * entries.len() as u64;
            if above > broken {
                found.push((above, at));
            }
        }
        sort(&mut found, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).is_lt());
        found.truncate(max);
        // From the last place on, so that those before keep theirs.
        sort(&mut found, |a, b| b.1 < a.1);
        for &(_, at) in &found {
            let (entries, limit) = self.shelf.swap_remove(at);
            self.add(entries, limit);
        }
        if !found.is_empty() {
            self.index();
        }
        !found.is_empty()
    }

    /// Takes away the limits that leave more than so much slack.
    pub(super) fn purge(&mut self, slack: f64) {
        let count = self.now.columns.len();
        let mut place = 0;
        while place < self.now.basis.len() {
            let variable = self.now.basis[place];
            if variable < ARTIFICIAL && variable >= count && self.now.value[place] > slack {
                self.drop_row(place, variable - count);
            } else {
                place += 1;
            }
        }
    }

    /// Takes away a row whose slack is basic at a place; the last row and the last place fill the gaps.
    fn drop_row(&mut self, place: usize, row: usize) {
        let last = self.rows() - 1;
        let (count, stride) = (self.now.columns.len(), self.now.stride);
        for line in self.now.inverse.chunks_exact_mut(stride) {
            line[row] = line[last];
            line[last] = 0.0;
        }
        self.now.inverse.copy_within(last * stride..(last + 1) * stride, place * stride);
        self.now.inverse.truncate(last * stride);
        self.now.basis.swap_remove(place);
        self.now.value.swap_remove(place);
        self.now.norm.swap_remove(place);
        self.now.duals.swap_remove(row);
        self.unfilled.swap_remove(row);
        if self.shelf.len() == SHELF {
            self.shelf.swap_remove(0);
        }
        self.shelf.push((self.cuts.swap_remove(row - self.equations), self.rhs.swap_remove(row)));
        for variable in &mut self.now.basis {
            for first in [count, ARTIFICIAL] {
                if *variable == first + last {
                    *variable = first + row;
                }
            }
        }
        self.work += 2 * last as u64;
    }

    /// Rebuilds the entries of every column after rows were added or removed, without fixed columns.
    pub(super) fn index(&mut self) {
        let count = self.now.columns.len();
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
        let mut put = |column: usize, row: usize, coefficient: f64| {
            self.entries[filled[column]] = (row, coefficient);
            filled[column] += 1;
        };
        for (column, &(from, to)) in self.ends.iter().enumerate() {
            put(column, from, 1.0);
            put(column, to, 1.0);
        }
        for (cut, row) in self.cuts.iter().zip(self.equations..) {
            for &(column, coefficient) in cut {
                put(column, row, coefficient);
            }
        }
        self.starts = starts;
        self.active = (0..count).filter(|&column| !self.now.columns[column].gone).collect();
        self.work += 2 * self.entries.len() as u64;
    }
}

/// A sum of whole numbers as an integer.
#[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
pub(super) fn whole(sum: f64) -> i64 {
    sum as i64
}
