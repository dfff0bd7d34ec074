//! The connections of a database, and the reads and transactions on them.

use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use deadpool_postgres::Pool;
use despacho_core::host::HostError;
use despacho_sql::{MAX_LOCKED_JOURNALS, Query, Row, Statement, Value, WriteHealth, lock_journals};
use tokio::time::{Instant, sleep, timeout};

use crate::{
    address::Pooling,
    batch::Taken,
    connector::Connector,
    error::{PgError, unavailable},
    lease::Lease,
    pipeline::{self, CommitMarker, CommitOutcome, MarkedTransaction, Session},
    server::{Flush, Kind},
    stats::Counters,
    value::row,
};

/// Maximum transactions in one pipeline, because each waits for those before it.
const MAX_PIPELINED: usize = 32;
/// Timeout of a transaction of several requests' writes, after which each runs by itself.
const WRITES_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum requests whose transactions are joined. Most advance one journal.
pub(crate) const MAX_JOINED: usize = MAX_LOCKED_JOURNALS;
/// Maximum statements of a transaction that is joined with others.
const MAX_STATEMENTS: usize = 16;
/// The time that a worker waits for the transaction of a single request. If that waits for a lock,
/// the worker continues with others.
const SINGLE_TIMEOUT: Duration = Duration::from_millis(250);
/// Maximum retries of a transaction after a deadlock or serialization failure, before the caller
/// reads the data again.
const MAX_RETRIES: u32 = 5;
/// Maximum retries of a query on a new connection.
const MAX_QUERY_RETRIES: u32 = 2;
/// Lifetime of markers: an hour, hundreds of times as long as a transaction is retried.
const MARKER_TTL_MS: i64 = 3_600_000;
/// Transactions between two deletions of old markers.
const SWEEP_INTERVAL: u64 = 1_024;
/// Deletes more markers than are inserted between two deletions.
const DELETE_MARKERS: &str = "DELETE FROM commit_marks WHERE (at, salt) IN \
     (SELECT at, salt FROM commit_marks WHERE at < $1 ORDER BY at, salt LIMIT 4096)";

/// The connections of a database.
#[derive(Debug)]
pub(crate) struct Connections {
    pub(crate) server: Server,
    pub(crate) pool: Pool,
    /// Connections whose writes are flushed with the next transaction of another connection; none
    /// on servers without this order.
    pub(crate) relaxed: Option<Pool>,
    pub(crate) counters: Counters,
    pub(crate) health: WriteHealth,
    pub(crate) opened: Instant,
    /// Timeout of one exchange, and of all retries that determine whether a transaction was
    /// committed.
    pub(crate) timeout: Duration,
}

/// The server and how to connect to it.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) connector: Arc<Connector>,
    pub(crate) kind: Kind,
}

impl Server {
    fn session(&self, flush: Flush) -> Session {
        match self.connector.address().pooling() {
            Pooling::Session => Session::Own,
            Pooling::Transaction => Session::Shared {
                begin: self.kind.begin(flush),
            },
        }
    }

    /// Whether `LISTEN` works: a pooler in transaction mode accepts it and delivers nothing.
    pub(crate) fn listens(&self) -> bool {
        self.kind.listens() && self.connector.address().pooling() == Pooling::Session
    }
}

impl Connections {
    /// Returns the pools.
    pub(crate) fn pools(&self) -> impl Iterator<Item = &Pool> {
        std::iter::once(&self.pool).chain(&self.relaxed)
    }

    /// Runs one write and records whether it reached the disk.
    pub(crate) async fn write(&self, query: &Query, flush: Flush) -> Result<Vec<Row>, HostError> {
        let result = self.run_query(query, flush).await;
        self.health
            .record(result.as_ref().map(drop), self.opened.elapsed());
        result
    }

    /// Runs writes in one transaction. If it fails, each runs in its own, so that a write neither
    /// fails nor waits long because of another.
    pub(crate) async fn write_all(
        self: Arc<Self>,
        mut writes: Vec<Taken<Query, Vec<Row>>>,
        flush: Flush,
    ) {
        // All instances write rows in the same order, which prevents deadlocks.
        writes.sort_by(|one, other| {
            (&one.work.sql, &one.work.params).cmp(&(&other.work.sql, &other.work.params))
        });
        let lease = match Lease::acquire(self.pool(flush)).await {
            Ok(lease) => lease,
            Err(error) => {
                let error = HostError::from(error);
                self.health.record(Err(&error), self.opened.elapsed());
                writes
                    .into_iter()
                    .for_each(|write| write.complete(Err(error.clone())));
                return;
            }
        };
        match self
            .write_together(lease, flush, writes.iter().map(|write| &write.work))
            .await
        {
            Ok(outcomes) => {
                self.health.record(Ok(()), self.opened.elapsed());
                self.counters
                    .reads
                    .fetch_add(writes.len().try_into().unwrap_or(u64::MAX), Relaxed);
                writes
                    .into_iter()
                    .zip(outcomes)
                    .for_each(|(write, rows)| write.complete(Ok(rows)));
            }
            Err(_) => {
                for write in writes {
                    let own = Arc::clone(&self);
                    tokio::spawn(async move {
                        let outcome = own.write(&write.work, flush).await;
                        write.complete(outcome);
                    });
                }
            }
        }
    }

    /// Runs writes in one transaction and returns the rows of each.
    async fn write_together<'a>(
        &self,
        lease: Lease,
        flush: Flush,
        writes: impl Iterator<Item = &'a Query>,
    ) -> Result<Vec<Vec<Row>>, PgError> {
        let session = self.server.session(flush);
        let exchange = async {
            pipeline::query_all(lease.client()?, &session, self.server.kind, writes).await
        };
        let results = timeout(WRITES_TIMEOUT, exchange).await;
        let results = results
            .map_err(|_| PgError::ConnectionLost("writes took too long together".to_owned()))?;
        if !matches!(results, Err(PgError::ConnectionLost(_))) {
            lease.release();
        }
        results?
            .iter()
            .map(|rows| rows.iter().map(row).collect())
            .collect()
    }

    fn pool(&self, flush: Flush) -> &Pool {
        match flush {
            Flush::Now => &self.pool,
            Flush::Later => self.relaxed.as_ref().unwrap_or(&self.pool),
        }
    }

    /// Runs one statement and returns its rows. Retries on a new connection if the connection was
    /// lost.
    pub(crate) async fn run_query(
        &self,
        query: &Query,
        flush: Flush,
    ) -> Result<Vec<Row>, HostError> {
        let (mut attempts, session) = (0, self.server.session(flush));
        loop {
            let lease = Lease::acquire(self.pool(flush)).await?;
            attempts += 1;
            match timeout(self.timeout, rows(&lease, &session, query)).await {
                Ok(Ok(rows)) => {
                    lease.release();
                    self.counters.reads.fetch_add(1, Relaxed);
                    return Ok(rows);
                }
                Ok(Err(PgError::ConnectionLost(_) | PgError::Retryable(_)))
                    if attempts <= MAX_QUERY_RETRIES => {}
                Ok(Err(error)) => {
                    if !matches!(error, PgError::ConnectionLost(_)) {
                        lease.release();
                    }
                    return Err(error.into());
                }
                Err(_) => {
                    self.drop_idle();
                    return Err(HostError::Timeout { what: "database" });
                }
            }
        }
    }

    /// Runs the transactions of several requests as one. If it is rolled back, each runs by itself,
    /// so that none fails because of another.
    pub(crate) async fn commit_joined(self: Arc<Self>, requests: Vec<Taken<Vec<Statement>, ()>>) {
        let is_joined = requests.len() > 1;
        if is_joined {
            let lock = lock_journals(requests.iter().map(|request| &request.work[..]));
            let statements =
                std::iter::once(&lock).chain(requests.iter().flat_map(|request| &request.work));
            let joined = marked(statements, requests.len().try_into().unwrap_or(u64::MAX));
            let result = self.commit_one(joined).await;
            // If it is unavailable, the outcome can be unknown.
            if matches!(result, Ok(()) | Err(HostError::Unavailable { .. })) {
                return requests
                    .into_iter()
                    .for_each(|request| request.complete(result.clone()));
            }
        }
        for request in requests {
            let own = Arc::clone(&self);
            let committed = tokio::spawn(async move {
                let outcome = own.commit_one(marked(&request.work, 1)).await;
                request.complete(outcome);
            });
            if !is_joined {
                let _ = timeout(SINGLE_TIMEOUT, committed).await;
            }
        }
    }

    /// Runs one transaction.
    pub(crate) async fn commit_one(
        self: &Arc<Self>,
        transaction: MarkedTransaction<'_>,
    ) -> Result<(), HostError> {
        self.commit_all(vec![transaction])
            .await
            .pop()
            .unwrap_or(Ok(()))
    }

    /// Runs transactions in order and returns the outcome of each.
    pub(crate) async fn commit_each(
        self: &Arc<Self>,
        transactions: Vec<Vec<Statement>>,
    ) -> Vec<Result<(), HostError>> {
        let mut results = Vec::with_capacity(transactions.len());
        for pipeline in transactions.chunks(MAX_PIPELINED) {
            let pipeline = pipeline
                .iter()
                .map(|statements| marked(statements, 1))
                .collect();
            results.extend(Box::pin(self.commit_all(pipeline)).await);
        }
        results
    }

    /// Sends transactions until the outcome of each is known.
    async fn commit_all(
        self: &Arc<Self>,
        transactions: Vec<MarkedTransaction<'_>>,
    ) -> Vec<Result<(), HostError>> {
        let mut results: Vec<Result<(), HostError>> = transactions.iter().map(|_| Ok(())).collect();
        let mut open: Vec<(usize, MarkedTransaction<'_>)> =
            transactions.into_iter().enumerate().collect();
        let (until, mut attempt, mut lost) = (Instant::now() + self.timeout, 0, false);
        loop {
            let attempted: Vec<&MarkedTransaction<'_>> =
                open.iter().map(|(_, transaction)| transaction).collect();
            let (responses, sent) = self.send(&attempted, lost).await;
            let (mut pending, mut waits) = (Vec::new(), false);
            for ((index, transaction), response) in open.into_iter().zip(responses) {
                let is_retried = match &response {
                    Err(PgError::Retryable(_)) => {
                        (transaction.requests == 1 || lost) && attempt < MAX_RETRIES
                    }
                    // A transaction that was never sent was not committed, so the error is returned
                    // without delay.
                    Err(PgError::ConnectionLost(_)) => (sent || lost) && Instant::now() < until,
                    _ => false,
                };
                if is_retried {
                    lost |= matches!(response, Err(PgError::ConnectionLost(_)));
                    waits |= !sent || attempt > 0;
                    pending.push((index, transaction));
                    continue;
                }
                let result = self.count(response, transaction.requests, lost);
                self.health
                    .record(result.as_ref().map(drop), self.opened.elapsed());
                results[index] = result;
            }
            if pending.is_empty() {
                return results;
            }
            open = pending;
            attempt += 1;
            self.counters.repeats.fetch_add(1, Relaxed);
            if waits {
                sleep(Duration::from_millis(
                    fastrand::u64(5..=25) << attempt.min(4),
                ))
                .await;
            }
        }
    }

    /// Counts the outcome of a transaction of some requests and converts it to a result.
    fn count(
        self: &Arc<Self>,
        response: Result<CommitOutcome, PgError>,
        requests: u64,
        lost: bool,
    ) -> Result<(), HostError> {
        let counters = &self.counters;
        match response {
            Ok(outcome) => {
                counters.found_done.fetch_add(
                    u64::from(outcome == CommitOutcome::AlreadyCommitted),
                    Relaxed,
                );
                let before = counters.commits.fetch_add(requests, Relaxed);
                if before / SWEEP_INTERVAL != (before + requests) / SWEEP_INTERVAL {
                    self.sweep();
                }
                Ok(())
            }
            Err(PgError::ConnectionLost(detail) | PgError::Retryable(detail)) if lost => {
                counters.failures.fetch_add(1, Relaxed);
                Err(unavailable(format!(
                    "the outcome of a transaction is unknown: {detail}"
                )))
            }
            Err(PgError::Permanent(HostError::Conflict) | PgError::Retryable(_)) => {
                let counter = if requests == 1 {
                    &counters.conflicts
                } else {
                    &counters.repeats
                };
                counter.fetch_add(1, Relaxed);
                Err(HostError::Conflict)
            }
            Err(error) => {
                counters.failures.fetch_add(1, Relaxed);
                Err(error.into())
            }
        }
    }

    /// Sends transactions once, and returns whether the server can have received any. `resent` if
    /// they were sent before.
    async fn send(
        &self,
        transactions: &[&MarkedTransaction<'_>],
        resent: bool,
    ) -> (Vec<Result<CommitOutcome, PgError>>, bool) {
        let all = |error: PgError| -> Vec<Result<CommitOutcome, PgError>> {
            let copy = || match &error {
                PgError::Permanent(error) => PgError::Permanent(error.clone()),
                PgError::Retryable(detail) => PgError::Retryable(detail.clone()),
                PgError::ConnectionLost(detail) => PgError::ConnectionLost(detail.clone()),
            };
            transactions.iter().map(|_| Err(copy())).collect()
        };
        let lease = match Lease::acquire(&self.pool).await {
            Ok(lease) => lease,
            Err(error) => return (all(error), false),
        };
        self.counters.pipelines.fetch_add(1, Relaxed);
        let session = self.server.session(Flush::Now);
        let exchange = async {
            pipeline::run(
                lease.client()?,
                &session,
                self.server.kind,
                transactions,
                resent,
            )
            .await
        };
        let responses = match timeout(self.timeout, exchange).await {
            Ok(Ok(responses)) => responses,
            Ok(Err(error)) => all(error),
            Err(_) => {
                self.drop_idle();
                all(PgError::ConnectionLost(
                    "the server did not respond in time".to_owned(),
                ))
            }
        };
        if !responses
            .iter()
            .any(|response| matches!(response, Err(PgError::ConnectionLost(_))))
        {
            lease.release();
        }
        (responses, true)
    }

    /// Closes idle connections. The server's statement timeout is shorter than this program's:
    /// without a response the host is frozen or unreachable, and each idle connection to it would
    /// time out in the same way.
    fn drop_idle(&self) {
        for pool in self.pools() {
            pool.retain(|_, _| false);
        }
    }

    /// Deletes old markers in the background.
    fn sweep(self: &Arc<Self>) {
        let own = Arc::clone(self);
        tokio::spawn(async move {
            let params = vec![(now() - MARKER_TTL_MS).into()];
            if let Err(error) = own
                .run_query(
                    &Query {
                        sql: DELETE_MARKERS.into(),
                        params,
                    },
                    own.server.kind.flush(),
                )
                .await
            {
                tracing::debug!(%error, "old commit markers not deleted; the next sweep retries");
            }
        });
    }
}

/// Whether a transaction is joined with others: it delays them little. A single statement can
/// conflict without an error in the server's log.
pub(crate) fn is_short(statements: &[Statement]) -> bool {
    let is_large = |value: &Value| matches!(value, Value::Bytes(_));
    (2..=MAX_STATEMENTS).contains(&statements.len())
        && !statements
            .iter()
            .flat_map(|statement| &statement.params)
            .any(is_large)
}

/// Returns the transaction of some requests with a new marker.
pub(crate) fn marked<'a>(
    statements: impl IntoIterator<Item = &'a Statement>,
    requests: u64,
) -> MarkedTransaction<'a> {
    MarkedTransaction {
        marker: CommitMarker::at(now()),
        statements: statements.into_iter().collect(),
        requests,
    }
}

async fn rows(lease: &Lease, session: &Session, query: &Query) -> Result<Vec<Row>, PgError> {
    pipeline::query(lease.client()?, session, query)
        .await?
        .iter()
        .map(row)
        .collect()
}

/// Returns milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
