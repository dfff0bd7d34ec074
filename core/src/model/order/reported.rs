//! The part of an order that reports count.

use super::OrderStatus;
use crate::model::{Day, Money, StoreId, Timestamp};

/// What a report counts of an order. A host stores it beside the order, so that a report reads no
/// bodies of orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportedOrder {
    /// The store.
    pub store: StoreId,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The day of its creation where it was picked up.
    pub day: Day,
    /// The status.
    pub status: OrderStatus,
    /// The fee.
    pub fee: Money,
    /// Cost of late cancellations, in addition to the fee.
    pub cancellation_fee: Money,
    /// Time of the last delivery, or of the current status if there was none.
    pub done_at: Timestamp,
    /// The expected time of the last delivery.
    pub expected_at: Option<Timestamp>,
}
