//! Keys and their stores as they were a moment ago, for requests that change nothing: a merchant's page that previews while somebody types
//! asks for the same row again and again.
//!
//! What is kept is at most [`RECENT`] old, and nothing is once this host has committed a key or a store: what one instance revokes, it
//! refuses at once, and others within that span.

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
    },
};

/// Keys that are remembered; some 300 kB. A host that meets more within [`RECENT`] forgets them all and begins anew.
const MAX_HOLDERS: usize = 256;

/// What a host, or all requests of one instance, remember of keys.
#[derive(Debug, Default)]
pub struct RecentKeys(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    holders: BTreeMap<KeyHash, (Timestamp, Arc<KeyHolder>)>,
    /// How often all was forgotten: what was asked before, and is answered after, may be from before.
    forgotten: u64,
}

/// That a question to the database begins; see [`RecentKeys::remember`].
pub(crate) struct Lookup(u64);

impl RecentKeys {
    /// What is remembered of a key, or else the beginning of a question.
    pub(crate) fn recall(&self, hash: &KeyHash, now: Timestamp) -> Result<Arc<KeyHolder>, Lookup> {
        let remembered = self.lock();
        match remembered.holders.get(hash) {
            Some((at, holder)) if is_recent(*at, now) => Ok(Arc::clone(holder)),
            _ => Err(Lookup(remembered.forgotten)),
        }
    }

    /// Remembers the answer to a question that began at `now`, unless what it asked for may have changed since.
    pub(crate) fn remember(&self, lookup: &Lookup, holder: &Arc<KeyHolder>, now: Timestamp) {
        let mut remembered = self.lock();
        if remembered.forgotten != lookup.0 {
            return;
        }
        if remembered.holders.len() >= MAX_HOLDERS {
            remembered.holders.retain(|_, (at, _)| is_recent(*at, now));
        }
        if remembered.holders.len() >= MAX_HOLDERS {
            remembered.holders.clear();
        }
        remembered.holders.insert(holder.key.hash.clone(), (now, Arc::clone(holder)));
    }

    /// What forgets everything when it is dropped, where these changes touch a key or a store: after the commit, whatever became of it.
    pub(crate) fn forgetting<'a>(&self, changes: impl IntoIterator<Item = &'a Changes>) -> Option<Forgetting<'_>> {
        let touched = changes.into_iter().any(|changes| !changes.keys.is_empty() || !changes.stores.is_empty());
        touched.then_some(Forgetting(self))
    }

    fn lock(&self) -> MutexGuard<'_, Remembered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`RecentKeys::forgetting`]. A commit that is cut off, or fails, may have taken place all the same.
pub(crate) struct Forgetting<'a>(&'a RecentKeys);

impl Drop for Forgetting<'_> {
    fn drop(&mut self) {
        let mut remembered = self.0.lock();
        remembered.holders.clear();
        remembered.forgotten = remembered.forgotten.wrapping_add(1);
    }
}

/// Whether what was found at `at` may still be told at `now`; a clock that stepped back says nothing of its age.
fn is_recent(at: Timestamp, now: Timestamp) -> bool {
    at <= now && now.since(at) <= RECENT
}
