//! Filter of order lists.

use super::OrderStatus;
use crate::model::{OrderId, StoreId, Timestamp, store::Store};

/// A filter of orders. All conditions must match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderFilter {
    /// The store.
    pub store: StoreId,
    /// Whether to include orders of the store's branches.
    pub branches: bool,
    /// Range of status numbers, both ends included.
    pub statuses: (u16, u16),
    /// The merchant's code.
    pub code: Option<String>,
    /// Created at this time or later.
    pub from: Timestamp,
    /// Created before this time.
    pub until: Timestamp,
    /// With an ID below this one.
    pub before: Option<OrderId>,
}

impl OrderFilter {
    /// Returns the filter of all orders that a store may read. A parent store may read its branches' orders.
    pub fn of(store: &Store) -> OrderFilter {
        OrderFilter {
            store: store.id,
            branches: store.is_parent(),
            statuses: (0, u16::MAX),
            code: None,
            from: Timestamp::from_millis(0),
            until: Timestamp::from_millis(i64::MAX),
            before: None,
        }
    }

    /// Returns the filter of one store's orders that have not ended.
    pub fn open(store: StoreId) -> OrderFilter {
        OrderFilter {
            store,
            branches: false,
            statuses: (0, OrderStatus::Completed.number() - 1),
            code: None,
            from: Timestamp::from_millis(0),
            until: Timestamp::from_millis(i64::MAX),
            before: None,
        }
    }

    /// Returns whether an order matches. The store is not checked.
    pub fn matches(&self, order: &super::Order) -> bool {
        let (min, max) = self.statuses;
        (min..=max).contains(&order.status.number())
            && self.code.as_ref().is_none_or(|code| *code == order.code)
            && self.from <= order.created_at
            && order.created_at < self.until
            && self.before.is_none_or(|before| order.id < before)
    }
}
