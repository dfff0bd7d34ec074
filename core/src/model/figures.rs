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
    /// Couriers with a push that has been due for longer than the tolerance.
    pub overdue_pushes: u64,
    /// Webhook messages that wait for another attempt.
    pub queued_messages: u64,
    /// Webhooks that were disabled after failures or that their receivers ended.
    pub inactive_webhooks: u64,
    /// Stores that were located only by their municipality, without sandbox stores.
    pub rough_stores: u64,
}

/// Counts of the couriers at work, each by its one state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fleet {
    /// Couriers without a trip to whom dispatch can assign orders.
    pub available: u64,
    /// Couriers on a trip that makes progress.
    pub on_trip: u64,
    /// Couriers on a trip whose next step is overdue.
    pub stuck: u64,
    /// Couriers on duty or on a trip without a recent report.
    pub unresponsive: u64,
}
