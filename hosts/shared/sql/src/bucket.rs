//! The rate limiter's state in a database, for hosts with several instances: the theoretical
//! arrival of each bucket, in microseconds.
//!
//! One statement counts a request, based on the row's current value. A thousand concurrent requests
//! are counted exactly, one after the other, and no transaction stays open. An optimistic update
//! would need two statements, and of many concurrent requests with one key all but the first would
//! have to retry. If a crash loses the table, only the current window is counted again.
//!
//! For a busy caller, an instance takes several tokens with one statement and spends them locally:
//! see [`Lease`].

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use despacho_core::{
    host::HostError,
    model::Timestamp,
    rules::limits::{Admission, Bucket, Count, Lease, TheoreticalArrival},
};

use crate::{Driver, Query, Row, Value};

/// Maximum attempts to count a request. If the count is rejected and the row is then read, the
/// request may be admissible again, because the row was deleted in between.
const ATTEMPTS: u32 = 4;

/// Maximum leases of an instance, of about 200 kB. Beyond this it drops the expired leases, or else
/// all of them; their tokens are lost to their callers.
const MAX_LEASES: usize = 1_024;

/// The tokens that one instance took from buckets and has not spent, by the bucket's name and
/// quota: requests of another cost have another quota of the same bucket, and each of their tokens
/// is another part of it.
#[derive(Debug, Default)]
pub struct Leases(Mutex<BTreeMap<(String, u32), Lease>>);

impl Leases {
    /// Creates an empty set.
    pub const fn new() -> Leases {
        Leases(Mutex::new(BTreeMap::new()))
    }

    /// Spends a token of a lease, or returns the number of tokens to take.
    fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, u32> {
        let mut leases = self.lock();
        let Some(lease) = leases.get_mut(&id(bucket)) else {
            return Err(1);
        };
        lease
            .give(bucket, now)
            .ok_or_else(|| lease.request_next(bucket, now))
    }

    /// Stores a new lease and returns the admission of its first token.
    fn put(&self, bucket: &Bucket, lease: Lease, now: Timestamp) -> Admission {
        let mut leases = self.lock();
        if let Some(held) = leases.get_mut(&id(bucket)) {
            *held = lease.merge(*held, now);
            return held.admission(bucket, now);
        }
        if leases.len() >= MAX_LEASES {
            leases.retain(|_, lease| lease.is_valid(now));
        }
        if leases.len() >= MAX_LEASES {
            leases.clear();
        }
        leases.insert(id(bucket), lease);
        lease.admission(bucket, now)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(String, u32), Lease>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn id(bucket: &Bucket) -> (String, u32) {
    (bucket.name.clone(), bucket.quota)
}

/// Counts a request against a bucket that all instances on a database share, or spends a token that
/// this instance took before. Counting costs a write; a rejected request also costs a read.
pub async fn admit<D: Driver>(
    driver: &D,
    leases: &Leases,
    bucket: &Bucket,
    now: Timestamp,
) -> Result<Admission, HostError> {
    let mut tokens = match leases.admit(bucket, now) {
        Ok(admission) => return Ok(admission),
        Err(tokens) => tokens,
    };
    for _ in 0..ATTEMPTS {
        let count = bucket
            .count_several(tokens, now)
            .unwrap_or_else(|| bucket.count(now));
        if let Some(next) = arrival(driver.write_returning(count_arrival(bucket, count)).await?)? {
            // On average every 32nd bucket that was new or full deletes other full buckets, so that
            // they do not accumulate.
            if next == count.fresh && now.millis() % 32 == 0 {
                driver.write_returning(delete_full_buckets(now)).await?;
            }
            return Ok(leases.put(bucket, Lease::taken(tokens, next, now), now));
        }
        if tokens > 1 {
            // Other instances took so many tokens meanwhile that each request is now counted by
            // itself.
            tokens = 1;
            continue;
        }
        let (admission, _) =
            bucket.admit(arrival(driver.read(stored_arrival(bucket)).await?)?, now);
        if !admission.admitted {
            return Ok(admission);
        }
    }
    Err(HostError::Conflict)
}

fn arrival(mut rows: Vec<Row>) -> Result<Option<TheoreticalArrival>, HostError> {
    let micros = rows.first_mut().map(Row::integer).transpose()?;
    Ok(micros.map(TheoreticalArrival::from_micros))
}

/// Advances a bucket's arrival by the rule of [`Bucket::count_several`].
const COUNT: &str = "INSERT INTO buckets (name, arrival) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET arrival = \
     CASE WHEN buckets.arrival BETWEEN $3 AND $4 THEN buckets.arrival + $5 ELSE excluded.arrival END \
     WHERE buckets.arrival <= $4 OR buckets.arrival > $6 RETURNING arrival";

/// Counts one or several requests. Returns the bucket's arrival, or no row if they are rejected.
fn count_arrival(bucket: &Bucket, count: Count) -> Query {
    let Count {
        fresh,
        from,
        last,
        full,
        step_micros,
    } = count;
    let mut params = vec![Value::from(bucket.name.as_str())];
    params.extend([fresh, from, last].map(|at| Value::from(at.micros())));
    params.extend([step_micros, full.micros()].map(Value::from));
    Query::new(COUNT, params)
}

/// Reads a bucket's stored arrival, from which `Retry-After` is computed.
fn stored_arrival(bucket: &Bucket) -> Query {
    Query::new(
        "SELECT arrival FROM buckets WHERE name = $1",
        vec![bucket.name.as_str().into()],
    )
}

/// Deletes at most 200 full buckets. A full bucket has the same effect as a missing one.
fn delete_full_buckets(now: Timestamp) -> Query {
    let sql = "DELETE FROM buckets WHERE arrival <= $1 AND name IN \
               (SELECT name FROM buckets WHERE arrival <= $1 ORDER BY arrival LIMIT 200) RETURNING arrival";
    Query::new(sql, vec![TheoreticalArrival::at(now).micros().into()])
}
