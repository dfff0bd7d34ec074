//! Quotes: guaranteed prices, which are signed instead of stored.

use base64ct::{Base64UrlUnpadded, Encoding};
use serde::{Deserialize, Serialize};

use crate::{
    json,
    model::{Duration, StoreId, Timestamp, hmac_sha256, hmac_sha256_matches, price::PriceLine},
    rules::settings::Secret,
};

/// Validity of a quote.
const VALIDITY: Duration = Duration::minutes(15);
const PURPOSE: &[u8] = b"despacho quote";
const TAG_BYTES: usize = 32;

/// A price that is guaranteed for a limited time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quote {
    /// The store.
    pub store: StoreId,
    /// SHA-256 of all parts of the request that determine the price.
    pub content: String,
    /// Time at which the quote expires.
    pub expires_at: Timestamp,
    /// Version of the tariff that was applied.
    pub tariff_version: String,
    /// The price lines.
    pub lines: Vec<PriceLine>,
}

/// The reason a quote is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealError {
    /// The quote has expired.
    Expired,
    /// The signature is invalid, or the quote was issued for another store or content.
    Mismatch,
}

impl Quote {
    /// Creates a quote that is valid from `now`.
    pub fn new(
        store: StoreId,
        content: String,
        tariff_version: String,
        lines: Vec<PriceLine>,
        now: Timestamp,
    ) -> Quote {
        Quote { store, content, expires_at: now.after(VALIDITY), tariff_version, lines }
    }

    /// Encodes the quote: its JSON and an HMAC-SHA256 with the deployment's secret, in base64url.
    pub fn seal(&self, secret: &Secret) -> String {
        let mut bytes = json::to_vec(self).unwrap_or_default();
        let tag = hmac_sha256(&secret.0, &[PURPOSE, &bytes]);
        bytes.extend_from_slice(&tag);
        Base64UrlUnpadded::encode_string(&bytes)
    }

    /// Decodes a quote and verifies its signature, store, content and expiry.
    pub fn open(
        text: &str,
        secret: &Secret,
        store: StoreId,
        content: &str,
        now: Timestamp,
    ) -> Result<Quote, SealError> {
        let bytes = Base64UrlUnpadded::decode_vec(text).map_err(|_| SealError::Mismatch)?;
        let split = bytes.len().checked_sub(TAG_BYTES).ok_or(SealError::Mismatch)?;
        let (body, tag) = bytes.split_at(split);
        if !hmac_sha256_matches(&secret.0, &[PURPOSE, body], tag) {
            return Err(SealError::Mismatch);
        }
        let quote = std::str::from_utf8(body).ok().and_then(|body| json::from_str::<Quote>(body).ok());
        let quote = quote.ok_or(SealError::Mismatch)?;
        if quote.store != store || quote.content != content {
            return Err(SealError::Mismatch);
        }
        if quote.expires_at < now { Err(SealError::Expired) } else { Ok(quote) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Money, price::Rule};

    #[test]
    fn quote_is_valid_only_for_its_store_content_and_time() {
        let (secret, store, now) = (Secret([9; 32]), StoreId::new(7).unwrap(), Timestamp::from_millis(1_000));
        let line = PriceLine { rule: Rule::Base, quantity: 1.into(), amount: Money::from_centavos(790).unwrap() };
        let quote = Quote::new(store, "abc".into(), "t-1".into(), vec![line], now);
        let text = quote.seal(&secret);
        assert_eq!(Quote::open(&text, &secret, store, "abc", now.after(VALIDITY)), Ok(quote));
        let open = |text: &str, secret: &Secret, store, content, at| Quote::open(text, secret, store, content, at);
        let late = now.after(VALIDITY).after(Duration::millis(1));
        assert_eq!(open(&text, &secret, store, "abc", late), Err(SealError::Expired));
        assert_eq!(open(&text, &secret, StoreId::new(8).unwrap(), "abc", now), Err(SealError::Mismatch));
        assert_eq!(open(&text, &secret, store, "abd", now), Err(SealError::Mismatch));
        assert_eq!(open(&text, &Secret([8; 32]), store, "abc", now), Err(SealError::Mismatch));
        for index in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[index] = if bytes[index] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(bytes).unwrap();
            assert!(forged == text || open(&forged, &secret, store, "abc", now).is_err(), "byte {index}");
        }
        assert_eq!(open("", &secret, store, "abc", now), Err(SealError::Mismatch));
    }
}
