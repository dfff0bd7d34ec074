//! Minimum-cost assignment of couriers to waiting orders. Each courier gets at most one order, and
//! pairs beyond the radius are not allowed.
//!
//! The algorithm finds shortest augmenting paths over the allowed pairs (Jonker and Volgenant
//! 1987). Augmenting row reduction assigns most rows directly; the others are assigned by
//! Dijkstra's algorithm over reduced costs. A row can also stay unassigned at a price, as if it had
//! its own column, so a solution always exists. The time is cubic in the number of rows in the
//! worst case, and in practice proportional to the number of pairs. Published crates take dense
//! square matrices. With a radius, about one pair in fifty is allowed; filling in the rest with
//! large numbers loses the time and memory that the radius saves.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::problem::UNREACHABLE;

/// The maximum number of rows, and of columns.
pub const MAX_SIDE: usize = 20_000;
/// The maximum cost of a pair. The sum over [`MAX_SIDE`] pairs is far from overflow.
pub const MAX_COST: u64 = 1 << 42;

/// The index that stands for no row or no column.
const NONE: u32 = u32::MAX;

/// A sparse cost matrix. Only the pairs in it are allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Costs {
    rows: usize,
    columns: usize,
    /// The index of each row's first pair, and the number of pairs at the end.
    row_starts: Vec<usize>,
    /// The column of each pair.
    column_of_pair: Vec<u32>,
    /// The cost of each pair.
    cost: Vec<i64>,
}

/// An assignment of rows to columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The column of each row, or `None` if the row is unassigned.
    pub columns: Vec<Option<usize>>,
    /// The sum of the assigned pairs' costs and of the price of each unassigned row, if a price was
    /// given.
    pub cost: u64,
}

/// An error in the costs or the price.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AssignError {
    /// There are more than [`MAX_SIDE`] rows or columns.
    #[error("{rows} rows and {columns} columns exceed the maximum of {limit} each")]
    TooLarge {
        /// The number of rows received.
        rows: usize,
        /// The number of columns received.
        columns: usize,
        /// The maximum number of either.
        limit: usize,
    },
    /// The number of entries is not rows times columns.
    #[error("expected {expected} entries (rows times columns), found {entries}")]
    NotRectangular {
        /// The number of entries received.
        entries: usize,
        /// The number of entries expected.
        expected: usize,
    },
    /// A pair is outside the matrix, listed twice, or not in ascending order of rows.
    #[error(
        "the pair of row {row} and column {column} is outside the matrix, not in ascending order, or listed twice"
    )]
    BadPair {
        /// The row of the pair.
        row: usize,
        /// The column of the pair.
        column: usize,
    },
    /// A cost, or the price of an unassigned row, is above [`MAX_COST`].
    #[error("a cost or the price of an unassigned row is above {MAX_COST}")]
    Overflow,
}

impl Costs {
    /// Creates costs from a dense row-major matrix. [`UNREACHABLE`] marks a pair that is not
    /// allowed.
    ///
    /// # Errors
    ///
    /// Returns [`AssignError::NotRectangular`] if `entries` does not have `rows` × `columns`
    /// entries, and [`AssignError::TooLarge`] if there are more than [`MAX_SIDE`] rows or columns.
    pub fn dense(rows: usize, columns: usize, entries: &[u32]) -> Result<Costs, AssignError> {
        if entries.len() != rows * columns {
            return Err(AssignError::NotRectangular {
                entries: entries.len(),
                expected: rows * columns,
            });
        }
        let pairs = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let allowed = pairs.zip(entries).filter(|&(_, &cost)| cost != UNREACHABLE);
        Costs::sparse(
            rows,
            columns,
            allowed.map(|((row, column), &cost)| (row, column, u64::from(cost))),
        )
    }

    /// Creates costs from the allowed pairs `(row, column, cost)`, in ascending order of rows.
    ///
    /// # Errors
    ///
    /// Returns [`AssignError::TooLarge`] if there are more than [`MAX_SIDE`] rows or columns,
    /// [`AssignError::BadPair`] if a pair is outside the matrix, listed twice or out of sequence,
    /// and [`AssignError::Overflow`] if a cost is above [`MAX_COST`].
    pub fn sparse(
        rows: usize,
        columns: usize,
        pairs: impl IntoIterator<Item = (usize, usize, u64)>,
    ) -> Result<Costs, AssignError> {
        if rows > MAX_SIDE || columns > MAX_SIDE {
            return Err(AssignError::TooLarge {
                rows,
                columns,
                limit: MAX_SIDE,
            });
        }
        let mut costs = Costs {
            rows,
            columns,
            row_starts: vec![0],
            column_of_pair: Vec::new(),
            cost: Vec::new(),
        };
        let mut seen = vec![usize::MAX; columns];
        for (row, column, cost) in pairs {
            let known = row + 1 >= costs.row_starts.len() && row < rows;
            if !known || seen.get(column).is_none_or(|&last| last == row) {
                return Err(AssignError::BadPair { row, column });
            }
            seen[column] = row;
            costs.row_starts.resize(row + 1, costs.cost.len());
            costs
                .column_of_pair
                .push(u32::try_from(column).unwrap_or(NONE));
            costs.cost.push(
                i64::try_from(cost)
                    .ok()
                    .filter(|_| cost <= MAX_COST)
                    .ok_or(AssignError::Overflow)?,
            );
        }
        costs.row_starts.resize(rows + 1, costs.cost.len());
        Ok(costs)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the columns and costs of a row.
    fn pairs(&self, row: usize) -> impl Iterator<Item = (usize, i64)> + '_ {
        let range = self.row_starts[row]..self.row_starts[row + 1];
        self.column_of_pair[range.clone()]
            .iter()
            .zip(&self.cost[range])
            .map(|(&column, &cost)| (column as usize, cost))
    }

    /// Returns the transposed costs.
    fn transposed(&self) -> Costs {
        let mut row_starts = vec![0; self.columns + 1];
        for &column in &self.column_of_pair {
            row_starts[column as usize + 1] += 1;
        }
        for column in 0..self.columns {
            row_starts[column + 1] += row_starts[column];
        }
        let mut next = row_starts.clone();
        let (mut column_of_pair, mut cost) =
            (vec![0; self.column_of_pair.len()], vec![0; self.cost.len()]);
        for row in 0..self.rows {
            for (column, price) in self.pairs(row) {
                column_of_pair[next[column]] = u32::try_from(row).unwrap_or(NONE);
                cost[next[column]] = price;
                next[column] += 1;
            }
        }
        Costs {
            rows: self.columns,
            columns: self.rows,
            row_starts,
            column_of_pair,
            cost,
        }
    }
}

/// Returns the assignment with the minimum total cost.
///
/// With `unassigned_price`, a row is assigned only if this lowers the total. Without it, the
/// maximum number of rows is assigned, at the minimum cost. The result is deterministic.
///
/// # Errors
///
/// Returns [`AssignError::Overflow`] if the price is above [`MAX_COST`].
pub fn assign(costs: &Costs, unassigned_price: Option<u64>) -> Result<Assignment, AssignError> {
    if unassigned_price.is_some_and(|price| price > MAX_COST) {
        return Err(AssignError::Overflow);
    }
    let max_cost = costs.cost.iter().copied().max().unwrap_or(0);
    let max_pairs = i64::try_from(costs.rows.min(costs.columns)).unwrap_or(i64::MAX);
    // Without a price, an unassigned row costs more than any number of pairs.
    let price = unassigned_price.map_or((max_cost + 1) * (max_pairs + 1), u64::cast_signed);
    let columns = if costs.rows <= costs.columns {
        Matching::new(costs, price).solve()
    } else {
        // The shorter side searches for partners. A pair saves the same price whichever side would
        // be unassigned.
        let transposed = costs.transposed();
        let rows = Matching::new(&transposed, price).solve();
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
        cost += paid.map_or(unassigned_price.unwrap_or(0), |(_, cost)| {
            cost.cast_unsigned()
        });
    }
    Ok(Assignment { columns, cost })
}

/// A partial assignment and the dual prices that prove it optimal.
struct Matching<'a> {
    costs: &'a Costs,
    unassigned_price: i64,
    column_of: Vec<u32>,
    row_of: Vec<u32>,
    /// Dual prices of rows and columns: no pair costs less than their sum, and each assigned pair
    /// costs exactly the sum.
    row_price: Vec<i64>,
    column_price: Vec<i64>,
    /// The state of one search: tentative distances, the row that reached each column, and the
    /// columns to reset afterwards.
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
        self.column_of
            .iter()
            .map(|&column| (column != NONE).then_some(column as usize))
            .collect()
    }

    /// Performs augmenting row reduction: each row takes its cheapest column and raises the price
    /// to its second choice. A displaced row tries again. Returns the rows that are still
    /// unassigned, without those that are cheaper unassigned.
    fn reduce(&mut self, free: Vec<u32>) -> Vec<u32> {
        let mut queue: Vec<u32> = free.into_iter().rev().collect();
        let mut later = Vec::new();
        // Rows with nearly equal costs can displace each other many times. Augmenting paths are
        // cheaper then.
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
            let displaced = std::mem::replace(&mut self.row_of[column as usize], row);
            self.column_of[row as usize] = column;
            if displaced != NONE {
                self.column_of[displaced as usize] = NONE;
                if rise > 0 {
                    queue.push(displaced)
                } else {
                    later.push(displaced)
                }
            }
        }
        later
    }

    /// Assigns one more row along a cheapest alternating path, or leaves one row unassigned.
    fn augment(&mut self, start: u32) {
        let mut row = start;
        let mut at = 0;
        let min = self
            .costs
            .pairs(row as usize)
            .map(|(column, cost)| cost - self.column_price[column])
            .min();
        self.row_price[row as usize] =
            min.map_or(self.unassigned_price, |min| min.min(self.unassigned_price));
        // The scanned rows with their distances, and the cheapest path that leaves one of them
        // unassigned.
        let mut scanned: Vec<(u32, i64)> = Vec::new();
        let mut unmatched = (i64::MAX, NONE);
        let end = loop {
            scanned.push((row, at));
            let through = at + self.unassigned_price - self.row_price[row as usize];
            if through < unmatched.0 {
                unmatched = (through, row);
            }
            self.relax(row, at, unmatched.0);
            let Some((distance, column)) = self.next_column() else {
                break NONE;
            };
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
                // The column through which this row was reached has the row's distance.
                self.column_price[self.column_of[row as usize] as usize] -= total - distance;
            }
        }
        self.augment_path(start, end, unmatched.1);
        for column in self.touched.drain(..) {
            self.distance[column as usize] = i64::MAX;
        }
        self.heap.clear();
    }

    /// Relaxes every column of a row whose distance through that row is less than `limit`.
    fn relax(&mut self, row: u32, at: i64, limit: i64) {
        let base = at - self.row_price[row as usize];
        let range = self.costs.row_starts[row as usize]..self.costs.row_starts[row as usize + 1];
        let pairs = self.costs.column_of_pair[range.clone()]
            .iter()
            .zip(&self.costs.cost[range]);
        for (&column, &cost) in pairs {
            let index = column as usize;
            let distance = base + cost - self.column_price[index];
            if distance < self.distance[index] && distance < limit {
                if self.distance[index] == i64::MAX {
                    self.touched.push(column);
                }
                self.distance[index] = distance;
                self.reached_from[index] = row;
                self.heap.push(Reverse((distance, column)));
            }
        }
    }

    /// Returns the nearest column that is not yet scanned.
    fn next_column(&mut self) -> Option<(i64, u32)> {
        while let Some(Reverse((distance, column))) = self.heap.pop() {
            if self.distance[column as usize] == distance {
                // Scanned columns keep their distance: no shorter one can follow, and equal ones
                // are not pushed again.
                return Some((distance, column));
            }
        }
        None
    }

    /// Augments the path: moves every row to the column through which it was reached, back to the
    /// start.
    fn augment_path(&mut self, start: u32, end: u32, unmatched: u32) {
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
    /// Returns the stable error code, as used in [`line`](crate::line) responses.
    pub fn code(&self) -> &'static str {
        match self {
            AssignError::TooLarge { .. } => "too_large",
            AssignError::NotRectangular { .. } => "not_rectangular",
            AssignError::BadPair { .. } => "bad_pair",
            AssignError::Overflow => "overflow",
        }
    }
}
