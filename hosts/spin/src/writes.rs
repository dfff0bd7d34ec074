//! Writes to Spin's SQLite, in groups.
//!
//! SQLite admits one writer at a time. The writes of one instance wait in a queue, and one of their requests at a time takes the lock and
//! commits for all that wait: they share one flush, none overtakes another, and an instance takes the lock once per group. A group that
//! only has single statements is flushed with the next transaction.
//!
//! Between instances and processes the lock decides. SQLite's own waiting is unfair, since its pauses grow up to 100 ms with the age of a
//! request; here they shrink, so that the oldest request tries most often.

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

/// How long a write waits for the lock.
pub(crate) const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// The same for a write that its request can do without.
pub(crate) const OPTIONAL_LOCK_TIMEOUT: Duration = Duration::from_millis(100);
/// Writes in one commit.
const MAX_GROUP: usize = 64;
/// How long an instance leaves the lock to others after it has committed, if it had to wait for the lock within the last [`CONTENTION`].
const YIELD: Duration = Duration::from_millis(4);
const CONTENTION: Duration = Duration::from_secs(1);
/// Groups that work which blocks the instance lets pass at most.
const MAX_WAITS: u32 = 20;

/// A write.
pub(crate) enum Work {
    /// One statement with its rows. A power cut may undo it.
    Single(Query),
    /// All statements or none, on disk once it is done.
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

/// The queue of an instance and its two connections. Neither has a transaction open while it is kept here.
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

/// Writes once its turn comes. If another process holds the lock for longer than `limit`, nothing is written.
pub(crate) async fn write(work: Work, limit: Duration) -> Outcome {
    let writer = WRITER.with(Rc::clone);
    let write = Rc::new(Write { work, since: Instant::now(), limit, outcome: RefCell::default() });
    writer.queue.borrow_mut().push_back(Rc::clone(&write));
    // A request that is cancelled writes nothing, unless its group is under way.
    let _queued = OnDrop(|| writer.queue.borrow_mut().retain(|other| !Rc::ptr_eq(other, &write)));
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

/// Waits until no group is under way. Work that blocks the instance would otherwise keep the lock from all others meanwhile.
pub(crate) async fn finished() {
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
        let _leading = OnDrop(|| {
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
            spin_sdk::time::sleep(pause(oldest)).await;
        }
    }

    /// Lets other instances have the lock that this one has just released.
    async fn yield_lock(&self) {
        let within =
            |at: &Cell<Option<Instant>>, span: Duration| at.get().and_then(|at| span.checked_sub(at.elapsed()));
        if within(&self.locked_at, CONTENTION).is_some()
            && let Some(rest) = within(&self.committed_at, YIELD)
        {
            spin_sdk::time::sleep(rest).await;
        }
    }

    /// Commits a group; false if another connection holds the lock.
    async fn attempt(&self) -> bool {
        let flushed = self.queue.borrow().iter().any(|write| matches!(write.work, Work::Transaction(_)));
        let session = match self.session(flushed).await {
            Ok(session) => session,
            Err(error) => {
                self.take(true).finish(Err(error));
                return true;
            }
        };
        let is_lone = !flushed && self.queue.borrow().len() == 1;
        let begun = if is_lone { Ok(()) } else { limited(session.begin()).await };
        let group = match begun {
            Ok(()) => self.take(flushed),
            Err(error) if is_locked(&error) => {
                self.keep(flushed, session);
                return false;
            }
            Err(error) => {
                self.take(true).finish(Err(error));
                return true;
            }
        };
        let committed =
            limited(async { if is_lone { group.single(&session).await } else { group.commit(&session).await } });
        match committed.await {
            Ok(()) => {
                self.committed_at.set(Some(Instant::now()));
                self.keep(flushed, session);
            }
            Err(error) if is_lone && is_locked(&error) => {
                self.keep(flushed, session);
                group.put_back(&mut self.queue.borrow_mut());
                return false;
            }
            // The file may have been replaced, or the disk be full: the next group opens another connection.
            Err(error) => group.finish(Err(error)),
        }
        true
    }

    /// The writes of the next group: all, or only the single ones.
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

    /// Ends what has waited for too long, and returns how long the oldest of the others has waited.
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
        match self.kept(flushed).take() {
            Some(session) => Ok(session),
            None => {
                let opened = within(OPEN_TIMEOUT, Session::open_for_writes(flushed)).await;
                opened.unwrap_or_else(|| Err(unavailable("SQLite was not opened in time")))
            }
        }
    }

    fn keep(&self, flushed: bool, session: Session) {
        self.kept(flushed).replace(Some(session));
    }

    fn kept(&self, flushed: bool) -> &RefCell<Option<Session>> {
        if flushed { &self.flushing } else { &self.unflushed }
    }
}

/// Writes that share a commit. Those without an outcome fail when it is dropped.
struct Group(Vec<Rc<Write>>);

impl Group {
    /// Runs the only statement, which commits itself.
    async fn single(&self, session: &Session) -> Result<(), HostError> {
        for write in &self.0 {
            if let Work::Single(query) = &write.work {
                let outcome = session.rows(query.sql, &query.params).await;
                if let Err(error @ HostError::Unavailable { .. }) = outcome {
                    return Err(error);
                }
                write.finish(outcome);
            }
        }
        Ok(())
    }

    /// Runs every write in the open transaction and commits it. An error means that nothing was written.
    async fn commit(&self, session: &Session) -> Result<(), HostError> {
        let mut outcomes = Vec::with_capacity(self.0.len());
        for write in &self.0 {
            let outcome = match &write.work {
                Work::Single(query) => session.rows(query.sql, &query.params).await,
                Work::Transaction(statements) => part(session, statements).await.map(|()| Vec::new()),
            };
            if let Err(error @ HostError::Unavailable { .. }) = outcome {
                return undo(session, error).await;
            }
            outcomes.push(outcome);
        }
        let began = Instant::now();
        loop {
            match session.run("COMMIT", &[]).await {
                Ok(()) => break,
                // Without a write-ahead log a commit waits for readers.
                Err(error) if is_locked(&error) && began.elapsed() < LOCK_TIMEOUT => {
                    spin_sdk::time::sleep(pause(began.elapsed())).await;
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
        for write in self.0.iter().filter(|write| write.outcome.borrow().is_none()) {
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
        self.finish(Err(unavailable("the request that wrote for others was interrupted")));
    }
}

/// Runs a transaction as a part of the open one.
async fn part(session: &Session, statements: &[Statement]) -> Result<(), HostError> {
    session.run("SAVEPOINT part", &[]).await?;
    let done = all(session, statements).await;
    let end = if done.is_ok() { "RELEASE SAVEPOINT part" } else { "ROLLBACK TO SAVEPOINT part" };
    // What cannot be undone must not be committed.
    session.run(end, &[]).await.map_err(|error| unavailable(error.to_string()))?;
    done
}

/// Undoes the open transaction.
async fn undo(session: &Session, error: HostError) -> Result<(), HostError> {
    // If this fails too, the connection is closed, which undoes it.
    let _ = session.run("ROLLBACK", &[]).await;
    Err(error)
}

/// Runs all statements; a conflict if one does not touch the rows that it must.
pub(crate) async fn all(session: &Session, statements: &[Statement]) -> Result<(), HostError> {
    for statement in statements {
        if statement.expect == Expect::Any {
            session.run(statement.sql, &statement.params).await?;
        } else if !statement.expect.holds(session.touch(statement.sql, &statement.params).await?) {
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

/// How long to wait before the lock is tried again, by the age of the oldest write. After some seconds another process is the cause, and
/// trying often would only cost processor time.
fn pause(waited: Duration) -> Duration {
    Duration::from_millis(match waited.as_millis() {
        0..100 => 12,
        100..1_000 => 4,
        1_000..4_000 => 1,
        _ => 50,
    })
}

/// Does something when it is dropped.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
