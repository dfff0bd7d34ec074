//! Input and output of the route engine: the matrix, pins, budget, visiting order and errors.

use std::fmt;

/// The matrix entry for a road that does not exist.
pub const UNREACHABLE: u32 = u32::MAX;

/// The maximum number of stops of a problem, the start not counted. Configuration can only lower it.
pub const MAX_STOPS: usize = 200;

/// A fixed position in the visiting order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub enum Pin {
    /// The stop is visited right after the start.
    First,
    /// The stop is visited last, before the return if there is one.
    Last,
}

/// A routing problem: the start, the matrix of legs, the pins, and whether the route returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub(super) size: usize,
    pub(super) metres: Vec<u32>,
    pub(super) start: usize,
    pub(super) closed: bool,
    pub(super) pins: Vec<(usize, Pin)>,
}

/// A visiting order, its length and its lower bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// Every index but the start, in the order of visit.
    pub order: Vec<usize>,
    /// The sum of the legs in metres, the return included where the route is closed.
    pub cost: u64,
    /// Whether it is proven that no order is shorter.
    pub proven: bool,
    /// A lower bound in metres on the length of every order; equal to `cost` if `proven` is true.
    pub bound: u64,
}

/// How much work a search may do, in units of about one nanosecond on a present-day core.
///
/// Work is counted, never timed: the same problem gets the same result on every host, whatever its load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub(super) work: u64,
}

/// The reason there is no visiting order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RouteError {
    /// The matrix has no row, so there is no start.
    Empty,
    /// More stops than [`MAX_STOPS`].
    TooManyStops {
        /// Stops in the problem.
        stops: usize,
        /// Stops that are allowed.
        limit: usize,
    },
    /// The number of entries is not the square of the size.
    NotSquare {
        /// Rows and columns announced.
        size: usize,
        /// Entries received.
        entries: usize,
    },
    /// The start is not an index of the matrix.
    BadStart {
        /// The index received.
        start: usize,
        /// Rows of the matrix.
        size: usize,
    },
    /// A pin names no stop, names the start, or contradicts another pin.
    BadPin {
        /// The stop that was pinned.
        stop: usize,
    },
    /// Every order needs a road that does not exist; this is proven.
    Infeasible,
    /// The budget ended before an order without a missing road was found; there may be one.
    Unresolved,
}

impl Problem {
    /// A problem over `size` places and a row-major matrix of whole metres; it starts at index 0 and does not return.
    pub fn new(size: usize, metres: Vec<u32>) -> Result<Problem, RouteError> {
        if size == 0 {
            return Err(RouteError::Empty);
        }
        if size - 1 > MAX_STOPS {
            return Err(RouteError::TooManyStops { stops: size - 1, limit: MAX_STOPS });
        }
        if metres.len() != size * size {
            return Err(RouteError::NotSquare { size, entries: metres.len() });
        }
        Ok(Problem { size, metres, start: 0, closed: false, pins: Vec::new() })
    }

    /// The same problem from another starting index.
    pub fn start(mut self, start: usize) -> Result<Problem, RouteError> {
        if start >= self.size {
            return Err(RouteError::BadStart { start, size: self.size });
        }
        if let Some(&(stop, _)) = self.pins.iter().find(|pin| pin.0 == start) {
            return Err(RouteError::BadPin { stop });
        }
        self.start = start;
        Ok(self)
    }

    /// The same problem, returning to the start or not.
    #[must_use]
    pub fn closed(mut self, closed: bool) -> Problem {
        self.closed = closed;
        self
    }

    /// The same problem with a stop pinned; one stop may be first and one last.
    pub fn pin(mut self, stop: usize, pin: Pin) -> Result<Problem, RouteError> {
        let taken = self.pins.iter().any(|&(_, other)| other == pin);
        let twice = self.pins.iter().any(|&(other, _)| other == stop) && self.size != 2;
        if stop >= self.size || stop == self.start || taken || twice {
            return Err(RouteError::BadPin { stop });
        }
        self.pins.push((stop, pin));
        Ok(self)
    }

    /// How many stops are to be visited, the start not counted.
    pub fn stops(&self) -> usize {
        self.size - 1
    }

    /// The length of an order in metres, or `None` if it uses a missing road.
    pub fn length(&self, order: &[usize]) -> Option<u64> {
        let mut at = self.start;
        let mut total = 0u64;
        for &next in order.iter().chain(self.closed.then_some(&self.start)) {
            if next != at {
                total += u64::from(self.leg(at, next)?);
            }
            at = next;
        }
        Some(total)
    }

    /// The order sent: by index, with pinned stops in their positions.
    pub(super) fn sent(&self) -> Vec<usize> {
        let (first, last) = (self.pinned(Pin::First), self.pinned(Pin::Last));
        let rest = (0..self.size).filter(|&i| i != self.start && Some(i) != first && Some(i) != last);
        first.into_iter().chain(rest).chain(last.filter(|_| last != first)).collect()
    }

    /// The stop that holds a pin.
    pub(super) fn pinned(&self, pin: Pin) -> Option<usize> {
        self.pins.iter().find(|&&(_, held)| held == pin).map(|&(stop, _)| stop)
    }

    /// A leg in metres, or `None` if there is no road.
    pub(super) fn leg(&self, from: usize, to: usize) -> Option<u32> {
        let metres = self.metres[from * self.size + to];
        (metres != UNREACHABLE).then_some(metres)
    }
}

impl Budget {
    /// For a preview: below 5 ms on a present-day core.
    pub const PREVIEW: Budget = Budget { work: 2_200_000 };
    /// For a proof: about 50 ms on a present-day core.
    pub const PROOF: Budget = Budget { work: 60_000_000 };

    /// A budget of so many units of work.
    pub const fn of_work(work: u64) -> Budget {
        Budget { work }
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::PREVIEW
    }
}

impl RouteError {
    /// The stable code of the error, as written in a line's response.
    pub fn code(&self) -> &'static str {
        match self {
            RouteError::Empty => "empty",
            RouteError::TooManyStops { .. } => "too_many_stops",
            RouteError::NotSquare { .. } => "not_square",
            RouteError::BadStart { .. } => "bad_start",
            RouteError::BadPin { .. } => "bad_pin",
            RouteError::Infeasible => "infeasible",
            RouteError::Unresolved => "unresolved",
        }
    }
}

impl fmt::Display for RouteError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RouteError::Empty => write!(out, "the matrix has no row"),
            RouteError::TooManyStops { stops, limit } => write!(out, "{stops} stops where at most {limit} are allowed"),
            RouteError::NotSquare { size, entries } => {
                write!(out, "{entries} entries where {size} places need {size} times {size}")
            }
            RouteError::BadStart { start, size } => write!(out, "start {start} is not one of the {size} places"),
            RouteError::BadPin { stop } => write!(out, "stop {stop} cannot be pinned there"),
            RouteError::Infeasible => write!(out, "every order needs a road that does not exist"),
            RouteError::Unresolved => write!(out, "no order without a missing road was found within the budget"),
        }
    }
}

impl std::error::Error for RouteError {}
