//! A cache of keys with their stores, for requests that change nothing. A page that previews prices
//! while a user types reads the same row repeatedly.
//!
//! Entries are at most [`RECENT`] old, and a commit of a key, a store or a tariff on this host
//! empties the cache. An instance therefore rejects a key that it revoked at once, and other
//! instances reject it within [`RECENT`].
//!
//! The cache also has the last schedule of tariffs. A key's row contains the schedule's revision,
//! which decides whether it is read again.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use despacho_core::{
    changes::Changes,
    host::RECENT,
    model::{
        Timestamp,
        store::{KeyHash, KeyHolder},
        tariff::TariffSchedule,
    },
};

/// Maximum cached keys, of about 300 kB. If more are used within [`RECENT`], the cache is emptied.
const MAX_HOLDERS: usize = 256;

/// The cache of keys of a host, or of all hosts of one instance.
#[derive(Debug, Default)]
pub struct RecentKeys(Mutex<Cache>);

#[derive(Debug, Default)]
struct Cache {
    holders: BTreeMap<KeyHash, (Timestamp, Arc<KeyHolder>)>,
    /// The newest schedule that was read.
    schedule: Option<Arc<TariffSchedule>>,
    /// The number of invalidations. A result that was read before one must not be cached after it.
    generation: u64,
}

/// The generation in which a query of the database began; see [`RecentKeys::put`].
pub(crate) struct Lookup(u64);

impl RecentKeys {
    /// Returns a cached key, or a [`Lookup`] with which the result of a query can be cached.
    pub(crate) fn get(&self, hash: &KeyHash, now: Timestamp) -> Result<Arc<KeyHolder>, Lookup> {
        let cache = self.lock();
        match cache.holders.get(hash) {
            Some((at, holder)) if is_recent(*at, now) => Ok(Arc::clone(holder)),
            _ => Err(Lookup(cache.generation)),
        }
    }

    /// Caches the result of a query that began at `now`, unless the cache was invalidated since.
    pub(crate) fn put(&self, lookup: &Lookup, holder: &Arc<KeyHolder>, now: Timestamp) {
        let mut cache = self.lock();
        if cache.generation != lookup.0 {
            return;
        }
        if cache.holders.len() >= MAX_HOLDERS {
            cache.holders.retain(|_, (at, _)| is_recent(*at, now));
        }
        if cache.holders.len() >= MAX_HOLDERS {
            cache.holders.clear();
        }
        cache
            .holders
            .insert(holder.key.hash.clone(), (now, Arc::clone(holder)));
    }

    /// Returns the cached schedule if its revision is at least this one.
    pub(crate) fn schedule(&self, revision: u64) -> Option<Arc<TariffSchedule>> {
        self.lock()
            .schedule
            .clone()
            .filter(|schedule| schedule.revision >= revision)
    }

    /// Caches a schedule, unless a newer one is cached.
    pub(crate) fn put_schedule(&self, schedule: &Arc<TariffSchedule>) {
        let mut cache = self.lock();
        if cache
            .schedule
            .as_ref()
            .is_none_or(|cached| cached.revision < schedule.revision)
        {
            cache.schedule = Some(Arc::clone(schedule));
        }
    }

    /// Returns a guard that empties the cache when dropped, if these changes write a key, a store
    /// or a tariff. It must be dropped after the commit, even if the commit fails.
    pub(crate) fn invalidate_after<'a>(
        &self,
        changes: impl IntoIterator<Item = &'a Changes>,
    ) -> Option<Invalidation<'_>> {
        let touched = changes.into_iter().any(|changes| {
            !changes.keys.is_empty() || !changes.stores.is_empty() || changes.tariffs.is_some()
        });
        touched.then_some(Invalidation(self))
    }

    fn lock(&self) -> MutexGuard<'_, Cache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`RecentKeys::invalidate_after`]. A commit that fails or is cancelled may have been written
/// nevertheless.
pub(crate) struct Invalidation<'a>(&'a RecentKeys);

impl Drop for Invalidation<'_> {
    fn drop(&mut self) {
        let mut cache = self.0.lock();
        cache.holders.clear();
        cache.generation = cache.generation.wrapping_add(1);
    }
}

/// Whether an entry from `at` is recent enough at `now`. If the clock was set back, its age is
/// unknown.
fn is_recent(at: Timestamp, now: Timestamp) -> bool {
    at <= now && now.since(at) <= RECENT
}
