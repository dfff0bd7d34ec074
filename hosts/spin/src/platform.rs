//! What a component has besides its database: a clock and randomness. Passwords are hashed in place, there being no threads.

use std::{
    cell::Cell,
    time::{SystemTime, UNIX_EPOCH},
};

use despacho_core::{
    domain::{Entropy, Moment, Timestamp, hmac_sha256},
    host::Fault,
    limits::{Admission, Bucket},
    store::password,
};
use despacho_sql::Platform;

use crate::{admission, database::Database};

/// The world around one request.
pub(crate) struct Machine {
    database: Database,
    seed: [u8; 32],
    moments: Cell<u64>,
}

impl Machine {
    /// The world of a request, once the random source has answered; without one there are no unguessable codes.
    pub(crate) fn new(database: Database) -> Result<Machine, Fault> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)
            .map_err(|error| Fault::Internal { detail: format!("the random source: {error}") })?;
        Ok(Machine { database, seed, moments: Cell::new(0) })
    }
}

impl Platform for Machine {
    fn moment(&self) -> Moment {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX));
        let count = self.moments.get();
        self.moments.set(count + 1);
        Moment { now, entropy: Entropy::new(hmac_sha256(&self.seed, &[b"moment", &count.to_be_bytes()])) }
    }

    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, Fault> {
        admission::admit(&self.database, bucket, now).await
    }

    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, Fault> {
        password::hash(password, salt)
    }

    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, Fault> {
        password::verify(password, hash)
    }
}
