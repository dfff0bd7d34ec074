//! The recipient's link to a delivery, and what the recipient sent through it.

use serde::{Deserialize, Serialize};

use super::{Delivery, Order};
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

/// The stored parts of a link's token. The token itself is derived from the nonce and the deployment's secret.
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
        self.ended_at.map(|ended| ended.after(TrackingLink::AFTER_END))
    }
}

impl Delivery {
    /// Returns the row of the current link.
    fn tracking_link(&self, order: OrderId) -> Option<TrackingLink> {
        let tracking = self.tracking.as_ref()?;
        let hash = tracking.link.as_ref()?.hash.clone();
        Some(TrackingLink { hash, order, delivery: self.id, ends_at: tracking.ends_at() })
    }

    /// Removes the current link, which ends at `now`. Returns its row, unless it has ended before.
    pub fn end_link(&mut self, order: OrderId, now: Timestamp) -> Option<TrackingLink> {
        let row = self.tracking_link(order)?;
        if let Some(tracking) = &mut self.tracking {
            tracking.link = None;
        }
        row.is_valid(now).then_some(TrackingLink { ends_at: Some(now), ..row })
    }

    /// Sets a new link and returns its row.
    pub fn set_link(&mut self, order: OrderId, key: LinkKey, now: Timestamp) -> Option<TrackingLink> {
        let has_ended = self.status.is_final();
        let tracking = self.tracking.get_or_insert_default();
        tracking.ended_at = tracking.ended_at.or(has_ended.then_some(now));
        tracking.link = Some(key);
        self.tracking_link(order)
    }
}

impl Order {
    /// Returns the rows of the deliveries' links.
    pub fn tracking_links(&self) -> Vec<TrackingLink> {
        self.deliveries.iter().filter_map(|delivery| delivery.tracking_link(self.id)).collect()
    }

    /// Stores the end of deliveries that have ended, and returns the rows of their links.
    pub fn end_links(&mut self, now: Timestamp) -> Vec<TrackingLink> {
        let mut changed = Vec::new();
        for delivery in self.deliveries.iter_mut().filter(|delivery| delivery.status.is_final()) {
            let Some(tracking) = delivery.tracking.as_mut().filter(|tracking| tracking.ended_at.is_none()) else {
                continue;
            };
            tracking.ended_at = Some(now);
            changed.extend(delivery.tracking_link(self.id));
        }
        changed
    }
}
