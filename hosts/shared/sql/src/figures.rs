//! The query for figures about stored work.

use despacho_core::{
    host::HostError,
    model::{Figures, Timestamp},
};

use crate::{Query, Row};

/// Each count reads a partial index or a small table. The body of a store is JSON without spaces,
/// which `LIKE` searches on every database.
const FIGURES: &str = "SELECT (SELECT COUNT(*) FROM order_search WHERE late_at IS NOT NULL), \
     (SELECT COUNT(*) FROM order_search WHERE late_at IS NOT NULL AND late_at < $1), \
     (SELECT COUNT(*) FROM orders WHERE situation = 200), \
     (SELECT COUNT(*) FROM orders WHERE due_at IS NOT NULL AND due_at <= $2), \
     (SELECT COUNT(*) FROM couriers WHERE push_at IS NOT NULL AND push_at <= $2), \
     (SELECT COUNT(*) FROM webhook_messages), \
     (SELECT COUNT(*) FROM webhooks WHERE removed = 0 AND active = 0), \
     (SELECT COUNT(*) FROM stores WHERE deleted_at IS NULL AND body LIKE '%\"located\":{%\"precision\":\"municipality\"%' \
     AND body NOT LIKE '%\"sandbox\":true%')";

pub(crate) fn figures(now: Timestamp, overdue: Timestamp) -> Query {
    Query::new(FIGURES, vec![now.into(), overdue.into()])
}

pub(crate) fn to_figures(row: &mut Row) -> Result<Figures, HostError> {
    let mut count = || Ok(u64::try_from(row.integer()?).unwrap_or_default());
    Ok(Figures {
        open_orders: count()?,
        late_orders: count()?,
        searching_orders: count()?,
        overdue_orders: count()?,
        overdue_pushes: count()?,
        queued_messages: count()?,
        inactive_webhooks: count()?,
        rough_stores: count()?,
    })
}
