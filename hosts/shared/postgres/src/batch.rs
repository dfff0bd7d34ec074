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
/// Writes in the queue, beyond which a request waits before it queues.
const QUEUE: usize = 8 * MAX_BATCH;

/// A write in the queue.
pub(crate) struct QueuedWrite {
    pub(crate) query: Query,
    outcome: oneshot::Sender<Result<Vec<Row>, HostError>>,
}

impl QueuedWrite {
    /// The statement and the row, by which writes are ordered.
    fn place(&self) -> (&str, &[Value]) {
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

/// The other end of a queue, until its database is open.
pub(crate) struct BatchReceiver(mpsc::Receiver<QueuedWrite>);

impl BatchQueue {
    /// Creates an empty queue.
    pub(crate) fn new() -> (BatchQueue, BatchReceiver) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        (BatchQueue(sender), BatchReceiver(receiver))
    }

    /// Queues a write and returns its rows.
    pub(crate) async fn write(&self, query: Query) -> Result<Vec<Row>, HostError> {
        let (outcome, receiver) = oneshot::channel();
        let ended = || unavailable("the database is closed");
        self.0.send(QueuedWrite { query, outcome }).await.map_err(|_| ended())?;
        receiver.await.map_err(|_| ended())?
    }
}

impl BatchReceiver {
    /// Passes writes to `serve` until it returns `None` because the database was dropped. All instances write rows in the same order,
    /// which prevents deadlocks.
    pub(crate) fn run<F>(mut self, serve: impl Fn(Vec<QueuedWrite>) -> Option<F> + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        tokio::spawn(async move {
            let mut batch = Vec::with_capacity(MAX_BATCH);
            while self.0.recv_many(&mut batch, MAX_BATCH).await > 0 {
                batch.sort_by(|one, other| one.place().cmp(&other.place()));
                let Some(served) = serve(std::mem::take(&mut batch)) else { return };
                served.await;
            }
        });
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
