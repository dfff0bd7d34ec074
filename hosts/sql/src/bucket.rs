//! The rate limiter's memory in a database, for hosts of which several answer at once: one instant for each bucket, in
//! microseconds.
//!
//! What a database keeps is compared and replaced in one statement, so that no instance passes a request that another has
//! counted, and no transaction is held meanwhile. Losing the table in a crash costs one window of counting, no more.

use despacho_core::{
    domain::Timestamp,
    limits::{Arrival, Bucket},
};

use crate::{Query, Value};

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
    let sql = "DELETE FROM buckets WHERE name IN \
               (SELECT name FROM buckets WHERE arrival <= $1 ORDER BY arrival LIMIT 200) RETURNING arrival";
    Query::new(sql, vec![Arrival::at(now).micros().into()])
}
