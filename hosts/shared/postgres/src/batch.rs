//! Writes of one statement that share a transaction.
//!
//! Positions of couriers and counted requests come from thousands of callers, each for a row of its own. A transaction for each of them costs
//! the server several times as much as the write. One task therefore takes all writes that arrived during its previous transaction.

use std::{future::Future, time::Duration};

use despacho_core::host::HostError;
use despacho_sql::{Query, Row, Value};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use crate::{
    error::{PgError, unavailable},
    lease::Lease,
    pipeline::{self, Session},
    server::Kind,
    value::row,
};

/// Maximum writes in one transaction.
const MAX_BATCH: usize = 64;
/// Timeout of an exchange of several requests' writes, after which each runs by itself.
const BATCH_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum writes in the queue. Further requests wait for a place in it.
const QUEUE: usize = 8 * MAX_BATCH;

/// A write in the queue.
pub(crate) struct QueuedWrite {
    pub(crate) query: Query,
    outcome: oneshot::Sender<Result<Vec<Row>, HostError>>,
}

impl QueuedWrite {
    /// Returns the statement and its row, by which writes are sorted.
    fn sort_key(&self) -> (&str, &[Value]) {
        (self.query.sql, &self.query.params)
    }

    /// Returns the outcome to the request, unless the request was cancelled.
    pub(crate) fn complete(self, outcome: Result<Vec<Row>, HostError>) {
        let _ = self.outcome.send(outcome);
    }
}

/// The queue of writes that are flushed at the same time.
#[derive(Debug)]
pub(crate) struct BatchQueue(mpsc::Sender<QueuedWrite>);

impl BatchQueue {
    /// Creates a queue whose writes are passed to `serve` until that returns `None`, because the database was dropped. All instances write
    /// rows in the same order, which prevents deadlocks.
    pub(crate) fn start<F>(serve: impl Fn(Vec<QueuedWrite>) -> Option<F> + Send + 'static) -> BatchQueue
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (sender, mut receiver) = mpsc::channel(QUEUE);
        tokio::spawn(async move {
            let mut batch = Vec::with_capacity(MAX_BATCH);
            while receiver.recv_many(&mut batch, MAX_BATCH).await > 0 {
                batch.sort_by(|one: &QueuedWrite, other| one.sort_key().cmp(&other.sort_key()));
                let Some(served) = serve(std::mem::take(&mut batch)) else { return };
                served.await;
            }
        });
        BatchQueue(sender)
    }

    /// Queues a write and returns its rows.
    pub(crate) async fn write(&self, query: Query) -> Result<Vec<Row>, HostError> {
        let (outcome, receiver) = oneshot::channel();
        let ended = || unavailable("the database is closed");
        self.0.send(QueuedWrite { query, outcome }).await.map_err(|_| ended())?;
        receiver.await.map_err(|_| ended())?
    }
}

/// Runs writes in one transaction and returns the rows of each.
pub(crate) async fn write_together(
    lease: Lease,
    session: &Session,
    kind: Kind,
    writes: &[QueuedWrite],
) -> Result<Vec<Vec<Row>>, PgError> {
    let queries = writes.iter().map(|write| &write.query);
    let exchange = async { pipeline::query_all(lease.client()?, session, kind, queries).await };
    let results = timeout(BATCH_TIMEOUT, exchange).await;
    let results = results.map_err(|_| PgError::ConnectionLost("writes took too long together".to_owned()))?;
    if !matches!(results, Err(PgError::ConnectionLost(_))) {
        lease.release();
    }
    results?.iter().map(|rows| rows.iter().map(row).collect()).collect()
}
