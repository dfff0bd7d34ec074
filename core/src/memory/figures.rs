//! Figures about stored work.

use super::state::State;
use crate::{
    model::{Figures, Timestamp, order::OrderStatus},
    rules::lifecycle::{Timing, next_deadline},
};

impl State {
    /// Counts stored work.
    pub(super) fn figures(&self, timing: &Timing, now: Timestamp, overdue: Timestamp) -> Figures {
        let orders = || self.orders.rows().values();
        let couriers = || self.couriers.rows().values();
        let late_from = || orders().filter_map(|order| order.late_from());
        let is_overdue = |at: Option<Timestamp>| at.is_some_and(|at| at <= overdue);
        let is_inactive =
            |it: &&crate::model::webhook::Webhook| !it.is_active() && !it.is_removed();
        Figures {
            open_orders: count(late_from()),
            late_orders: count(late_from().filter(|at| *at < now)),
            searching_orders: count(
                orders().filter(|order| order.status == OrderStatus::Searching),
            ),
            overdue_orders: count(
                orders().filter(|order| is_overdue(next_deadline(order, timing))),
            ),
            overdue_pushes: count(couriers().filter(|courier| is_overdue(courier.push_at()))),
            queued_messages: self.messages.rows().len() as u64,
            inactive_webhooks: count(self.webhooks.rows().values().filter(is_inactive)),
            rough_stores: count(self.stores.rows().values().filter(|store| store.is_rough())),
        }
    }
}

fn count<T>(found: impl Iterator<Item = T>) -> u64 {
    found.count() as u64
}
