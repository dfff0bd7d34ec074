//! Which orders a list is asked for.

use super::OrderStatus;
use crate::model::{OrderId, StoreId, Timestamp, store::Store};

/// Which orders, all of these at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderFilter {
    /// Whose.
    pub store: StoreId,
    /// Whether its branches' too.
    pub branches: bool,
    /// Where they stand: from this situation to that one, both included.
    pub situations: (u16, u16),
    /// The merchant's code.
    pub code: Option<String>,
    /// Created from this instant on.
    pub from: Timestamp,
    /// Created before this instant.
    pub until: Timestamp,
    /// With a number below this one.
    pub before: Option<OrderId>,
}

impl OrderFilter {
    /// All that a store may see: a matrix its branches' orders too.
    pub fn of(store: &Store) -> OrderFilter {
        OrderFilter {
            store: store.id,
            branches: store.is_matrix(),
            situations: (0, u16::MAX),
            code: None,
            from: Timestamp::from_millis(0),
            until: Timestamp::from_millis(i64::MAX),
            before: None,
        }
    }

    /// The orders of one store that have not ended.
    pub fn open(store: StoreId) -> OrderFilter {
        OrderFilter {
            store,
            branches: false,
            situations: (0, OrderStatus::Completed.number() - 1),
            code: None,
            from: Timestamp::from_millis(0),
            until: Timestamp::from_millis(i64::MAX),
            before: None,
        }
    }

    /// Whether an order of one of its stores is meant.
    pub fn takes(&self, order: &super::Order) -> bool {
        let (min, max) = self.situations;
        (min..=max).contains(&order.status.number())
            && self.code.as_ref().is_none_or(|code| *code == order.code)
            && self.from <= order.created_at
            && order.created_at < self.until
            && self.before.is_none_or(|before| order.id < before)
    }
}
