//! A database driver that records its reads and writes as spans.

use std::{borrow::Cow, future::Future, ops::Deref, pin::pin};

use despacho_core::host::HostError;
use despacho_sql::{Driver, Query, Row, Statement};

use super::{SpanKind, child, within};

/// A traced driver.
#[derive(Debug)]
pub struct Traced<D>(pub D);

impl<D> Deref for Traced<D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.0
    }
}

impl<D: Driver> Driver for Traced<D> {
    async fn read(&self, query: Query) -> Result<Vec<Row>, HostError> {
        let sql = query.sql.clone();
        traced("read", Some(sql), self.0.read(query), Result::is_err).await
    }

    async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError> {
        let sql = query.sql.clone();
        traced(
            "write",
            Some(sql),
            self.0.write_returning(query),
            Result::is_err,
        )
        .await
    }

    async fn transact(&self, statements: Vec<Statement>) -> Result<(), HostError> {
        traced(
            "transaction",
            None,
            self.0.transact(statements),
            Result::is_err,
        )
        .await
    }

    async fn transact_each(&self, transactions: Vec<Vec<Statement>>) -> Vec<Result<(), HostError>> {
        let failed = |results: &Vec<Result<(), HostError>>| results.iter().any(Result::is_err);
        traced(
            "transactions",
            None,
            self.0.transact_each(transactions),
            failed,
        )
        .await
    }
}

/// Runs a driver's work in a span. The SQL text has placeholders instead of values, so traces
/// contain no personal data.
///
/// The work is pinned once: otherwise the future would have room for it at each place where it is
/// awaited.
async fn traced<T>(
    name: &'static str,
    sql: Option<Cow<'static, str>>,
    work: impl Future<Output = T>,
    failed: impl FnOnce(&T) -> bool,
) -> T {
    let mut work = pin!(work);
    let Some(mut span) = child(name, SpanKind::Client) else {
        return work.await;
    };
    if let Some(sql) = sql {
        span.set_attribute("db.query.text", sql.into_owned());
    }
    let result = within(Some(span.context()), work.as_mut()).await;
    span.end(failed(&result));
    result
}
