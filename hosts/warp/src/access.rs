//! Checks whether the keys of open event streams are still valid.
//!
//! The result of a check is cached for `VALID_TTL`, unless a key or store has been written since:
//! by this process, or by another one that sent a notification. Notifications can be lost, and
//! commands and other kinds of hosts send none. Keys are therefore read again every
//! `CHECK_INTERVAL`: a revoked key's streams end within a second on every instance.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use despacho_core::{drivers::stream::JournalSubscription, host::HostError, model::KeyId};
use tokio::{sync::watch, time::Instant};

use crate::store::Store;

/// How long a valid key is cached: the streams of one key share a read.
const VALID_TTL: Duration = Duration::from_millis(400);
/// Time between two checks of a key without a known change.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Cached keys above which expired entries are removed.
const MAX_KEYS: usize = 1_024;

/// The valid keys, each with the version of the access data and the time at which it was checked.
#[derive(Debug, Default)]
pub struct Access(Mutex<BTreeMap<KeyId, (u64, Instant)>>);

impl Access {
    /// Returns whether a stream's key is valid; `changes` is [`Store::access`].
    pub async fn is_valid(
        &self,
        store: &Store,
        changes: &watch::Receiver<u64>,
        subscription: &JournalSubscription,
    ) -> Result<bool, HostError> {
        // Both are taken before the key is read: a later change must invalidate the result.
        let (version, checked_at) = (*changes.borrow(), Instant::now());
        if self.is_cached(subscription.key, version) {
            return Ok(true);
        }
        let is_valid = store.is_allowed(subscription).await?;
        if is_valid {
            self.insert(subscription.key, version, checked_at);
        }
        Ok(is_valid)
    }

    /// Waits until the key becomes invalid.
    pub async fn until_invalid(
        &self,
        store: &Store,
        subscription: &JournalSubscription,
    ) -> Result<(), HostError> {
        let mut changes = store.access();
        loop {
            changes.borrow_and_update();
            if !self.is_valid(store, &changes, subscription).await? {
                return Ok(());
            }
            // The channel closes when the server shuts down; the stream then ends without this
            // check.
            let _ = tokio::time::timeout(CHECK_INTERVAL, changes.changed()).await;
        }
    }

    fn is_cached(&self, key: KeyId, version: u64) -> bool {
        let keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.get(&key)
            .is_some_and(|(then, at)| *then == version && at.elapsed() < VALID_TTL)
    }

    fn insert(&self, key: KeyId, version: u64, checked_at: Instant) {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= MAX_KEYS {
            keys.retain(|_, (_, at)| at.elapsed() < VALID_TTL);
        }
        keys.insert(key, (version, checked_at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn valid_key_is_cached_until_a_change_or_its_ttl() {
        let (access, key) = (Access::default(), KeyId::new(1).unwrap());
        access.insert(key, 7, Instant::now());
        assert!(access.is_cached(key, 7) && !access.is_cached(key, 8));
        assert!(!access.is_cached(KeyId::new(2).unwrap(), 7));
        tokio::time::advance(VALID_TTL).await;
        assert!(!access.is_cached(key, 7));
        assert!(VALID_TTL + CHECK_INTERVAL < Duration::from_secs(1));
    }
}
