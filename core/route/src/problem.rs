//! Problems, budgets, routes and errors of the route engine.

/// The matrix entry for a road that does not exist.
pub const UNREACHABLE: u32 = u32::MAX;

/// The maximum number of stops in a problem, excluding the start.
pub const MAX_STOPS: usize = 200;

/// A fixed position in the visiting order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Pin {
    /// The stop is visited directly after the start.
    First,
    /// The stop is visited last, before the return if the route is closed.
    Last,
}

/// A routing problem: a distance matrix, a start, pinned stops, and whether the route returns to
/// its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub(super) size: usize,
    pub(super) metres: Vec<u32>,
    pub(super) start: usize,
    pub(super) closed: bool,
    pub(super) pins: Vec<(usize, Pin)>,
}

/// A visiting order with its length and a lower bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// Every index except the start, in visiting order.
    pub order: Vec<usize>,
    /// The length in metres, including the return if the route is closed.
    pub cost: u64,
    /// Whether it is proven that no order is shorter.
    pub proven: bool,
    /// A lower bound in metres on the length of every order. Equals `cost` if `proven` is true.
    pub bound: u64,
}

/// The maximum amount of work, in units of about one nanosecond on a current CPU core.
///
/// Work is counted instead of measured in time. The result therefore does not depend on the host or
/// its load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub(super) work: u64,
}

/// An error that prevents a route from being computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// The matrix is empty, so there is no start.
    #[error("the matrix is empty")]
    Empty,
    /// The problem has more than [`MAX_STOPS`] stops.
    #[error("{stops} stops exceed the maximum of {limit}")]
    TooManyStops {
        /// The number of stops in the problem.
        stops: usize,
        /// The maximum number of stops.
        limit: usize,
    },
    /// The number of matrix entries is not the square of its size.
    #[error("expected {size} × {size} entries, found {entries}")]
    NotSquare {
        /// The number of rows and columns.
        size: usize,
        /// The number of entries received.
        entries: usize,
    },
    /// The start is not an index of the matrix.
    #[error("start {start} is not an index of a matrix with {size} rows")]
    BadStart {
        /// The index received.
        start: usize,
        /// The number of rows of the matrix.
        size: usize,
    },
    /// A pinned index is out of range, is the start, or conflicts with another pin.
    #[error(
        "stop {stop} cannot be pinned: it is out of range, is the start, or conflicts with another pin"
    )]
    BadPin {
        /// The index received.
        stop: usize,
    },
    /// Every order needs a road that does not exist. This is proven.
    #[error("every order needs a road that does not exist")]
    Infeasible,
    /// The budget ended before an order without missing roads was found. Such an order may exist.
    #[error("no order without a missing road was found within the budget")]
    Unresolved,
}

impl Problem {
    /// Creates a problem from a row-major matrix of `size` × `size` distances in whole metres. The
    /// route starts at index 0 and is open.
    ///
    /// # Errors
    ///
    /// Returns [`RouteError::Empty`] if `size` is 0, [`RouteError::TooManyStops`] if it is above
    /// [`MAX_STOPS`] + 1, and [`RouteError::NotSquare`] if `metres` does not have `size` × `size`
    /// entries.
    pub fn new(size: usize, metres: Vec<u32>) -> Result<Problem, RouteError> {
        if size == 0 {
            return Err(RouteError::Empty);
        }
        if size - 1 > MAX_STOPS {
            return Err(RouteError::TooManyStops {
                stops: size - 1,
                limit: MAX_STOPS,
            });
        }
        if metres.len() != size * size {
            return Err(RouteError::NotSquare {
                size,
                entries: metres.len(),
            });
        }
        Ok(Problem {
            size,
            metres,
            start: 0,
            closed: false,
            pins: Vec::new(),
        })
    }

    /// Sets the index at which the route starts.
    ///
    /// # Errors
    ///
    /// Returns [`RouteError::BadStart`] if `start` is out of range, and [`RouteError::BadPin`] if
    /// this stop is pinned.
    pub fn start(mut self, start: usize) -> Result<Problem, RouteError> {
        if start >= self.size {
            return Err(RouteError::BadStart {
                start,
                size: self.size,
            });
        }
        if let Some(&(stop, _)) = self.pins.iter().find(|pin| pin.0 == start) {
            return Err(RouteError::BadPin { stop });
        }
        self.start = start;
        Ok(self)
    }

    /// Sets whether the route returns to its start.
    #[must_use]
    pub fn closed(mut self, closed: bool) -> Problem {
        self.closed = closed;
        self
    }

    /// Pins a stop. At most one stop can be first and at most one can be last.
    ///
    /// # Errors
    ///
    /// Returns [`RouteError::BadPin`] if `stop` is out of range or the start, if it is already
    /// pinned (unless it is the only stop), or if another stop has this pin.
    pub fn pin(mut self, stop: usize, pin: Pin) -> Result<Problem, RouteError> {
        let taken = self.pins.iter().any(|&(_, other)| other == pin);
        let twice = self.pins.iter().any(|&(other, _)| other == stop) && self.size != 2;
        if stop >= self.size || stop == self.start || taken || twice {
            return Err(RouteError::BadPin { stop });
        }
        self.pins.push((stop, pin));
        Ok(self)
    }

    /// Returns the number of stops, excluding the start.
    pub fn stops(&self) -> usize {
        self.size - 1
    }

    /// Returns the length of an order in metres, or `None` if it uses a missing road.
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

    /// Returns the given order: by index, with pinned stops in their positions.
    pub(super) fn given_order(&self) -> Vec<usize> {
        let (first, last) = (self.pinned(Pin::First), self.pinned(Pin::Last));
        let rest =
            (0..self.size).filter(|&i| i != self.start && Some(i) != first && Some(i) != last);
        first
            .into_iter()
            .chain(rest)
            .chain(last.filter(|_| last != first))
            .collect()
    }

    /// Returns the stop with the given pin.
    pub(super) fn pinned(&self, pin: Pin) -> Option<usize> {
        self.pins
            .iter()
            .find(|&&(_, held)| held == pin)
            .map(|&(stop, _)| stop)
    }

    /// Returns a leg in metres, or `None` if there is no road.
    pub(super) fn leg(&self, from: usize, to: usize) -> Option<u32> {
        let metres = self.metres[from * self.size + to];
        (metres != UNREACHABLE).then_some(metres)
    }
}

impl Budget {
    /// A budget for interactive use, such as a price preview: less than 5 ms on a current CPU core.
    pub const PREVIEW: Budget = Budget { work: 2_200_000 };
    /// A budget that nearly always suffices for a proof up to 50 stops: about 50 ms on a current
    /// CPU core.
    pub const PROOF: Budget = Budget { work: 60_000_000 };

    /// Creates a budget of `work` units.
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
    /// Returns the stable error code, as used in [`line`](crate::line) responses.
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
