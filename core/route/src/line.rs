//! JSON requests and responses on single lines, shared by the command line and the browser package.

use serde::{Deserialize, Serialize};

use super::assign::{AssignError, Costs, MAX_COST, assign};
use super::problem::{Budget, Pin, Problem, RouteError, UNREACHABLE};
use super::solve::best_order;

/// The maximum work of one request: about two seconds.
const MAX_WORK: u64 = 2_000_000_000;

/// A request for a visiting order.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RouteRequest {
    /// The distances in whole metres, row by row. `null` marks a missing road.
    pub matrix: Vec<Vec<Option<f64>>>,
    /// Whether the route returns to its start.
    #[serde(default)]
    pub closed: bool,
    /// The index at which the route starts.
    #[serde(default)]
    pub start: usize,
    /// The pinned stops.
    #[serde(default)]
    pub pins: Vec<PinRequest>,
    /// The budget in units of about a nanosecond. Defaults to [`Budget::PROOF`].
    #[serde(default)]
    pub work: Option<u64>,
}

/// A pinned stop.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PinRequest {
    /// The stop's index in the matrix.
    pub stop: usize,
    /// The position.
    pub pin: PinName,
}

/// The JSON name of a [`Pin`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PinName {
    /// Directly after the start.
    First,
    /// Last, before the return if the route is closed.
    Last,
}

/// The response to a [`RouteRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RouteResponse {
    /// Every index except the start, in visiting order.
    pub order: Vec<usize>,
    /// The length in metres, including the return if the route is closed.
    pub cost: u64,
    /// Whether it is proven that no order is shorter.
    pub proven: bool,
    /// A lower bound in metres on the length of every order.
    pub bound: u64,
}

/// A request for an assignment.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct AssignRequest {
    /// The cost of each row with each column. `null` marks a pair that is not allowed.
    pub costs: Vec<Vec<Option<f64>>>,
    /// The price of an unassigned row. If absent, the maximum number of rows is assigned.
    #[serde(default)]
    pub unassigned: Option<f64>,
}

/// The response to an [`AssignRequest`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AssignResponse {
    /// The column of each row, or -1 if the row is unassigned.
    pub assign: Vec<i64>,
    /// The sum of the assigned pairs' costs and of the price of each unassigned row, if a price was
    /// given.
    #[serde(serialize_with = "plain_number")]
    pub cost: f64,
}

/// An error that prevents a request from being solved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// The line is not JSON or does not have the documented structure.
    #[error("{0}")]
    Malformed(String),
    /// A row of the matrix has the wrong length.
    #[error("row {row} has {found} entries; expected {expected}")]
    NotSquare {
        /// The row.
        row: usize,
        /// The expected number of entries.
        expected: usize,
        /// The number of entries found.
        found: usize,
    },
    /// An entry is negative.
    #[error("the entry in row {row}, column {column} is negative")]
    Negative {
        /// The row of the entry.
        row: usize,
        /// The column of the entry.
        column: usize,
    },
    /// A distance is not a whole number.
    #[error("the entry in row {row}, column {column} is not a whole number")]
    NotWhole {
        /// The row of the entry.
        row: usize,
        /// The column of the entry.
        column: usize,
    },
    /// An entry is too large.
    #[error("the entry in row {row}, column {column} is too large")]
    Overflow {
        /// The row of the entry.
        row: usize,
        /// The column of the entry.
        column: usize,
    },
    /// The price of an unassigned row is negative or too large.
    #[error("the price of an unassigned row is negative or too large")]
    BadPrice,
    /// An error of the route engine.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// An error of the assignment.
    #[error(transparent)]
    Assign(#[from] AssignError),
}

/// Parses and solves a [`RouteRequest`].
///
/// # Errors
///
/// Returns [`LineError::Malformed`] if the line cannot be parsed, and the errors of
/// [`solve_route`].
pub fn route_line(line: &str) -> Result<RouteResponse, LineError> {
    let request: RouteRequest =
        serde_json::from_str(line).map_err(|error| LineError::Malformed(error.to_string()))?;
    solve_route(&request)
}

/// Parses and solves an [`AssignRequest`].
///
/// # Errors
///
/// Returns [`LineError::Malformed`] if the line cannot be parsed, and the errors of
/// [`solve_assign`].
pub fn assign_line(line: &str) -> Result<AssignResponse, LineError> {
    let request: AssignRequest =
        serde_json::from_str(line).map_err(|error| LineError::Malformed(error.to_string()))?;
    solve_assign(&request)
}

/// Solves a request for a visiting order.
///
/// # Errors
///
/// Returns an error if an entry of the matrix or another field is invalid, or if no order was
/// found.
pub fn solve_route(request: &RouteRequest) -> Result<RouteResponse, LineError> {
    let size = request.matrix.len();
    let mut metres = Vec::with_capacity(size * size);
    for (row, entries) in request.matrix.iter().enumerate() {
        if entries.len() != size {
            return Err(LineError::NotSquare {
                row,
                expected: size,
                found: entries.len(),
            });
        }
        for (column, &entry) in entries.iter().enumerate() {
            metres.push(whole_metres(row, column, entry)?);
        }
    }
    let mut problem = Problem::new(size, metres)?
        .closed(request.closed)
        .start(request.start)?;
    for pin in &request.pins {
        let place = if pin.pin == PinName::First {
            Pin::First
        } else {
            Pin::Last
        };
        problem = problem.pin(pin.stop, place)?;
    }
    let budget = request
        .work
        .map_or(Budget::PROOF, |work| Budget::of_work(work.min(MAX_WORK)));
    let visit = best_order(&problem, budget)?;
    Ok(RouteResponse {
        order: visit.order,
        cost: visit.cost,
        proven: visit.proven,
        bound: visit.bound,
    })
}

/// Solves a request for an assignment.
///
/// Costs need not be whole numbers. They are scaled by a power of two to 42 bits, which is exact
/// for whole numbers.
///
/// # Errors
///
/// Returns an error if an entry of the matrix or the price is invalid.
pub fn solve_assign(request: &AssignRequest) -> Result<AssignResponse, LineError> {
    let columns = request.costs.first().map_or(0, Vec::len);
    let mut max = request.unassigned.unwrap_or(0.0);
    if !(0.0..=f64::from(u32::MAX)).contains(&max) {
        return Err(LineError::BadPrice);
    }
    for (row, entries) in request.costs.iter().enumerate() {
        if entries.len() != columns {
            return Err(LineError::NotSquare {
                row,
                expected: columns,
                found: entries.len(),
            });
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
    let column = |column: &Option<usize>| {
        column
            .and_then(|column| i64::try_from(column).ok())
            .unwrap_or(-1)
    };
    Ok(AssignResponse {
        assign: found.columns.iter().map(column).collect(),
        cost,
    })
}

impl LineError {
    /// Returns the stable error code.
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

    /// Returns the error as a line of JSON with its code and a description.
    pub fn to_json(&self) -> String {
        serde_json::json!({ "error": self.code(), "detail": self.to_string() }).to_string()
    }
}

/// Converts an entry to whole metres.
fn whole_metres(row: usize, column: usize, entry: Option<f64>) -> Result<u32, LineError> {
    let Some(entry) = entry else {
        return Ok(UNREACHABLE);
    };
    let entry = in_range(row, column, entry)?;
    if entry.fract() != 0.0 {
        return Err(LineError::NotWhole { row, column });
    }
    let metres = u32::try_from(scaled(entry, 1.0)).unwrap_or(UNREACHABLE);
    if metres == UNREACHABLE {
        Err(LineError::Overflow { row, column })
    } else {
        Ok(metres)
    }
}

/// Checks that an entry is not negative and fits 32 bits.
fn in_range(row: usize, column: usize, entry: f64) -> Result<f64, LineError> {
    match entry {
        _ if entry < 0.0 => Err(LineError::Negative { row, column }),
        _ if entry <= f64::from(u32::MAX) => Ok(entry),
        _ => Err(LineError::Overflow { row, column }),
    }
}

/// Scales a number and rounds it to a whole number.
fn scaled(number: f64, scale: f64) -> u64 {
    exact(number * scale + 0.5).min(MAX_COST)
}

/// Converts a non-negative number to an integer by truncation.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "never negative, far below 2^64"
)]
fn exact(number: f64) -> u64 {
    number as u64
}

/// Serializes a whole number without a fraction.
fn plain_number<S: serde::Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    // Sums of whole costs are below 2^53 and therefore exact.
    if number.fract() == 0.0 {
        to.serialize_u64(exact(*number))
    } else {
        to.serialize_f64(*number)
    }
}
