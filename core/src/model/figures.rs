//! Figures about stored work, by which an operator sees what is delayed.

/// Counts of stored work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Open orders with an expected delivery time.
    pub open_orders: u64,
    /// Open orders whose expected delivery time has passed.
    pub late_orders: u64,
    /// Orders that are searching for a courier.
    pub searching_orders: u64,
    /// Orders whose timed transition has been due for longer than the tolerance.
    pub overdue_orders: u64,
    /// Couriers that dispatch considers, by [`crate::model::courier::Courier::is_candidate`].
    pub available_couriers: u64,
    /// Couriers with at least one order.
    pub busy_couriers: u64,
    /// Couriers with a push that has been due for longer than the tolerance.
    pub overdue_pushes: u64,
    /// Webhook messages that wait for another attempt.
    pub queued_messages: u64,
    /// Webhooks that were disabled after failures or that their receivers ended.
    pub inactive_webhooks: u64,
    /// Stores that were located only by their municipality, without sandbox stores.
    pub rough_stores: u64,
}
