//! Web Push to couriers (RFC 8030), with the sender's identification (RFC 8292).
//!
//! A push has no content, so that the push service learns nothing about orders, and the app reads
//! the trip from the API.
//!
//! A push is a mark on a courier: an assignment marks the courier that it writes anyway, so that a
//! push costs no further write and no crash loses it.

mod key;
mod subscription;

use serde::{Deserialize, Serialize};

use crate::model::Duration;
pub use key::{VapidKey, contact, origin};
pub use subscription::{MAX_SUBSCRIPTIONS, PushResult, settle, subscribe, take, unsubscribe};

/// Maximum number of attempts of one push to one browser.
pub const MAX_ATTEMPTS: u32 = 5;
/// Time between a failed first attempt and the second. Each further delay is three times as long.
const FIRST_RETRY: Duration = Duration::seconds(5);

/// Web Push to couriers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct PushConfig {
    /// The private key that identifies the deployment to push services. `None` disables pushes.
    pub vapid_key: Option<VapidKey>,
    /// The operator's contact for push services.
    pub contact: Option<String>,
}

impl PushConfig {
    /// Returns the public key, with which browsers subscribe. `None` if pushes are disabled.
    pub fn public_key(&self) -> Option<String> {
        self.sender().map(|(key, _)| key.public_key())
    }

    /// Returns the key and the contact. `None` if pushes are disabled.
    pub fn sender(&self) -> Option<(&VapidKey, &str)> {
        self.vapid_key.as_ref().zip(self.contact.as_deref())
    }
}
