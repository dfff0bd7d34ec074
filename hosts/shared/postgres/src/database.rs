//! The database as the rest of the server holds it.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering::Relaxed},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, tokio_postgres::Client,
};
use despacho_core::host::HostError;
use despacho_sql::{Dialect, Driver, Expect, Query, Row, STORAGE, Statement, WriteHealth, WriteState};
use tokio::{
    sync::watch,
    task::{AbortHandle, JoinHandle},
    time::{Instant, sleep, timeout},
};

use crate::{
    address::{Address, Pooling},
    connector::{Connector, PoolConnect},
    error::{PgError, text, unavailable},
    lease::Lease,
    migrate::{NO_TIMEOUTS, OpenError, demand, first, migrate},
    notifications,
    pipeline::{self, CommitMarker, CommitOutcome, MarkedTransaction, Session},
    pooler,
    server::{Flush, Kind},
    stats::{Counters, Stats},
    value::row,
};

/// How much may happen at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Connections at most, one more for news aside; an eighth of them, at least one, is for small writes that wait for no disk.
    pub connections: usize,
    /// How long a request may wait for a connection before it is refused.
    pub wait: Duration,
    /// How long an exchange may take, and how long it is tried to learn what became of a commit whose connection broke.
    pub timeout: Duration,
    /// Whether the schema is brought up to date; otherwise another one is refused.
    pub migrate: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { connections: 16, wait: Duration::from_secs(5), timeout: Duration::from_secs(12), migrate: true }
    }
}

/// Transactions in one pipeline: each waits for those before it.
const MAX_PIPELINED: usize = 32;
/// How often a transaction that met another is sent again before its caller decides anew.
const AGAIN: u32 = 5;
/// How often a question is asked again on a new connection.
const MAX_QUERIES: u32 = 2;
/// How long a server that is just starting is waited for.
const STARTING: Duration = Duration::from_secs(15);
/// Markers are stored for an hour, hundreds of times as long as a transaction is retried.
const MARKER_TTL_MS: i64 = 3_600_000;
/// Transactions between two deletions of old markers.
const SWEEP: u64 = 1_024;
/// One run deletes more markers than are inserted between two.
const DELETE_MARKERS: &str = "DELETE FROM commit_marks WHERE (at, salt) IN \
     (SELECT at, salt FROM commit_marks WHERE at < $1 ORDER BY at, salt LIMIT 4096)";

/// An open database. A clone is the same one.
#[derive(Clone, Debug)]
pub struct Postgres(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    ways: Arc<Ways>,
    pool: Pool,
    /// Connections whose writes are flushed with the next transaction of any other; none where there is no one log to flush.
    relaxed: Option<Pool>,
    counters: Counters,
    health: WriteHealth,
    opened: Instant,
    timeout: Duration,
    notifications: Mutex<Option<AbortHandle>>,
}

/// How it is reached.
#[derive(Debug)]
struct Ways {
    connector: Arc<Connector>,
    kind: Kind,
}

impl Ways {
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
    /// Opens a database and brings its schema up to date. A server that is just starting is waited for.
    pub async fn open(address: &Address, options: &Options) -> Result<Postgres, OpenError> {
        let connector = Arc::new(Connector::new(address).map_err(OpenError::Database)?);
        let (client, driving) = reach(&connector).await?;
        let kind = Kind::of(&first(&client, "SELECT version()").await?.unwrap_or_default());
        pooler::check(&client, &connector, kind).await?;
        let migrated = if options.migrate { migrate(&client, kind).await } else { demand(&client).await };
        drop(client);
        driving.abort();
        migrated?;
        let (relaxed, others) = match kind.flush() {
            Flush::Later => {
                let few = (options.connections / 8).max(1);
                (
                    Some(pool(&connector, kind.session(Flush::Later), options, few)?),
                    options.connections.saturating_sub(few),
                )
            }
            Flush::Now => (None, options.connections),
        };
        let pool = pool(&connector, kind.session(Flush::Now), options, others.max(2))?;
        let ways = Arc::new(Ways { connector, kind });
        let (counters, health, opened) = (Counters::default(), WriteHealth::default(), Instant::now());
        let (timeout, notifications) = (options.timeout, Mutex::default());
        Ok(Postgres(Arc::new(Inner { ways, pool, relaxed, counters, health, opened, timeout, notifications })))
    }

    /// The figures so far.
    pub fn stats(&self) -> Stats {
        let pools = std::iter::once(&self.0.pool).chain(&self.0.relaxed);
        self.0.counters.stats(pools.map(Pool::status))
    }

    /// Whether it takes writes: it is not read-only, and the last write reached the disk.
    pub async fn ready(&self) -> Result<(), HostError> {
        let sql = "SELECT current_setting('transaction_read_only')";
        let response = self.read(Query { sql, params: Vec::new() }).await?.first_mut().map(Row::text).transpose()?;
        match response.as_deref() {
            Some("off") => {}
            _ => {
                let detail = "the server only reads: a replica, or default_transaction_read_only is on".to_owned();
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

    /// Runs one statement that writes, and records whether it reached the disk.
    async fn write(&self, query: &Query, flush: Flush) -> Result<Vec<Row>, HostError> {
        let result = self.run_query(query, flush).await;
        self.0.health.record(result.as_ref().map(drop), self.0.opened.elapsed());
        result
    }

    /// Notifies other instances whenever `told` or `access` changes, and calls `on_notification` for their notifications, with whether their `access`
    /// changed. On a server without LISTEN and NOTIFY it does nothing.
    pub fn run_listener(
        &self,
        outgoing: watch::Receiver<u64>,
        access: watch::Receiver<u64>,
        on_notification: impl Fn(bool) + Send + Sync + 'static,
    ) {
        if !self.0.ways.listens() {
            tracing::info!("LISTEN/NOTIFY unavailable; polling for events of other instances");
            return;
        }
        let task = tokio::spawn(notifications::exchange(
            Arc::clone(&self.0.ways.connector),
            outgoing,
            access,
            on_notification,
        ))
        .abort_handle();
        if let Some(old) = self.0.notifications.lock().unwrap_or_else(PoisonError::into_inner).replace(task) {
            old.abort();
        }
    }

    /// Does `work` while no other instance does such work.
    pub async fn exclusively<T>(&self, work: impl Future<Output = T>) -> Result<T, HostError> {
        if !self.0.ways.kind.locks() {
            return Ok(work.await);
        }
        let lease = Lease::of(&self.0.pool).await?;
        for sql in ["BEGIN", NO_TIMEOUTS, Dialect::EXCLUSIVE] {
            lease.client()?.batch_execute(sql).await.map_err(PgError::from)?;
        }
        let done = work.await;
        lease.client()?.batch_execute("COMMIT").await.map_err(PgError::from)?;
        lease.settled();
        Ok(done)
    }

    /// Closes every connection. What comes later is refused; a second call does nothing.
    pub async fn close(&self) -> Result<(), HostError> {
        if let Some(notifications) = self.0.notifications.lock().unwrap_or_else(PoisonError::into_inner).take() {
            notifications.abort();
        }
        std::iter::once(&self.0.pool).chain(&self.0.relaxed).for_each(Pool::close);
        Ok(())
    }

    /// The rows of one statement, on a new connection where the one it was asked on is gone.
    async fn run_query(&self, query: &Query, flush: Flush) -> Result<Vec<Row>, HostError> {
        let pool = match flush {
            Flush::Now => &self.0.pool,
            Flush::Later => self.0.relaxed.as_ref().unwrap_or(&self.0.pool),
        };
        let (mut requested, session) = (0, self.0.ways.session(flush));
        loop {
            let lease = Lease::of(pool).await?;
            requested += 1;
            match timeout(self.0.timeout, rows(&lease, &session, query)).await {
                Ok(Ok(rows)) => {
                    lease.settled();
                    self.0.counters.reads.fetch_add(1, Relaxed);
                    return Ok(rows);
                }
                Ok(Err(PgError::ConnectionLost(_) | PgError::Retryable(_))) if requested <= MAX_QUERIES => {}
                Ok(Err(error)) => {
                    if !matches!(error, PgError::ConnectionLost(_)) {
                        lease.settled();
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

    /// Sends transactions until it is known what became of each.
    async fn settle(&self, transactions: &[Vec<Statement>]) -> Vec<Result<(), HostError>> {
        let now = now();
        let marked = |statements| MarkedTransaction { marker: CommitMarker::at(now), statements };
        let mut open: Vec<(usize, MarkedTransaction<'_>)> =
            transactions.iter().map(|statements| marked(statements.as_slice())).enumerate().collect();
        let mut results: Vec<Result<(), HostError>> = transactions.iter().map(|_| Ok(())).collect();
        let (until, mut attempt, mut lost) = (Instant::now() + self.0.timeout, 0, false);
        loop {
            let attempted: Vec<&MarkedTransaction<'_>> = open.iter().map(|(_, transaction)| transaction).collect();
            let (responses, sent) = self.send(&attempted, lost).await;
            let (mut left, mut waits) = (Vec::new(), false);
            for ((index, transaction), response) in open.into_iter().zip(responses) {
                let again = match &response {
                    Err(PgError::Retryable(_)) => attempt < AGAIN,
                    // What was never sent was not done, and whoever asks should learn soon that nobody is there.
                    Err(PgError::ConnectionLost(_)) => (sent || lost) && Instant::now() < until,
                    _ => false,
                };
                if again {
                    lost |= matches!(response, Err(PgError::ConnectionLost(_)));
                    waits |= !sent || attempt > 0;
                    left.push((index, transaction));
                    continue;
                }
                let result = self.count(response, lost);
                self.0.health.record(result.as_ref().map(drop), self.0.opened.elapsed());
                results[index] = result;
            }
            if left.is_empty() {
                return results;
            }
            open = left;
            attempt += 1;
            self.0.counters.repeats.fetch_add(1, Relaxed);
            if waits {
                sleep(Duration::from_millis(fastrand::u64(5..=25) << attempt.min(4))).await;
            }
        }
    }

    /// What a transaction came to, counted.
    fn count(&self, response: Result<CommitOutcome, PgError>, lost: bool) -> Result<(), HostError> {
        let counters = &self.0.counters;
        match response {
            Ok(done) => {
                counters.found_done.fetch_add(u64::from(done == CommitOutcome::AlreadyCommitted), Relaxed);
                if counters.commits.fetch_add(1, Relaxed).is_multiple_of(SWEEP) {
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
                Err(unavailable(format!("whether a transaction was committed is not known: {detail}")))
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
        let lease = match Lease::of(&self.0.pool).await {
            Ok(lease) => lease,
            Err(error) => return (all(error), false),
        };
        self.0.counters.pipelines.fetch_add(1, Relaxed);
        let session = self.0.ways.session(Flush::Now);
        let exchange = async { pipeline::run(lease.client()?, &session, transactions, resent).await };
        let responses = match timeout(self.0.timeout, exchange).await {
            Ok(Ok(responses)) => responses,
            Ok(Err(error)) => all(error),
            Err(_) => {
                self.drop_idle();
                all(PgError::ConnectionLost("the server did not answer in time".to_owned()))
            }
        };
        if !responses.iter().any(|response| matches!(response, Err(PgError::ConnectionLost(_)))) {
            lease.settled();
        }
        (responses, true)
    }

    /// Closes idle connections. The server ends a slow statement earlier than this program stops waiting: without any response the host is
    /// frozen or away, and each idle connection to it would cost the same time again.
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
                database.run_query(&Query { sql: DELETE_MARKERS, params }, database.0.ways.kind.flush()).await
            {
                tracing::debug!(%error, "old commit markers are deleted later");
            }
        });
    }
}

impl Driver for Postgres {
    async fn read(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.run_query(&query, Flush::Now).await
    }

    /// Where the answer is lost the write is done again: identifiers are reserved so, where that is a gap, and a request is counted
    /// so, where it is counted twice. Neither waits for the disk: what a transaction builds on lies before it in the log, and is
    /// flushed with it.
    async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.write(&query, self.0.ways.kind.flush()).await
    }

    async fn transact(&self, statements: Vec<Statement>) -> Result<(), HostError> {
        if let [Statement { sql, params, expect: Expect::Any }] = statements.as_slice() {
            // A place, a claim that is given up: done twice it is done.
            return self.write(&Query { sql, params: params.clone() }, Flush::Now).await.map(drop);
        }
        self.settle(&[statements]).await.pop().unwrap_or(Ok(()))
    }

    async fn transact_each(&self, transactions: Vec<Vec<Statement>>) -> Vec<Result<(), HostError>> {
        let mut results = Vec::with_capacity(transactions.len());
        for pipeline in transactions.chunks(MAX_PIPELINED) {
            results.extend(self.settle(pipeline).await);
        }
        results
    }
}

async fn rows(lease: &Lease, session: &Session, query: &Query) -> Result<Vec<Row>, PgError> {
    pipeline::query(lease.client()?, session, query).await?.iter().map(row).collect()
}

/// A first connection, with the task that drives it.
async fn reach(connector: &Connector) -> Result<(Client, JoinHandle<()>), OpenError> {
    let until = Instant::now() + STARTING;
    loop {
        let failed = match timeout(connector.timeout(), connector.connect(None)).await {
            Ok(Ok(connected)) => return Ok(connected),
            Ok(Err(error)) => PgError::from(error),
            Err(_) => PgError::ConnectionLost("it accepts connections and does not respond".to_owned()),
        };
        // A server that is starting refuses connections, or says so; a wrong password stays wrong.
        let passing = matches!(failed, PgError::ConnectionLost(_)) && Instant::now() < until;
        if !passing {
            let detail = HostError::from(failed).to_string();
            return Err(OpenError::Database(format!("{} cannot be reached: {detail}", connector.address())));
        }
        sleep(Duration::from_millis(250)).await;
    }
}

fn pool(connector: &Arc<Connector>, session: String, options: &Options, connections: usize) -> Result<Pool, OpenError> {
    // A connection that broke is noticed when it is used: to ask each time would cost what a question costs.
    let config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let address = connector.address();
    let manager = Manager::from_connect(address.config().clone(), PoolConnect(Arc::clone(connector)), config);
    let mut pool = Pool::builder(manager)
        .max_size(connections)
        .wait_timeout(Some(options.wait))
        .create_timeout(Some(connector.timeout().max(options.wait)))
        .recycle_timeout(Some(options.wait))
        .runtime(Runtime::Tokio1);
    if address.pooling() == Pooling::Session {
        pool = pool.post_create(Hook::async_fn(move |client, _| {
            let session = session.clone();
            Box::pin(async move {
                let set = client.batch_execute(&session).await;
                set.map_err(|error| HookError::message(text(&error)))
            })
        }));
    }
    pool.build().map_err(|error| OpenError::Database(error.to_string()))
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
