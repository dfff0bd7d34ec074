//! The interface of a driver.

use despacho_core::host::HostError;

use crate::{Query, Row, Statement};

/// Runs statements on a database. As in [`Storage`](despacho_core::host::Storage), there is no
/// `Send` bound: a concrete driver's futures have their own properties.
#[expect(
    async_fn_in_trait,
    reason = "static dispatch only; a concrete driver's futures are Send if it is"
)]
pub trait Driver {
    /// Runs a read and returns its rows.
    async fn read(&self, query: Query) -> Result<Vec<Row>, HostError>;
    /// Runs a single write with `RETURNING` and returns its rows after it is durable.
    async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError>;
    /// Runs the statements in one transaction, in order, and returns after it is durable. If a
    /// statement does not touch the expected rows, the transaction is rolled back and the error is
    /// [`HostError::Conflict`]. The error is the same if a unique value exists or the database
    /// aborts the transaction because of a concurrent one.
    async fn transact(&self, statements: Vec<Statement>) -> Result<(), HostError>;
    /// Runs several transactions in order, each as [`Driver::transact`], and returns the result of
    /// each.
    async fn transact_each(&self, transactions: Vec<Vec<Statement>>) -> Vec<Result<(), HostError>> {
        let mut results = Vec::with_capacity(transactions.len());
        for statements in transactions {
            results.push(self.transact(statements).await);
        }
        results
    }
}
