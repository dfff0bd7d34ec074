//! The system clock.

use std::time::{SystemTime, UNIX_EPOCH};

use despacho_core::model::Timestamp;

/// Returns the time of the system clock.
pub(crate) fn now() -> Timestamp {
    let since_1970 = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
}
