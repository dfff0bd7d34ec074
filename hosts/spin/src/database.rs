//! The database as one request holds it.
//!
//! On SQLite an instance keeps what it opened, since to open a connection costs more than most queries, and its first flush includes the
//! folder's. Reads of all requests share one connection; writes go through a queue, see [`crate::writes`]. On PostgreSQL a request has
//! one connection for everything: the runtime pools them, and an instance that held one while it waited for another could wait for ever.
//!
//! Every operation has a time limit: the runtime has none, and a database may accept connections and never respond.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

use despacho_core::host::HostError;
use despacho_sql::{Driver, Query, Row, Statement};

use crate::{
    error::unavailable,
    session::{OPEN_TIMEOUT, STATEMENT_TIMEOUT, Session},
    wait::within,
    writes::{LOCK_TIMEOUT, OPTIONAL_LOCK_TIMEOUT, Work, all, write},
};

/// A request's way to the database; a clone is the same way.
#[derive(Clone)]
pub(crate) struct Database(Rc<Way>);

struct Way {
    url: Option<String>,
    own: RefCell<Option<Rc<Session>>>,
    /// Whether everything happens within one transaction, begun by [`Database::alone`].
    alone: Cell<bool>,
}

thread_local! {
    /// The instance's connection for reads from SQLite. It never has a transaction open, and holds nothing of a request.
    static READING: RefCell<Option<Rc<Session>>> = const { RefCell::new(None) };
}

/// How long work that excludes all other instances may take, with the wait for its turn: migrations and demonstration data.
const EXCLUSIVE_TIMEOUT: Duration = Duration::from_secs(60);

impl Database {
    /// The PostgreSQL database at this address, or Spin's SQLite; nothing is opened yet.
    pub(crate) fn of(url: Option<&str>) -> Database {
        Database(Rc::new(Way { url: url.map(str::to_owned), own: RefCell::default(), alone: Cell::new(false) }))
    }

    /// Whether it is Spin's SQLite.
    pub(crate) fn is_sqlite(&self) -> bool {
        self.0.url.is_none()
    }

    /// The rows of a single read.
    pub(crate) async fn single(&self, query: Query) -> Result<Vec<Row>, HostError> {
        if self.0.alone.get() || !self.is_sqlite() {
            return self.on_own(async |session: &Session| session.rows(query.sql, &query.params).await).await;
        }
        let session = reading().await?;
        let rows = within(STATEMENT_TIMEOUT, session.rows(query.sql, &query.params)).await;
        let rows = rows.unwrap_or_else(|| Err(unavailable("SQLite did not respond in time")));
        if matches!(rows, Err(HostError::Unavailable { .. })) {
            // The file may have been replaced or the connection be gone: the next request opens another.
            READING.take();
        }
        rows
    }

    /// The rows of a single write. On SQLite it is flushed with the next transaction.
    pub(crate) async fn single_write(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.write_within(LOCK_TIMEOUT, query).await
    }

    /// The same for a write that its request can do without: if another process holds SQLite's lock, it fails soon.
    pub(crate) async fn optional_write(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.write_within(OPTIONAL_LOCK_TIMEOUT, query).await
    }

    async fn write_within(&self, limit: Duration, query: Query) -> Result<Vec<Row>, HostError> {
        match self.0.alone.get() || !self.is_sqlite() {
            true => self.single(query).await,
            false => write(Work::Single(query), limit).await,
        }
    }

    /// Opens the connection that reads share, before many requests at once find it missing and open one each.
    pub(crate) async fn warm(&self) -> Result<(), HostError> {
        if self.is_sqlite() {
            reading().await?;
        }
        Ok(())
    }

    /// The request's own connection.
    pub(crate) async fn own(&self) -> Result<Rc<Session>, HostError> {
        if let Some(session) = self.0.own.borrow().as_ref() {
            return Ok(Rc::clone(session));
        }
        let session = within(OPEN_TIMEOUT, Session::open_own(self.0.url.as_deref())).await;
        let session = session.unwrap_or_else(|| Err(unavailable("no connection in time")))?;
        Ok(Rc::clone(self.0.own.borrow_mut().get_or_insert(Rc::new(session))))
    }

    /// Gives the request's own connection back to the runtime's pool. A request that waits for another service must hold none: others need it.
    pub(crate) fn release(&self) {
        if !self.0.alone.get() {
            self.0.own.take();
        }
    }

    /// Works on the request's own connection. One that does not respond in time is given up.
    async fn on_own<T>(&self, work: impl AsyncFnOnce(&Session) -> Result<T, HostError>) -> Result<T, HostError> {
        let session = self.own().await?;
        let done = within(STATEMENT_TIMEOUT, work(&session)).await;
        done.unwrap_or_else(|| {
            self.release();
            Err(unavailable("no response in time"))
        })
    }

    /// Whether all other instances wait for this request's transaction.
    pub(crate) fn is_alone(&self) -> bool {
        self.0.alone.get()
    }

    /// Does all of `work` in one transaction during which no other instance does such work.
    pub(crate) async fn alone<T>(&self, work: impl AsyncFnOnce() -> Result<T, HostError>) -> Result<T, HostError> {
        let session = self.own().await?;
        let done = within(EXCLUSIVE_TIMEOUT, async {
            session.begin_alone().await?;
            self.0.alone.set(true);
            let done = work().await;
            finish(&session, done, "COMMIT", "ROLLBACK").await.0
        });
        let done = done.await;
        self.0.alone.set(false);
        done.unwrap_or_else(|| {
            self.release();
            Err(unavailable("preparing the database took too long"))
        })
    }
}

/// The instance's connection for reads from SQLite.
async fn reading() -> Result<Rc<Session>, HostError> {
    if let Some(session) = READING.with_borrow(Clone::clone) {
        return Ok(session);
    }
    let session = within(OPEN_TIMEOUT, Session::open(None)).await;
    let session = Rc::new(session.unwrap_or_else(|| Err(unavailable("SQLite was not opened in time")))?);
    // If another request was quicker, one of the two connections serves its request and is closed.
    READING.set(Some(Rc::clone(&session)));
    Ok(session)
}

impl Driver for Database {
    async fn read(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.single(query).await
    }

    /// Only identifiers and the rate limiter's counts are written so. A reservation that is lost with the power is lost with every commit
    /// that used it.
    async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.single_write(query).await
    }

    async fn transact(&self, statements: Vec<Statement>) -> Result<(), HostError> {
        if self.0.alone.get() {
            let session = self.own().await?;
            session.run("SAVEPOINT part", &[]).await?;
            let done = all(&session, &statements).await;
            return finish(&session, done, "RELEASE SAVEPOINT part", "ROLLBACK TO SAVEPOINT part").await.0;
        }
        if self.is_sqlite() {
            return write(Work::Transaction(statements), LOCK_TIMEOUT).await.map(drop);
        }
        let work = async |session: &Session| {
            session.begin().await?;
            let done = all(session, &statements).await;
            Ok(finish(session, done, "COMMIT", "ROLLBACK").await)
        };
        let (done, in_good_order) = self.on_own(work).await?;
        if !in_good_order {
            self.release();
        }
        done
    }
}

/// A driver whose single writes fail soon if another process holds SQLite's lock.
pub(crate) struct Optional<'a>(pub(crate) &'a Database);

impl Driver for Optional<'_> {
    async fn read(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.0.read(query).await
    }

    async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.0.optional_write(query).await
    }

    async fn transact(&self, statements: Vec<Statement>) -> Result<(), HostError> {
        self.0.transact(statements).await
    }
}

/// Ends what was begun: with its success, or with nothing done. The flag says whether the database confirmed the end.
async fn finish<T>(
    session: &Session,
    done: Result<T, HostError>,
    keep: &str,
    undo: &str,
) -> (Result<T, HostError>, bool) {
    let kept = match done {
        Ok(value) => session.run(keep, &[]).await.map(|()| value),
        Err(error) => Err(error),
    };
    // If even the undoing fails the connection is of no use, and the database undoes what it left open.
    let in_good_order = kept.is_ok() || session.run(undo, &[]).await.is_ok();
    (kept, in_good_order)
}
