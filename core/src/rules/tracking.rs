//! Links of recipients and their tokens.

use base64ct::{Base64UrlUnpadded, Encoding};

use super::settings::{Secret, Settings};
use crate::{
    changes::{Changes, Write},
    model::{
        DeliveryId, ExecContext, Timestamp, hmac_sha256,
        order::{Delivery, LinkKey, Order, Tracking},
        store::{KeyHash, Store, StoreTracking},
    },
};

/// Number of bytes of a token: 144 bits.
const TOKEN_BYTES: usize = 18;

/// Derives the token of a link from its nonce. A stored response and a row of the database therefore contain no token.
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
    Tracking { link, notify_at: store.notify_at.clone(), ..Tracking::default() }
}

/// Sets the tracking of a store, which applies to the links of existing orders too, except `enabled` and `notify_at`.
pub fn set_tracking(store: &Store, tracking: StoreTracking, now: Timestamp) -> (Store, Changes) {
    let changed = Store { tracking, version: store.version + 1, ..store.clone() };
    let write = Write { expected: store.version, value: changed.clone() };
    (changed, Changes { at: now, stores: vec![write], ..Changes::default() })
}

/// Ends the current link of a delivery and, if `key` is given, sets this one instead. Returns `None` if the order has no such
/// delivery, or its recipient's data was erased.
pub fn replace_link(order: &Order, stop: DeliveryId, key: Option<LinkKey>, now: Timestamp) -> Option<(Order, Changes)> {
    let mut changed = Order { version: order.version + 1, ..order.clone() };
    let id = changed.id;
    let delivery = changed.deliveries.iter_mut().find(|delivery| delivery.id == stop && !delivery.erased)?;
    let mut links: Vec<_> = delivery.end_link(id, now).into_iter().collect();
    links.extend(key.and_then(|key| delivery.set_link(id, key, now)));
    let orders = vec![Write { expected: order.version, value: changed.clone() }];
    Some((changed, Changes { at: now, orders, links, ..Changes::default() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_has_144_bits_and_depends_on_secret_and_nonce() {
        let (one, other) = (Secret([1; 32]), Secret([2; 32]));
        let first = token(&one, "00");
        assert_eq!(first.len(), 24);
        assert!(first.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')));
        assert!(first != token(&one, "01") && first != token(&other, "00"));
    }
}
