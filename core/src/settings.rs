//! What an operator decides, as the rules see it; a host reads it from its own configuration.

use crate::{courier::Dispatch, limits::Limits, order::Timing, quote::Tariff, store::KeyHash};

/// The configuration of the rules.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How large and how often.
    pub limits: Limits,
    /// How long.
    pub timing: Timing,
    /// How couriers are looked for.
    pub dispatch: Dispatch,
    /// How much.
    pub tariff: Tariff,
    /// How long keys live.
    pub keys: KeyTerms,
    /// What quotes and keys are derived from.
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
}

impl Default for KeyTerms {
    fn default() -> KeyTerms {
        KeyTerms { days: 365, session_hours: 12 }
    }
}

/// The deployment's 256-bit secret. It signs quotes and derives keys, and is never shown.
#[derive(Clone, Default)]
pub struct Secret(pub [u8; 32]);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}
