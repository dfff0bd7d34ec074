//! What an operator decides, as the rules see it; a host reads it from its own configuration.

use data_encoding::HEXLOWER_PERMISSIVE;

use super::{
    lifecycle::{Cancellation, Timing},
    limits::Limits,
    matching::Dispatch,
    pricing::Tariff,
    webhooks::WebhookTerms,
};
use crate::model::{Precision, store::KeyHash};

/// The configuration of the rules.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How large and how often.
    pub limits: Limits,
    /// How long.
    pub timing: Timing,
    /// How couriers are looked for.
    pub dispatch: Dispatch,
    /// What a late cancellation costs.
    pub cancellation: Cancellation,
    /// How much.
    pub tariff: Tariff,
    /// How long keys live.
    pub keys: KeyTerms,
    /// How well places must be known.
    pub places: PlaceTerms,
    /// How patiently webhooks are sent.
    pub webhooks: WebhookTerms,
    /// How long personal data is stored.
    pub retention: RetentionConfig,
    /// The secret that quotes, keys and webhook secrets derive from. The default is all zeros, for tests only: anyone can forge those.
    pub secret: Secret,
    /// The hash of the operator's token; `None` closes the operator's endpoints.
    pub operator: Option<KeyHash>,
}

/// How long keys live.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct KeyTerms {
    /// Days that an issued key is valid.
    pub days: u32,
    /// Hours that a login at the panel is valid.
    pub session_hours: u32,
    /// Valid keys that a store may have, logins aside.
    pub per_store: u32,
    /// Valid logins that a store may have: with one more the oldest ends.
    pub sessions_per_store: u32,
}

impl Default for KeyTerms {
    fn default() -> KeyTerms {
        KeyTerms { days: 365, session_hours: 12, per_store: 100, sessions_per_store: 100 }
    }
}

/// How long personal data of orders is stored after their creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct RetentionConfig {
    /// Days after which recipients' names, phones, addresses and observations are erased from ended orders; 0 stores them until an
    /// erasure is requested.
    pub recipients_days: u32,
    /// Days after which couriers' positions are erased from ended orders and from couriers who have reported none since; 0 stores them
    /// as long as the recipients.
    pub positions_days: u32,
}

/// How well places must be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct PlaceTerms {
    /// The minimum precision of an address; below it the response is 422 `address_imprecise`.
    #[serde(rename = "min-precision")]
    pub min_precision: Precision,
}

impl Default for PlaceTerms {
    /// Every address that can be located, since what rests on a municipality alone is flagged as estimated.
    fn default() -> PlaceTerms {
        PlaceTerms { min_precision: Precision::Municipality }
    }
}

/// The deployment's 256-bit secret. It signs quotes and derives keys, and is never shown.
#[derive(Clone, Default)]
pub struct Secret(pub [u8; 32]);

impl Secret {
    /// Reads a secret from 64 hexadecimal digits.
    ///
    /// # Errors
    /// What to write in place of a text that is none.
    pub fn parse(text: &str) -> Result<Secret, String> {
        let bytes = HEXLOWER_PERMISSIVE.decode(text.trim().as_bytes()).ok().and_then(|bytes| bytes.try_into().ok());
        bytes
            .map(Secret)
            .ok_or_else(|| "must be 64 hexadecimal digits, as `openssl rand -hex 32` prints them".to_owned())
    }
}

/// The hash of an operator's token: hard to guess and possible to send in a header.
///
/// # Errors
/// What to choose in place of a token that is neither.
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
