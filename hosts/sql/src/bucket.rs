//! The rate limiter's memory in a database, for hosts of which several answer at once: one instant for each bucket, in
//! microseconds.
//!
//! What a database keeps is compared and replaced in one statement, so that no instance passes a request that another has
//! counted, and no transaction is held meanwhile. Losing the table in a crash costs one window of counting, no more.

use despacho_core::{
    domain::Timestamp,
    host::Fault,
    limits::{Admission, Arrival, Bucket},
};

use crate::{Driver, Query, Row, Value};

/// How often a request tries to be counted beside others of the same key. Each miss says that another one was counted, so that this
/// many may come at once; beyond it the quota is long used up.
const ATTEMPTS: u32 = 256;

/// Counts a request against a bucket that all instances over a database share. It costs a read and a write; a refused request costs
/// the read alone.
pub async fn admit<D: Driver>(driver: &D, bucket: &Bucket, now: Timestamp) -> Result<Admission, Fault> {
    for _ in 0..ATTEMPTS {
        let stored = driver.read(stored_arrival(bucket)).await?.first_mut().map(Row::integer).transpose()?;
        let stored = stored.map(Arrival::from_micros);
        let (admission, next) = bucket.admit(stored, now);
        let Some(next) = next else { return Ok(admission) };
        if driver.write_returning(replace_arrival(bucket, stored, next)).await?.len() == 1 {
            // Every 32nd new bucket on average clears old ones away, so that they never pile up.
            if stored.is_none() && now.millis() % 32 == 0 {
                driver.write_returning(forget_arrivals(now)).await?;
            }
            return Ok(admission);
        }
    }
    Err(Fault::Conflict)
}

/// Asks for a bucket's stored instant: no row where there is none.
pub fn stored_arrival(bucket: &Bucket) -> Query {
    Query::new("SELECT arrival FROM buckets WHERE name = $1", vec![bucket.name.as_str().into()])
}

/// Puts `next` in place of `stored`: one row where that stood there still, none where another request came first.
pub fn replace_arrival(bucket: &Bucket, stored: Option<Arrival>, next: Arrival) -> Query {
    let name = Value::from(bucket.name.as_str());
    match stored {
        Some(stored) => Query::new(
            "UPDATE buckets SET arrival = $1 WHERE name = $2 AND arrival = $3 RETURNING arrival",
            vec![next.micros().into(), name, stored.micros().into()],
        ),
        None => Query::new(
            "INSERT INTO buckets (name, arrival) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING arrival",
            vec![name, next.micros().into()],
        ),
    }
}

/// Forgets up to 200 buckets that are full again, which changes nothing. To be asked now and then, when a bucket was new.
pub fn forget_arrivals(now: Timestamp) -> Query {
    let sql = "DELETE FROM buckets WHERE arrival <= $1 AND name IN \
               (SELECT name FROM buckets WHERE arrival <= $1 ORDER BY arrival LIMIT 200) RETURNING arrival";
    Query::new(sql, vec![Arrival::at(now).micros().into()])
}
