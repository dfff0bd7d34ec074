//! Keys that authenticate a store, and claims on idempotency keys.
//!
//! The value of a key is derived from a nonce. A stored response contains the nonce instead of the
//! key, so that after a lost response the key can be sent again, although it is not stored.

use base64ct::{Base64UrlUnpadded, Encoding};
use serde::{Deserialize, Serialize};

use super::{KeyHash, Role, SessionUser, Store};
use crate::model::{KeyId, StoreId, Timestamp, WebhookId};

/// The kind of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum KeyKind {
    /// A merchant's system, with `integratorOrigin` INTEGRATION.
    Integration,
    /// A panel session, with `integratorOrigin` PANEL.
    Panel,
}

impl KeyKind {
    /// Returns the value of `integratorOrigin`, and of `origin` of orders created with the key.
    pub fn origin(self) -> &'static str {
        match self {
            KeyKind::Integration => "INTEGRATION",
            KeyKind::Panel => "PANEL",
        }
    }
}

/// A key of a store. Its value is returned only once, when it is issued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// The ID.
    pub id: KeyId,
    /// Number of times the key was written, starting at 1.
    pub version: u32,
    /// The store that the key authenticates.
    pub store: StoreId,
    /// Hash of the key value.
    pub hash: KeyHash,
    /// The kind of the key.
    pub kind: KeyKind,
    /// Name of the key.
    pub name: Option<String>,
    /// The user of a panel session. `None` for the store's own login and for keys of merchants'
    /// systems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<SessionUser>,
    /// The store that issued the key: the parent store or the store itself.
    pub integrator: StoreId,
    /// Time at which the key was issued.
    pub created_at: Timestamp,
    /// Time at which the key expires.
    pub expires_at: Timestamp,
    /// Time at which the key was revoked.
    pub deleted_at: Option<Timestamp>,
    /// The Open Delivery connection whose client secret the key is. It gives access to that
    /// connection and to nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<WebhookId>,
    /// Time until which the person of a panel session counts as confirmed, because the password was
    /// sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_until: Option<Timestamp>,
}

impl Key {
    /// Prefix of all keys, which secret scanners can recognise.
    pub const PREFIX: &'static str = "dsp_";

    /// Returns the role of the key's requests.
    pub fn role(&self) -> Role {
        self.user.as_ref().map_or(Role::Owner, |user| user.role)
    }

    /// Returns whether the key is valid at `now`. Removal of the store is not considered.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.deleted_at.is_none() && self.expires_at > now
    }

    /// Returns whether the password of the session's login was sent again a short time ago.
    pub fn is_confirmed(&self, now: Timestamp) -> bool {
        self.confirmed_until.is_some_and(|until| now < until)
    }

    /// Derives the key value from a nonce: `dsp_` and 43 letters, digits, `-` or `_` that encode
    /// 256 bits.
    ///
    /// The value is an HMAC-SHA256 with the deployment's secret. A stored response therefore needs
    /// only the nonce instead of the key.
    pub fn text(secret: &[u8; 32], nonce: &[u8; 32]) -> String {
        let bytes = crate::model::hmac_sha256(secret, &[b"despacho key", nonce]);
        format!(
            "{}{}",
            Key::PREFIX,
            Base64UrlUnpadded::encode_string(&bytes)
        )
    }
}

/// A key and the store that it authenticates.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyHolder {
    /// The key.
    pub key: Key,
    /// Its store.
    pub store: Store,
    /// The revision of the stored tariffs when the key was read. See
    /// [`crate::model::tariff::TariffSchedule`].
    pub tariff_revision: u64,
}

/// A claim on an idempotency key. While the request runs, no other request can use the key.
/// Afterwards, the stored response is returned for 24 hours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Owner of the idempotency key: `store/12`, `operator`.
    pub scope: String,
    /// Owner of the limit on stored responses: `merchant/12`, `courier/7`. `None` for the operator.
    #[serde(default)]
    pub owner: Option<String>,
    /// The `Idempotency-Key` as sent.
    pub key: String,
    /// SHA-256 of method, path and body, in hexadecimal. A password in the body is replaced by its
    /// argon2id hash.
    pub fingerprint: String,
    /// Random string that identifies the request that holds the claim.
    pub holder: String,
    /// The response. `None` while the request is running.
    #[serde(rename = "answer")]
    pub response: Option<StoredResponse>,
    /// Time at which the claim expires. Claims of running requests expire soon, so a crash does not
    /// block the key for long.
    pub expires_at: Timestamp,
}

/// A response to return for repeated requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredResponse {
    /// HTTP status.
    pub status: u16,
    /// The body. A new key's value is replaced by its nonce.
    pub body: String,
    /// Nonce of the new key in the response, in hexadecimal.
    pub key_nonce: Option<String>,
    /// Nonces of the recipients' links in the body, which has them instead of the tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub link_nonces: Vec<String>,
    /// Data from which a preview is computed again, instead of its body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recompute: Option<Recompute>,
}

/// A preview's response depends only on the request and the time, so it is computed again instead
/// of stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recompute {
    /// Time with which the response was computed.
    pub at: Timestamp,
    /// SHA-256 of the response body, in hexadecimal.
    pub digest: String,
}

impl Claim {
    /// Returns the size in bytes that counts towards the limit: key, body, and a fixed overhead for
    /// the row and its indexes.
    pub fn size(&self) -> u64 {
        let body = self
            .response
            .as_ref()
            .map_or(0, |response| response.body.len());
        (self.key.len() + body) as u64 + 512
    }

    /// Returns the number of hours since 1970. Usage is counted per hour.
    pub fn hour(at: Timestamp) -> i64 {
        at.millis().div_euclid(3_600_000)
    }
}

/// A change to a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaimChange {
    /// Takes a claim that is free at `Changes::at`. Conflicts if another request holds it.
    Take(Claim),
    /// Stores the response. Conflicts if another request has taken the claim.
    Finish(Claim),
    /// Releases the claim if the holder still has it and no response is stored. A stored response
    /// is kept, because the caller may not have learned that its commit succeeded.
    Release {
        /// The claim's scope.
        scope: String,
        /// The claim's key.
        key: String,
        /// The claim's holder.
        holder: String,
        /// Expiry time of the running claim. A claim that expires later has its response.
        until: Timestamp,
    },
}
