//! What a component has besides its database: a clock and randomness. Passwords are hashed in place, there being no threads.

use std::{
    cell::Cell,
    rc::Rc,
    time::{SystemTime, UNIX_EPOCH},
};

use despacho_core::{
    domain::{Address, Entropy, Located, Matrix, Moment, Timestamp, hmac_sha256},
    geo::LocateFault,
    host::{Changes, Fault},
    limits::{Admission, Bucket},
    store::password,
};
use despacho_sql::{Leases, Platform};

use crate::{database::Database, geography::Geography};

/// What this instance has counted for requests to come.
static LEASES: Leases = Leases::new();

/// The world around one request.
pub(crate) struct Machine {
    database: Database,
    geography: Rc<Geography>,
    seed: [u8; 32],
    moments: Cell<u64>,
    /// Whether the request has written something that webhooks tell of.
    news: Cell<bool>,
}

impl Machine {
    /// The world of a request, once the random source has answered; without one there are no unguessable codes.
    pub(crate) fn new(database: Database, geography: Rc<Geography>) -> Result<Machine, Fault> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)
            .map_err(|error| Fault::Internal { detail: format!("the random source: {error}") })?;
        Ok(Machine { database, geography, seed, moments: Cell::new(0), news: Cell::new(false) })
    }

    /// Whether events or messages were committed.
    pub(crate) fn has_news(&self) -> bool {
        self.news.get()
    }
}

impl Platform for Machine {
    fn committed(&self, changes: &Changes) {
        self.news.set(self.news.get() || !changes.events.is_empty() || !changes.messages.is_empty());
    }

    fn moment(&self) -> Moment {
        let now = now();
        let count = self.moments.get();
        self.moments.set(count + 1);
        Moment { now, entropy: Entropy::new(hmac_sha256(&self.seed, &[b"moment", &count.to_be_bytes()])) }
    }

    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, Fault> {
        despacho_sql::admit(&self.database, &LEASES, bucket, now).await
    }

    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, Fault> {
        password::hash(password, salt)
    }

    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, Fault> {
        password::verify(password, hash)
    }

    async fn locate(&self, addresses: &[&Address]) -> Result<Vec<Result<Located, LocateFault>>, Fault> {
        self.geography.locate(&self.database, addresses).await
    }

    async fn matrix(&self, places: &[Located]) -> Result<Matrix, Fault> {
        Ok(self.geography.matrix(&self.database, places).await)
    }

    fn is_embedded(&self) -> bool {
        self.geography.is_embedded()
    }
}

/// The time by the machine's clock.
pub(crate) fn now() -> Timestamp {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
}
