//! Requests of a store for a top-up of its balance by Pix.

use serde::{Deserialize, Serialize};

use crate::model::{Duration, Money, StoreId, Timestamp};

/// A request for a top-up. A static Pix code confirms nothing, so the request is open until the
/// operator books the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopUpRequest {
    /// The number among the store's requests, starting at 1.
    pub number: u32,
    /// The amount, above zero.
    pub amount: Money,
    /// Time of the request.
    pub requested_at: Timestamp,
    /// Time at which the operator booked the payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_at: Option<Timestamp>,
}

/// The state of a request for a top-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopUpState {
    /// The operator has not booked the payment.
    Pending,
    /// The operator booked the payment.
    Confirmed,
    /// No payment was booked in time. The operator can still book one.
    Expired,
}

impl TopUpState {
    /// All states.
    pub const ALL: [TopUpState; 3] = [
        TopUpState::Pending,
        TopUpState::Confirmed,
        TopUpState::Expired,
    ];

    /// Returns the name in the API.
    pub fn name(self) -> &'static str {
        match self {
            TopUpState::Pending => "PENDING",
            TopUpState::Confirmed => "CONFIRMED",
            TopUpState::Expired => "EXPIRED",
        }
    }
}

impl TopUpRequest {
    /// Time after which a request counts as abandoned.
    pub const VALIDITY: Duration = Duration::minutes(7 * 24 * 60);

    /// Returns the reference in the code of a store's request.
    pub fn txid(&self, store: StoreId) -> String {
        format!("T{store}N{}", self.number)
    }

    /// Returns the state.
    pub fn state(&self, now: Timestamp) -> TopUpState {
        match self.confirmed_at {
            Some(_) => TopUpState::Confirmed,
            None if self.requested_at.after(TopUpRequest::VALIDITY) > now => TopUpState::Pending,
            None => TopUpState::Expired,
        }
    }
}

/// A store's requests for top-ups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TopUpRequests {
    /// The number of the last request.
    pub last: u32,
    /// The pending requests and the last ones that ended, oldest first.
    pub requests: Vec<TopUpRequest>,
}

impl TopUpRequests {
    /// Maximum number of requests that a store keeps.
    pub const MAX_KEPT: usize = 50;

    pub(super) fn is_empty(&self) -> bool {
        *self == TopUpRequests::default()
    }
}
