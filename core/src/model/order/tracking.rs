//! The recipient's link to a delivery, and what the recipient sent through it.

use serde::{Deserialize, Serialize};

use crate::model::{
    DeliveryId, Duration, OrderId, Timestamp,
    store::{KeyHash, NotifyAt, RecipientChoice},
};

/// The recipient's part in a delivery.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tracking {
    /// The current link. `None` if the store revoked it, or the recipient's data was erased.
    pub link: Option<LinkKey>,
    /// Time at which the delivery ended. The link ends [`TrackingLink::AFTER_END`] later.
    pub ended_at: Option<Timestamp>,
    /// The steps after which the recipient still gets a message.
    pub notify_at: Vec<NotifyAt>,
    /// What the recipient chose.
    pub choice: Option<RecipientChoice>,
    /// The recipient's rating.
    pub rating: Option<Rating>,
}

/// The stored parts of a link's token. The token itself is derived from the nonce and the
/// deployment's secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkKey {
    /// 128 random bits, in hexadecimal.
    pub nonce: String,
    /// Hash of the token.
    pub hash: KeyHash,
}

/// A recipient's rating of a delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rating {
    /// 1 to 5.
    pub stars: u8,
    /// The recipient's text.
    pub text: Option<String>,
    /// Time of the rating.
    pub at: Timestamp,
}

/// The row of a link, by which a token is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackingLink {
    /// Hash of the token.
    pub hash: KeyHash,
    /// The order.
    pub order: OrderId,
    /// The delivery.
    pub delivery: DeliveryId,
    /// Time at which the link ends or ended. `None` before the delivery's end.
    pub ends_at: Option<Timestamp>,
}

impl TrackingLink {
    /// Time from the end of a delivery to the end of its link.
    pub const AFTER_END: Duration = Duration::minutes(120);

    /// Returns whether the link gives access at `now`.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.ends_at.is_none_or(|end| now < end)
    }
}

impl Tracking {
    /// Returns the time at which the link ends. `None` before the delivery's end.
    pub fn ends_at(&self) -> Option<Timestamp> {
        self.ended_at
            .map(|ended| ended.after(TrackingLink::AFTER_END))
    }
}
