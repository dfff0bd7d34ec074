//! Settings of how long personal data is stored.

use super::{
    fields::{Field, field},
    value,
};

pub(super) const RECIPIENTS: Field = field!(
    "retention.recipients-days",
    "DAYS",
    "Days after an order's creation when recipients' names, phones, addresses and observations are erased, if the order has ended; \
     0 stores them until an erasure is requested",
    0..=3_650,
    retention.recipients_days
);

pub(super) const POSITIONS: Field = field!(
    "retention.positions-days",
    "DAYS",
    "Days after which couriers' positions are erased from ended orders and from couriers who have reported none since; 0 stores them \
     as long as the recipients",
    0..=3_650,
    retention.positions_days
);
