//! What a component has besides its database: a clock and randomness. Passwords are hashed in place, there being no threads.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

use despacho_core::{
    changes::Changes,
    geo::LocateError,
    host::{HostError, Platform},
    model::{Address, DistanceMatrix, Duration, Entropy, ExecContext, Located, Timestamp, hmac_sha256},
    rules::{
        limits::{Admission, Bucket, TheoreticalArrival, Usage},
        password,
    },
};
use despacho_sql::{Leases, Slot, Slots};

use crate::{
    clock::now,
    database::{Database, Optional},
    error::is_locked,
    geography::Geography,
    wait::Event,
    writes,
};

/// What this instance has counted for requests to come.
static LEASES: Leases = Leases::new();

/// Instances that may hash passwords at the same time, of all that share the database. Each hash takes 19 MiB, which stay with the instance
/// until it ends. A slot outlasts an idle instance,
/// and a request of an instance that has one renews it.
const HASHING: Slots = Slots { name: "password", count: 4, ttl: Duration::seconds(5) };
/// A slot that lasts for less is renewed first.
const HASHING_MARGIN: Duration = Duration::millis(2_500);
/// Buckets that are counted in memory at once, some 100 kB. Beyond that all are forgotten.
const MAX_LOCAL_BUCKETS: usize = 1_024;

thread_local! {
    /// The slot by which this instance hashes passwords, and whether a request is about to take one.
    static SLOT: RefCell<Option<Slot>> = const { RefCell::new(None) };
    static TAKING: Cell<bool> = const { Cell::new(false) };
    static TAKEN: Rc<Event> = Rc::new(Event::new());
    /// What was counted here while another process held SQLite's lock.
    static LOCAL: RefCell<BTreeMap<String, TheoreticalArrival>> = const { RefCell::new(BTreeMap::new()) };
}

/// The world around one request.
pub(crate) struct Machine {
    database: Database,
    geography: Rc<Geography>,
    seed: [u8; 32],
    contexts: Cell<u64>,
    /// Whether the request has written something that webhooks tell of.
    updates: Cell<bool>,
}

impl Machine {
    /// The world of a request, once the random source has answered; without one there are no unguessable codes.
    pub(crate) fn new(database: Database, geography: Rc<Geography>) -> Result<Machine, HostError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)
            .map_err(|error| HostError::Internal { detail: format!("the random source: {error}") })?;
        Ok(Machine { database, geography, seed, contexts: Cell::new(0), updates: Cell::new(false) })
    }

    /// Whether events or messages were committed.
    pub(crate) fn has_updates(&self) -> bool {
        self.updates.get()
    }

    /// Holds the slot of an instance that has hashed passwords, for as long as it has their memory.
    pub(crate) async fn keep_slot(&self) {
        if TAKING.get() {
            return;
        }
        let is_due = |slot: &mut Slot| !slot.lasts(HASHING_MARGIN, now());
        if let Some(slot) = SLOT.with_borrow_mut(|slot| slot.take_if(is_due)) {
            let _taking = Taking::begin();
            // Without it the next login takes another one.
            let renewed = HASHING.renew(&Optional(&self.database), slot, now()).await;
            SLOT.set(renewed.ok().flatten());
        }
    }

    /// Makes sure that this instance may hash a password. Within an instance hashes never overlap, there being no threads.
    async fn wait_to_hash(&self) -> Result<(), HostError> {
        // No other instance does such work meanwhile, and nothing of this transaction is visible to others.
        if self.database.is_exclusive() {
            return Ok(());
        }
        while TAKING.get() {
            TAKEN.with(Rc::clone).notified().await;
        }
        if SLOT.with_borrow(|slot| slot.as_ref().is_some_and(|slot| slot.lasts(HASHING_MARGIN, now()))) {
            writes::finished().await;
            return Ok(());
        }
        let _taking = Taking::begin();
        let slot = match SLOT.take() {
            Some(slot) => HASHING.renew(&self.database, slot, now()).await?,
            None => HASHING.take(&self.database, now()).await?,
        };
        let is_taken = slot.is_some();
        SLOT.set(slot);
        if !is_taken {
            return Err(busy());
        }
        writes::finished().await;
        Ok(())
    }
}

/// A request takes a slot; the others of the instance wait for it.
struct Taking;

impl Taking {
    fn begin() -> Taking {
        TAKING.set(true);
        Taking
    }
}

impl Drop for Taking {
    fn drop(&mut self) {
        TAKING.set(false);
        TAKEN.with(|taken| taken.notify_all());
    }
}

fn busy() -> HostError {
    HostError::Unavailable { what: "passwords", detail: format!("{} instances are hashing passwords", HASHING.count) }
}

/// Counts a request in this instance's memory.
fn count_here(bucket: &Bucket, now: Timestamp) -> Admission {
    LOCAL.with_borrow_mut(|local| {
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
        self.updates.set(self.updates.get() || !changes.events.is_empty() || !changes.messages.is_empty());
    }
}

impl Platform for Machine {
    fn exec_context(&self) -> ExecContext {
        let now = now();
        let count = self.contexts.get();
        self.contexts.set(count + 1);
        ExecContext { now, entropy: Entropy::new(hmac_sha256(&self.seed, &[b"moment", &count.to_be_bytes()])) }
    }

    /// A read or preview needs no lock of its own, so that it does not wait for one to be counted: while another process holds SQLite's
    /// lock, this instance counts by itself.
    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError> {
        if !matches!(bucket.usage, Usage::Preview | Usage::Read) {
            return despacho_sql::admit(&self.database, &LEASES, bucket, now).await;
        }
        match despacho_sql::admit(&Optional(&self.database), &LEASES, bucket, now).await {
            Err(error) if is_locked(&error) => Ok(count_here(bucket, now)),
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

    async fn locate(&self, addresses: &[&Address]) -> Result<Vec<Result<Located, LocateError>>, HostError> {
        self.geography.locate(&self.database, addresses).await
    }

    async fn matrix(&self, places: &[Located]) -> Result<DistanceMatrix, HostError> {
        Ok(self.geography.matrix(&self.database, places).await)
    }

    fn is_embedded(&self) -> bool {
        self.geography.is_embedded()
    }
}
