//! Web Push subscriptions of couriers' browsers, and the pushes that are due.

use serde::{Deserialize, Serialize};

use crate::model::{Timestamp, store::KeyHash};

/// A subscription of a courier's browser. Its URL is a secret of the browser: everyone who has it
/// can send pushes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushSubscription {
    /// URL of the push service for this browser.
    pub endpoint: String,
    /// Time at which the subscription was stored.
    pub created_at: Timestamp,
    /// Hash of the session that stored it, with which it ends. `None` if the courier's key did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<KeyHash>,
    /// The push that is due. `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<PushDue>,
}

/// A push that is due. It has no content: the app reads the trip from the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushDue {
    /// Time of the assignment.
    pub since: Timestamp,
    /// Time of the next attempt. During an attempt, the time after which another instance may
    /// repeat it.
    pub at: Timestamp,
    /// Number of attempts so far, with the one in progress.
    pub tries: u32,
}

impl PushDue {
    /// Returns the push of an assignment, which is due at once.
    pub(super) fn since(now: Timestamp) -> PushDue {
        PushDue {
            since: now,
            at: now,
            tries: 0,
        }
    }
}
