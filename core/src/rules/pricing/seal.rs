//! Quotes: guaranteed prices, which are signed instead of stored.
//!
//! A quote consists of its fee lines and a signature: the fee holds after a tariff change, and
//! nothing is stored.

use base64ct::{Base64UrlUnpadded, Encoding};
use serde::{Deserialize, Serialize};

use super::{PriceBasis, QuoteDifference};
use crate::{
    json,
    model::{
        Distance, Duration, StoreId, Timestamp, hmac_sha256, hmac_sha256_matches, price::PriceLine,
    },
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
    /// What the price was calculated from.
    pub basis: PriceBasis,
    /// Time at which the quote expires.
    pub expires_at: Timestamp,
    /// Version of the tariff that was applied.
    pub tariff_version: String,
    /// The price lines.
    pub lines: Vec<PriceLine>,
}

/// The reason a quote is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The quote has expired, or an earlier version of the service issued it in another format.
    #[error("the quote has expired")]
    Expired,
    /// The text is not a quote of this service.
    #[error("the text is not a quote of this service")]
    Invalid,
    /// The quote was issued for another store or another basis.
    #[error("the quote was issued for another store or another basis")]
    Mismatch(Vec<QuoteDifference>),
}

impl Quote {
    /// Creates a quote that is valid from `now`.
    pub fn new(
        store: StoreId,
        basis: PriceBasis,
        tariff_version: String,
        lines: Vec<PriceLine>,
        now: Timestamp,
    ) -> Quote {
        Quote {
            store,
            basis,
            expires_at: now.after(VALIDITY),
            tariff_version,
            lines,
        }
    }

    /// Encodes the quote: its JSON and an HMAC-SHA256 with the deployment's secret, in base64url.
    pub fn seal(&self, secret: &Secret) -> String {
        let mut bytes = json::to_vec(self).unwrap_or_default();
        let tag = hmac_sha256(&secret.0, &[PURPOSE, &bytes]);
        bytes.extend_from_slice(&tag);
        Base64UrlUnpadded::encode_string(&bytes)
    }

    /// Returns what the price of a quote was calculated from, if its signature is valid.
    pub fn signed_basis(text: &str, secret: &Secret) -> Option<PriceBasis> {
        Some(Quote::signed(text, secret).ok()?.basis)
    }

    fn signed(text: &str, secret: &Secret) -> Result<Quote, SealError> {
        let bytes = Base64UrlUnpadded::decode_vec(text).map_err(|_| SealError::Invalid)?;
        let split = bytes
            .len()
            .checked_sub(TAG_BYTES)
            .ok_or(SealError::Invalid)?;
        let (body, tag) = bytes.split_at(split);
        if !hmac_sha256_matches(&secret.0, &[PURPOSE, body], tag) {
            return Err(SealError::Invalid);
        }
        // A signed quote that cannot be read was issued before an upgrade. Clients already replace
        // expired quotes.
        let quote = std::str::from_utf8(body)
            .ok()
            .and_then(|body| json::from_str::<Quote>(body).ok());
        quote.ok_or(SealError::Expired)
    }

    /// Decodes a quote and verifies its signature, store, basis and expiry. `distance` is the
    /// length of the order's route.
    pub fn open(
        text: &str,
        secret: &Secret,
        store: StoreId,
        (basis, distance): (&PriceBasis, Distance),
        now: Timestamp,
    ) -> Result<Quote, SealError> {
        let quote = Quote::signed(text, secret)?;
        if quote.store != store {
            return Err(SealError::Mismatch(vec![QuoteDifference::Store]));
        }
        let differences = quote.basis.differences(basis, distance);
        if !differences.is_empty() {
            return Err(SealError::Mismatch(differences));
        }
        if quote.expires_at < now {
            Err(SealError::Expired)
        } else {
            Ok(quote)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Address, Located, Money, Point, Precision, order::Place, price::Rule},
        rules::pricing::Inquiry,
    };

    fn basis(deliver_at: Option<Timestamp>) -> PriceBasis {
        let inquiry = Inquiry {
            store: None,
            pickup: None,
            stops: Vec::new(),
            best_route: false,
            with_times: false,
            preparation_minutes: 0,
            deliver_at,
            vehicle: None,
            max_fee: None,
        };
        let located = Located {
            point: Point {
                lat_e7: 0,
                lon_e7: 0,
            },
            precision: Precision::Coordinates,
            radius_m: 0,
        };
        PriceBasis::new(
            &inquiry,
            &Place {
                address: Address::default(),
                located,
            },
            &[],
            (Default::default(), Default::default()),
        )
    }

    #[test]
    fn quote_is_valid_only_for_its_store_basis_and_time() {
        let (secret, store, now) = (
            Secret([9; 32]),
            StoreId::new(7).unwrap(),
            Timestamp::from_millis(1_000),
        );
        let line = PriceLine {
            rule: Rule::Base,
            quantity: 1.into(),
            amount: Money::from_centavos(790).unwrap(),
        };
        let (own, other) = (basis(None), basis(Some(now)));
        let quote = Quote::new(store, own.clone(), "t-1".into(), vec![line], now);
        let text = quote.seal(&secret);
        assert_eq!(
            Quote::open(
                &text,
                &secret,
                store,
                (&own, Distance(0)),
                now.after(VALIDITY)
            ),
            Ok(quote)
        );
        let open = |text: &str, secret: &Secret, store, basis: &PriceBasis, at| {
            Quote::open(text, secret, store, (basis, Distance(0)), at).unwrap_err()
        };
        let late = now.after(VALIDITY).after(Duration::millis(1));
        assert_eq!(open(&text, &secret, store, &own, late), SealError::Expired);
        let other_store = StoreId::new(8).unwrap();
        let mismatch = |difference| SealError::Mismatch(vec![difference]);
        assert_eq!(
            open(&text, &secret, other_store, &own, now),
            mismatch(QuoteDifference::Store)
        );
        assert_eq!(
            open(&text, &secret, store, &other, now),
            mismatch(QuoteDifference::DeliverAt)
        );
        assert_eq!(
            open(&text, &Secret([8; 32]), store, &own, now),
            SealError::Invalid
        );
        for index in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[index] = if bytes[index] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(bytes).unwrap();
            let opened = Quote::open(&forged, &secret, store, (&own, Distance(0)), now);
            assert!(
                forged == text || opened == Err(SealError::Invalid),
                "byte {index}"
            );
        }
        assert_eq!(open("", &secret, store, &own, now), SealError::Invalid);
    }

    #[test]
    fn quote_of_an_earlier_version_has_expired() {
        let (secret, store, now) = (
            Secret([9; 32]),
            StoreId::new(7).unwrap(),
            Timestamp::from_millis(1_000),
        );
        let body =
            br#"{"store":7,"content":"abc","expires_at":2000,"tariff_version":"t-1","lines":[]}"#;
        let tag = hmac_sha256(&secret.0, &[PURPOSE, body]);
        let text = Base64UrlUnpadded::encode_string(&[body.as_slice(), &tag].concat());
        assert_eq!(
            Quote::open(&text, &secret, store, (&basis(None), Distance(0)), now),
            Err(SealError::Expired)
        );
    }
}
