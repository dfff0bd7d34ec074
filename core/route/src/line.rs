//! One line of JSON in, one line of JSON out: what the command line and the browser package share.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::assign::{AssignFault, Costs, MAX_COST, assign};
use super::problem::{Budget, Pin, Problem, RouteFault, UNREACHABLE};
use super::solve::best_order;

/// The most work a line may ask for: about two seconds.
const MAX_WORK: u64 = 2_000_000_000;

/// A question for an order of visit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RouteQuestion {
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
    pub pins: Vec<PinQuestion>,
    /// Work to spend, in units of about a nanosecond; [`Budget::PROOF`] when absent.
    #[serde(default)]
    pub work: Option<u64>,
}

/// A stop pinned by hand.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PinQuestion {
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

/// An order of visit as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RouteAnswer {
    /// Every index but the start, in the order of visit.
    pub order: Vec<usize>,
    /// Metres in all, the return included where the route is closed.
    pub cost: u64,
    /// Whether no order is shorter.
    pub proven: bool,
    /// No order is shorter than this many metres.
    pub bound: u64,
}

/// A question for an assignment.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct AssignQuestion {
    /// The cost of each row with each column; null is a pair beyond the radius.
    pub costs: Vec<Vec<Option<f64>>>,
    /// What a row without a column costs; when absent as many rows as possible get one.
    #[serde(default)]
    pub unassigned: Option<f64>,
}

/// An assignment as it is written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AssignAnswer {
    /// For every row its column, or -1.
    pub assign: Vec<i64>,
    /// The sum of the costs of the pairs, and of the price of each row without a column where there is a price.
    #[serde(serialize_with = "plain_number")]
    pub cost: f64,
}

/// Why a line has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineFault {
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
    /// An entry is not a whole number where metres are asked for.
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
    /// The route engine's own fault.
    Route(RouteFault),
    /// The assignment's own fault.
    Assign(AssignFault),
}

/// Answers one line with an order of visit.
pub fn route_line(line: &str) -> Result<RouteAnswer, LineFault> {
    let question: RouteQuestion =
        serde_json::from_str(line).map_err(|fault| LineFault::Malformed(fault.to_string()))?;
    answer_route(&question)
}

/// Answers one line with an assignment.
pub fn assign_line(line: &str) -> Result<AssignAnswer, LineFault> {
    let question: AssignQuestion =
        serde_json::from_str(line).map_err(|fault| LineFault::Malformed(fault.to_string()))?;
    answer_assign(&question)
}

/// Answers a question for an order of visit.
pub fn answer_route(question: &RouteQuestion) -> Result<RouteAnswer, LineFault> {
    let size = question.matrix.len();
    let mut metres = Vec::with_capacity(size * size);
    for (row, entries) in question.matrix.iter().enumerate() {
        if entries.len() != size {
            return Err(LineFault::NotSquare { row, expected: size, found: entries.len() });
        }
        for (column, &entry) in entries.iter().enumerate() {
            metres.push(whole(row, column, entry)?);
        }
    }
    let mut problem = Problem::new(size, metres)?.closed(question.closed).start(question.start)?;
    for pin in &question.pins {
        let place = if pin.pin == PinName::First { Pin::First } else { Pin::Last };
        problem = problem.pin(pin.stop, place)?;
    }
    let budget = question.work.map_or(Budget::PROOF, |work| Budget::of_work(work.min(MAX_WORK)));
    let visit = best_order(&problem, budget)?;
    Ok(RouteAnswer { order: visit.order, cost: visit.cost, proven: visit.proven, bound: visit.bound })
}

/// Answers a question for an assignment.
///
/// Costs need not be whole: they are scaled by a power of two to 42 bits, which is exact for whole numbers.
pub fn answer_assign(question: &AssignQuestion) -> Result<AssignAnswer, LineFault> {
    let columns = question.costs.first().map_or(0, Vec::len);
    let mut most = question.unassigned.unwrap_or(0.0);
    if !(0.0..=f64::from(u32::MAX)).contains(&most) {
        return Err(LineFault::BadPrice);
    }
    for (row, entries) in question.costs.iter().enumerate() {
        if entries.len() != columns {
            return Err(LineFault::NotSquare { row, expected: columns, found: entries.len() });
        }
        for (column, &entry) in entries.iter().enumerate() {
            most = most.max(entry.map_or(Ok(0.0), |entry| in_range(row, column, entry))?);
        }
    }
    let mut scale = 1.0;
    while most * scale * 2.0 <= f64::from(u32::MAX) * 512.0 && scale < 1e12 {
        scale *= 2.0;
    }
    let pairs = question.costs.iter().enumerate().flat_map(|(row, entries)| {
        let allowed = entries.iter().enumerate();
        allowed.filter_map(move |(column, &entry)| Some((row, column, scaled(entry?, scale))))
    });
    let costs = Costs::sparse(question.costs.len(), columns, pairs)?;
    let found = assign(&costs, question.unassigned.map(|price| scaled(price, scale)))?;
    let mut cost = 0.0;
    for (row, column) in found.columns.iter().enumerate() {
        let entry = column.and_then(|column| question.costs[row][column]);
        cost += entry.or(question.unassigned).unwrap_or(0.0);
    }
    let column = |column: &Option<usize>| column.and_then(|column| i64::try_from(column).ok()).unwrap_or(-1);
    Ok(AssignAnswer { assign: found.columns.iter().map(column).collect(), cost })
}

impl LineFault {
    /// The stable code of the fault.
    pub fn code(&self) -> &'static str {
        match self {
            LineFault::Malformed(_) => "malformed",
            LineFault::NotSquare { .. } => "not_square",
            LineFault::Negative { .. } => "negative",
            LineFault::NotWhole { .. } => "not_whole",
            LineFault::Overflow { .. } => "overflow",
            LineFault::BadPrice => "bad_price",
            LineFault::Route(fault) => fault.code(),
            LineFault::Assign(fault) => fault.code(),
        }
    }

    /// The fault as a line of JSON: its code, and a detail for people.
    pub fn to_json(&self) -> String {
        serde_json::json!({ "error": self.code(), "detail": self.to_string() }).to_string()
    }
}

impl fmt::Display for LineFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineFault::Malformed(detail) => write!(out, "{detail}"),
            LineFault::NotSquare { row, expected, found } => {
                write!(out, "row {row} has {found} entries where {expected} are expected")
            }
            LineFault::Negative { row, column } => write!(out, "the entry in row {row}, column {column} is negative"),
            LineFault::NotWhole { row, column } => {
                write!(out, "the entry in row {row}, column {column} is not a whole number")
            }
            LineFault::Overflow { row, column } => write!(out, "the entry in row {row}, column {column} is too large"),
            LineFault::BadPrice => write!(out, "the price of a row without a column is negative or too large"),
            LineFault::Route(fault) => write!(out, "{fault}"),
            LineFault::Assign(fault) => write!(out, "{fault}"),
        }
    }
}

impl std::error::Error for LineFault {}

impl From<RouteFault> for LineFault {
    fn from(fault: RouteFault) -> LineFault {
        LineFault::Route(fault)
    }
}

impl From<AssignFault> for LineFault {
    fn from(fault: AssignFault) -> LineFault {
        LineFault::Assign(fault)
    }
}

/// An entry as whole metres.
fn whole(row: usize, column: usize, entry: Option<f64>) -> Result<u32, LineFault> {
    let Some(entry) = entry else { return Ok(UNREACHABLE) };
    let entry = in_range(row, column, entry)?;
    if entry.fract() != 0.0 {
        return Err(LineFault::NotWhole { row, column });
    }
    let metres = u32::try_from(scaled(entry, 1.0)).unwrap_or(UNREACHABLE);
    if metres == UNREACHABLE { Err(LineFault::Overflow { row, column }) } else { Ok(metres) }
}

/// An entry from zero to the largest that fits 32 bits.
fn in_range(row: usize, column: usize, entry: f64) -> Result<f64, LineFault> {
    match entry {
        _ if entry < 0.0 => Err(LineFault::Negative { row, column }),
        _ if entry <= f64::from(u32::MAX) => Ok(entry),
        _ => Err(LineFault::Overflow { row, column }),
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
