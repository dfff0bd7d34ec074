//! The component's platform: clock and randomness. Passwords are hashed on the request's thread,
//! because there are no others.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

use bytes::Bytes;
use despacho_core::{
    changes::Changes,
    geo::LocateError,
    host::{HostError, Platform},
    model::{
        Address, DistanceMatrix, Duration, Entropy, ExecContext, Located, StoreId, Timestamp,
        hmac_sha256, webhook::AttemptResult,
    },
    rules::{
        limits::{Admission, Bucket, TheoreticalArrival, Usage},
        password,
        webhooks::WebhookConfig,
    },
};
use despacho_sql::{Leases, Slot, Slots};
use http::Request;

use crate::{
    clock::now,
    database::{Database, Optional},
    error::is_locked,
    geography::Geography,
    outbound,
    wait::Event,
    writes,
};

/// The rate limit tokens leased by this instance.
static LEASES: Leases = Leases::new();

/// Limits the instances on one database that may hash passwords at the same time. Each hash takes
/// 19 MiB, which stay allocated until the instance ends. A slot outlasts an idle instance, and
/// requests of an instance that has one renew it.
const HASHING_SLOTS: Slots = Slots {
    name: "password",
    count: 4,
    ttl: Duration::seconds(5),
};
/// A slot with less remaining time is renewed first.
const HASHING_MARGIN: Duration = Duration::millis(2_500);
/// Maximum number of buckets counted in memory, some 100 kB. Above it all are cleared.
const MAX_LOCAL_BUCKETS: usize = 1_024;

thread_local! {
    /// The instance's slot for hashing passwords.
    static SLOT: RefCell<Option<Slot>> = const { RefCell::new(None) };
    /// The random seed of the instance. Reading one for each request takes several calls to the
    /// runtime.
    static SEED: Cell<Option<[u8; 32]>> = const { Cell::new(None) };
    /// The number of contexts derived from the seed.
    static CONTEXTS: Cell<u64> = const { Cell::new(0) };
    static IS_TAKING_SLOT: Cell<bool> = const { Cell::new(false) };
    static SLOT_TAKEN: Rc<Event> = Rc::new(Event::new());
    /// The requests counted in memory while another process held SQLite's lock.
    static LOCAL_COUNTS: RefCell<BTreeMap<String, TheoreticalArrival>> = const { RefCell::new(BTreeMap::new()) };
}

/// The platform of one request.
pub(crate) struct Machine {
    database: Database,
    geography: Rc<Geography>,
    /// The seed of the instance.
    seed: [u8; 32],
    /// Whether the request has written events or messages for webhooks.
    updates: Cell<bool>,
}

impl Machine {
    /// Creates the platform. Fails without randomness, because codes must be unpredictable.
    pub(crate) fn new(database: Database, geography: Rc<Geography>) -> Result<Machine, HostError> {
        let seed = match SEED.get() {
            Some(seed) => seed,
            None => {
                let mut seed = [0; 32];
                getrandom::fill(&mut seed).map_err(|error| HostError::Internal {
                    detail: format!("the random generator failed: {error}"),
                })?;
                SEED.set(Some(seed));
                seed
            }
        };
        Ok(Machine {
            database,
            geography,
            seed,
            updates: Cell::new(false),
        })
    }

    /// Returns whether events or messages were committed.
    pub(crate) fn has_updates(&self) -> bool {
        self.updates.get()
    }

    /// Renews the slot of an instance that has hashed passwords: its memory stays allocated until
    /// the instance ends.
    pub(crate) async fn renew_slot(&self) {
        if IS_TAKING_SLOT.get() {
            return;
        }
        let is_due = |slot: &mut Slot| !slot.lasts(HASHING_MARGIN, now());
        if let Some(slot) = SLOT.with_borrow_mut(|slot| slot.take_if(is_due)) {
            let _guard = SlotGuard::begin();
            // If the renewal fails, the next login takes another slot.
            let renewed = HASHING_SLOTS
                .renew(&Optional(&self.database), slot, now())
                .await;
            SLOT.set(renewed.ok().flatten());
        }
    }

    /// Waits until this instance may hash a password. Without threads, hashes within an instance
    /// never overlap.
    async fn wait_to_hash(&self) -> Result<(), HostError> {
        // No other instance runs an exclusive transaction now, and others would not see a slot
        // taken within it.
        if self.database.is_exclusive() {
            return Ok(());
        }
        while IS_TAKING_SLOT.get() {
            SLOT_TAKEN.with(Rc::clone).notified().await;
        }
        if SLOT.with_borrow(|slot| {
            slot.as_ref()
                .is_some_and(|slot| slot.lasts(HASHING_MARGIN, now()))
        }) {
            writes::wait_for_group().await;
            return Ok(());
        }
        let _guard = SlotGuard::begin();
        let slot = match SLOT.take() {
            Some(slot) => HASHING_SLOTS.renew(&self.database, slot, now()).await?,
            None => HASHING_SLOTS.take(&self.database, now()).await?,
        };
        let is_taken = slot.is_some();
        SLOT.set(slot);
        if !is_taken {
            return Err(busy());
        }
        writes::wait_for_group().await;
        Ok(())
    }
}

/// Marks that a request is taking a slot; other requests of the instance wait for it.
struct SlotGuard;

impl SlotGuard {
    fn begin() -> SlotGuard {
        IS_TAKING_SLOT.set(true);
        SlotGuard
    }
}

impl Drop for SlotGuard {
    fn drop(&mut self) {
        IS_TAKING_SLOT.set(false);
        SLOT_TAKEN.with(|taken| taken.notify_all());
    }
}

fn busy() -> HostError {
    HostError::Unavailable {
        what: "passwords",
        detail: format!("{} instances are hashing passwords", HASHING_SLOTS.count),
    }
}

/// Counts a request in memory.
fn count_locally(bucket: &Bucket, now: Timestamp) -> Admission {
    LOCAL_COUNTS.with_borrow_mut(|local| {
        let (admission, next) = bucket.admit(local.get(&bucket.name).copied(), now);
        if let Some(next) = next {
            if local.len() >= MAX_LOCAL_BUCKETS {
                local.clear();
            }
            local.insert(bucket.name.clone(), next);
        }
        admission
    })
}

impl despacho_sql::Machine for Machine {
    fn committed(&self, changes: &Changes) {
        self.updates
            .set(self.updates.get() || !changes.events.is_empty() || !changes.messages.is_empty());
    }
}

impl Platform for Machine {
    fn exec_context(&self) -> ExecContext {
        let now = now();
        let count = CONTEXTS.replace(CONTEXTS.get() + 1);
        ExecContext {
            now,
            entropy: Entropy::new(hmac_sha256(&self.seed, &[b"context", &count.to_be_bytes()])),
        }
    }

    /// A read or preview needs no lock of its own, so that it does not wait for one to be counted:
    /// while another process holds SQLite's lock, this instance counts by itself.
    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError> {
        if !matches!(bucket.usage, Usage::Preview | Usage::Read) {
            return despacho_sql::admit(&self.database, &LEASES, bucket, now).await;
        }
        match despacho_sql::admit(&Optional(&self.database), &LEASES, bucket, now).await {
            Err(error) if is_locked(&error) => Ok(count_locally(bucket, now)),
            counted => counted,
        }
    }

    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError> {
        self.wait_to_hash().await?;
        password::hash(password, salt).map_err(HostError::internal)
    }

    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
        self.wait_to_hash().await?;
        password::verify(password, hash).map_err(HostError::internal)
    }

    async fn locate(
        &self,
        merchant: Option<StoreId>,
        addresses: &[&Address],
    ) -> Result<Vec<Result<Located, LocateError>>, HostError> {
        self.geography
            .locate(&self.database, merchant, addresses)
            .await
    }

    async fn distance_matrix(&self, places: &[Located]) -> Result<DistanceMatrix, HostError> {
        Ok(self.geography.matrix(&self.database, places).await)
    }

    async fn send(&self, request: Request<Bytes>, config: &WebhookConfig) -> Option<AttemptResult> {
        let url = request.uri().to_string();
        Some(outbound::call(&url, request, config).await)
    }

    fn is_embedded(&self) -> bool {
        self.geography.is_embedded()
    }
}
