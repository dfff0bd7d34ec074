//! The visiting order for an order's stops, and the assignment of couriers to waiting orders.

/// No road.
pub const UNREACHABLE: u32 = u32::MAX;
/// Work that may be done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget;
/// Stops and roads.
pub struct Problem {
    size: usize,
}
/// A route.
pub struct Visit {
    /// Indices but the start.
    pub order: Vec<usize>,
}
/// Why there is none.
pub enum RouteFault {
    /// No roads.
    Infeasible,
    /// Not square.
    NotSquare,
}
impl Problem {
    /// A problem.
    pub fn new(size: usize, metres: Vec<u32>) -> Result<Problem, RouteFault> {
        if metres.len() == size * size { Ok(Problem { size }) } else { Err(RouteFault::NotSquare) }
    }
    /// Whether the courier returns.
    #[must_use]
    pub fn closed(self, _closed: bool) -> Problem {
        self
    }
}
/// The order sent.
pub fn best_order(problem: &Problem, _budget: Budget) -> Result<Visit, RouteFault> {
    if problem.size == 0 { Err(RouteFault::Infeasible) } else { Ok(Visit { order: (1..problem.size).collect() }) }
}
