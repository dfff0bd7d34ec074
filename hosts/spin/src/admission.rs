//! The rate limiter across instances.
//!
//! An instance lives for 128 requests at most, so that what it counted alone would be worth nothing: a quota of 600 would never be
//! reached, and a password could be tried for ever. The count is therefore a row of the database, moved on by compare and
//! replace. It costs a read and a write that is not flushed; a refused request costs the read alone.

use despacho_core::{
    domain::Timestamp,
    host::Fault,
    limits::{Admission, Arrival, Bucket},
};
use despacho_sql::{Row, forget_arrivals, replace_arrival, stored_arrival};

use crate::database::Database;

/// How often a request tries to be counted beside others of the same key. Each miss says that another one was counted, so that this
/// many may come at once; beyond it the quota is long used up.
const ATTEMPTS: u32 = 256;

/// Counts a request against a bucket.
pub(crate) async fn admit(database: &Database, bucket: &Bucket, now: Timestamp) -> Result<Admission, Fault> {
    for _ in 0..ATTEMPTS {
        let stored = database.single(stored_arrival(bucket)).await?.first_mut().map(Row::integer).transpose()?;
        let stored = stored.map(Arrival::from_micros);
        let (admission, next) = bucket.admit(stored, now);
        let Some(next) = next else { return Ok(admission) };
        if database.single_write(replace_arrival(bucket, stored, next)).await?.len() == 1 {
            if stored.is_none() && sweeps(now) {
                database.single_write(forget_arrivals(now)).await?;
            }
            return Ok(admission);
        }
    }
    Err(Fault::Conflict)
}

/// Whether a new bucket clears away old ones: every 32nd on average, each up to 200, so that they never pile up.
fn sweeps(now: Timestamp) -> bool {
    now.millis() % 32 == 0
}
