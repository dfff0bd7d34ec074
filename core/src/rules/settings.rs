//! The operator's settings for the rules. Hosts read them from their configuration.

use super::{
    lifecycle::{Cancellation, Timing},
    limits::Limits,
    matching::Dispatch,
    pricing::Tariff,
    push::PushConfig,
    top_ups::PixConfig,
    webhooks::WebhookConfig,
};
use crate::model::{
    Precision,
    price::EstimatePolicy,
    store::{KeyHash, Store},
};

/// Settings for the rules.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Limits on requests and stored data.
    pub limits: Limits,
    /// Timeouts of orders.
    pub timing: Timing,
    /// The search for couriers.
    pub dispatch: Dispatch,
    /// Cancellation fees.
    pub cancellation: Cancellation,
    /// The tariff.
    pub tariff: Tariff,
    /// Validity and number of keys.
    pub keys: KeyConfig,
    /// Validity of links that set passwords.
    pub accounts: AccountConfig,
    /// Validity of couriers' sign-in links and sessions.
    pub couriers: CourierConfig,
    /// Requirements for addresses.
    pub places: PlaceConfig,
    /// Uncertain prices.
    pub pricing: PriceConfig,
    /// Webhook delivery.
    pub webhooks: WebhookConfig,
    /// Web Push to couriers.
    pub push: PushConfig,
    /// Payments by Pix to the operator.
    pub pix: PixConfig,
    /// Whether the host sends mail, so that a webhook can have the URL `smtp:`.
    pub mail: bool,
    /// Retention of personal data.
    pub retention: RetentionConfig,
    /// The secret that signs quotes and derives keys and webhook secrets.
    pub secret: Secret,
    /// Hash of the operator's token. `None` disables the operator's endpoints.
    pub operator: Option<KeyHash>,
    /// Base URL under which clients reach the service, without a path: `https://entregas.example`.
    pub public_url: Option<String>,
}

/// Validity and number of keys.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct KeyConfig {
    /// Default validity of an issued key in days.
    pub days: u32,
    /// Validity of a panel session in hours.
    pub session_hours: u32,
    /// Maximum number of valid keys of a store, not counting sessions.
    pub per_store: u32,
    /// Maximum number of valid sessions of a store. A further login revokes the oldest.
    pub sessions_per_store: u32,
}

impl Default for KeyConfig {
    fn default() -> KeyConfig {
        KeyConfig {
            days: 365,
            session_hours: 12,
            per_store: 100,
            sessions_per_store: 100,
        }
    }
}

/// Validity of links that set passwords.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct AccountConfig {
    /// Validity of a link in minutes.
    pub link_minutes: u32,
}

impl Default for AccountConfig {
    fn default() -> AccountConfig {
        AccountConfig { link_minutes: 60 }
    }
}

/// Validity of couriers' sign-in links and sessions.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct CourierConfig {
    /// Validity of a sign-in link in minutes.
    pub sign_in_minutes: u32,
    /// Validity of a session in days.
    pub session_days: u32,
}

impl Default for CourierConfig {
    fn default() -> CourierConfig {
        CourierConfig {
            sign_in_minutes: 60,
            session_days: 30,
        }
    }
}

/// Retention of the personal data of orders, counted from their creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct RetentionConfig {
    /// Days after which recipients' names, phones, addresses and observations are erased from ended
    /// orders. 0 stores them until an erasure is requested.
    pub recipients_days: u32,
    /// Days after which couriers' positions are erased from ended orders, and from couriers that
    /// have reported none since. 0 stores them as long as the recipients.
    pub positions_days: u32,
    /// Days after which photos and the other proofs of steps are erased from ended orders. 0 stores
    /// them as long as the recipients.
    pub proofs_days: u32,
    /// Days after which entries of the audit log are removed, and the rows of users since their
    /// removal. 0 stores them forever.
    pub audit_days: u32,
}

impl Default for RetentionConfig {
    fn default() -> RetentionConfig {
        RetentionConfig {
            recipients_days: 0,
            positions_days: 0,
            proofs_days: 90,
            audit_days: 730,
        }
    }
}

/// Requirements for addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct PlaceConfig {
    /// Minimum precision of an address. Less precise addresses are rejected with 422
    /// `address_imprecise`.
    #[serde(rename = "min-precision")]
    pub min_precision: Precision,
}

impl Default for PlaceConfig {
    /// Accepts every address that can be located. Orders that depend on a municipality only are
    /// marked as estimated.
    fn default() -> PlaceConfig {
        PlaceConfig {
            min_precision: Precision::Municipality,
        }
    }
}

/// Uncertain prices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct PriceConfig {
    /// What to do with a price whose distance is uncertain, because an address was located only by
    /// its municipality.
    pub estimates: EstimatePolicy,
}

impl PriceConfig {
    /// Returns what to do with uncertain prices of a store.
    pub fn estimates(&self, store: &Store) -> EstimatePolicy {
        store.estimates.unwrap_or(self.estimates)
    }
}

/// The deployment's 256-bit secret. It signs quotes, derives keys and is never shown.
#[derive(Clone, Default)]
pub struct Secret(pub [u8; 32]);

impl Secret {
    /// Parses a secret of 64 hexadecimal digits.
    ///
    /// # Errors
    /// The expected format, if the string is not a secret.
    pub fn parse(text: &str) -> Result<Secret, String> {
        let bytes = base16ct::mixed::decode_vec(text.trim())
            .ok()
            .and_then(|bytes| bytes.try_into().ok());
        bytes.map(Secret).ok_or_else(|| {
            "must be 64 hexadecimal digits, as `openssl rand -hex 32` prints them".to_owned()
        })
    }
}

/// Validates an operator's token, which must be hard to guess and valid in a header, and returns
/// its hash.
///
/// # Errors
/// The expected format, if the token is not valid.
pub fn operator_token(text: &str) -> Result<KeyHash, String> {
    let text = text.trim();
    if !(20..=256).contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("must be 20 to 256 visible ASCII characters without spaces".to_owned());
    }
    Ok(KeyHash::of(text))
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}
