//! Pipelined transactions: all messages are sent at once, and the responses are read afterwards.
//!
//! A conflict must undo the whole transaction and skip the statements behind it, which are already
//! sent. Only an error does that, and PostgreSQL logs every error: `log_min_messages` belongs to
//! the superuser. Alternatives, measured with pgbench and the rows of a new order:
//!
//! - The client reads the row counts of all statements and then sends `COMMIT` or `ROLLBACK`. The
//!   rows that all transactions of a merchant need, its journal and its balance, stay locked for
//!   one more round trip: 32 clients of one merchant create 90 orders per second instead of 390.
//! - A PL/pgSQL function runs all statements and catches the conflict, which logs nothing. It plans
//!   each statement again: 32 merchants create 1,200 orders per second instead of 1,870.
//!
//! So [`guarded`] divides by zero, and its SQL explains the error to the reader of the log. A
//! transaction of one statement needs no error ([`marked`]).

use std::borrow::Cow;

use deadpool_postgres::{
    ClientWrapper,
    tokio_postgres::{Error, Row as SqlRow},
};
use despacho_core::host::HostError;
use despacho_sql::{Expect, Query, Statement, Value};

use crate::{
    error::PgError,
    order::{PendingRequest, in_order},
    server::Kind,
    value::{Parameter, borrowed, inferred, parameters},
};

/// Inserts a transaction's marker. A second transaction with the same marker waits until the first
/// one ends.
const INSERT_MARKER: &str = "INSERT INTO commit_marks (at, salt) VALUES ($1, $2)";
/// The SQLSTATE of a marker that exists.
const UNIQUE_VIOLATION: &str = "23505";

/// Identifies a transaction across retries, by its start and a random number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommitMarker([Value; 2]);

impl CommitMarker {
    /// Returns a new marker. The time comes first, so that inserts and deletions of old markers
    /// each touch few pages.
    pub(crate) fn at(millis: i64) -> CommitMarker {
        CommitMarker([Value::Integer(millis), Value::Integer(fastrand::i64(..))])
    }
}

/// A transaction with its marker.
pub(crate) struct MarkedTransaction<'a> {
    pub(crate) marker: CommitMarker,
    pub(crate) statements: Vec<&'a Statement>,
    /// The number of requests whose statements it has.
    pub(crate) requests: u64,
}

/// A transaction that is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommitOutcome {
    /// This attempt committed it.
    Committed,
    /// An earlier attempt, whose connection broke, committed it.
    AlreadyCommitted,
}

/// A statement and its parameters.
struct Ready<'a> {
    form: Form<'a>,
    parameters: Vec<Parameter<'a>>,
}

/// A transaction without its `COMMIT`.
struct Prepared<'a> {
    begin: Cow<'a, str>,
    /// Whether it is one statement from [`marked`].
    is_single: bool,
    statements: Vec<Ready<'a>>,
}

/// How a statement is sent.
enum Form<'a> {
    Prepared(deadpool_postgres::tokio_postgres::Statement),
    /// Its SQL, which one message parses and runs, because the next statement can use another
    /// session.
    Unnamed(Cow<'a, str>),
}

impl Ready<'_> {
    async fn send(&self, client: &ClientWrapper) -> Result<u64, Error> {
        match &self.form {
            Form::Prepared(statement) => {
                client.execute(statement, &borrowed(&self.parameters)).await
            }
            Form::Unnamed(sql) => client.execute_typed(sql, &inferred(&self.parameters)).await,
        }
    }

    async fn rows(&self, client: &ClientWrapper) -> Result<Vec<SqlRow>, Error> {
        match &self.form {
            Form::Prepared(statement) => client.query(statement, &borrowed(&self.parameters)).await,
            Form::Unnamed(sql) => client.query_typed(sql, &inferred(&self.parameters)).await,
        }
    }
}

/// The kind of session, which determines how transactions begin and whether statements stay
/// prepared.
#[derive(Clone, Debug)]
pub(crate) enum Session {
    /// The connection has its own session, whose settings are set once.
    Own,
    /// A pooler shares the session between transactions, each of which begins with the settings.
    Shared {
        /// `BEGIN` with the settings.
        begin: String,
    },
}

impl Session {
    fn begin(&self) -> &str {
        match self {
            Session::Own => "BEGIN",
            Session::Shared { begin } => begin,
        }
    }
}

/// Returns the rows of one statement, which is a separate transaction.
pub(crate) async fn query(
    client: &ClientWrapper,
    session: &Session,
    query: &Query,
) -> Result<Vec<SqlRow>, PgError> {
    let ready = prepare(client, session, query.sql.as_ref().into(), &[&query.params]).await?;
    match session {
        Session::Own => Ok(ready.rows(client).await?),
        Session::Shared { begin } => Ok(query_within(client, begin, &[ready])
            .await?
            .pop()
            .unwrap_or_default()),
    }
}

/// Runs statements in one transaction and returns the rows of each. A locked row makes it fail
/// early.
pub(crate) async fn query_all(
    client: &ClientWrapper,
    session: &Session,
    kind: Kind,
    queries: impl Iterator<Item = &Query>,
) -> Result<Vec<Vec<SqlRow>>, PgError> {
    let mut list = Vec::new();
    for query in queries {
        list.push(prepare(client, session, query.sql.as_ref().into(), &[&query.params]).await?);
    }
    query_within(client, &kind.begin_joined(session.begin()), &list).await
}

/// Runs statements between this beginning of a transaction and its commit.
async fn query_within(
    client: &ClientWrapper,
    begin: &str,
    list: &[Ready<'_>],
) -> Result<Vec<Vec<SqlRow>>, PgError> {
    let plain = |sql| async move { client.batch_execute(sql).await.map(|()| Vec::new()) };
    let mut requests: Vec<PendingRequest<'_, Result<Vec<SqlRow>, Error>>> =
        Vec::with_capacity(list.len() + 2);
    requests.push(Box::pin(plain(begin)));
    for ready in list {
        requests.push(Box::pin(ready.rows(client)));
    }
    requests.push(Box::pin(plain("COMMIT")));
    let mut results = in_order(requests)
        .await
        .into_iter()
        .collect::<Result<Vec<_>, Error>>()?;
    // The results of the beginning and of the commit.
    results.pop();
    results.remove(0);
    Ok(results)
}

/// Runs transactions one after the other and returns the outcome of each. `resent` means that they
/// were sent before on a connection that broke.
pub(crate) async fn run(
    client: &ClientWrapper,
    session: &Session,
    kind: Kind,
    transactions: &[&MarkedTransaction<'_>],
    resent: bool,
) -> Result<Vec<Result<CommitOutcome, PgError>>, PgError> {
    let mut prepared = Vec::with_capacity(transactions.len());
    for transaction in transactions {
        // A transaction that is sent again waits as long as necessary for the marker of the first
        // attempt, which may still be running.
        let begin = match transaction.requests {
            2.. if !resent => kind.begin_joined(session.begin()).into(),
            _ => session.begin().into(),
        };
        prepared.push(match &transaction.statements[..] {
            [
                Statement {
                    sql,
                    params,
                    expect: Expect::One,
                },
            ] if !resent => {
                let single = prepare(
                    client,
                    session,
                    marked(sql, params.len()),
                    &[params, &transaction.marker.0],
                )
                .await?;
                Prepared {
                    begin,
                    is_single: true,
                    statements: vec![single],
                }
            }
            _ => Prepared {
                begin,
                is_single: false,
                statements: prepare_all(client, session, transaction).await?,
            },
        });
    }
    let mut requests: Vec<PendingRequest<'_, Result<u64, Error>>> = Vec::new();
    for transaction in &prepared {
        requests.push(Box::pin(async {
            client.batch_execute(&transaction.begin).await.map(|()| 0)
        }));
        for ready in &transaction.statements {
            requests.push(Box::pin(ready.send(client)));
        }
        requests.push(Box::pin(async {
            client.batch_execute("COMMIT").await.map(|()| 0)
        }));
    }
    let mut results = in_order(requests).await.into_iter();
    let outcomes = prepared.iter().map(|transaction| {
        // The iterator must advance past all responses of the transaction: BEGIN, the statements
        // and COMMIT.
        let responses = results
            .by_ref()
            .take(transaction.statements.len() + 2)
            .collect();
        if transaction.is_single {
            single_outcome(responses)
        } else {
            outcome(responses)
        }
    });
    Ok(outcomes.collect())
}

/// Prepares the marker and the statements of a transaction that the server aborts at the first
/// conflict.
async fn prepare_all<'a>(
    client: &ClientWrapper,
    session: &Session,
    transaction: &'a MarkedTransaction<'_>,
) -> Result<Vec<Ready<'a>>, PgError> {
    let mut list = Vec::with_capacity(transaction.statements.len() + 1);
    list.push(
        prepare(
            client,
            session,
            INSERT_MARKER.into(),
            &[&transaction.marker.0],
        )
        .await?,
    );
    for statement in &transaction.statements {
        let sql = match statement.expect {
            Expect::Any => statement.sql.into(),
            Expect::One => guarded(statement.sql),
        };
        list.push(prepare(client, session, sql, &[&statement.params]).await?);
    }
    Ok(list)
}

async fn prepare<'a>(
    client: &ClientWrapper,
    session: &Session,
    sql: Cow<'a, str>,
    values: &[&'a [Value]],
) -> Result<Ready<'a>, PgError> {
    let parameters = values.iter().copied().flat_map(parameters).collect();
    Ok(Ready {
        form: form(client, session, sql).await?,
        parameters,
    })
}

async fn form<'a>(
    client: &ClientWrapper,
    session: &Session,
    sql: Cow<'a, str>,
) -> Result<Form<'a>, Error> {
    match session {
        Session::Own => client.prepare_cached(&sql).await.map(Form::Prepared),
        Session::Shared { .. } => Ok(Form::Unnamed(sql)),
    }
}

/// A write of one row that is its whole transaction, with the marker in the same statement: the
/// marker is inserted for each row that is written. A conflict writes nothing and is the row count
/// 0, without an error in the server's log.
fn marked(sql: &str, params: usize) -> Cow<'static, str> {
    let (at, salt) = (params + 1, params + 2);
    format!(
        "WITH written AS ({sql} RETURNING 1) INSERT INTO commit_marks (at, salt) \
         SELECT CAST(${at} AS BIGINT), CAST(${salt} AS BIGINT) FROM written"
    )
    .into()
}

/// The end of plain inserts, for SQLite.
const UNLESS_THERE: &str = " ON CONFLICT DO NOTHING";

/// A write within a longer transaction that divides by zero unless it writes one row. Only an error
/// makes the server skip the statements that were sent behind it and undo those before. An insert
/// of values fails by itself if the row exists.
fn guarded(sql: &str) -> Cow<'_, str> {
    match sql.strip_suffix(UNLESS_THERE) {
        Some(insert) if !insert.contains("SELECT") => insert.into(),
        _ => format!(
            "WITH touched AS ({sql} RETURNING 1) SELECT 1 / CASE WHEN COUNT(*) = 1 THEN 1 ELSE 0 END \
             /* a conflict: Despacho rolls back and handles it */ FROM touched"
        )
        .into(),
    }
}

/// The outcome of a transaction with its marker first. After a failure the server rejects
/// everything up to the end of the transaction, and `COMMIT` undoes it: the first failure is the
/// reason.
fn outcome(responses: Vec<Result<u64, Error>>) -> Result<CommitOutcome, PgError> {
    const MARKER: usize = 1;
    match first_error(responses) {
        Ok(_) => Ok(CommitOutcome::Committed),
        Err((MARKER, error))
            if error
                .code()
                .is_some_and(|state| state.code() == UNIQUE_VIOLATION) =>
        {
            Ok(CommitOutcome::AlreadyCommitted)
        }
        Err((_, error)) => Err(error.into()),
    }
}

/// The outcome of a transaction of one marked statement.
fn single_outcome(responses: Vec<Result<u64, Error>>) -> Result<CommitOutcome, PgError> {
    match first_error(responses) {
        Ok(written) if written.contains(&1) => Ok(CommitOutcome::Committed),
        Ok(_) => Err(PgError::Permanent(HostError::Conflict)),
        Err((_, error)) => Err(error.into()),
    }
}

/// Returns the row counts, or the first error and its position.
fn first_error(responses: Vec<Result<u64, Error>>) -> Result<Vec<u64>, (usize, Error)> {
    responses
        .into_iter()
        .enumerate()
        .map(|(position, response)| response.map_err(|error| (position, error)))
        .collect()
}
