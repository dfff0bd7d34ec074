//! The writer: one thread that commits queued writes as a group.

use std::{
    cell::LazyCell,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::Ordering::Relaxed,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use despacho_core::host::HostError;
use despacho_sql::{Query, Row, Statement};
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::{
    connection::{execute, query},
    error::{storage, unavailable},
    health::Health,
    log::Log,
    stats::Counters,
};

/// The queue of the writer thread.
#[derive(Debug)]
pub(crate) struct Writer {
    jobs: SyncSender<Job>,
    counters: Arc<Counters>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

enum Job {
    Work { work: Work, since: Instant },
    Close,
}

/// A write of a request, and the channel for its result.
enum Work {
    Transact(Vec<Statement>, oneshot::Sender<Result<(), HostError>>),
    Returning(Query, oneshot::Sender<Result<Vec<Row>, HostError>>),
}

/// A write that ran and waits for its group's commit.
enum Done {
    Transact {
        result: Result<(), HostError>,
        wrote: bool,
        reply: oneshot::Sender<Result<(), HostError>>,
    },
    Returning(
        Result<Vec<Row>, HostError>,
        oneshot::Sender<Result<Vec<Row>, HostError>>,
    ),
}

impl Writer {
    /// Starts the thread. At most `queue` requests wait, each for at most `timeout`; at most
    /// `group` are committed together.
    pub(crate) fn start(
        connection: Connection,
        queue: usize,
        timeout: Duration,
        group: usize,
        counters: Arc<Counters>,
        health: Health,
    ) -> std::io::Result<Writer> {
        let (jobs, waiting) = sync_channel(queue);
        let log = Log::of(&connection);
        let thread = WriterThread {
            connection,
            waiting,
            timeout,
            group,
            counters: Arc::clone(&counters),
            health,
            log,
        };
        let thread = thread::Builder::new()
            .name("database-writer".to_owned())
            .spawn(move || thread.run())?;
        Ok(Writer {
            jobs,
            counters,
            thread: Mutex::new(Some(thread)),
        })
    }

    pub(crate) async fn transact(&self, statements: Vec<Statement>) -> Result<(), HostError> {
        let (reply, response) = oneshot::channel();
        self.enqueue(Work::Transact(statements, reply))?;
        response.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Queues all transactions before it waits for the first, so that they share a group and its
    /// flush.
    pub(crate) async fn transact_each(
        &self,
        transactions: Vec<Vec<Statement>>,
    ) -> Vec<Result<(), HostError>> {
        let mut responses = Vec::with_capacity(transactions.len());
        for statements in transactions {
            let (reply, response) = oneshot::channel();
            responses.push(
                self.enqueue(Work::Transact(statements, reply))
                    .map(|()| response),
            );
        }
        let mut results = Vec::with_capacity(responses.len());
        for response in responses {
            results.push(match response {
                Ok(response) => response.await.unwrap_or_else(|_| Err(closed())),
                Err(error) => Err(error),
            });
        }
        results
    }

    pub(crate) async fn returning(&self, query: Query) -> Result<Vec<Row>, HostError> {
        let (reply, response) = oneshot::channel();
        self.enqueue(Work::Returning(query, reply))?;
        response.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Makes the thread finish the queue and exit. Returns `None` if it was called before.
    pub(crate) fn close(&self) -> Option<JoinHandle<()>> {
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()?;
        // Blocks only while the queue is full; the thread is emptying it.
        let _ = self.jobs.send(Job::Close);
        Some(thread)
    }

    fn enqueue(&self, work: Work) -> Result<(), HostError> {
        self.counters.queued_writes.fetch_add(1, Relaxed);
        self.jobs
            .try_send(Job::Work {
                work,
                since: Instant::now(),
            })
            .map_err(|error| {
                self.counters.queued_writes.fetch_sub(1, Relaxed);
                self.counters.failures.fetch_add(1, Relaxed);
                match error {
                    TrySendError::Full(_) => unavailable("the queue of writes is full"),
                    TrySendError::Disconnected(_) => closed(),
                }
            })
    }
}

/// The state of the thread.
struct WriterThread {
    connection: Connection,
    waiting: Receiver<Job>,
    timeout: Duration,
    group: usize,
    counters: Arc<Counters>,
    health: Health,
    log: Log,
}

/// A prediction of the next group from the last one.
#[derive(Default)]
struct GroupForecast {
    /// Writes that were done or queued at the last commit. This estimates the number of clients,
    /// most of which write again.
    expected: usize,
    /// Maximum time to wait for them.
    linger: Duration,
}

/// A group waits for at most the duration of the last flush divided by this.
const LINGER_DIVISOR: u32 = 4;
/// Maximum of that time on a slow disk.
const MAX_LINGER: Duration = Duration::from_millis(2);
/// Idle time after which the writer truncates a large log, and the time between two attempts.
const TRUNCATE_INTERVAL: Duration = Duration::from_secs(1);

/// The next job of the queue.
enum Next {
    Run(Work),
    /// The job was cancelled, or waited too long.
    Skip,
    Close,
}

impl WriterThread {
    fn run(self) {
        let mut forecast = Some(GroupForecast::default());
        while let Some(last) = forecast {
            forecast = match self.next_job().map(|job| self.accept(job)) {
                Some(Next::Run(first)) => self.group(first, &last),
                Some(Next::Skip) => Some(last),
                Some(Next::Close) | None => None,
            };
        }
        // Updates the query planner's statistics. After a failure plans can be slower, but are
        // correct.
        let _ = self.connection.execute_batch("PRAGMA optimize");
    }

    /// Waits for the next job; `None` if the queue was dropped. Truncates a large log while the
    /// queue is empty.
    fn next_job(&self) -> Option<Job> {
        while self.log.is_large() {
            match self.waiting.recv_timeout(TRUNCATE_INTERVAL) {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Timeout) => self.log.truncate(&self.connection),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        self.waiting.recv().ok()
    }

    fn accept(&self, job: Job) -> Next {
        let Job::Work { work, since } = job else {
            return Next::Close;
        };
        self.counters.queued_writes.fetch_sub(1, Relaxed);
        if work.is_cancelled() {
            return Next::Skip;
        }
        if since.elapsed() > self.timeout {
            self.counters.failures.fetch_add(1, Relaxed);
            work.reject(unavailable("the write waited too long in the queue"));
            return Next::Skip;
        }
        Next::Run(work)
    }

    /// Runs queued requests in one transaction, each in its own savepoint, and returns their
    /// results after the transaction is on disk. Returns `None` if the database must close.
    fn group(&self, first: Work, last: &GroupForecast) -> Option<GroupForecast> {
        if let Err(error) = execute(&self.connection, "BEGIN IMMEDIATE", &[]) {
            self.counters.failures.fetch_add(1, Relaxed);
            self.health.record(Err(&error));
            first.reject(error);
            return Some(GroupForecast::default());
        }
        let mut done = Vec::with_capacity(last.expected.min(self.group));
        done.push(first.run(&self.connection));
        let open = self.fill(&mut done, last);
        let started = Instant::now();
        let committed = self.finish();
        let linger = (started.elapsed() / LINGER_DIVISOR).min(MAX_LINGER);
        self.count(done.len() as u64);
        self.record_health(&done, &committed);
        let waiting =
            usize::try_from(self.counters.queued_writes.load(Relaxed)).unwrap_or(usize::MAX);
        let forecast = GroupForecast {
            expected: done.len().saturating_add(waiting),
            linger,
        };
        done.into_iter()
            .for_each(|done| done.reply(&committed, &self.counters));
        open.then_some(forecast)
    }

    /// Adds queued writes to a group. If the last group had several clients, waits briefly for
    /// those that have not written again. Otherwise clients split into two halves that alternate,
    /// and each flush serves only one half. A single client never waits. Returns false if the
    /// database must close.
    fn fill(&self, done: &mut Vec<Done>, last: &GroupForecast) -> bool {
        let deadline = LazyCell::new(|| Instant::now() + last.linger);
        let next_job = |size: usize| match self.waiting.try_recv() {
            Ok(job) => Some(job),
            Err(_) if size >= last.expected => None,
            Err(_) => self
                .waiting
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
                .ok(),
        };
        while done.len() < self.group
            && let Some(job) = next_job(done.len())
        {
            match self.accept(job) {
                Next::Run(work) => done.push(work.run(&self.connection)),
                Next::Skip => {}
                Next::Close => return false,
            }
        }
        true
    }

    /// Records the result of the group's writes: the first failure if there is one. Empty
    /// transactions are ignored.
    fn record_health(&self, done: &[Done], committed: &Result<(), HostError>) {
        let failed = done
            .iter()
            .find_map(|done| done.failure())
            .or(committed.as_ref().err());
        if failed.is_some() || done.iter().any(Done::wrote) {
            self.health.record(failed.map_or(Ok(()), Err));
        }
    }

    fn count(&self, size: u64) {
        self.counters.groups.fetch_add(1, Relaxed);
        self.counters.last_group.store(size, Relaxed);
        self.counters.largest_group.fetch_max(size, Relaxed);
    }

    fn finish(&self) -> Result<(), HostError> {
        // A full disk rolls the transaction back. Statements after it ran outside the transaction.
        if self.connection.is_autocommit() {
            return Err(storage(
                "SQLite rolled the transaction back, most likely because the disk is full",
            ));
        }
        let committed = execute(&self.connection, "COMMIT", &[]).map(drop);
        if committed.is_err() && !self.connection.is_autocommit() {
            let _ = execute(&self.connection, "ROLLBACK", &[]);
        }
        committed
    }
}

impl Work {
    fn is_cancelled(&self) -> bool {
        match self {
            Work::Transact(_, reply) => reply.is_closed(),
            Work::Returning(_, reply) => reply.is_closed(),
        }
    }

    fn reject(self, error: HostError) {
        match self {
            Work::Transact(_, reply) => drop(reply.send(Err(error))),
            Work::Returning(_, reply) => drop(reply.send(Err(error))),
        }
    }

    fn run(self, connection: &Connection) -> Done {
        match self {
            Work::Transact(statements, reply) => {
                let result = within_savepoint(connection, || run_all(connection, &statements));
                Done::Transact {
                    result,
                    wrote: !statements.is_empty(),
                    reply,
                }
            }
            Work::Returning(write, reply) => Done::Returning(
                within_savepoint(connection, || query(connection, &write.sql, &write.params)),
                reply,
            ),
        }
    }
}

impl Done {
    /// Returns the failure before the commit. A conflict is not a failure of the disk.
    fn failure(&self) -> Option<&HostError> {
        match self {
            Done::Transact { result, .. } => result.as_ref().err(),
            Done::Returning(result, _) => result.as_ref().err(),
        }
        .filter(|error| **error != HostError::Conflict)
    }

    fn wrote(&self) -> bool {
        matches!(
            self,
            Done::Transact {
                result: Ok(()),
                wrote: true,
                ..
            } | Done::Returning(Ok(_), _)
        )
    }

    fn reply(self, committed: &Result<(), HostError>, counters: &Counters) {
        let outcome = match &self {
            Done::Transact {
                result: Err(error), ..
            }
            | Done::Returning(Err(error), _) => Err(error),
            _ => committed.as_ref().map(drop),
        };
        let counter = match outcome {
            Ok(()) => &counters.commits,
            Err(HostError::Conflict) => &counters.conflicts,
            Err(_) => &counters.failures,
        };
        counter.fetch_add(1, Relaxed);
        // The receiver is gone if the caller was cancelled; the write is committed nevertheless.
        match self {
            Done::Transact { result, reply, .. } => {
                drop(reply.send(result.and_then(|()| committed.clone())))
            }
            Done::Returning(result, reply) => {
                drop(reply.send(result.and_then(|rows| committed.clone().map(|()| rows))));
            }
        }
    }
}

/// Runs one request in a savepoint, so that its failure rolls back only this request.
fn within_savepoint<T>(
    connection: &Connection,
    run: impl FnOnce() -> Result<T, HostError>,
) -> Result<T, HostError> {
    if connection.is_autocommit() {
        return Err(storage("the transaction of the group was rolled back"));
    }
    execute(connection, "SAVEPOINT request", &[])?;
    let result = run();
    if connection.is_autocommit() {
        return result.and_then(|_| Err(storage("the transaction of the group was rolled back")));
    }
    let rolled_back = if result.is_err() {
        execute(connection, "ROLLBACK TO request", &[]).map(drop)
    } else {
        Ok(())
    };
    let released = rolled_back.and_then(|()| execute(connection, "RELEASE request", &[]).map(drop));
    if let Err(error) = released {
        // A partial request must not be committed, so the whole group is rolled back.
        let _ = execute(connection, "ROLLBACK", &[]);
        return Err(error);
    }
    result
}

fn run_all(connection: &Connection, statements: &[Statement]) -> Result<(), HostError> {
    for statement in statements {
        let touched = execute(connection, statement.sql, &statement.params)?;
        if !statement.expect.holds(touched) {
            return Err(HostError::Conflict);
        }
    }
    Ok(())
}

fn closed() -> HostError {
    unavailable("the database is closed")
}
