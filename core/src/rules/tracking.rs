//! Links of recipients and their tokens.

use base64ct::{Base64UrlUnpadded, Encoding};

use super::settings::{Secret, Settings};
use crate::{
    changes::{Changes, Write},
    model::{
        DeliveryId, ExecContext, OrderId, Timestamp, hmac_sha256,
        order::{Delivery, LinkKey, Order, Tracking, TrackingLink},
        store::{KeyHash, StoreTracking},
    },
};

/// Number of bytes of a token: 144 bits.
const TOKEN_BYTES: usize = 18;

impl Delivery {
    /// Returns the row of the current link.
    fn tracking_link(&self, order: OrderId) -> Option<TrackingLink> {
        let tracking = self.tracking.as_ref()?;
        let hash = tracking.link.as_ref()?.hash.clone();
        Some(TrackingLink {
            hash,
            order,
            delivery: self.id,
            ends_at: tracking.ends_at(),
        })
    }

    /// Removes the current link, which ends at `now`. Returns its row, unless it has ended before.
    pub fn end_link(&mut self, order: OrderId, now: Timestamp) -> Option<TrackingLink> {
        let row = self.tracking_link(order)?;
        if let Some(tracking) = &mut self.tracking {
            tracking.link = None;
        }
        row.is_valid(now).then_some(TrackingLink {
            ends_at: Some(now),
            ..row
        })
    }

    /// Sets a new link and returns its row.
    pub fn set_link(
        &mut self,
        order: OrderId,
        key: LinkKey,
        now: Timestamp,
    ) -> Option<TrackingLink> {
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
        self.deliveries
            .iter()
            .filter_map(|delivery| delivery.tracking_link(self.id))
            .collect()
    }

    /// Stores the end of deliveries that have ended, and returns the rows of their links.
    pub fn end_links(&mut self, now: Timestamp) -> Vec<TrackingLink> {
        let mut changed = Vec::new();
        for delivery in self
            .deliveries
            .iter_mut()
            .filter(|delivery| delivery.status.is_final())
        {
            let Some(tracking) = delivery
                .tracking
                .as_mut()
                .filter(|tracking| tracking.ended_at.is_none())
            else {
                continue;
            };
            tracking.ended_at = Some(now);
            changed.extend(delivery.tracking_link(self.id));
        }
        changed
    }
}

/// Derives the token of a link from its nonce. A stored response and a row of the database
/// therefore contain no token.
pub fn token(secret: &Secret, nonce: &str) -> String {
    let bytes = hmac_sha256(&secret.0, &[b"despacho tracking link", nonce.as_bytes()]);
    Base64UrlUnpadded::encode_string(&bytes[..TOKEN_BYTES])
}

/// Returns the URL of a delivery's current link, or `None` without a link or a public URL.
pub fn url(settings: &Settings, delivery: &Delivery) -> Option<String> {
    let base = settings.public_url.as_ref()?;
    let link = delivery.tracking.as_ref()?.link.as_ref()?;
    Some(format!("{base}/t/{}", token(&settings.secret, &link.nonce)))
}

/// Creates a link.
pub fn new_link(secret: &Secret, context: &mut ExecContext) -> LinkKey {
    let nonce = context.entropy.hex();
    let hash = KeyHash::of(&token(secret, &nonce));
    LinkKey { nonce, hash }
}

/// Returns the recipient's part in a new delivery.
pub fn start(store: &StoreTracking, secret: &Secret, context: &mut ExecContext) -> Tracking {
    let link = Some(new_link(secret, context));
    Tracking {
        link,
        notify_at: store.notify_at.clone(),
        ..Tracking::default()
    }
}

/// Ends the current link of a delivery and, if `key` is given, sets this one instead. Returns
/// `None` if the order has no such delivery, or its recipient's data was erased.
pub fn replace_link(
    order: &Order,
    stop: DeliveryId,
    key: Option<LinkKey>,
    now: Timestamp,
) -> Option<(Order, Changes)> {
    let mut changed = Order {
        version: order.version + 1,
        ..order.clone()
    };
    let id = changed.id;
    let delivery = changed
        .deliveries
        .iter_mut()
        .find(|delivery| delivery.id == stop && !delivery.erased)?;
    let mut links: Vec<_> = delivery.end_link(id, now).into_iter().collect();
    links.extend(key.and_then(|key| delivery.set_link(id, key, now)));
    let orders = vec![Write {
        expected: order.version,
        value: changed.clone(),
    }];
    Some((
        changed,
        Changes {
            at: now,
            orders,
            links,
            ..Changes::default()
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_has_144_bits_and_depends_on_secret_and_nonce() {
        let (one, other) = (Secret([1; 32]), Secret([2; 32]));
        let first = token(&one, "00");
        assert_eq!(first.len(), 24);
        assert!(
            first
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        );
        assert!(first != token(&one, "01") && first != token(&other, "00"));
    }
}
