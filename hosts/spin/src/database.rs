//! The database of one request.
//!
//! On SQLite an instance keeps its connections, because opening one costs more than most queries,
//! and its first flush includes the folder's. Reads of all requests share one connection; writes go
//! through a queue, see [`crate::writes`]. On PostgreSQL a request has one connection: the runtime
//! pools them, and an instance that waited for a second one while holding the first could deadlock.
//!
//! Every operation has a timeout: the runtime has none, and a database can accept connections and
//! never respond.

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

/// The database of one request. Clones share its connection.
#[derive(Clone)]
pub(crate) struct Database(Rc<Inner>);

struct Inner {
    url: Option<String>,
    own: RefCell<Option<Rc<Session>>>,
    /// Whether all statements are part of the transaction of [`Database::exclusively`].
    is_exclusive: Cell<bool>,
}

thread_local! {
    /// The instance's connection for reads from SQLite. It never has an open transaction or data of
    /// a request.
    static READER: RefCell<Option<Rc<Session>>> = const { RefCell::new(None) };
}

/// Timeout of exclusive work, which includes waiting for other instances: migrations and demo data.
const EXCLUSIVE_TIMEOUT: Duration = Duration::from_secs(60);

impl Database {
    /// Returns the PostgreSQL database at a URL, or Spin's SQLite without one. Opens no connection.
    pub(crate) fn of(url: Option<&str>) -> Database {
        Database(Rc::new(Inner {
            url: url.map(str::to_owned),
            own: RefCell::default(),
            is_exclusive: Cell::new(false),
        }))
    }

    /// Returns whether the database is Spin's SQLite.
    pub(crate) fn is_sqlite(&self) -> bool {
        self.0.url.is_none()
    }

    /// Returns whether statements use the request's own connection instead of the instance's shared
    /// ones.
    fn uses_own_connection(&self) -> bool {
        self.is_exclusive() || !self.is_sqlite()
    }

    /// Runs a single read.
    pub(crate) async fn single(&self, query: Query) -> Result<Vec<Row>, HostError> {
        if self.uses_own_connection() {
            return self
                .on_own(async |session: &Session| session.rows(&query.sql, &query.params).await)
                .await;
        }
        let session = reader().await?;
        let rows = within(STATEMENT_TIMEOUT, session.rows(&query.sql, &query.params)).await;
        let rows = rows.unwrap_or_else(|| Err(unavailable("SQLite did not respond in time")));
        if matches!(rows, Err(HostError::Unavailable { .. })) {
            // The file may have been replaced or the connection lost: the next request opens
            // another.
            READER.take();
        }
        rows
    }

    /// Runs a single write. On SQLite it is flushed with the next transaction.
    async fn single_write(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.write_within(LOCK_TIMEOUT, query).await
    }

    /// Runs a single write that the request does not depend on. It fails soon if another process
    /// holds SQLite's lock.
    pub(crate) async fn optional_write(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.write_within(OPTIONAL_LOCK_TIMEOUT, query).await
    }

    async fn write_within(&self, limit: Duration, query: Query) -> Result<Vec<Row>, HostError> {
        if self.uses_own_connection() {
            self.single(query).await
        } else {
            write(Work::Single(query), limit).await
        }
    }

    /// Opens the shared connection for reads. Otherwise many concurrent requests would each open
    /// one.
    pub(crate) async fn warm(&self) -> Result<(), HostError> {
        if self.is_sqlite() {
            reader().await?;
        }
        Ok(())
    }

    /// Returns the request's own connection.
    pub(crate) async fn own(&self) -> Result<Rc<Session>, HostError> {
        if let Some(session) = self.0.own.borrow().as_ref() {
            return Ok(Rc::clone(session));
        }
        let session = within(OPEN_TIMEOUT, Session::open_own(self.0.url.as_deref())).await;
        let session = session.unwrap_or_else(|| Err(unavailable("the connection timed out")))?;
        Ok(Rc::clone(
            self.0.own.borrow_mut().get_or_insert(Rc::new(session)),
        ))
    }

    /// Returns the request's own connection to the runtime's pool. A request that waits for another
    /// service must hold none, because other requests need it.
    pub(crate) fn release(&self) {
        if !self.is_exclusive() {
            self.0.own.take();
        }
    }

    /// Runs `work` on the request's own connection, which is closed after a timeout.
    async fn on_own<T>(
        &self,
        work: impl AsyncFnOnce(&Session) -> Result<T, HostError>,
    ) -> Result<T, HostError> {
        let session = self.own().await?;
        let done = within(STATEMENT_TIMEOUT, work(&session)).await;
        done.unwrap_or_else(|| {
            self.release();
            Err(unavailable("the statement timed out"))
        })
    }

    /// Returns whether this request holds the exclusive transaction, for which other instances
    /// wait.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.0.is_exclusive.get()
    }

    /// Runs all of `work` in one transaction, and in one instance at a time.
    pub(crate) async fn exclusively<T>(
        &self,
        work: impl AsyncFnOnce() -> Result<T, HostError>,
    ) -> Result<T, HostError> {
        let session = self.own().await?;
        let done = within(EXCLUSIVE_TIMEOUT, async {
            session.begin_exclusive().await?;
            self.0.is_exclusive.set(true);
            let done = work().await;
            finish(&session, done, "COMMIT", "ROLLBACK").await.0
        });
        let done = done.await;
        self.0.is_exclusive.set(false);
        done.unwrap_or_else(|| {
            self.release();
            Err(unavailable("preparing the database took too long"))
        })
    }
}

/// Returns the instance's connection for reads from SQLite.
async fn reader() -> Result<Rc<Session>, HostError> {
    if let Some(session) = READER.with_borrow(Clone::clone) {
        return Ok(session);
    }
    let session = within(OPEN_TIMEOUT, Session::open(None)).await;
    let session =
        Rc::new(session.unwrap_or_else(|| Err(unavailable("SQLite was not opened in time")))?);
    // If another request opened one at the same time, one of the two connections is closed after
    // its request.
    READER.set(Some(Rc::clone(&session)));
    Ok(session)
}

impl Driver for Database {
    async fn read(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.single(query).await
    }

    /// Writes reserved IDs and the rate limiter's counts. After a power cut a reservation is lost
    /// only with every commit that used it.
    async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.single_write(query).await
    }

    async fn transact(&self, statements: Vec<Statement>) -> Result<(), HostError> {
        if self.is_exclusive() {
            let session = self.own().await?;
            session.run("SAVEPOINT part", &[]).await?;
            let done = all(&session, &statements).await;
            return finish(
                &session,
                done,
                "RELEASE SAVEPOINT part",
                "ROLLBACK TO SAVEPOINT part",
            )
            .await
            .0;
        }
        if self.is_sqlite() {
            return write(Work::Transaction(statements), LOCK_TIMEOUT)
                .await
                .map(drop);
        }
        let work = async |session: &Session| {
            session.begin().await?;
            let done = all(session, &statements).await;
            Ok(finish(session, done, "COMMIT", "ROLLBACK").await)
        };
        let (done, is_ended) = self.on_own(work).await?;
        if !is_ended {
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

/// Ends a transaction or savepoint with `commit`, or with `rollback` after an error. The flag is
/// whether the database confirmed the end.
async fn finish<T>(
    session: &Session,
    done: Result<T, HostError>,
    commit: &str,
    rollback: &str,
) -> (Result<T, HostError>, bool) {
    let result = match done {
        Ok(value) => session.run(commit, &[]).await.map(|()| value),
        Err(error) => Err(error),
    };
    // If `rollback` fails too, the connection is unusable and the database rolls back its
    // transaction.
    let is_ended = result.is_ok() || session.run(rollback, &[]).await.is_ok();
    (result, is_ended)
}
