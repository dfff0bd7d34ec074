//! The database as one request holds it.
//!
//! A transaction has a connection of its own, opened when it is needed and gone with the request. On SQLite, single statements of
//! all requests of an instance share two more, one that reads and one that writes, so that no reader waits behind a writer: to open
//! a connection costs more than most questions, and while one is open, others may close without folding the log into the file
//! each time. On PostgreSQL a request has one connection for
//! everything: the runtime pools them, and an instance that sat on one while it waited for another could wait for ever.

use std::{
    cell::{Cell, OnceCell, RefCell},
    rc::Rc,
    thread::LocalKey,
};

use despacho_core::host::Fault;
use despacho_sql::{Driver, Query, Row, Statement};

use crate::session::Session;

/// A request's way to the database; a clone is the same way.
#[derive(Clone)]
pub(crate) struct Database(Rc<Way>);

struct Way {
    url: Option<String>,
    own: OnceCell<Session>,
    /// Whether everything happens within one transaction, begun by [`Database::alone`].
    alone: Cell<bool>,
}

type Shared = RefCell<Option<Rc<Session>>>;

thread_local! {
    /// The instance's connection for single reads. Like the other one it never has a transaction open, and holds nothing of a
    /// request.
    static READING: Shared = const { RefCell::new(None) };
    /// The instance's connection for single writes.
    static WRITING: Shared = const { RefCell::new(None) };
}

impl Database {
    /// The PostgreSQL database at this address, or Spin's SQLite; nothing is opened yet.
    pub(crate) fn of(url: Option<&str>) -> Database {
        Database(Rc::new(Way { url: url.map(str::to_owned), own: OnceCell::new(), alone: Cell::new(false) }))
    }

    /// The rows of a single read.
    pub(crate) async fn single(&self, query: Query) -> Result<Vec<Row>, Fault> {
        self.shared(&READING, query).await
    }

    /// The rows of a single write. On SQLite it is flushed with the next transaction.
    pub(crate) async fn single_write(&self, query: Query) -> Result<Vec<Row>, Fault> {
        self.shared(&WRITING, query).await
    }

    async fn shared(&self, of: &'static LocalKey<Shared>, query: Query) -> Result<Vec<Row>, Fault> {
        if self.0.alone.get() || self.0.url.is_some() {
            return self.own().await?.rows(query.sql, &query.params).await;
        }
        let answer = kept(of).await?.rows(query.sql, &query.params).await;
        if matches!(answer, Err(Fault::Unavailable { .. })) {
            // The file may have been replaced or the connection be gone: the next request opens another.
            of.set(None);
        }
        answer
    }

    /// The request's own connection.
    pub(crate) async fn own(&self) -> Result<&Session, Fault> {
        if let Some(session) = self.0.own.get() {
            return Ok(session);
        }
        let session = Session::open(self.0.url.as_deref()).await?;
        Ok(self.0.own.get_or_init(|| session))
    }

    /// Whether all other instances wait for this request's transaction.
    pub(crate) fn is_alone(&self) -> bool {
        self.0.alone.get()
    }

    /// Does all of `work` in one transaction beside which no other instance does such work.
    pub(crate) async fn alone<T>(&self, work: impl AsyncFnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
        let session = self.own().await?;
        session.begin_alone().await?;
        self.0.alone.set(true);
        let done = work().await;
        self.0.alone.set(false);
        finish(session, done, "COMMIT", "ROLLBACK").await
    }
}

impl Driver for Database {
    async fn read(&self, query: Query) -> Result<Vec<Row>, Fault> {
        self.single(query).await
    }

    /// Nothing but identifiers is written so. A reservation that is lost with the power is lost with every commit that used it.
    async fn write_returning(&self, query: Query) -> Result<Vec<Row>, Fault> {
        self.single_write(query).await
    }

    async fn transact(&self, statements: Vec<Statement>) -> Result<(), Fault> {
        let session = self.own().await?;
        if self.0.alone.get() {
            session.run("SAVEPOINT part", &[]).await?;
            let done = all(session, &statements).await;
            return finish(session, done, "RELEASE SAVEPOINT part", "ROLLBACK TO SAVEPOINT part").await;
        }
        session.begin().await?;
        let done = all(session, &statements).await;
        finish(session, done, "COMMIT", "ROLLBACK").await
    }
}

/// Ends what was begun: with its success, or with nothing done.
async fn finish<T>(session: &Session, done: Result<T, Fault>, keep: &str, undo: &str) -> Result<T, Fault> {
    let kept = match done {
        Ok(value) => session.run(keep, &[]).await.map(|()| value),
        Err(fault) => Err(fault),
    };
    if kept.is_err() {
        // Where even this fails the connection is of no use, and the database undoes what it left open.
        let _ = session.run(undo, &[]).await;
    }
    kept
}

async fn all(session: &Session, statements: &[Statement]) -> Result<(), Fault> {
    for statement in statements {
        if statement.expect == despacho_sql::Expect::Any {
            session.run(statement.sql, &statement.params).await?;
        } else if !statement.expect.holds(session.touch(statement.sql, &statement.params).await?) {
            return Err(Fault::Conflict);
        }
    }
    Ok(())
}

async fn kept(of: &'static LocalKey<Shared>) -> Result<Rc<Session>, Fault> {
    if let Some(session) = of.with_borrow(Clone::clone) {
        return Ok(session);
    }
    let session = Rc::new(Session::open(None).await?);
    session.hurry().await?;
    // Where another request was quicker, one of the two serves its request and goes.
    of.set(Some(Rc::clone(&session)));
    Ok(session)
}
