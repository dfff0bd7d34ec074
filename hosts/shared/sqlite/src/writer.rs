//! The writer: one thread that takes what waits and commits it as a group.

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

/// The writer's end that requests hold.
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

/// A request's write and where its answer goes.
enum Work {
    Transact(Vec<Statement>, oneshot::Sender<Result<(), HostError>>),
    Returning(Query, oneshot::Sender<Result<Vec<Row>, HostError>>),
}

/// A write that ran, waiting for its group's commit.
enum Done {
    Transact { result: Result<(), HostError>, wrote: bool, reply: oneshot::Sender<Result<(), HostError>> },
    Returning(Result<Vec<Row>, HostError>, oneshot::Sender<Result<Vec<Row>, HostError>>),
}

impl Writer {
    /// Starts the thread. `queue` requests may wait, each for `timeout`; `group` of them are committed together.
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
        let shift = Shift { connection, waiting, timeout, group, counters: Arc::clone(&counters), health, log };
        let thread = thread::Builder::new().name("database-writer".to_owned()).spawn(move || shift.run())?;
        Ok(Writer { jobs, counters, thread: Mutex::new(Some(thread)) })
    }

    pub(crate) async fn transact(&self, statements: Vec<Statement>) -> Result<(), HostError> {
        let (reply, response) = oneshot::channel();
        self.enqueue(Work::Transact(statements, reply))?;
        response.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Queues all before it waits for the first, so that they share a group and its flush.
    pub(crate) async fn transact_each(&self, transactions: Vec<Vec<Statement>>) -> Vec<Result<(), HostError>> {
        let mut responses = Vec::with_capacity(transactions.len());
        for statements in transactions {
            let (reply, response) = oneshot::channel();
            responses.push(self.enqueue(Work::Transact(statements, reply)).map(|()| response));
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

    /// Asks the thread to finish what waits and end; `None` where somebody has asked before.
    pub(crate) fn close(&self) -> Option<JoinHandle<()>> {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        // Blocks only while the queue is full, and the thread is emptying it.
        let _ = self.jobs.send(Job::Close);
        Some(thread)
    }

    fn enqueue(&self, work: Work) -> Result<(), HostError> {
        self.counters.queued_writes.fetch_add(1, Relaxed);
        self.jobs.try_send(Job::Work { work, since: Instant::now() }).map_err(|error| {
            self.counters.queued_writes.fetch_sub(1, Relaxed);
            self.counters.failures.fetch_add(1, Relaxed);
            match error {
                TrySendError::Full(_) => unavailable("too many writes are waiting"),
                TrySendError::Disconnected(_) => closed(),
            }
        })
    }
}

/// What the thread owns.
struct Shift {
    connection: Connection,
    waiting: Receiver<Job>,
    timeout: Duration,
    group: usize,
    counters: Arc<Counters>,
    health: Health,
    log: Log,
}

/// Predicts the next group from the last one.
#[derive(Default)]
struct Pace {
    /// Writes that were done or queued at the last commit: an estimate of the clients, most of which will write again.
    expected: usize,
    /// How long to wait for them.
    linger: Duration,
}

/// A group waits for at most this part of the time that the last flush took.
const LINGER_PART: u32 = 4;
/// The upper limit of that time on a slow disk.
const MAX_LINGER: Duration = Duration::from_millis(2);
/// How long the writer must be idle before it folds a large log into the database, and how soon it tries again.
const FOLD_INTERVAL: Duration = Duration::from_secs(1);

/// What the queue holds next.
enum Next {
    Run(Work),
    /// Nobody waits for it any more, or it waited too long.
    Skip,
    Close,
}

impl Shift {
    fn run(self) {
        let mut pace = Some(Pace::default());
        while let Some(last) = pace {
            pace = match self.next_job().map(|job| self.accept(job)) {
                Some(Next::Run(first)) => self.group(first, &last),
                Some(Next::Skip) => Some(last),
                Some(Next::Close) | None => None,
            };
        }
        // Statistics for the query planner, gathered from what this run asked; a failure costs nothing but time.
        let _ = self.connection.execute_batch("PRAGMA optimize");
    }

    /// The next job; `None` once nobody can send one. While nothing waits, a log that has grown is folded into the database.
    fn next_job(&self) -> Option<Job> {
        while self.log.is_large() {
            match self.waiting.recv_timeout(FOLD_INTERVAL) {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Timeout) => self.log.fold(&self.connection),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        self.waiting.recv().ok()
    }

    fn accept(&self, job: Job) -> Next {
        let Job::Work { work, since } = job else { return Next::Close };
        self.counters.queued_writes.fetch_sub(1, Relaxed);
        if work.abandoned() {
            return Next::Skip;
        }
        if since.elapsed() > self.timeout {
            self.counters.failures.fetch_add(1, Relaxed);
            work.reject(unavailable("the write waited too long for its turn"));
            return Next::Skip;
        }
        Next::Run(work)
    }

    /// Runs what waits in one transaction, each request in a savepoint of its own, and answers once all of it is on disk. None
    /// where the database is to close.
    fn group(&self, first: Work, last: &Pace) -> Option<Pace> {
        if let Err(error) = execute(&self.connection, "BEGIN IMMEDIATE", &[]) {
            self.counters.failures.fetch_add(1, Relaxed);
            self.health.record(Err(&error));
            first.reject(error);
            return Some(Pace::default());
        }
        let mut done = Vec::with_capacity(last.expected.min(self.group));
        done.push(first.run(&self.connection));
        let open = self.fill(&mut done, last);
        let started = Instant::now();
        let committed = self.finish();
        let linger = (started.elapsed() / LINGER_PART).min(MAX_LINGER);
        self.count(done.len() as u64);
        self.record_health(&done, &committed);
        let waiting = usize::try_from(self.counters.queued_writes.load(Relaxed)).unwrap_or(usize::MAX);
        let pace = Pace { expected: done.len().saturating_add(waiting), linger };
        done.into_iter().for_each(|done| done.response(&committed, &self.counters));
        open.then_some(pace)
    }

    /// Adds queued writes to a group. If the last group had several clients, waits shortly for those that have not written again:
    /// otherwise clients split into two halves that alternate, and each flush serves half of them. A single client never waits.
    /// Returns false if the database is to close.
    fn fill(&self, done: &mut Vec<Done>, last: &Pace) -> bool {
        let deadline = LazyCell::new(|| Instant::now() + last.linger);
        let next_job = |size: usize| match self.waiting.try_recv() {
            Ok(job) => Some(job),
            Err(_) if size >= last.expected => None,
            Err(_) => self.waiting.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok(),
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

    /// Records the group's writes: the first failure if there is one; an empty transaction shows nothing.
    fn record_health(&self, done: &[Done], committed: &Result<(), HostError>) {
        let failed = done.iter().find_map(|done| done.failure()).or(committed.as_ref().err());
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
        // A full disk ends the transaction by itself: what ran before it is gone, and what came after ran alone.
        if self.connection.is_autocommit() {
            return Err(storage("SQLite rolled the transaction back, most likely because the disk is full"));
        }
        let committed = execute(&self.connection, "COMMIT", &[]).map(drop);
        if committed.is_err() && !self.connection.is_autocommit() {
            let _ = execute(&self.connection, "ROLLBACK", &[]);
        }
        committed
    }
}

impl Work {
    fn abandoned(&self) -> bool {
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
                Done::Transact { result, wrote: !statements.is_empty(), reply }
            }
            Work::Returning(write, reply) => {
                Done::Returning(within_savepoint(connection, || query(connection, write.sql, &write.params)), reply)
            }
        }
    }
}

impl Done {
    /// Why it failed before the commit; a conflict is not a failure of the disk.
    fn failure(&self) -> Option<&HostError> {
        match self {
            Done::Transact { result, .. } => result.as_ref().err(),
            Done::Returning(result, _) => result.as_ref().err(),
        }
        .filter(|error| **error != HostError::Conflict)
    }

    fn wrote(&self) -> bool {
        matches!(self, Done::Transact { result: Ok(()), wrote: true, .. } | Done::Returning(Ok(_), _))
    }

    fn response(self, committed: &Result<(), HostError>, counters: &Counters) {
        let outcome = match &self {
            Done::Transact { result: Err(error), .. } | Done::Returning(Err(error), _) => Err(error),
            _ => committed.as_ref().map(drop),
        };
        let counter = match outcome {
            Ok(()) => &counters.commits,
            Err(HostError::Conflict) => &counters.conflicts,
            Err(_) => &counters.failures,
        };
        counter.fetch_add(1, Relaxed);
        // Whoever asked may have gone meanwhile; the write stands all the same.
        match self {
            Done::Transact { result, reply, .. } => drop(reply.send(result.and_then(|()| committed.clone()))),
            Done::Returning(result, reply) => {
                drop(reply.send(result.and_then(|rows| committed.clone().map(|()| rows))));
            }
        }
    }
}

/// Runs one request so that its failure undoes it alone.
fn within_savepoint<T>(connection: &Connection, run: impl FnOnce() -> Result<T, HostError>) -> Result<T, HostError> {
    if connection.is_autocommit() {
        return Err(storage("the transaction of the group was rolled back"));
    }
    execute(connection, "SAVEPOINT request", &[])?;
    let result = run();
    if connection.is_autocommit() {
        return result.and_then(|_| Err(storage("the transaction of the group was rolled back")));
    }
    let undone = if result.is_err() { execute(connection, "ROLLBACK TO request", &[]).map(drop) } else { Ok(()) };
    let ended = undone.and_then(|()| execute(connection, "RELEASE request", &[]).map(drop));
    if let Err(error) = ended {
        // Half a request must never reach a commit: the whole group goes.
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
