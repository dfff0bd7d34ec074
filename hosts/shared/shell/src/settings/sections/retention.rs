//! The settings of `retention`.

use crate::settings::{Setting, Unit::Days};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::number(
        "retention.recipients-days",
        Days,
        0..=3_650,
        "Time after an order's creation, when the names, phones, addresses and observations of \
         its recipients are erased if the order has ended; 0 stores them until an erasure is \
         requested",
    ),
    Setting::number(
        "retention.positions-days",
        Days,
        0..=3_650,
        "Time after which positions are erased from ended orders, and the last position of \
         couriers who reported no newer one; 0 stores them as long as the recipients' data",
    ),
    Setting::number(
        "retention.proofs-days",
        Days,
        0..=3_650,
        "Time after an order's creation, when the photos, names, notes and positions that prove \
         its steps are erased if the order has ended; 0 stores them as long as the recipients' \
         data",
    ),
    Setting::number(
        "retention.audit-days",
        Days,
        0..=3_650,
        "Time after which entries of the audit log are removed, and users since their removal; \
         0 stores them forever",
    ),
];
