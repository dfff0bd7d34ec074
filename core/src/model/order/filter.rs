//! Filter of order lists.
//!
//! The terms that a search compares are a table of their own, `order_search`, with one narrow row
//! for each order, written with the order: a search reads no bodies, and an erasure also erases the
//! terms. It compares the newest 10,000 rows of the merchant, and finds older ones by an index of
//! words: comparing all rows takes seconds with ten million orders, and a creation would take three
//! times the processor time for an index of all parts of words.

use super::{Order, OrderStatus};
use crate::model::{OrderId, SearchWords, StoreId, Timestamp, searchable, store::Store};

/// A filter of orders. All conditions must match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderFilter {
    /// The store; `None` for all stores, also removed ones.
    pub store: Option<StoreId>,
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
    /// Open, and expected to be delivered before this time.
    pub late_at: Option<Timestamp>,
    /// With all these words in [`Order::search_terms`], or with this ID.
    pub search: Option<SearchWords>,
}

impl OrderFilter {
    /// The highest number of the status of an order that has not ended.
    pub const LAST_OPEN: u16 = OrderStatus::Completed as u16 - 1;

    /// Returns the filter of all stores' orders.
    pub fn all() -> OrderFilter {
        OrderFilter {
            store: None,
            branches: false,
            statuses: (0, u16::MAX),
            code: None,
            from: Timestamp::from_millis(0),
            until: Timestamp::from_millis(i64::MAX),
            before: None,
            late_at: None,
            search: None,
        }
    }

    /// Returns the filter of all orders that a store may read. A parent store may read its
    /// branches' orders.
    pub fn of(store: &Store) -> OrderFilter {
        OrderFilter {
            store: Some(store.id),
            branches: store.is_parent(),
            ..OrderFilter::all()
        }
    }

    /// Returns the filter of one store's orders that have not ended.
    pub fn open(store: StoreId) -> OrderFilter {
        OrderFilter {
            store: Some(store),
            statuses: (0, OrderFilter::LAST_OPEN),
            ..OrderFilter::all()
        }
    }

    /// Returns whether an order matches. The store is not checked.
    pub fn matches(&self, order: &Order) -> bool {
        let (min, max) = self.statuses;
        (min..=max).contains(&order.status.number())
            && self.code.as_ref().is_none_or(|code| *code == order.code)
            && self.from <= order.created_at
            && order.created_at < self.until
            && self.before.is_none_or(|before| order.id < before)
            && self
                .late_at
                .is_none_or(|at| order.late_from().is_some_and(|late| late < at))
            && self.search.as_ref().is_none_or(|search| {
                search.number() == Some(order.id.get()) || search.match_text(&order.search_terms())
            })
    }
}

impl Order {
    /// Returns the texts by which the order is found, reduced by [`searchable`]: codes, and the
    /// names and phone numbers of recipients that are not erased.
    pub fn search_terms(&self) -> String {
        let mut terms = self.code.clone();
        for delivery in &self.deliveries {
            let phone = delivery.phone.as_ref().map(|phone| phone.as_str());
            for text in [delivery.name.as_deref(), phone, delivery.code.as_deref()]
                .into_iter()
                .flatten()
            {
                terms.push(' ');
                terms.push_str(text);
            }
        }
        searchable(&terms)
    }

    /// Returns the expected time of the last delivery if the order is open. It is late from then
    /// on.
    pub fn late_from(&self) -> Option<Timestamp> {
        self.expected_delivery.filter(|_| !self.status.is_final())
    }
}
