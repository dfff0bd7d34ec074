//! The part of an order that reports count.

use super::{Order, OrderStatus};
use crate::model::{Day, Money, StoreId, Timestamp};

/// What a report counts of an order. A host stores it beside the order, so that a report reads no bodies of orders.
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

impl From<&Order> for ReportedOrder {
    fn from(order: &Order) -> ReportedOrder {
        ReportedOrder {
            store: order.store,
            created_at: order.created_at,
            day: Day::of(order.created_at, order.pickup.address.uf()),
            status: order.status,
            fee: order.fee,
            cancellation_fee: order.cancellation_fee,
            done_at: order.delivered_at.unwrap_or(order.status_since),
            expected_at: order.expected_delivery,
        }
    }
}
