//! Writes to Spin's SQLite, in groups.
//!
//! SQLite allows one writer at a time. The writes of one instance wait in a queue, and one of their
//! requests at a time takes the lock and commits for all: they share one flush, keep their order,
//! and the instance takes the lock once per group. A group with only single statements is flushed
//! with the next transaction.
//!
//! Instances and processes compete for the lock. SQLite's own retries are unfair, because their
//! delays grow up to 100 ms with the age of a request. Here the delays shrink: the oldest request
//! retries most often.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::Rc,
    time::{Duration, Instant},
};

use despacho_core::host::HostError;
use despacho_sql::{Expect, Query, Row, Statement};

use crate::{
    error::{is_locked, locked, unavailable},
    session::{OPEN_TIMEOUT, STATEMENT_TIMEOUT, Session},
    wait::{Event, within},
};

/// Maximum wait of a write for the lock.
pub(crate) const LOCK_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum wait of a write that its request does not depend on.
pub(crate) const OPTIONAL_LOCK_TIMEOUT: Duration = Duration::from_millis(100);
/// Maximum number of writes per commit.
const MAX_GROUP: usize = 64;
/// How long an instance leaves the lock to others after it has committed, if it had to wait for the
/// lock within the last [`CONTENTION`].
const YIELD: Duration = Duration::from_millis(4);
const CONTENTION: Duration = Duration::from_secs(1);
/// Maximum number of groups for which work that blocks the instance waits.
const MAX_WAITS: u32 = 20;

/// A write.
pub(crate) enum Work {
    /// One statement that returns rows. A power failure may undo it.
    Single(Query),
    /// A transaction, flushed to disk before it is reported.
    Transaction(Vec<Statement>),
}

type Outcome = Result<Vec<Row>, HostError>;

/// A write in the queue.
struct Write {
    work: Work,
    since: Instant,
    limit: Duration,
    outcome: RefCell<Option<Outcome>>,
}

impl Write {
    fn finish(&self, outcome: Outcome) {
        self.outcome.replace(Some(outcome));
    }
}

/// The queue of an instance and its two connections. Neither has a transaction open while it is
/// kept here.
struct Writer {
    queue: RefCell<VecDeque<Rc<Write>>>,
    is_led: Cell<bool>,
    locked_at: Cell<Option<Instant>>,
    committed_at: Cell<Option<Instant>>,
    progress: Event,
    flushing: RefCell<Option<Session>>,
    unflushed: RefCell<Option<Session>>,
}

thread_local! {
    static WRITER: Rc<Writer> = Rc::new(Writer {
        queue: RefCell::default(),
        is_led: Cell::new(false),
        locked_at: Cell::new(None),
        committed_at: Cell::new(None),
        progress: Event::new(),
        flushing: RefCell::default(),
        unflushed: RefCell::default(),
    });
}

/// Queues a write and waits for it. If another process holds the lock for longer than `limit`,
/// nothing is written.
pub(crate) async fn write(work: Work, limit: Duration) -> Outcome {
    let writer = WRITER.with(Rc::clone);
    let write = Rc::new(Write {
        work,
        since: Instant::now(),
        limit,
        outcome: RefCell::default(),
    });
    writer.queue.borrow_mut().push_back(Rc::clone(&write));
    // A cancelled request writes nothing, unless its group is being committed.
    let _queued = RunOnDrop(|| {
        writer
            .queue
            .borrow_mut()
            .retain(|other| !Rc::ptr_eq(other, &write))
    });
    loop {
        if let Some(outcome) = write.outcome.take() {
            return outcome;
        }
        if writer.is_led.get() {
            writer.progress.notified().await;
        } else {
            writer.lead(&write).await;
        }
    }
}

/// Waits until no group is being committed. Work that blocks the instance would otherwise hold the
/// lock during that time.
pub(crate) async fn wait_for_group() {
    let writer = WRITER.with(Rc::clone);
    for _ in 0..MAX_WAITS {
        if !writer.is_led.get() {
            return;
        }
        writer.progress.notified().await;
    }
}

impl Writer {
    /// Commits one group, in which `own` is unless it has waited for too long.
    async fn lead(&self, own: &Write) {
        self.is_led.set(true);
        let _leading = RunOnDrop(|| {
            self.is_led.set(false);
            self.progress.notify_all();
        });
        self.yield_lock().await;
        while !self.attempt().await {
            self.locked_at.set(Some(Instant::now()));
            let oldest = self.expire();
            if own.outcome.borrow().is_some() {
                return;
            }
            spin_sdk::time::sleep(retry_delay(oldest)).await;
        }
    }

    /// Waits to let other instances take the lock that this one has just released.
    async fn yield_lock(&self) {
        let within = |at: &Cell<Option<Instant>>, span: Duration| {
            at.get().and_then(|at| span.checked_sub(at.elapsed()))
        };
        if within(&self.locked_at, CONTENTION).is_some()
            && let Some(rest) = within(&self.committed_at, YIELD)
        {
            spin_sdk::time::sleep(rest).await;
        }
    }

    /// Commits a group; false if another connection holds the lock.
    async fn attempt(&self) -> bool {
        let flushed = self
            .queue
            .borrow()
            .iter()
            .any(|write| matches!(write.work, Work::Transaction(_)));
        let session = match self.session(flushed).await {
            Ok(session) => session,
            Err(error) => {
                self.take(true).finish(Err(error));
                return true;
            }
        };
        let is_lone = !flushed && self.queue.borrow().len() == 1;
        let begun = if is_lone {
            Ok(())
        } else {
            limited(session.begin()).await
        };
        let group = match begun {
            Ok(()) => self.take(flushed),
            Err(error) if is_locked(&error) => {
                self.store_session(flushed, session);
                return false;
            }
            Err(error) => {
                self.take(true).finish(Err(error));
                return true;
            }
        };
        let committed = limited(async {
            if is_lone {
                group.single(&session).await
            } else {
                group.commit(&session).await
            }
        });
        match committed.await {
            Ok(()) => {
                self.committed_at.set(Some(Instant::now()));
                self.store_session(flushed, session);
            }
            Err(error) if is_lone && is_locked(&error) => {
                self.store_session(flushed, session);
                group.put_back(&mut self.queue.borrow_mut());
                return false;
            }
            // The file may have been replaced or the disk may be full. The next group opens a new
            // connection.
            Err(error) => group.finish(Err(error)),
        }
        true
    }

    /// Takes the writes of the next group: all, or only the single statements.
    fn take(&self, flushed: bool) -> Group {
        let mut queue = self.queue.borrow_mut();
        let (mut group, mut rest) = (Vec::new(), VecDeque::new());
        for write in queue.drain(..) {
            if group.len() < MAX_GROUP && (flushed || matches!(write.work, Work::Single(_))) {
                group.push(write);
            } else {
                rest.push_back(write);
            }
        }
        *queue = rest;
        Group(group)
    }

    /// Fails writes that have waited too long, and returns how long the oldest of the others has
    /// waited.
    fn expire(&self) -> Duration {
        let mut oldest = Duration::ZERO;
        let mut expired = false;
        self.queue.borrow_mut().retain(|write| {
            let waited = write.since.elapsed();
            if waited >= write.limit {
                write.finish(Err(locked()));
                expired = true;
                return false;
            }
            oldest = oldest.max(waited);
            true
        });
        if expired {
            self.progress.notify_all();
        }
        oldest
    }

    async fn session(&self, flushed: bool) -> Result<Session, HostError> {
        match self.idle_session(flushed).take() {
            Some(session) => Ok(session),
            None => {
                let opened = within(OPEN_TIMEOUT, Session::open_for_writes(flushed)).await;
                opened.unwrap_or_else(|| Err(unavailable("SQLite was not opened in time")))
            }
        }
    }

    fn store_session(&self, flushed: bool, session: Session) {
        self.idle_session(flushed).replace(Some(session));
    }

    fn idle_session(&self, flushed: bool) -> &RefCell<Option<Session>> {
        if flushed {
            &self.flushing
        } else {
            &self.unflushed
        }
    }
}

/// Writes that share a commit. Writes without an outcome fail when the group is dropped.
struct Group(Vec<Rc<Write>>);

impl Group {
    /// Runs the only statement, which commits itself.
    async fn single(&self, session: &Session) -> Result<(), HostError> {
        for write in &self.0 {
            if let Work::Single(query) = &write.work {
                let outcome = session.rows(&query.sql, &query.params).await;
                if let Err(error @ HostError::Unavailable { .. }) = outcome {
                    return Err(error);
                }
                write.finish(outcome);
            }
        }
        Ok(())
    }

    /// Runs every write in the open transaction and commits it. An error means that nothing was
    /// written.
    async fn commit(&self, session: &Session) -> Result<(), HostError> {
        let mut outcomes = Vec::with_capacity(self.0.len());
        for write in &self.0 {
            let outcome = match &write.work {
                Work::Single(query) => session.rows(&query.sql, &query.params).await,
                Work::Transaction(statements) => run_in_savepoint(session, statements)
                    .await
                    .map(|()| Vec::new()),
            };
            if let Err(error @ HostError::Unavailable { .. }) = outcome {
                return undo(session, error).await;
            }
            outcomes.push(outcome);
        }
        let started = Instant::now();
        loop {
            match session.run("COMMIT", &[]).await {
                Ok(()) => break,
                // Without a write-ahead log a commit waits for readers.
                Err(error) if is_locked(&error) && started.elapsed() < LOCK_TIMEOUT => {
                    spin_sdk::time::sleep(retry_delay(started.elapsed())).await;
                }
                Err(error) => return undo(session, error).await,
            }
        }
        for (write, outcome) in self.0.iter().zip(outcomes) {
            write.finish(outcome);
        }
        Ok(())
    }

    fn finish(&self, outcome: Outcome) {
        for write in self
            .0
            .iter()
            .filter(|write| write.outcome.borrow().is_none())
        {
            write.finish(outcome.clone());
        }
    }

    fn put_back(mut self, queue: &mut VecDeque<Rc<Write>>) {
        for write in std::mem::take(&mut self.0).into_iter().rev() {
            queue.push_front(write);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.finish(Err(unavailable(
            "the request that committed the group was interrupted",
        )));
    }
}

/// Runs a transaction in a savepoint of the open one.
async fn run_in_savepoint(session: &Session, statements: &[Statement]) -> Result<(), HostError> {
    session.run("SAVEPOINT part", &[]).await?;
    let done = all(session, statements).await;
    let end = if done.is_ok() {
        "RELEASE SAVEPOINT part"
    } else {
        "ROLLBACK TO SAVEPOINT part"
    };
    // If the savepoint cannot be rolled back, the group must not be committed.
    session
        .run(end, &[])
        .await
        .map_err(|error| unavailable(error.to_string()))?;
    done
}

/// Rolls back the open transaction.
async fn undo(session: &Session, error: HostError) -> Result<(), HostError> {
    // If this fails too, the connection is closed, which rolls back.
    let _ = session.run("ROLLBACK", &[]).await;
    Err(error)
}

/// Runs all statements. Returns a conflict if one does not affect the expected rows.
pub(crate) async fn all(session: &Session, statements: &[Statement]) -> Result<(), HostError> {
    for statement in statements {
        if statement.expect == Expect::Any {
            session.run(statement.sql, &statement.params).await?;
        } else if !statement
            .expect
            .holds(session.touch(statement.sql, &statement.params).await?)
        {
            return Err(HostError::Conflict);
        }
    }
    Ok(())
}

/// Limits the time of work on a connection.
async fn limited<T>(work: impl Future<Output = Result<T, HostError>>) -> Result<T, HostError> {
    let done = within(STATEMENT_TIMEOUT, work).await;
    done.unwrap_or_else(|| Err(unavailable("SQLite did not respond in time")))
}

/// Returns the delay before the next attempt to take the lock, by the age of the oldest write. It
/// never grows: with longer delays, the oldest writes would lose to newer ones until they time out.
/// An attempt itself waits up to 15 ms in SQLite, so the shortest delay costs little.
fn retry_delay(waited: Duration) -> Duration {
    Duration::from_millis(match waited.as_millis() {
        0..100 => 12,
        100..1_000 => 4,
        _ => 1,
    })
}

/// Runs a closure on drop.
struct RunOnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for RunOnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
