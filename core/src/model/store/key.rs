//! Keys that authenticate a store, and claims on idempotency keys.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Store;
use crate::model::{KeyId, StoreId, Timestamp};

/// SHA-256 of a key's text, in hexadecimal: all that is kept of it. A key has 256 random bits, so a plain hash is enough.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyHash(String);

impl KeyHash {
    /// The hash of a key's text.
    pub fn of(text: &str) -> KeyHash {
        KeyHash(crate::model::hex(&Sha256::digest(text.as_bytes())))
    }

    /// The 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum KeyKind {
    /// A merchant's system; `integratorOrigin` INTEGRATION.
    Integration,
    /// A person at the panel; `integratorOrigin` PANEL.
    Panel,
}

impl KeyKind {
    /// The value of `integratorOrigin`, and of `origin` of the orders made with the key.
    pub fn origin(self) -> &'static str {
        match self {
            KeyKind::Integration => "INTEGRATION",
            KeyKind::Panel => "PANEL",
        }
    }
}

/// A key of one store. Its text is told once, when it is issued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// The number.
    pub id: KeyId,
    /// How often the key was written; 1 after the first time.
    pub version: u32,
    /// The store that it speaks for.
    pub store: StoreId,
    /// What is kept of its text.
    pub hash: KeyHash,
    /// What it is for.
    pub kind: KeyKind,
    /// What people call it.
    pub name: Option<String>,
    /// The store that asked for it: the matrix, or the store itself.
    pub integrator: StoreId,
    /// When it was issued.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
    /// When it was revoked.
    pub deleted_at: Option<Timestamp>,
}

impl Key {
    /// What every key starts with, so that scanners for leaked secrets know one.
    pub const PREFIX: &'static str = "dsp_";

    /// Whether it opens anything at an instant, its store's removal aside.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.deleted_at.is_none() && self.expires_at > now
    }

    /// The text of the key that belongs to a nonce: `dsp_` and 43 letters, digits, `-` or `_` that say 256 bits.
    ///
    /// Derived by HMAC-SHA256 from the deployment's secret, so that a stored answer can hold the nonce in place of the key.
    pub fn text(secret: &[u8; 32], nonce: &[u8; 32]) -> String {
        let bytes = crate::model::hmac_sha256(secret, &[b"despacho key", nonce]);
        format!("{}{}", Key::PREFIX, URL_SAFE_NO_PAD.encode(bytes))
    }
}

/// A key and the store that it speaks for.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyHolder {
    /// The key.
    pub key: Key,
    /// Its store.
    pub store: Store,
}

/// A caller's claim on an idempotency key: while it runs nobody else may start the same request, afterwards its answer is
/// given again for 24 hours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Whose key it is: `store/12`, `operator`.
    pub scope: String,
    /// Whose stored responses are bounded together: `merchant/12`, `courier/7`; `None` for the operator.
    #[serde(default)]
    pub owner: Option<String>,
    /// The `Idempotency-Key` as sent.
    pub key: String,
    /// SHA-256 of method, path and body, in hexadecimal; of a body with a password the argon2id hash of that.
    pub fingerprint: String,
    /// Which attempt holds the claim: a fresh random text.
    pub holder: String,
    /// The answer; `None` while the request is still running.
    #[serde(rename = "answer")]
    pub response: Option<StoredResponse>,
    /// When it ends. A running claim ends soon, so that a crash locks nobody out.
    pub expires_at: Timestamp,
}

/// An answer to give again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredResponse {
    /// HTTP status.
    pub status: u16,
    /// The body. Where it told a new key, that key's nonce stands in place of its text.
    pub body: String,
    /// The nonce of the key that the answer told, in hexadecimal.
    pub key_nonce: Option<String>,
    /// What a preview is computed again from, in place of its body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recompute: Option<Recompute>,
}

/// A preview's response, which follows from the request and the time: it is computed again rather than stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recompute {
    /// The time that the response was computed with.
    pub at: Timestamp,
    /// SHA-256 of its body, in hexadecimal.
    pub digest: String,
}

impl Claim {
    /// Bytes that the claim is counted with once it has its response: key, body, and what surrounds them in a row and its indexes.
    pub fn size(&self) -> u64 {
        let body = self.response.as_ref().map_or(0, |response| response.body.len());
        (self.key.len() + body) as u64 + 512
    }

    /// The number of an instant's hour since 1970: usage is counted by the hour.
    pub fn hour(at: Timestamp) -> i64 {
        at.millis().div_euclid(3_600_000)
    }
}

/// A change of a claim. A claim is identified by scope and key.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaimChange {
    /// Inserts a claim or replaces an expired one; a conflict if the stored claim's `expires_at` is after `Changes::at`.
    Take(Claim),
    /// Stores the claim with its response; a conflict if the stored claim has another holder. Counts one response of [`Claim::size`] for
    /// the owner in the hour of `Changes::at`; the count stays when the claim is removed.
    Finish(Claim),
    /// Removes the claim if it has this holder and its `expires_at` is not after `until`. A claim with its response expires later and
    /// stays: the caller may not know that its commit took place.
    Release {
        /// The claim's scope.
        scope: String,
        /// The claim's key.
        key: String,
        /// The claim's holder.
        holder: String,
        /// When the claim without its response expires.
        until: Timestamp,
    },
}
