//! A database's driver whose reads and writes are spans of whoever asked.

use std::{future::Future, ops::Deref};

use despacho_core::host::HostError;
use despacho_sql::{Driver, Query, Row, Statement};

use super::{Attribute, Kind, child, within};

/// A driver of which traces tell.
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
        let sql = query.sql;
        told("read", Some(sql), self.0.read(query), Result::is_err).await
    }

    async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError> {
        let sql = query.sql;
        told("write", Some(sql), self.0.write_returning(query), Result::is_err).await
    }

    async fn transact(&self, statements: Vec<Statement>) -> Result<(), HostError> {
        told("transaction", None, self.0.transact(statements), Result::is_err).await
    }

    async fn transact_each(&self, transactions: Vec<Vec<Statement>>) -> Vec<Result<(), HostError>> {
        let failed = |results: &Vec<Result<(), HostError>>| results.iter().any(Result::is_err);
        told("transactions", None, self.0.transact_each(transactions), failed).await
    }
}

/// Does what a driver does. Statements hold no values, so that a trace tells nothing of anybody.
async fn told<T>(
    name: &'static str,
    sql: Option<&'static str>,
    work: impl Future<Output = T>,
    failed: impl FnOnce(&T) -> bool,
) -> T {
    let Some(mut span) = child(name, Kind::Client) else { return work.await };
    if let Some(sql) = sql {
        span.note("db.query.text", Attribute::Text(sql.to_owned()));
    }
    let result = within(Some(span.context()), work).await;
    span.end(failed(&result));
    result
}
