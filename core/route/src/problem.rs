//! What the route engine is asked and what it answers: the matrix, the pins, the budget, the order and the faults.

use std::fmt;

/// A road that does not exist: the entry of a matrix that stands for 'no way from here to there'.
pub const UNREACHABLE: u32 = u32::MAX;

/// The most stops a problem may have, the start not counted. Configuration may lower it, never raise it.
pub const MAX_STOPS: usize = 200;

/// A place in the order that the merchant fixed by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub enum Pin {
    /// The stop is visited right after the start.
    First,
    /// The stop is visited last, before the return where there is one.
    Last,
}

/// One question to the route engine: where the courier starts, which legs exist, and whether the route returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub(super) size: usize,
    pub(super) metres: Vec<u32>,
    pub(super) start: usize,
    pub(super) closed: bool,
    pub(super) pins: Vec<(usize, Pin)>,
}

/// An order of visit with what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// Every index but the start, in the order of visit.
    pub order: Vec<usize>,
    /// The sum of the legs in metres, the return included where the route is closed.
    pub cost: u64,
    /// True where no other order is shorter, which is then proven and not only likely.
    pub proven: bool,
    /// No order is shorter than this many metres; equal to `cost` where `proven` is true.
    pub bound: u64,
}

/// How much work a search may do, in units of about one nanosecond on a present-day core.
///
/// Work is counted, never timed: the same question gets the same answer on every host, however loaded it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub(super) work: u64,
}

/// Why there is no order of visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RouteFault {
    /// The matrix has no row, so there is no start.
    Empty,
    /// More stops than [`MAX_STOPS`].
    TooManyStops {
        /// Stops in the question.
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
    pub fn new(size: usize, metres: Vec<u32>) -> Result<Problem, RouteFault> {
        if size == 0 {
            return Err(RouteFault::Empty);
        }
        if size - 1 > MAX_STOPS {
            return Err(RouteFault::TooManyStops { stops: size - 1, limit: MAX_STOPS });
        }
        if metres.len() != size * size {
            return Err(RouteFault::NotSquare { size, entries: metres.len() });
        }
        Ok(Problem { size, metres, start: 0, closed: false, pins: Vec::new() })
    }

    /// The same problem from another starting index.
    pub fn start(mut self, start: usize) -> Result<Problem, RouteFault> {
        if start >= self.size {
            return Err(RouteFault::BadStart { start, size: self.size });
        }
        if let Some(&(stop, _)) = self.pins.iter().find(|pin| pin.0 == start) {
            return Err(RouteFault::BadPin { stop });
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
    pub fn pin(mut self, stop: usize, pin: Pin) -> Result<Problem, RouteFault> {
        let taken = self.pins.iter().any(|&(_, other)| other == pin);
        let twice = self.pins.iter().any(|&(other, _)| other == stop) && self.size != 2;
        if stop >= self.size || stop == self.start || taken || twice {
            return Err(RouteFault::BadPin { stop });
        }
        self.pins.push((stop, pin));
        Ok(self)
    }

    /// How many stops are to be visited, the start not counted.
    pub fn stops(&self) -> usize {
        self.size - 1
    }

    /// The length of an order in metres, or none where it uses a missing road.
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

    /// The order sent: by index, except that pinned stops stand where they are pinned.
    pub(super) fn sent(&self) -> Vec<usize> {
        let (first, last) = (self.pinned(Pin::First), self.pinned(Pin::Last));
        let rest = (0..self.size).filter(|&i| i != self.start && Some(i) != first && Some(i) != last);
        first.into_iter().chain(rest).chain(last.filter(|_| last != first)).collect()
    }

    /// The stop that holds a pin.
    pub(super) fn pinned(&self, pin: Pin) -> Option<usize> {
        self.pins.iter().find(|&&(_, held)| held == pin).map(|&(stop, _)| stop)
    }

    /// A leg in metres, or none where there is no road.
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

impl RouteFault {
    /// The stable code of the fault, as written in a line's answer.
    pub fn code(&self) -> &'static str {
        match self {
            RouteFault::Empty => "empty",
            RouteFault::TooManyStops { .. } => "too_many_stops",
            RouteFault::NotSquare { .. } => "not_square",
            RouteFault::BadStart { .. } => "bad_start",
            RouteFault::BadPin { .. } => "bad_pin",
            RouteFault::Infeasible => "infeasible",
            RouteFault::Unresolved => "unresolved",
        }
    }
}

impl fmt::Display for RouteFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RouteFault::Empty => write!(out, "the matrix has no row"),
            RouteFault::TooManyStops { stops, limit } => write!(out, "{stops} stops where at most {limit} are allowed"),
            RouteFault::NotSquare { size, entries } => {
                write!(out, "{entries} entries where {size} places need {size} times {size}")
            }
            RouteFault::BadStart { start, size } => write!(out, "start {start} is not one of the {size} places"),
            RouteFault::BadPin { stop } => write!(out, "stop {stop} cannot be pinned there"),
            RouteFault::Infeasible => write!(out, "every order needs a road that does not exist"),
            RouteFault::Unresolved => write!(out, "no order without a missing road was found within the budget"),
        }
    }
}

impl std::error::Error for RouteFault {}
