//! The platform of a server on one machine: a clock, randomness, threads for password hashes and a
//! rate limiter.

use std::{
    num::NonZero,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread::available_parallelism,
    time::{SystemTime, UNIX_EPOCH},
};

use despacho_core::{
    changes::Changes,
    host::{HostError, Platform},
    model::{Entropy, ExecContext, Timestamp, hmac_sha256},
    rules::{
        limits::{Admission, Bucket},
        password,
    },
};
use despacho_sql::Machine;
use tokio::sync::{Semaphore, watch};

use crate::admission::Admissions;

/// The machine that a server runs on.
#[derive(Debug)]
pub struct LocalPlatform {
    seed: Seed,
    contexts: AtomicU64,
    hashing: Semaphore,
    admissions: Mutex<Admissions>,
    updates: watch::Sender<u64>,
    access: watch::Sender<u64>,
}

/// The secret from which this process derives randomness. Its `Debug` form hides it.
struct Seed([u8; 32]);

impl std::fmt::Debug for Seed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seed(…)")
    }
}

impl LocalPlatform {
    /// Creates the platform.
    ///
    /// # Errors
    /// The system's random number generator failed. Without it, codes would be predictable.
    pub fn new() -> Result<LocalPlatform, HostError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| HostError::Internal {
            detail: format!("the system's random number generator failed: {error}"),
        })?;
        // One hash per processor: more would slow each other down, and each takes 19 MiB.
        let max_hashes = available_parallelism().map_or(1, NonZero::get);
        Ok(LocalPlatform {
            seed: Seed(seed),
            contexts: AtomicU64::new(0),
            hashing: Semaphore::new(max_hashes),
            admissions: Mutex::default(),
            updates: watch::Sender::new(0),
            access: watch::Sender::new(0),
        })
    }

    /// Returns a counter of commits that wrote events or messages, for streams and webhooks.
    pub fn updates(&self) -> watch::Receiver<u64> {
        self.updates.subscribe()
    }

    /// Returns a counter of commits that wrote keys or stores. After a change, a key that was valid
    /// must be checked again.
    pub fn access(&self) -> watch::Receiver<u64> {
        self.access.subscribe()
    }

    /// Returns a function that signals a commit of another process. Its argument is whether the
    /// commit wrote keys or stores.
    pub fn notifier(&self) -> impl Fn(bool) + Send + Sync + 'static + use<> {
        let (updates, keys) = (self.updates.clone(), self.access.clone());
        move |access| {
            if access {
                increment(&keys);
            }
            increment(&updates);
        }
    }

    /// Runs CPU-bound work on a blocking thread.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, HostError> + Send + 'static,
    ) -> Result<T, HostError> {
        let internal = |detail: String| HostError::Internal { detail };
        let _permit = self
            .hashing
            .acquire()
            .await
            .map_err(|error| internal(error.to_string()))?;
        tokio::task::spawn_blocking(work)
            .await
            .map_err(|error| internal(format!("hashing a password failed: {error}")))?
    }
}

/// Whether a commit can change the access of a key.
pub fn changes_access(changes: &Changes) -> bool {
    !changes.keys.is_empty() || !changes.stores.is_empty()
}

fn increment(count: &watch::Sender<u64>) {
    count.send_modify(|count| *count = count.wrapping_add(1));
}

impl Machine for LocalPlatform {
    fn committed(&self, changes: &Changes) {
        // Signalled first: a stream that the update wakes must check its key again.
        if changes_access(changes) {
            increment(&self.access);
        }
        if !changes.events.is_empty() || !changes.messages.is_empty() {
            increment(&self.updates);
        }
    }
}

impl Platform for LocalPlatform {
    fn exec_context(&self) -> ExecContext {
        let since_1970 = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let now = Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX));
        // New random bytes for each request. If the generator fails later, the seed and the counter
        // still produce unique and unpredictable bytes.
        let mut fresh = [0; 32];
        let _ = getrandom::fill(&mut fresh);
        let count = self.contexts.fetch_add(1, Relaxed).to_be_bytes();
        ExecContext {
            now,
            entropy: Entropy::new(hmac_sha256(&self.seed.0, &[b"context", &count, &fresh])),
        }
    }

    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError> {
        Ok(self
            .admissions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .admit(bucket, now))
    }

    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError> {
        let password = password.to_owned();
        self.run_blocking(move || password::hash(&password, salt).map_err(HostError::internal))
            .await
    }

    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
        let (password, hash) = (password.to_owned(), hash.to_owned());
        self.run_blocking(move || password::verify(&password, &hash).map_err(HostError::internal))
            .await
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        pin::{Pin, pin},
        sync::{Arc, atomic::AtomicBool},
        task::Poll,
    };

    use super::*;

    async fn is_ready<T>(mut future: Pin<&mut impl Future<Output = T>>) -> bool {
        poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await
    }

    #[test]
    fn password_hashes_are_limited_by_processor_count() {
        let platform = LocalPlatform::new().unwrap();
        let free = || platform.hashing.available_permits();
        let processors = available_parallelism().unwrap().get();
        assert_eq!(free(), processors);
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(async {
                let mut hash = pin!(platform.hash_password("uma senha bem longa", [7; 16]));
                assert!(!is_ready(hash.as_mut()).await);
                assert_eq!(free(), processors - 1);
                let hash = hash.await.unwrap();
                let mut verified = pin!(platform.verify_password("uma senha bem longa", &hash));
                assert!(!is_ready(verified.as_mut()).await);
                assert_eq!(free(), processors - 1);
                assert!(verified.await.unwrap());
                assert_eq!(free(), processors);

                let all = platform
                    .hashing
                    .acquire_many(u32::try_from(processors).unwrap())
                    .await
                    .unwrap();
                let started = Arc::new(AtomicBool::new(false));
                let flag = started.clone();
                let mut next = pin!(platform.run_blocking(move || {
                    flag.store(true, Relaxed);
                    Ok(())
                }));
                for _ in 0..100 {
                    assert!(!is_ready(next.as_mut()).await);
                    tokio::task::yield_now().await;
                }
                assert!(!started.load(Relaxed), "it waits for a processor");
                drop(all);
                next.await.unwrap();
                assert!(started.load(Relaxed));
            });
    }
}
