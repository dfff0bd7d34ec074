//! The rate limiter's memory in a database, for hosts of which several answer at once: one instant for each bucket, in
//! microseconds.
//!
//! A request is counted by one statement, which finds the row as the last one left it: a thousand at once are counted one after
//! the other, none passes in the place of another, and no transaction is held meanwhile. To read the row and to replace it if it is
//! still the same would be two, and of many at once with one key each but the first would have to try again. Losing the table in
//! a crash costs one window of counting, no more.
//!
//! A busy caller's instance takes several places by one such statement and gives them out by itself: see [`Lease`].

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

/// How often a refused request asks why. The answer may be that it would pass by now, where the row was cleared away in between.
const ATTEMPTS: u32 = 4;

/// Buckets of which an instance holds leases; some 200 kB. Beyond that it forgets those that have ended, or else all: their places
/// are lost to their callers.
const MAX_LEASES: usize = 1_024;

/// What one instance has taken of the buckets and not given out yet.
#[derive(Debug, Default)]
pub struct Leases(Mutex<BTreeMap<String, Lease>>);

impl Leases {
    /// None yet.
    pub const fn new() -> Leases {
        Leases(Mutex::new(BTreeMap::new()))
    }

    /// A place that is there already, or else how many to take.
    fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, u32> {
        let mut leases = self.lock();
        let Some(lease) = leases.get_mut(&bucket.name) else { return Err(1) };
        lease.give(bucket, now).ok_or_else(|| lease.request_next(bucket, now))
    }

    /// Keeps what was taken, and tells of the first place.
    fn keep(&self, bucket: &Bucket, lease: Lease, now: Timestamp) -> Admission {
        let mut leases = self.lock();
        if let Some(held) = leases.get_mut(&bucket.name) {
            *held = lease.merge(*held, now);
            return held.admission(bucket, now);
        }
        if leases.len() >= MAX_LEASES {
            leases.retain(|_, lease| lease.is_valid(now));
        }
        if leases.len() >= MAX_LEASES {
            leases.clear();
        }
        leases.insert(bucket.name.clone(), lease);
        lease.admission(bucket, now)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Lease>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts a request against a bucket that all instances over a database share, or gives out a place that this one took before. A
/// question costs a write; that of a refused request a read besides.
pub async fn admit<D: Driver>(
    driver: &D,
    leases: &Leases,
    bucket: &Bucket,
    now: Timestamp,
) -> Result<Admission, HostError> {
    let mut places = match leases.admit(bucket, now) {
        Ok(admission) => return Ok(admission),
        Err(places) => places,
    };
    for _ in 0..ATTEMPTS {
        let count = bucket.count_several(places, now).unwrap_or_else(|| bucket.count(now));
        if let Some(next) = arrival(driver.write_returning(count_arrival(bucket, count)).await?)? {
            // Every 32nd bucket on average that was new, or full again, clears others away, so that they never pile up.
            if next == count.fresh && now.millis() % 32 == 0 {
                driver.write_returning(forget_arrivals(now)).await?;
            }
            return Ok(leases.keep(bucket, Lease::taken(places, next, now), now));
        }
        if places > 1 {
            // Others have taken so much meanwhile that from here on each place is counted.
            places = 1;
            continue;
        }
        let (admission, _) = bucket.admit(arrival(driver.read(stored_arrival(bucket)).await?)?, now);
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

/// Moves a bucket on, by the rule of [`Bucket::count_several`].
const COUNT: &str = "INSERT INTO buckets (name, arrival) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET arrival = \
     CASE WHEN buckets.arrival BETWEEN $3 AND $4 THEN buckets.arrival + $5 ELSE excluded.arrival END \
     WHERE buckets.arrival <= $4 OR buckets.arrival > $6 RETURNING arrival";

/// Counts one request or several: answers with the bucket's arrival, or with no row where it is refused.
fn count_arrival(bucket: &Bucket, count: Count) -> Query {
    let Count { fresh, from, last, full, step_micros } = count;
    let mut params = vec![Value::from(bucket.name.as_str())];
    params.extend([fresh, from, last].map(|at| Value::from(at.micros())));
    params.extend([step_micros, full.micros()].map(Value::from));
    Query::new(COUNT, params)
}

/// Asks for a bucket's stored arrival, to tell a refused caller when to come back: no row where there is none.
fn stored_arrival(bucket: &Bucket) -> Query {
    Query::new("SELECT arrival FROM buckets WHERE name = $1", vec![bucket.name.as_str().into()])
}

/// Forgets up to 200 buckets that are full again, which changes nothing. To be asked now and then, when a bucket was new.
fn forget_arrivals(now: Timestamp) -> Query {
    let sql = "DELETE FROM buckets WHERE arrival <= $1 AND name IN \
               (SELECT name FROM buckets WHERE arrival <= $1 ORDER BY arrival LIMIT 200) RETURNING arrival";
    Query::new(sql, vec![TheoreticalArrival::at(now).micros().into()])
}
