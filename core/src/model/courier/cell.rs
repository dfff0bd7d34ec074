//! The parts of orders and couriers that dispatch reads, and the grid cells by which storage
//! indexes them.

use super::Courier;
use crate::model::{Capacity, CourierId, Money, OrderId, Point, Timestamp};
use core::ops::RangeInclusive;

/// A searching order, reduced to the fields by which a dispatch pass finds couriers nearby.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchingOrder {
    /// The order.
    pub id: OrderId,
    /// Time at which its search ends. It is earliest for the order that has searched longest.
    pub until: Timestamp,
    /// The pickup. `None` if a version that did not index pickups stored the order.
    pub pickup: Option<Point>,
    /// Whether the order belongs to a sandbox store.
    pub sandbox: bool,
}

/// A courier that dispatch considers, reduced to the fields that storage indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The courier.
    pub id: CourierId,
    /// The last known position.
    pub point: Point,
    /// Whether the courier carries only orders of sandbox stores.
    pub sandbox: bool,
    /// Whether the courier is free at any time: without a trip, a shift and a limit of cash, and with
    /// the default capacity. If not, dispatch reads the courier.
    pub is_free: bool,
    /// The capacity. It is the default until dispatch has read the courier.
    pub capacity: Capacity,
    /// The cash for which the courier has room. `None` without a limit, and until dispatch has read
    /// the courier.
    pub cash_room: Option<Money>,
}

impl Candidate {
    /// Converts a courier. Returns `None` if the courier has no position or is not available.
    pub fn of(courier: &Courier) -> Option<Candidate> {
        Candidate::located(courier, courier.position?)
    }

    /// Converts a courier at a position. Returns `None` if the courier is not available.
    pub fn located(courier: &Courier, point: Point) -> Option<Candidate> {
        let (id, sandbox, is_free) = (courier.id, courier.sandbox, Candidate::is_free(courier));
        courier.is_candidate().then_some(Candidate {
            id,
            point,
            sandbox,
            is_free,
            capacity: Capacity::default(),
            cash_room: None,
        })
    }

    /// Returns whether a courier that dispatch considers is free at any time.
    pub fn is_free(courier: &Courier) -> bool {
        courier.is_free()
            && courier.shift.is_none()
            && courier.cash_limit.is_none()
            && courier.capacity() == Capacity::default()
    }
}

/// A cell of a grid of 0.1 degrees (11 km from south to north), numbered row by row from the
/// south-west.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell(pub(crate) i64);

impl Cell {
    const SIZE_E7: i64 = 1_000_000;
    const PER_ROW: i64 = 3_601;

    /// Returns the cell that contains a point.
    pub fn of(point: Point) -> Cell {
        Cell::at(
            Cell::row(point.lat_e7.into()),
            Cell::column(point.lon_e7.into()),
        )
    }

    /// Returns the range of all cells.
    pub(crate) fn all() -> RangeInclusive<Cell> {
        Cell(0)..=Cell::at(1_800, 3_600)
    }

    /// Returns the number by which storage indexes the cell.
    pub fn number(self) -> i64 {
        self.0
    }

    pub(crate) fn row(lat_e7: i64) -> i64 {
        (lat_e7 + 900_000_000).clamp(0, 1_800_000_000) / Cell::SIZE_E7
    }

    pub(crate) fn column(lon_e7: i64) -> i64 {
        (lon_e7 + 1_800_000_000).clamp(0, 3_600_000_000) / Cell::SIZE_E7
    }

    pub(crate) fn at(row: i64, column: i64) -> Cell {
        Cell(row * Cell::PER_ROW + column)
    }
}
