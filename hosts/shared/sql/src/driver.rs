//! What runs statements on a database.

use despacho_core::host::HostError;

use crate::{Query, Row, Statement};

/// Runs statements on a database. As in [`Storage`](despacho_core::host::Storage), there is no `Send` bound: a concrete driver's futures have their own properties.
#[expect(async_fn_in_trait, reason = "static dispatch alone; a concrete driver's futures are Send where it is")]
pub trait Driver {
    /// The rows of a read.
    async fn read(&self, query: Query) -> Result<Vec<Row>, HostError>;
    /// The rows of a single write that answers by `RETURNING`, once it is durable.
    async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError>;
    /// Runs the statements in one transaction, in order, and answers once it is durable. Where one does not touch the rows that it
    /// must, nothing is done and the answer is [`HostError::Conflict`]; likewise where the database itself finds a unique value
    /// taken or gives up a transaction that raced with another.
    async fn transact(&self, statements: Vec<Statement>) -> Result<(), HostError>;
    /// Runs each of several transactions as [`Driver::transact`] does, in order, and gives what became of each.
    async fn transact_each(&self, transactions: Vec<Vec<Statement>>) -> Vec<Result<(), HostError>> {
        let mut results = Vec::with_capacity(transactions.len());
        for statements in transactions {
            results.push(self.transact(statements).await);
        }
        results
    }
}
