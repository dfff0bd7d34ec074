//! The database as one request holds it.
//!
//! On SQLite an instance keeps what it opened, since to open a connection costs more than most questions, and its first flush takes the
//! folder's too. Single statements of all requests share two connections, one that reads and one that writes, so that no reader waits
//! behind a writer. A transaction has a connection to itself for as long as it lasts, and leaves it to the next one where it ended in
//! good order. On PostgreSQL a request has one connection for everything: the runtime pools them, and an instance that sat on one while
//! it waited for another could wait for ever.

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

/// What a shared connection is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Single {
    Read,
    Write,
}

thread_local! {
    /// The instance's connection for single reads. Like the other one it never has a transaction open, and holds nothing of a
    /// request.
    static READING: Shared = const { RefCell::new(None) };
    /// The instance's connection for single writes.
    static WRITING: Shared = const { RefCell::new(None) };
    /// The instance's connections for transactions that no request holds, none of them with one open.
    static IDLE: RefCell<Vec<Session>> = const { RefCell::new(Vec::new()) };
}

/// As many as an instance has requests at once.
const MOST_IDLE: usize = 16;

impl Database {
    /// The PostgreSQL database at this address, or Spin's SQLite; nothing is opened yet.
    pub(crate) fn of(url: Option<&str>) -> Database {
        Database(Rc::new(Way { url: url.map(str::to_owned), own: OnceCell::new(), alone: Cell::new(false) }))
    }

    /// The rows of a single read.
    pub(crate) async fn single(&self, query: Query) -> Result<Vec<Row>, Fault> {
        self.shared(Single::Read, query).await
    }

    /// The rows of a single write. On SQLite it is flushed with the next transaction.
    pub(crate) async fn single_write(&self, query: Query) -> Result<Vec<Row>, Fault> {
        self.shared(Single::Write, query).await
    }

    async fn shared(&self, single: Single, query: Query) -> Result<Vec<Row>, Fault> {
        if self.0.alone.get() || self.0.url.is_some() {
            return self.own().await?.rows(query.sql, &query.params).await;
        }
        let answer = single.session().await?.rows(query.sql, &query.params).await;
        if matches!(answer, Err(Fault::Unavailable { .. })) {
            // The file may have been replaced or the connection be gone: the next request opens another.
            single.kept().set(None);
        }
        answer
    }

    /// Opens what single statements of all requests share, before many at once find it missing and open as many.
    pub(crate) async fn warm(&self) -> Result<(), Fault> {
        if self.0.url.is_none() {
            for single in [Single::Read, Single::Write] {
                single.session().await?;
            }
        }
        Ok(())
    }

    /// The request's own connection.
    pub(crate) async fn own(&self) -> Result<&Session, Fault> {
        if let Some(session) = self.0.own.get() {
            return Ok(session);
        }
        let session = Session::open_for_transactions(self.0.url.as_deref()).await?;
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
        finish(session, done, "COMMIT", "ROLLBACK").await.0
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
        if self.0.alone.get() {
            let session = self.own().await?;
            session.run("SAVEPOINT part", &[]).await?;
            let done = all(session, &statements).await;
            return finish(session, done, "RELEASE SAVEPOINT part", "ROLLBACK TO SAVEPOINT part").await.0;
        }
        if self.0.url.is_some() {
            return transaction(self.own().await?, &statements).await.0;
        }
        // Taken out, not shared: one whose request is given up in the middle goes with it.
        let session = match IDLE.with_borrow_mut(Vec::pop) {
            Some(session) => session,
            None => Session::open_for_transactions(None).await?,
        };
        let (done, in_good_order) = transaction(&session, &statements).await;
        // The file may have been replaced, or the disk be full: the next transaction opens another.
        if in_good_order && !matches!(done, Err(Fault::Unavailable { .. })) {
            IDLE.with_borrow_mut(|idle| {
                if idle.len() < MOST_IDLE {
                    idle.push(session);
                }
            });
        }
        done
    }
}

/// Does all statements or none; whether the connection has no transaction open after it.
async fn transaction(session: &Session, statements: &[Statement]) -> (Result<(), Fault>, bool) {
    if let Err(fault) = session.begin().await {
        return (Err(fault), false);
    }
    let done = all(session, statements).await;
    finish(session, done, "COMMIT", "ROLLBACK").await
}

/// Ends what was begun: with its success, or with nothing done. Whether it is ended, the database said.
async fn finish<T>(session: &Session, done: Result<T, Fault>, keep: &str, undo: &str) -> (Result<T, Fault>, bool) {
    let kept = match done {
        Ok(value) => session.run(keep, &[]).await.map(|()| value),
        Err(fault) => Err(fault),
    };
    // Where even the undoing fails the connection is of no use, and the database undoes what it left open.
    let in_good_order = kept.is_ok() || session.run(undo, &[]).await.is_ok();
    (kept, in_good_order)
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

impl Single {
    fn kept(self) -> &'static LocalKey<Shared> {
        match self {
            Single::Read => &READING,
            Single::Write => &WRITING,
        }
    }

    async fn session(self) -> Result<Rc<Session>, Fault> {
        if let Some(session) = self.kept().with_borrow(Clone::clone) {
            return Ok(session);
        }
        let session = Rc::new(Session::open(None).await?);
        if self == Single::Write {
            session.hurry().await?;
        }
        // Where another request was quicker, one of the two serves its request and goes.
        self.kept().set(Some(Rc::clone(&session)));
        Ok(session)
    }
}
