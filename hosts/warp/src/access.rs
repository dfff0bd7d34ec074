//! Whether the keys of open streams are still valid.
//!
//! A key that was found valid counts as valid for `VALID`, unless this process or, by a notification, another one wrote a key or a store
//! since. A notification can be lost, and a command or another kind of host sends none, so that keys are read again every `CHECK`: a
//! revoked key's streams end within a second on every instance.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use despacho_core::{drivers::stream::Subscription, host::HostError, model::KeyId};
use tokio::{sync::watch, time::Instant};

use crate::store::Store;

/// How long a key counts as valid: the streams of one key share a read.
const VALID: Duration = Duration::from_millis(400);
/// How often a key is checked while nothing is known to have changed.
const CHECK: Duration = Duration::from_millis(500);
/// Keys that are remembered before those that were checked too long ago are dropped.
const MAX_KEYS: usize = 1_024;

/// The keys that were found valid, with the count of changes that was known then.
#[derive(Debug, Default)]
pub struct Access(Mutex<BTreeMap<KeyId, (u64, Instant)>>);

impl Access {
    /// Whether a stream's key is valid; `changes` is [`Store::access`].
    pub async fn is_valid(
        &self,
        store: &Store,
        changes: &watch::Receiver<u64>,
        subscription: &Subscription,
    ) -> Result<bool, HostError> {
        // Both before the key is read: what changes after this is not covered by the result.
        let (known, requested) = (*changes.borrow(), Instant::now());
        if self.is_cached(subscription.key, known) {
            return Ok(true);
        }
        let is_valid = store.is_allowed(subscription).await?;
        if is_valid {
            self.remember(subscription.key, known, requested);
        }
        Ok(is_valid)
    }

    /// Returns once the key is not valid any more.
    pub async fn until_invalid(&self, store: &Store, subscription: &Subscription) -> Result<(), HostError> {
        let mut changes = store.access();
        loop {
            changes.borrow_and_update();
            if !self.is_valid(store, &changes, subscription).await? {
                return Ok(());
            }
            // Closed while the server stops: then the stream ends by itself.
            let _ = tokio::time::timeout(CHECK, changes.changed()).await;
        }
    }

    fn is_cached(&self, key: KeyId, known: u64) -> bool {
        let keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.get(&key).is_some_and(|(then, at)| *then == known && at.elapsed() < VALID)
    }

    fn remember(&self, key: KeyId, known: u64, requested: Instant) {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= MAX_KEYS {
            keys.retain(|_, (_, at)| at.elapsed() < VALID);
        }
        keys.insert(key, (known, requested));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn valid_key_is_remembered_until_a_change_or_a_moment_later() {
        let (access, key) = (Access::default(), KeyId::new(1).unwrap());
        access.remember(key, 7, Instant::now());
        assert!(access.is_cached(key, 7) && !access.is_cached(key, 8));
        assert!(!access.is_cached(KeyId::new(2).unwrap(), 7));
        tokio::time::advance(VALID).await;
        assert!(!access.is_cached(key, 7));
        assert!(VALID + CHECK < Duration::from_secs(1));
    }
}
