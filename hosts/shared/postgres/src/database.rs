//! An open database.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use deadpool_postgres::{Pool, tokio_postgres::Client};
use despacho_core::host::HostError;
use despacho_sql::{
    Dialect, Driver, Expect, Query, Row, STORAGE, Statement, WriteHealth, WriteState,
};
use tokio::{
    sync::watch,
    task::{AbortHandle, JoinHandle},
    time::{Instant, sleep, timeout},
};

use crate::{
    address::Address,
    batch::{BatchQueue, Limits},
    connections::{Connections, MAX_JOINED, Server, is_short, marked, now},
    connector::Connector,
    error::PgError,
    lease::Lease,
    migrate::{NO_TIMEOUTS, OpenError, first, migrate, require_current_schema},
    notifications, pooler,
    pools::pool,
    server::{Flush, Kind},
    stats::{Counters, Stats},
};

/// The limits of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Maximum connections of the pools; one more connection receives notifications. An eighth of
    /// them, at least one, serves small writes that do not wait for the disk, and as many
    /// transactions of several requests run at the same time.
    pub connections: usize,
    /// Maximum time that a request waits for a connection.
    pub wait: Duration,
    /// Timeout of one exchange, and of all retries that determine whether a transaction was
    /// committed.
    pub timeout: Duration,
    /// Whether the schema is migrated; otherwise a schema that is not current is an error.
    pub migrate: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            connections: 16,
            wait: Duration::from_secs(5),
            timeout: Duration::from_secs(12),
            migrate: true,
        }
    }
}

/// Maximum time to wait for a server that is starting.
const START_TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum writes of one statement in a transaction.
const MAX_WRITES: usize = 64;

/// An open database. Clones share it.
#[derive(Clone, Debug)]
pub struct Postgres(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    connections: Arc<Connections>,
    /// Writes of one statement, which are flushed at once.
    flushed_writes: BatchQueue<Query, Vec<Row>>,
    /// Writes of one statement, which are flushed with a later transaction on servers with such an
    /// order.
    relaxed_writes: BatchQueue<Query, Vec<Row>>,
    /// Short transactions.
    transactions: BatchQueue<Vec<Statement>, ()>,
    notifications: Mutex<Option<AbortHandle>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(notifications) = self
            .notifications
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            notifications.abort();
        }
    }
}

impl Postgres {
    /// Opens a database and migrates its schema. Waits for a server that is starting.
    pub async fn open(address: &Address, options: &Options) -> Result<Postgres, OpenError> {
        let connector = Arc::new(
            Connector::new(address).map_err(|error| OpenError::Database(error.to_string()))?,
        );
        let (client, driver) = connect_first(&connector).await?;
        let kind = Kind::of(
            &first(&client, "SELECT version()")
                .await?
                .unwrap_or_default(),
        );
        pooler::check(&client, &connector, kind).await?;
        let migrated = if options.migrate {
            migrate(&client, kind).await
        } else {
            require_current_schema(&client).await
        };
        drop(client);
        driver.abort();
        migrated?;
        let few = (options.connections / 8).max(1);
        let (relaxed, others) = match kind.flush() {
            Flush::Later => (
                Some(pool(
                    &connector,
                    kind.session(Flush::Later),
                    options.wait,
                    few,
                )?),
                options.connections.saturating_sub(few),
            ),
            Flush::Now => (None, options.connections),
        };
        let pool = pool(
            &connector,
            kind.session(Flush::Now),
            options.wait,
            others.max(2),
        )?;
        let connections = Arc::new(Connections {
            server: Server { connector, kind },
            pool,
            relaxed,
            counters: Counters::default(),
            health: WriteHealth::default(),
            opened: Instant::now(),
            timeout: options.timeout,
        });
        let limits = Limits {
            workers: 1,
            batch: MAX_WRITES,
            wait: options.wait,
        };
        let writes = |flush| {
            let own = Arc::clone(&connections);
            BatchQueue::start(limits, move |writes| {
                Arc::clone(&own).write_all(writes, flush)
            })
        };
        let (flushed_writes, relaxed_writes) = (writes(Flush::Now), writes(kind.flush()));
        let limits = Limits {
            workers: few,
            batch: MAX_JOINED,
            wait: options.wait,
        };
        let own = Arc::clone(&connections);
        let transactions = BatchQueue::start(limits, move |requests| {
            Arc::clone(&own).commit_joined(requests)
        });
        let notifications = Mutex::default();
        Ok(Postgres(Arc::new(Inner {
            connections,
            flushed_writes,
            relaxed_writes,
            transactions,
            notifications,
        })))
    }

    /// Returns the counters.
    pub fn stats(&self) -> Stats {
        let Inner {
            connections,
            flushed_writes,
            relaxed_writes,
            transactions,
            ..
        } = &*self.0;
        let queued = flushed_writes.len() + relaxed_writes.len() + transactions.len();
        connections
            .counters
            .stats(connections.pools().map(Pool::status), queued)
    }

    /// Checks that the database accepts writes: it is not read-only, and the last write reached the
    /// disk.
    pub async fn ready(&self) -> Result<(), HostError> {
        let sql = "SELECT current_setting('transaction_read_only')";
        let response = self
            .read(Query {
                sql: sql.into(),
                params: Vec::new(),
            })
            .await?
            .first_mut()
            .map(Row::text)
            .transpose()?;
        match response.as_deref() {
            Some("off") => {}
            _ => {
                let detail =
                    "the server is read-only: it is a replica, or default_transaction_read_only is on".to_owned();
                return Err(HostError::Unavailable {
                    what: STORAGE,
                    detail,
                });
            }
        }
        let connections = &self.0.connections;
        match connections.health.state(connections.opened.elapsed()) {
            WriteState::Healthy => Ok(()),
            WriteState::Failing(error) => Err(error),
            WriteState::ProbeDue => {
                let probe = WriteHealth::probe(now().unsigned_abs());
                connections
                    .write(
                        &Query {
                            sql: probe.sql.into(),
                            params: probe.params,
                        },
                        Flush::Now,
                    )
                    .await
                    .map(drop)
            }
        }
    }

    /// Notifies other instances when `outgoing` or `access` changes, and calls `on_notification`
    /// for their notifications, with whether their `access` changed. Does nothing on a server
    /// without `LISTEN` and `NOTIFY`.
    pub fn run_listener(
        &self,
        outgoing: watch::Receiver<u64>,
        access: watch::Receiver<u64>,
        on_notification: impl Fn(bool) + Send + Sync + 'static,
    ) {
        if !self.0.connections.server.listens() {
            tracing::info!("LISTEN/NOTIFY unavailable; polling for events of other instances");
            return;
        }
        let task = tokio::spawn(notifications::run_listener(
            Arc::clone(&self.0.connections.server.connector),
            outgoing,
            access,
            on_notification,
        ))
        .abort_handle();
        if let Some(old) = self
            .0
            .notifications
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .replace(task)
        {
            old.abort();
        }
    }

    /// Runs `work` under a lock that excludes other instances.
    pub async fn exclusively<T>(&self, work: impl Future<Output = T>) -> Result<T, HostError> {
        if !self.0.connections.server.kind.locks() {
            return Ok(work.await);
        }
        let lease = Lease::acquire(&self.0.connections.pool).await?;
        for sql in ["BEGIN", NO_TIMEOUTS, Dialect::EXCLUSIVE] {
            lease
                .client()?
                .batch_execute(sql)
                .await
                .map_err(PgError::from)?;
        }
        let output = work.await;
        lease
            .client()?
            .batch_execute("COMMIT")
            .await
            .map_err(PgError::from)?;
        lease.release();
        Ok(output)
    }

    /// Closes every connection. Later calls fail; a second close does nothing.
    pub async fn close(&self) -> Result<(), HostError> {
        if let Some(notifications) = self
            .0
            .notifications
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            notifications.abort();
        }
        self.0.connections.pools().for_each(Pool::close);
        Ok(())
    }
}

/// The futures are boxed: the state of a request has room for either database, and would be moved
/// with theirs of several kilobytes.
impl Driver for Postgres {
    async fn read(&self, query: Query) -> Result<Vec<Row>, HostError> {
        Box::pin(self.0.connections.run_query(&query, Flush::Now)).await
    }

    /// If the response is lost, the write is repeated. This leaves a gap in allocated IDs or counts
    /// a request twice. Such writes do not wait for the disk: a transaction that depends on them
    /// comes later in the log, and its flush includes them.
    async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.0.relaxed_writes.run(query).await
    }

    async fn transact(&self, mut statements: Vec<Statement>) -> Result<(), HostError> {
        if let [
            Statement {
                sql,
                params,
                expect: Expect::Any,
            },
        ] = statements.as_mut_slice()
        {
            // A position or the release of a claim: these are idempotent.
            let query = Query {
                sql: (*sql).into(),
                params: std::mem::take(params),
            };
            return self.0.flushed_writes.run(query).await.map(drop);
        }
        if self.0.connections.server.kind.has_lock_timeout() && is_short(&statements) {
            return self.0.transactions.run(statements).await;
        }
        Box::pin(self.0.connections.commit_one(marked(&statements, 1))).await
    }

    async fn transact_each(&self, transactions: Vec<Vec<Statement>>) -> Vec<Result<(), HostError>> {
        self.0.connections.commit_each(transactions).await
    }
}

/// Opens the first connection and returns it with the task that drives it.
async fn connect_first(connector: &Connector) -> Result<(Client, JoinHandle<()>), OpenError> {
    let until = Instant::now() + START_TIMEOUT;
    loop {
        let failed = match timeout(connector.timeout(), connector.connect(None)).await {
            Ok(Ok(connected)) => return Ok(connected),
            Ok(Err(error)) => PgError::from(error),
            Err(_) => {
                PgError::ConnectionLost("it accepts connections but does not respond".to_owned())
            }
        };
        // A server that is starting rejects connections. Other errors, for example a wrong
        // password, are permanent.
        let is_starting = matches!(failed, PgError::ConnectionLost(_)) && Instant::now() < until;
        if !is_starting {
            let detail = HostError::from(failed).to_string();
            return Err(OpenError::Database(format!(
                "{} cannot be reached: {detail}",
                connector.address()
            )));
        }
        sleep(Duration::from_millis(250)).await;
    }
}
