//! Hashes of keys.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// SHA-256 of a key value, in hexadecimal. Only the hash is stored. Keys have 256 random bits, so a
/// plain hash is sufficient.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyHash(String);

impl KeyHash {
    /// Hashes a key value.
    pub fn of(text: &str) -> KeyHash {
        KeyHash(crate::model::hex(&Sha256::digest(text.as_bytes())))
    }

    /// Returns the 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
