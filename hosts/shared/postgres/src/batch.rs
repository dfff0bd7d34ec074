//! Writes of one statement that share a transaction.
//!
//! Positions of couriers and counted requests come from thousands of callers, each for a row of its own. A transaction for each of them costs
//! the server several times as much as the write. One task therefore takes all writes that arrived during its previous transaction.

use std::sync::{Arc, Weak};

use despacho_core::host::HostError;
use despacho_sql::{Query, Row};
use tokio::sync::{mpsc, oneshot};

use crate::{
    database::{Inner, Postgres},
    error::unavailable,
    server::Flush,
};

/// Maximum writes in one transaction.
const MAX_BATCH: usize = 64;
/// Writes in the queue, beyond which a request waits before it queues.
const QUEUE: usize = 8 * MAX_BATCH;

/// A write in the queue.
pub(crate) struct QueuedWrite {
    pub(crate) query: Query,
    outcome: oneshot::Sender<Result<Vec<Row>, HostError>>,
}

impl QueuedWrite {
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
    /// Runs the writes until the database is dropped.
    pub(crate) fn run(mut self, database: &Arc<Inner>, flush: Flush) {
        let database: Weak<Inner> = Arc::downgrade(database);
        tokio::spawn(async move {
            let mut batch = Vec::with_capacity(MAX_BATCH);
            while self.0.recv_many(&mut batch, MAX_BATCH).await > 0 {
                let Some(database) = database.upgrade() else { return };
                Postgres(database).write_all(std::mem::take(&mut batch), flush).await;
            }
        });
    }
}
