//! An open database: its pools, transactions and health.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError, Weak, atomic::Ordering::Relaxed},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use deadpool_postgres::{Pool, tokio_postgres::Client};
use despacho_core::host::HostError;
use despacho_sql::{Dialect, Driver, Expect, Query, Row, STORAGE, Statement, WriteHealth, WriteState};
use tokio::{
    sync::watch,
    task::{AbortHandle, JoinHandle},
    time::{Instant, sleep, timeout},
};

use crate::{
    address::{Address, Pooling},
    batch::{self, BatchQueue, QueuedWrite},
    connector::Connector,
    error::{PgError, unavailable},
    lease::Lease,
    migrate::{NO_TIMEOUTS, OpenError, first, migrate, require_current_schema},
    notifications,
    pipeline::{self, CommitMarker, CommitOutcome, MarkedTransaction, Session},
    pooler,
    pools::pool,
    server::{Flush, Kind},
    stats::{Counters, Stats},
    value::row,
};

/// The limits of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Maximum connections of the pools; one more connection receives notifications. An eighth of them, at least one, serves small writes
    /// that do not wait for the disk.
    pub connections: usize,
    /// Maximum time that a request waits for a connection.
    pub wait: Duration,
    /// Timeout of one exchange, and of all retries that determine whether a transaction was committed.
    pub timeout: Duration,
    /// Whether the schema is migrated; otherwise a schema that is not current is an error.
    pub migrate: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { connections: 16, wait: Duration::from_secs(5), timeout: Duration::from_secs(12), migrate: true }
    }
}

/// Maximum transactions in one pipeline, because each waits for those before it.
const MAX_PIPELINED: usize = 32;
/// Maximum retries of a transaction after a deadlock or serialization failure, before the caller reads the data again.
const MAX_RETRIES: u32 = 5;
/// Maximum retries of a query on a new connection.
const MAX_QUERY_RETRIES: u32 = 2;
/// Maximum time to wait for a server that is starting.
const START_TIMEOUT: Duration = Duration::from_secs(15);
/// Lifetime of markers: an hour, hundreds of times as long as a transaction is retried.
const MARKER_TTL_MS: i64 = 3_600_000;
/// Transactions between two deletions of old markers.
const SWEEP_INTERVAL: u64 = 1_024;
/// Deletes more markers than are inserted between two deletions.
const DELETE_MARKERS: &str = "DELETE FROM commit_marks WHERE (at, salt) IN \
     (SELECT at, salt FROM commit_marks WHERE at < $1 ORDER BY at, salt LIMIT 4096)";

/// An open database. Clones share it.
#[derive(Clone, Debug)]
pub struct Postgres(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    server: Server,
    pool: Pool,
    /// Connections whose writes are flushed with the next transaction of another connection; none on servers without this order.
    relaxed: Option<Pool>,
    /// Writes of one statement, which are flushed at once.
    flushed_writes: BatchQueue,
    /// Writes of one statement, which are flushed on the connections of `relaxed`.
    relaxed_writes: BatchQueue,
    counters: Counters,
    health: WriteHealth,
    opened: Instant,
    timeout: Duration,
    notifications: Mutex<Option<AbortHandle>>,
}

/// The server and how to connect to it.
#[derive(Debug)]
struct Server {
    connector: Arc<Connector>,
    kind: Kind,
}

impl Server {
    fn session(&self, flush: Flush) -> Session {
        match self.connector.address().pooling() {
            Pooling::Session => Session::Own,
            Pooling::Transaction => Session::Shared { begin: self.kind.begin(flush) },
        }
    }

    /// Whether `LISTEN` works: a pooler in transaction mode accepts it and delivers nothing.
    fn listens(&self) -> bool {
        self.kind.listens() && self.connector.address().pooling() == Pooling::Session
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(notifications) = self.notifications.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            notifications.abort();
        }
    }
}

impl Postgres {
    /// Opens a database and migrates its schema. Waits for a server that is starting.
    pub async fn open(address: &Address, options: &Options) -> Result<Postgres, OpenError> {
        let connector = Arc::new(Connector::new(address).map_err(|error| OpenError::Database(error.to_string()))?);
        let (client, driver) = connect_first(&connector).await?;
        let kind = Kind::of(&first(&client, "SELECT version()").await?.unwrap_or_default());
        pooler::check(&client, &connector, kind).await?;
        let migrated =
            if options.migrate { migrate(&client, kind).await } else { require_current_schema(&client).await };
        drop(client);
        driver.abort();
        migrated?;
        let (relaxed, others) = match kind.flush() {
            Flush::Later => {
                let few = (options.connections / 8).max(1);
                (
                    Some(pool(&connector, kind.session(Flush::Later), options.wait, few)?),
                    options.connections.saturating_sub(few),
                )
            }
            Flush::Now => (None, options.connections),
        };
        let pool = pool(&connector, kind.session(Flush::Now), options.wait, others.max(2))?;
        let server = Server { connector, kind };
        let (counters, health, opened) = (Counters::default(), WriteHealth::default(), Instant::now());
        let (timeout, notifications) = (options.timeout, Mutex::default());
        Ok(Postgres(Arc::new_cyclic(|inner: &Weak<Inner>| {
            let queue = |flush| {
                let inner = Weak::clone(inner);
                BatchQueue::start(move |writes| {
                    let database = Postgres(inner.upgrade()?);
                    Some(async move { database.write_all(writes, flush).await })
                })
            };
            let (flushed_writes, relaxed_writes) = (queue(Flush::Now), queue(kind.flush()));
            Inner {
                server,
                pool,
                relaxed,
                flushed_writes,
                relaxed_writes,
                counters,
                health,
                opened,
                timeout,
                notifications,
            }
        })))
    }

    /// Returns the counters.
    pub fn stats(&self) -> Stats {
        let pools = std::iter::once(&self.0.pool).chain(&self.0.relaxed);
        self.0.counters.stats(pools.map(Pool::status))
    }

    /// Checks that the database accepts writes: it is not read-only, and the last write reached the disk.
    pub async fn ready(&self) -> Result<(), HostError> {
        let sql = "SELECT current_setting('transaction_read_only')";
        let response = self.read(Query { sql, params: Vec::new() }).await?.first_mut().map(Row::text).transpose()?;
        match response.as_deref() {
            Some("off") => {}
            _ => {
                let detail =
                    "the server is read-only: it is a replica, or default_transaction_read_only is on".to_owned();
                return Err(HostError::Unavailable { what: STORAGE, detail });
            }
        }
        match self.0.health.state(self.0.opened.elapsed()) {
            WriteState::Healthy => Ok(()),
            WriteState::Failing(error) => Err(error),
            WriteState::ProbeDue => {
                let probe = WriteHealth::probe(now().unsigned_abs());
                self.write(&Query { sql: probe.sql, params: probe.params }, Flush::Now).await.map(drop)
            }
        }
    }

    /// Runs one write and records whether it reached the disk.
    async fn write(&self, query: &Query, flush: Flush) -> Result<Vec<Row>, HostError> {
        let result = self.run_query(query, flush).await;
        self.0.health.record(result.as_ref().map(drop), self.0.opened.elapsed());
        result
    }

    /// Notifies other instances when `outgoing` or `access` changes, and calls `on_notification` for their notifications, with whether their
    /// `access` changed. Does nothing on a server without `LISTEN` and `NOTIFY`.
    pub fn run_listener(
        &self,
        outgoing: watch::Receiver<u64>,
        access: watch::Receiver<u64>,
        on_notification: impl Fn(bool) + Send + Sync + 'static,
    ) {
        if !self.0.server.listens() {
            tracing::info!("LISTEN/NOTIFY unavailable; polling for events of other instances");
            return;
        }
        let task = tokio::spawn(notifications::run_listener(
            Arc::clone(&self.0.server.connector),
            outgoing,
            access,
            on_notification,
        ))
        .abort_handle();
        if let Some(old) = self.0.notifications.lock().unwrap_or_else(PoisonError::into_inner).replace(task) {
            old.abort();
        }
    }

    /// Runs `work` under a lock that excludes other instances.
    pub async fn exclusively<T>(&self, work: impl Future<Output = T>) -> Result<T, HostError> {
        if !self.0.server.kind.locks() {
            return Ok(work.await);
        }
        let lease = Lease::acquire(&self.0.pool).await?;
        for sql in ["BEGIN", NO_TIMEOUTS, Dialect::EXCLUSIVE] {
            lease.client()?.batch_execute(sql).await.map_err(PgError::from)?;
        }
        let output = work.await;
        lease.client()?.batch_execute("COMMIT").await.map_err(PgError::from)?;
        lease.release();
        Ok(output)
    }

    /// Closes every connection. Later calls fail; a second close does nothing.
    pub async fn close(&self) -> Result<(), HostError> {
        if let Some(notifications) = self.0.notifications.lock().unwrap_or_else(PoisonError::into_inner).take() {
            notifications.abort();
        }
        std::iter::once(&self.0.pool).chain(&self.0.relaxed).for_each(Pool::close);
        Ok(())
    }

    /// Runs writes in one transaction. If it fails, each runs in its own, so that a write neither fails nor waits long because of another.
    async fn write_all(&self, writes: Vec<QueuedWrite>, flush: Flush) {
        let lease = match Lease::acquire(self.pool(flush)).await {
            Ok(lease) => lease,
            Err(error) => {
                let error = HostError::from(error);
                self.0.health.record(Err(&error), self.0.opened.elapsed());
                writes.into_iter().for_each(|write| write.complete(Err(error.clone())));
                return;
            }
        };
        let server = &self.0.server;
        match batch::write_together(lease, &server.session(flush), server.kind, &writes).await {
            Ok(outcomes) => {
                self.0.health.record(Ok(()), self.0.opened.elapsed());
                self.0.counters.reads.fetch_add(writes.len().try_into().unwrap_or(u64::MAX), Relaxed);
                writes.into_iter().zip(outcomes).for_each(|(write, rows)| write.complete(Ok(rows)));
            }
            Err(_) => {
                for write in writes {
                    let database = self.clone();
                    tokio::spawn(async move {
                        let outcome = database.write(&write.query, flush).await;
                        write.complete(outcome);
                    });
                }
            }
        }
    }

    fn pool(&self, flush: Flush) -> &Pool {
        match flush {
            Flush::Now => &self.0.pool,
            Flush::Later => self.0.relaxed.as_ref().unwrap_or(&self.0.pool),
        }
    }

    /// Runs one statement and returns its rows. Retries on a new connection if the connection was lost.
    async fn run_query(&self, query: &Query, flush: Flush) -> Result<Vec<Row>, HostError> {
        let (mut attempts, session) = (0, self.0.server.session(flush));
        loop {
            let lease = Lease::acquire(self.pool(flush)).await?;
            attempts += 1;
            match timeout(self.0.timeout, rows(&lease, &session, query)).await {
                Ok(Ok(rows)) => {
                    lease.release();
                    self.0.counters.reads.fetch_add(1, Relaxed);
                    return Ok(rows);
                }
                Ok(Err(PgError::ConnectionLost(_) | PgError::Retryable(_))) if attempts <= MAX_QUERY_RETRIES => {}
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

    /// Sends transactions until the outcome of each is known.
    async fn commit_all(&self, transactions: &[Vec<Statement>]) -> Vec<Result<(), HostError>> {
        let now = now();
        let marked = |statements| MarkedTransaction { marker: CommitMarker::at(now), statements };
        let mut open: Vec<(usize, MarkedTransaction<'_>)> =
            transactions.iter().map(|statements| marked(statements.as_slice())).enumerate().collect();
        let mut results: Vec<Result<(), HostError>> = transactions.iter().map(|_| Ok(())).collect();
        let (until, mut attempt, mut lost) = (Instant::now() + self.0.timeout, 0, false);
        loop {
            let attempted: Vec<&MarkedTransaction<'_>> = open.iter().map(|(_, transaction)| transaction).collect();
            let (responses, sent) = self.send(&attempted, lost).await;
            let (mut pending, mut waits) = (Vec::new(), false);
            for ((index, transaction), response) in open.into_iter().zip(responses) {
                let is_retried = match &response {
                    Err(PgError::Retryable(_)) => attempt < MAX_RETRIES,
                    // A transaction that was never sent was not committed, so the error is returned without delay.
                    Err(PgError::ConnectionLost(_)) => (sent || lost) && Instant::now() < until,
                    _ => false,
                };
                if is_retried {
                    lost |= matches!(response, Err(PgError::ConnectionLost(_)));
                    waits |= !sent || attempt > 0;
                    pending.push((index, transaction));
                    continue;
                }
                let result = self.count(response, lost);
                self.0.health.record(result.as_ref().map(drop), self.0.opened.elapsed());
                results[index] = result;
            }
            if pending.is_empty() {
                return results;
            }
            open = pending;
            attempt += 1;
            self.0.counters.repeats.fetch_add(1, Relaxed);
            if waits {
                sleep(Duration::from_millis(fastrand::u64(5..=25) << attempt.min(4))).await;
            }
        }
    }

    /// Counts the outcome of a transaction and converts it to a result.
    fn count(&self, response: Result<CommitOutcome, PgError>, lost: bool) -> Result<(), HostError> {
        let counters = &self.0.counters;
        match response {
            Ok(outcome) => {
                counters.found_done.fetch_add(u64::from(outcome == CommitOutcome::AlreadyCommitted), Relaxed);
                if counters.commits.fetch_add(1, Relaxed).is_multiple_of(SWEEP_INTERVAL) {
                    self.sweep();
                }
                Ok(())
            }
            Err(PgError::Permanent(HostError::Conflict) | PgError::Retryable(_)) => {
                counters.conflicts.fetch_add(1, Relaxed);
                Err(HostError::Conflict)
            }
            Err(PgError::ConnectionLost(detail)) if lost => {
                counters.failures.fetch_add(1, Relaxed);
                Err(unavailable(format!("the outcome of a transaction is unknown: {detail}")))
            }
            Err(error) => {
                counters.failures.fetch_add(1, Relaxed);
                Err(error.into())
            }
        }
    }

    /// Sends transactions once, and returns whether the server can have received any. `resent` if they were sent before.
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
        let lease = match Lease::acquire(&self.0.pool).await {
            Ok(lease) => lease,
            Err(error) => return (all(error), false),
        };
        self.0.counters.pipelines.fetch_add(1, Relaxed);
        let session = self.0.server.session(Flush::Now);
        let exchange = async { pipeline::run(lease.client()?, &session, transactions, resent).await };
        let responses = match timeout(self.0.timeout, exchange).await {
            Ok(Ok(responses)) => responses,
            Ok(Err(error)) => all(error),
            Err(_) => {
                self.drop_idle();
                all(PgError::ConnectionLost("the server did not respond in time".to_owned()))
            }
        };
        if !responses.iter().any(|response| matches!(response, Err(PgError::ConnectionLost(_)))) {
            lease.release();
        }
        (responses, true)
    }

    /// Closes idle connections. The server's statement timeout is shorter than this program's: without a response the host is frozen or
    /// unreachable, and each idle connection to it would time out in the same way.
    fn drop_idle(&self) {
        for pool in std::iter::once(&self.0.pool).chain(&self.0.relaxed) {
            pool.retain(|_, _| false);
        }
    }

    /// Deletes old markers in the background.
    fn sweep(&self) {
        let database = self.clone();
        tokio::spawn(async move {
            let params = vec![(now() - MARKER_TTL_MS).into()];
            if let Err(error) =
                database.run_query(&Query { sql: DELETE_MARKERS, params }, database.0.server.kind.flush()).await
            {
                tracing::debug!(%error, "old commit markers not deleted; the next sweep retries");
            }
        });
    }
}

/// The futures are boxed: the state of a request has room for either database, and would be moved with theirs of several kilobytes.
impl Driver for Postgres {
    async fn read(&self, query: Query) -> Result<Vec<Row>, HostError> {
        Box::pin(self.run_query(&query, Flush::Now)).await
    }

    /// If the response is lost, the write is repeated. This leaves a gap in allocated IDs or counts a request twice. Such writes do not wait
    /// for the disk: a transaction that depends on them comes later in the log, and its flush includes them.
    async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.0.relaxed_writes.write(query).await
    }

    async fn transact(&self, mut statements: Vec<Statement>) -> Result<(), HostError> {
        if let [Statement { sql, params, expect: Expect::Any }] = statements.as_mut_slice() {
            // A position or the release of a claim: these are idempotent.
            let query = Query { sql, params: std::mem::take(params) };
            return self.0.flushed_writes.write(query).await.map(drop);
        }
        Box::pin(self.commit_all(&[statements])).await.pop().unwrap_or(Ok(()))
    }

    async fn transact_each(&self, transactions: Vec<Vec<Statement>>) -> Vec<Result<(), HostError>> {
        let mut results = Vec::with_capacity(transactions.len());
        for pipeline in transactions.chunks(MAX_PIPELINED) {
            results.extend(Box::pin(self.commit_all(pipeline)).await);
        }
        results
    }
}

async fn rows(lease: &Lease, session: &Session, query: &Query) -> Result<Vec<Row>, PgError> {
    pipeline::query(lease.client()?, session, query).await?.iter().map(row).collect()
}

/// Opens the first connection and returns it with the task that drives it.
async fn connect_first(connector: &Connector) -> Result<(Client, JoinHandle<()>), OpenError> {
    let until = Instant::now() + START_TIMEOUT;
    loop {
        let failed = match timeout(connector.timeout(), connector.connect(None)).await {
            Ok(Ok(connected)) => return Ok(connected),
            Ok(Err(error)) => PgError::from(error),
            Err(_) => PgError::ConnectionLost("it accepts connections but does not respond".to_owned()),
        };
        // A server that is starting rejects connections. Other errors, for example a wrong password, are permanent.
        let is_starting = matches!(failed, PgError::ConnectionLost(_)) && Instant::now() < until;
        if !is_starting {
            let detail = HostError::from(failed).to_string();
            return Err(OpenError::Database(format!("{} cannot be reached: {detail}", connector.address())));
        }
        sleep(Duration::from_millis(250)).await;
    }
}

/// Returns milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
