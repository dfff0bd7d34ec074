//! Minimum-cost assignment of couriers to waiting orders: each courier at most once, no pair beyond the radius.
//!
//! Shortest augmenting paths after Jonker and Volgenant (1987), on the pairs that exist: augmenting row reduction gives
//! most rows a column at once; the others find one by Dijkstra's algorithm over reduced costs. A row may also stay
//! unassigned at a price, as if it had a column of its own, so a solution always exists. The time is at worst cubic in the
//! number of rows and in practice proportional to the number of pairs. Published crates take dense square matrices. A radius
//! leaves one pair in fifty; filling the rest with large numbers costs the time and memory that the radius saves.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

use super::problem::UNREACHABLE;

/// The most rows and the most columns.
pub const MAX_SIDE: usize = 20_000;
/// The largest cost of a pair: sums over [`MAX_SIDE`] pairs stay far from overflow.
pub const MAX_COST: u64 = 1 << 42;

/// No row, no column.
const NONE: u32 = u32::MAX;

/// The costs of the pairs that are allowed; all others are beyond the radius.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Costs {
    rows: usize,
    columns: usize,
    /// Where each row's pairs begin, and after the last row the number of pairs.
    begins: Vec<usize>,
    partner: Vec<u32>,
    cost: Vec<i64>,
}

/// An assignment of rows to columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The column of each row, or `None` if the row is unassigned.
    pub columns: Vec<Option<usize>>,
    /// The sum of the pairs' costs and of the price of each unassigned row, if there is such a price.
    pub cost: u64,
}

/// The reason costs are rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssignError {
    /// More rows or columns than [`MAX_SIDE`].
    TooLarge {
        /// Rows received.
        rows: usize,
        /// Columns received.
        columns: usize,
        /// What either may be.
        limit: usize,
    },
    /// The number of entries is not rows times columns.
    NotRectangular {
        /// Entries received.
        entries: usize,
        /// Entries expected.
        expected: usize,
    },
    /// A pair lies outside of the matrix, or comes twice.
    BadPair {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// A cost or the price of an unassigned row is above [`MAX_COST`].
    Overflow,
}

impl Costs {
    /// A full matrix, row by row; [`UNREACHABLE`] is a pair that is not allowed.
    pub fn dense(rows: usize, columns: usize, entries: &[u32]) -> Result<Costs, AssignError> {
        if entries.len() != rows * columns {
            return Err(AssignError::NotRectangular { entries: entries.len(), expected: rows * columns });
        }
        let pairs = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let allowed = pairs.zip(entries).filter(|&(_, &cost)| cost != UNREACHABLE);
        Costs::sparse(rows, columns, allowed.map(|((row, column), &cost)| (row, column, u64::from(cost))))
    }

    /// The pairs that are allowed, as (row, column, cost) with rows ascending.
    pub fn sparse(
        rows: usize,
        columns: usize,
        pairs: impl IntoIterator<Item = (usize, usize, u64)>,
    ) -> Result<Costs, AssignError> {
        if rows > MAX_SIDE || columns > MAX_SIDE {
            return Err(AssignError::TooLarge { rows, columns, limit: MAX_SIDE });
        }
        let mut costs = Costs { rows, columns, begins: vec![0], partner: Vec::new(), cost: Vec::new() };
        let mut seen = vec![usize::MAX; columns];
        for (row, column, cost) in pairs {
            let known = row + 1 >= costs.begins.len() && row < rows;
            if !known || seen.get(column).is_none_or(|&last| last == row) {
                return Err(AssignError::BadPair { row, column });
            }
            seen[column] = row;
            costs.begins.resize(row + 1, costs.cost.len());
            costs.partner.push(u32::try_from(column).unwrap_or(NONE));
            costs.cost.push(i64::try_from(cost).ok().filter(|_| cost <= MAX_COST).ok_or(AssignError::Overflow)?);
        }
        costs.begins.resize(rows + 1, costs.cost.len());
        Ok(costs)
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The pairs of a row.
    fn pairs(&self, row: usize) -> impl Iterator<Item = (usize, i64)> + '_ {
        let range = self.begins[row]..self.begins[row + 1];
        self.partner[range.clone()].iter().zip(&self.cost[range]).map(|(&column, &cost)| (column as usize, cost))
    }

    /// The same pairs with rows and columns exchanged.
    fn transposed(&self) -> Costs {
        let mut begins = vec![0; self.columns + 1];
        for &column in &self.partner {
            begins[column as usize + 1] += 1;
        }
        for column in 0..self.columns {
            begins[column + 1] += begins[column];
        }
        let mut next = begins.clone();
        let (mut partner, mut cost) = (vec![0; self.partner.len()], vec![0; self.cost.len()]);
        for row in 0..self.rows {
            for (column, price) in self.pairs(row) {
                partner[next[column]] = u32::try_from(row).unwrap_or(NONE);
                cost[next[column]] = price;
                next[column] += 1;
            }
        }
        Costs { rows: self.columns, columns: self.rows, begins, partner, cost }
    }
}

/// The assignment of least total cost.
///
/// With a price for unassigned rows, a row gets a column only if that lowers the total. Without one, as many rows as
/// possible get a column, and the cheapest of these assignments is returned. The result is deterministic.
pub fn assign(costs: &Costs, unassigned_price: Option<u64>) -> Result<Assignment, AssignError> {
    if unassigned_price.is_some_and(|price| price > MAX_COST) {
        return Err(AssignError::Overflow);
    }
    let dearest = costs.cost.iter().copied().max().unwrap_or(0);
    let max_pairs = i64::try_from(costs.rows.min(costs.columns)).unwrap_or(i64::MAX);
    // Without a price, an unassigned row costs more than any number of pairs.
    let price = unassigned_price.map_or((dearest + 1) * (max_pairs + 1), u64::cast_signed);
    let columns = if costs.rows <= costs.columns {
        Matching::new(costs, price).solve()
    } else {
        // The shorter side searches for partners; a pair saves the same price whichever side would be unassigned.
        let turned = costs.transposed();
        let rows = Matching::new(&turned, price).solve();
        let mut columns = vec![None; costs.rows];
        for (column, row) in rows.into_iter().enumerate() {
            if let Some(row) = row {
                columns[row] = Some(column);
            }
        }
        columns
    };
    let mut cost = 0;
    for (row, column) in columns.iter().enumerate() {
        let paid = column.and_then(|column| costs.pairs(row).find(|pair| pair.0 == column));
        cost += paid.map_or(unassigned_price.unwrap_or(0), |(_, cost)| cost.cast_unsigned());
    }
    Ok(Assignment { columns, cost })
}

/// An assignment under construction, with the prices that prove it.
struct Matching<'a> {
    costs: &'a Costs,
    unassigned_price: i64,
    column_of: Vec<u32>,
    row_of: Vec<u32>,
    /// Prices of rows and columns: no pair costs less than their sum, pairs of the assignment exactly that.
    row_price: Vec<i64>,
    column_price: Vec<i64>,
    /// The state of one search: distances, the row a column was reached from, and which of them are valid.
    distance: Vec<i64>,
    reached_from: Vec<u32>,
    touched: Vec<u32>,
    heap: BinaryHeap<Reverse<(i64, u32)>>,
}

impl<'a> Matching<'a> {
    fn new(costs: &'a Costs, unassigned_price: i64) -> Matching<'a> {
        Matching {
            costs,
            unassigned_price,
            column_of: vec![NONE; costs.rows],
            row_of: vec![NONE; costs.columns],
            row_price: vec![0; costs.rows],
            column_price: vec![0; costs.columns],
            distance: vec![i64::MAX; costs.columns],
            reached_from: vec![NONE; costs.columns],
            touched: Vec::new(),
            heap: BinaryHeap::new(),
        }
    }

    fn solve(mut self) -> Vec<Option<usize>> {
        let rows = u32::try_from(self.costs.rows).unwrap_or(NONE);
        let mut free: Vec<u32> = (0..rows).collect();
        for _ in 0..2 {
            free = self.reduce(free);
        }
        for row in free {
            self.augment(row);
        }
        self.column_of.iter().map(|&column| (column != NONE).then_some(column as usize)).collect()
    }

    /// Augmenting row reduction: each row takes its cheapest column and raises the price up to its second choice; a displaced
    /// row tries again. Returns the rows still without a column; rows that are cheaper unassigned are done.
    fn reduce(&mut self, free: Vec<u32>) -> Vec<u32> {
        let mut queue: Vec<u32> = free.into_iter().rev().collect();
        let mut later = Vec::new();
        // Rows with nearly equal costs can displace each other many times; then searches are cheaper.
        let mut tries = 3 * self.costs.rows;
        while let Some(row) = queue.pop() {
            if tries == 0 {
                later.push(row);
                continue;
            }
            tries -= 1;
            let (mut first, mut second) = ((self.unassigned_price, NONE), (i64::MAX, NONE));
            for (column, cost) in self.costs.pairs(row as usize) {
                let value = cost - self.column_price[column];
                if value < second.0 {
                    second = (value, u32::try_from(column).unwrap_or(NONE));
                    if second.0 < first.0 {
                        std::mem::swap(&mut first, &mut second);
                    }
                }
            }
            if first.1 == NONE {
                self.row_price[row as usize] = self.unassigned_price;
                continue;
            }
            let rise = second.0 - first.0;
            let mut column = first.1;
            if rise == 0 && self.row_of[column as usize] != NONE && second.1 != NONE {
                column = second.1;
            }
            self.column_price[column as usize] -= rise;
            self.row_price[row as usize] = second.0;
            let driven = std::mem::replace(&mut self.row_of[column as usize], row);
            self.column_of[row as usize] = column;
            if driven != NONE {
                self.column_of[driven as usize] = NONE;
                if rise > 0 { queue.push(driven) } else { later.push(driven) }
            }
        }
        later
    }

    /// Assigns one row a column, or leaves one row unassigned, along a cheapest alternating path.
    fn augment(&mut self, start: u32) {
        let mut row = start;
        let mut at = 0;
        let min = self.costs.pairs(row as usize).map(|(column, cost)| cost - self.column_price[column]).min();
        self.row_price[row as usize] = min.map_or(self.unassigned_price, |min| min.min(self.unassigned_price));
        // The rows scanned, each with its distance, and the cheapest path that leaves one of them unassigned.
        let mut scanned: Vec<(u32, i64)> = Vec::new();
        let mut unmatched = (i64::MAX, NONE);
        let end = loop {
            scanned.push((row, at));
            let through = at + self.unassigned_price - self.row_price[row as usize];
            if through < unmatched.0 {
                unmatched = (through, row);
            }
            self.relax(row, at, unmatched.0);
            let Some((distance, column)) = self.next_column() else { break NONE };
            if distance >= unmatched.0 {
                break NONE;
            }
            at = distance;
            if self.row_of[column as usize] == NONE {
                break column;
            }
            row = self.row_of[column as usize];
        };
        let total = if end == NONE { unmatched.0 } else { at };
        for &(row, distance) in &scanned {
            self.row_price[row as usize] += total - distance;
            if row != start {
                // The column this row was reached over has the row's distance.
                self.column_price[self.column_of[row as usize] as usize] -= total - distance;
            }
        }
        self.shift_along(start, end, unmatched.1);
        for column in self.touched.drain(..) {
            self.distance[column as usize] = i64::MAX;
        }
        self.heap.clear();
    }

    /// Relaxes every column of a row whose distance through that row is shorter than `limit`.
    fn relax(&mut self, row: u32, at: i64, limit: i64) {
        let base = at - self.row_price[row as usize];
        let range = self.costs.begins[row as usize]..self.costs.begins[row as usize + 1];
        let pairs = self.costs.partner[range.clone()].iter().zip(&self.costs.cost[range]);
        for (&column, &cost) in pairs {
            let place = column as usize;
            let distance = base + cost - self.column_price[place];
            if distance < self.distance[place] && distance < limit {
                if self.distance[place] == i64::MAX {
                    self.touched.push(column);
                }
                self.distance[place] = distance;
                self.reached_from[place] = row;
                self.heap.push(Reverse((distance, column)));
            }
        }
    }

    /// The nearest column not yet scanned.
    fn next_column(&mut self) -> Option<(i64, u32)> {
        while let Some(Reverse((distance, column))) = self.heap.pop() {
            if self.distance[column as usize] == distance {
                // Scanned columns keep their distance: nothing shorter can come, and equal ones are not pushed again.
                return Some((distance, column));
            }
        }
        None
    }

    /// Moves every row on the path to the column it was reached over, back to the start.
    fn shift_along(&mut self, start: u32, end: u32, unmatched: u32) {
        let mut column = end;
        if end == NONE {
            column = std::mem::replace(&mut self.column_of[unmatched as usize], NONE);
            if unmatched == start {
                return;
            }
        }
        loop {
            let row = self.reached_from[column as usize];
            self.row_of[column as usize] = row;
            let before = std::mem::replace(&mut self.column_of[row as usize], column);
            if row == start {
                return;
            }
            column = before;
        }
    }
}

impl AssignError {
    /// The stable code of the error, as written in a line's response.
    pub fn code(&self) -> &'static str {
        match self {
            AssignError::TooLarge { .. } => "too_large",
            AssignError::NotRectangular { .. } => "not_rectangular",
            AssignError::BadPair { .. } => "bad_pair",
            AssignError::Overflow => "overflow",
        }
    }
}

impl fmt::Display for AssignError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AssignError::TooLarge { rows, columns, limit } => {
                write!(out, "{rows} rows and {columns} columns where at most {limit} of each are allowed")
            }
            AssignError::NotRectangular { entries, expected } => {
                write!(out, "{entries} entries where rows times columns is {expected}")
            }
            AssignError::BadPair { row, column } => {
                write!(
                    out,
                    "the pair of row {row} and column {column} is outside the matrix, not in ascending order, or listed twice"
                )
            }
            AssignError::Overflow => write!(out, "a cost is above {MAX_COST}"),
        }
    }
}

impl std::error::Error for AssignError {}
