//! One line of JSON in, one line of JSON out: what the command line and the browser package share.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::assign::{AssignError, Costs, MAX_COST, assign};
use super::problem::{Budget, Pin, Problem, RouteError, UNREACHABLE};
use super::solve::best_order;

/// The maximum work of one line: about two seconds.
const MAX_WORK: u64 = 2_000_000_000;

/// A request for a visiting order.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RouteRequest {
    /// Whole metres from each place to each other, row by row; null is a road that does not exist.
    pub matrix: Vec<Vec<Option<f64>>>,
    /// Whether the route returns to its start.
    #[serde(default)]
    pub closed: bool,
    /// The index the route starts at.
    #[serde(default)]
    pub start: usize,
    /// Stops pinned by hand.
    #[serde(default)]
    pub pins: Vec<PinRequest>,
    /// Work to spend, in units of about a nanosecond; [`Budget::PROOF`] when absent.
    #[serde(default)]
    pub work: Option<u64>,
}

/// A stop pinned by hand.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PinRequest {
    /// Its index in the matrix.
    pub stop: usize,
    /// Where it is pinned.
    pub pin: PinName,
}

/// A pin as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PinName {
    /// Right after the start.
    First,
    /// At the end, before a return.
    Last,
}

/// A visiting order as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RouteResponse {
    /// Every index but the start, in the order of visit.
    pub order: Vec<usize>,
    /// Metres in all, the return included where the route is closed.
    pub cost: u64,
    /// Whether no order is shorter.
    pub proven: bool,
    /// No order is shorter than this many metres.
    pub bound: u64,
}

/// A request for an assignment.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct AssignRequest {
    /// The cost of each row with each column; null is a pair beyond the radius.
    pub costs: Vec<Vec<Option<f64>>>,
    /// What a row without a column costs; when absent as many rows as possible get one.
    #[serde(default)]
    pub unassigned: Option<f64>,
}

/// An assignment as it is written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AssignResponse {
    /// For every row its column, or -1.
    pub assign: Vec<i64>,
    /// The sum of the pairs' costs and of the price of each unassigned row, if there is such a price.
    #[serde(serialize_with = "plain_number")]
    pub cost: f64,
}

/// The reason a line has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineError {
    /// Not JSON, or not of the documented shape.
    Malformed(String),
    /// A row of the matrix is longer or shorter than it must be.
    NotSquare {
        /// The row.
        row: usize,
        /// How long it must be.
        expected: usize,
        /// How long it is.
        found: usize,
    },
    /// An entry is negative.
    Negative {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// An entry of a matrix of metres is not a whole number.
    NotWhole {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// An entry is larger than can be added up.
    Overflow {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// The price of a row without a column is negative or too large.
    BadPrice,
    /// An error of the route engine.
    Route(RouteError),
    /// An error of the assignment.
    Assign(AssignError),
}

/// Solves one line for a visiting order.
pub fn route_line(line: &str) -> Result<RouteResponse, LineError> {
    let request: RouteRequest = serde_json::from_str(line).map_err(|error| LineError::Malformed(error.to_string()))?;
    solve_route(&request)
}

/// Solves one line for an assignment.
pub fn assign_line(line: &str) -> Result<AssignResponse, LineError> {
    let request: AssignRequest = serde_json::from_str(line).map_err(|error| LineError::Malformed(error.to_string()))?;
    solve_assign(&request)
}

/// Solves a request for a visiting order.
pub fn solve_route(request: &RouteRequest) -> Result<RouteResponse, LineError> {
    let size = request.matrix.len();
    let mut metres = Vec::with_capacity(size * size);
    for (row, entries) in request.matrix.iter().enumerate() {
        if entries.len() != size {
            return Err(LineError::NotSquare { row, expected: size, found: entries.len() });
        }
        for (column, &entry) in entries.iter().enumerate() {
            metres.push(whole(row, column, entry)?);
        }
    }
    let mut problem = Problem::new(size, metres)?.closed(request.closed).start(request.start)?;
    for pin in &request.pins {
        let place = if pin.pin == PinName::First { Pin::First } else { Pin::Last };
        problem = problem.pin(pin.stop, place)?;
    }
    let budget = request.work.map_or(Budget::PROOF, |work| Budget::of_work(work.min(MAX_WORK)));
    let visit = best_order(&problem, budget)?;
    Ok(RouteResponse { order: visit.order, cost: visit.cost, proven: visit.proven, bound: visit.bound })
}

/// Solves a request for an assignment.
///
/// Costs need not be whole: they are scaled by a power of two to 42 bits, which is exact for whole numbers.
pub fn solve_assign(request: &AssignRequest) -> Result<AssignResponse, LineError> {
    let columns = request.costs.first().map_or(0, Vec::len);
    let mut max = request.unassigned.unwrap_or(0.0);
    if !(0.0..=f64::from(u32::MAX)).contains(&max) {
        return Err(LineError::BadPrice);
    }
    for (row, entries) in request.costs.iter().enumerate() {
        if entries.len() != columns {
            return Err(LineError::NotSquare { row, expected: columns, found: entries.len() });
        }
        for (column, &entry) in entries.iter().enumerate() {
            max = max.max(entry.map_or(Ok(0.0), |entry| in_range(row, column, entry))?);
        }
    }
    let mut scale = 1.0;
    while max * scale * 2.0 <= f64::from(u32::MAX) * 512.0 && scale < 1e12 {
        scale *= 2.0;
    }
    let pairs = request.costs.iter().enumerate().flat_map(|(row, entries)| {
        let allowed = entries.iter().enumerate();
        allowed.filter_map(move |(column, &entry)| Some((row, column, scaled(entry?, scale))))
    });
    let costs = Costs::sparse(request.costs.len(), columns, pairs)?;
    let found = assign(&costs, request.unassigned.map(|price| scaled(price, scale)))?;
    let mut cost = 0.0;
    for (row, column) in found.columns.iter().enumerate() {
        let entry = column.and_then(|column| request.costs[row][column]);
        cost += entry.or(request.unassigned).unwrap_or(0.0);
    }
    let column = |column: &Option<usize>| column.and_then(|column| i64::try_from(column).ok()).unwrap_or(-1);
    Ok(AssignResponse { assign: found.columns.iter().map(column).collect(), cost })
}

impl LineError {
    /// The stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            LineError::Malformed(_) => "malformed",
            LineError::NotSquare { .. } => "not_square",
            LineError::Negative { .. } => "negative",
            LineError::NotWhole { .. } => "not_whole",
            LineError::Overflow { .. } => "overflow",
            LineError::BadPrice => "bad_price",
            LineError::Route(error) => error.code(),
            LineError::Assign(error) => error.code(),
        }
    }

    /// The error as a line of JSON: its code and a detail for people.
    pub fn to_json(&self) -> String {
        serde_json::json!({ "error": self.code(), "detail": self.to_string() }).to_string()
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineError::Malformed(detail) => write!(out, "{detail}"),
            LineError::NotSquare { row, expected, found } => {
                write!(out, "row {row} has {found} entries where {expected} are expected")
            }
            LineError::Negative { row, column } => write!(out, "the entry in row {row}, column {column} is negative"),
            LineError::NotWhole { row, column } => {
                write!(out, "the entry in row {row}, column {column} is not a whole number")
            }
            LineError::Overflow { row, column } => write!(out, "the entry in row {row}, column {column} is too large"),
            LineError::BadPrice => write!(out, "the price of a row without a column is negative or too large"),
            LineError::Route(error) => write!(out, "{error}"),
            LineError::Assign(error) => write!(out, "{error}"),
        }
    }
}

impl std::error::Error for LineError {}

impl From<RouteError> for LineError {
    fn from(error: RouteError) -> LineError {
        LineError::Route(error)
    }
}

impl From<AssignError> for LineError {
    fn from(error: AssignError) -> LineError {
        LineError::Assign(error)
    }
}

/// An entry as whole metres.
fn whole(row: usize, column: usize, entry: Option<f64>) -> Result<u32, LineError> {
    let Some(entry) = entry else { return Ok(UNREACHABLE) };
    let entry = in_range(row, column, entry)?;
    if entry.fract() != 0.0 {
        return Err(LineError::NotWhole { row, column });
    }
    let metres = u32::try_from(scaled(entry, 1.0)).unwrap_or(UNREACHABLE);
    if metres == UNREACHABLE { Err(LineError::Overflow { row, column }) } else { Ok(metres) }
}

/// An entry from zero to the largest that fits 32 bits.
fn in_range(row: usize, column: usize, entry: f64) -> Result<f64, LineError> {
    match entry {
        _ if entry < 0.0 => Err(LineError::Negative { row, column }),
        _ if entry <= f64::from(u32::MAX) => Ok(entry),
        _ => Err(LineError::Overflow { row, column }),
    }
}

/// A number in range times a power of two, rounded to a whole number.
fn scaled(number: f64, scale: f64) -> u64 {
    exact(number * scale + 0.5).min(MAX_COST)
}

/// The whole part of a number from zero up.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "never negative, far below 2^64")]
fn exact(number: f64) -> u64 {
    number as u64
}

/// Writes a whole number without a fraction.
fn plain_number<S: serde::Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    // Sums of whole costs stay below 2^53, where every whole number is exact.
    if number.fract() == 0.0 { to.serialize_u64(exact(*number)) } else { to.serialize_f64(*number) }
}
