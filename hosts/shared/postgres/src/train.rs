//! Transactions on the wire: everything leaves at once, the answers are read afterwards.

use std::borrow::Cow;

use deadpool_postgres::{
    ClientWrapper,
    tokio_postgres::{Error, Row as SqlRow},
};
use despacho_sql::{Expect, Query, Statement, Value};

use crate::{
    error::Trouble,
    order::{Sent, in_order},
    value::{Parameter, borrowed, inferred, parameters},
};

/// Puts a transaction's mark down. A second transaction of the same mark waits for the first one's end, and then finds it.
const PUT_MARK: &str = "INSERT INTO commit_marks (at, salt) VALUES ($1, $2)";
/// What a mark that is there already ends in.
const TAKEN: &str = "23505";

/// What tells one transaction from all others: when it began, and chance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark([Value; 2]);

impl Mark {
    /// A fresh one. The time comes first, so that marks are written side by side and old ones go together.
    pub(crate) fn at(millis: i64) -> Mark {
        Mark([Value::Integer(millis), Value::Integer(fastrand::i64(..))])
    }
}

/// A transaction under its mark.
pub(crate) struct Wagon<'a> {
    pub(crate) mark: Mark,
    pub(crate) statements: &'a [Statement],
}

/// When it was committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// Just now.
    Now,
    /// When it was sent before, on a connection that broke.
    Before,
}

/// A statement and its parameters.
struct Ready<'a> {
    form: Form<'a>,
    parameters: Vec<Parameter<'a>>,
}

/// How a statement is sent.
enum Form<'a> {
    Prepared(deadpool_postgres::tokio_postgres::Statement),
    /// With its SQL, parsed and run by one message: the session may be another one the next time.
    Unnamed(Cow<'a, str>),
}

impl Ready<'_> {
    async fn send(&self, client: &ClientWrapper) -> Result<u64, Error> {
        match &self.form {
            Form::Prepared(statement) => client.execute(statement, &borrowed(&self.parameters)).await,
            Form::Unnamed(sql) => client.execute_typed(sql, &inferred(&self.parameters)).await,
        }
    }
}

/// How a transaction begins, and whether statements stay prepared after it.
#[derive(Clone, Debug)]
pub(crate) enum Session {
    /// The session is ours: its settings are made once.
    Own,
    /// A pooler shares it between transactions; each begins with its settings.
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

/// The rows of one statement, which is a transaction of its own.
pub(crate) async fn query(client: &ClientWrapper, session: &Session, query: &Query) -> Result<Vec<SqlRow>, Trouble> {
    let params = parameters(&query.params);
    let Session::Shared { begin } = session else {
        let statement = client.prepare_cached(query.sql).await?;
        return Ok(client.query(&statement, &borrowed(&params)).await?);
    };
    let inferred = inferred(&params);
    let plain = |sql| async move { client.batch_execute(sql).await.map(|()| Vec::new()) };
    let requests: Vec<Sent<'_, Result<Vec<SqlRow>, Error>>> = vec![
        Box::pin(plain(begin.as_str())),
        Box::pin(client.query_typed(query.sql, &inferred)),
        Box::pin(plain("COMMIT")),
    ];
    let mut rows = Vec::new();
    for answer in in_order(requests).await {
        rows.append(&mut answer?);
    }
    Ok(rows)
}

/// Runs transactions one after the other, each for itself, and says what became of each.
pub(crate) async fn run(
    client: &ClientWrapper,
    session: &Session,
    wagons: &[&Wagon<'_>],
) -> Result<Vec<Result<Done, Trouble>>, Trouble> {
    let mut prepared = Vec::with_capacity(wagons.len());
    for wagon in wagons {
        prepared.push(prepare(client, session, wagon).await?);
    }
    let mut requests: Vec<Sent<'_, Result<u64, Error>>> = Vec::new();
    for wagon in &prepared {
        requests.push(Box::pin(async { client.batch_execute(session.begin()).await.map(|()| 0) }));
        for ready in wagon {
            requests.push(Box::pin(ready.send(client)));
        }
        requests.push(Box::pin(async { client.batch_execute("COMMIT").await.map(|()| 0) }));
    }
    let mut answers = in_order(requests).await.into_iter();
    // BEGIN and COMMIT around the prepared ones.
    Ok(prepared.iter().map(|wagon| outcome(answers.by_ref().take(wagon.len() + 2))).collect())
}

async fn prepare<'a>(
    client: &ClientWrapper,
    session: &Session,
    wagon: &'a Wagon<'_>,
) -> Result<Vec<Ready<'a>>, Trouble> {
    let mut list = Vec::with_capacity(wagon.statements.len() + 1);
    list.push(Ready { form: form(client, session, PUT_MARK.into()).await?, parameters: parameters(&wagon.mark.0) });
    for statement in wagon.statements {
        let sql = match statement.expect {
            Expect::Any => statement.sql.into(),
            Expect::One => guarded(statement.sql),
        };
        list.push(Ready { form: form(client, session, sql).await?, parameters: parameters(&statement.params) });
    }
    Ok(list)
}

async fn form<'a>(client: &ClientWrapper, session: &Session, sql: Cow<'a, str>) -> Result<Form<'a>, Error> {
    match session {
        Session::Own => client.prepare_cached(&sql).await.map(Form::Prepared),
        Session::Shared { .. } => Ok(Form::Unnamed(sql)),
    }
}

/// What plain inserts end in, for SQLite, which would fail otherwise instead of touching no row.
const UNLESS_THERE: &str = " ON CONFLICT DO NOTHING";

/// The same write, failing within the database where it does not touch one row, so that nothing need be waited for before `COMMIT`. A row
/// that is inserted by its values fails by itself where its place is taken; of others the rows are counted.
fn guarded(sql: &str) -> Cow<'_, str> {
    match sql.strip_suffix(UNLESS_THERE) {
        Some(insert) if !insert.contains("SELECT") => insert.into(),
        _ => format!(
            "WITH touched AS ({sql} RETURNING 1) SELECT 1 / CASE WHEN COUNT(*) = 1 THEN 1 ELSE 0 END FROM touched"
        )
        .into(),
    }
}

/// What the answers to `BEGIN`, the mark, the statements and `COMMIT` come to. After a failure the server refuses everything up to
/// the end of the transaction, and `COMMIT` undoes it: the first failure is the one that counts.
fn outcome(answers: impl Iterator<Item = Result<u64, Error>>) -> Result<Done, Trouble> {
    const MARK: usize = 1;
    let mut first = None;
    for (place, answer) in answers.enumerate() {
        if let (Err(error), None) = (answer, &first) {
            first = Some((place, error));
        }
    }
    match first {
        None => Ok(Done::Now),
        Some((MARK, error)) if error.code().is_some_and(|state| state.code() == TAKEN) => Ok(Done::Before),
        Some((_, error)) => Err(error.into()),
    }
}
