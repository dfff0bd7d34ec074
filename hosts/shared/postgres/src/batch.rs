//! Writes of several requests that share a transaction.
//!
//! Positions of couriers, counted requests and new orders come from thousands of callers. A
//! transaction for each of them costs the server more than the writes. Therefore a worker takes all
//! that arrived while the earlier ones were being written.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use despacho_core::host::HostError;
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use crate::error::unavailable;

/// The number of full batches that can wait in a queue. Further requests wait for a place in it.
const QUEUED_BATCHES: usize = 8;

/// The limits of a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The number of tasks, each of which serves one batch at a time.
    pub(crate) workers: usize,
    /// Maximum requests in a batch.
    pub(crate) batch: usize,
    /// Maximum time that a request waits for its batch to begin.
    pub(crate) wait: Duration,
}

/// A request in the queue. Its work is gone if the request has stopped waiting.
struct Queued<T, R> {
    work: Arc<Mutex<Option<T>>>,
    outcome: oneshot::Sender<Result<R, HostError>>,
}

/// A request whose batch has begun.
pub(crate) struct Taken<T, R> {
    pub(crate) work: T,
    outcome: oneshot::Sender<Result<R, HostError>>,
}

impl<T, R> Queued<T, R> {
    fn take(self) -> Option<Taken<T, R>> {
        let Queued { work, outcome } = self;
        let work = take(&work).filter(|_| !outcome.is_closed())?;
        Some(Taken { work, outcome })
    }
}

impl<T, R> Taken<T, R> {
    /// Returns the outcome to the request, unless the request was cancelled.
    pub(crate) fn complete(self, outcome: Result<R, HostError>) {
        let _ = self.outcome.send(outcome);
    }
}

fn take<T>(work: &Mutex<Option<T>>) -> Option<T> {
    work.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// A queue of requests that are written together.
#[derive(Debug)]
pub(crate) struct BatchQueue<T, R> {
    sender: mpsc::Sender<Queued<T, R>>,
    wait: Duration,
}

impl<T: Send + 'static, R: Send + 'static> BatchQueue<T, R> {
    /// Creates a queue whose requests are passed to `serve`.
    pub(crate) fn start<F>(
        limits: Limits,
        serve: impl Fn(Vec<Taken<T, R>>) -> F + Send + Sync + 'static,
    ) -> BatchQueue<T, R>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let Limits {
            workers,
            batch,
            wait,
        } = limits;
        let (sender, receiver) = mpsc::channel::<Queued<T, R>>(QUEUED_BATCHES * batch);
        let (receiver, serve) = (Arc::new(tokio::sync::Mutex::new(receiver)), Arc::new(serve));
        for _ in 0..workers {
            let (receiver, serve) = (Arc::clone(&receiver), Arc::clone(&serve));
            tokio::spawn(async move {
                let mut queued = Vec::with_capacity(batch);
                while receiver.lock().await.recv_many(&mut queued, batch).await > 0 {
                    let taken: Vec<_> = queued.drain(..).filter_map(Queued::take).collect();
                    if !taken.is_empty() {
                        serve(taken).await;
                    }
                }
            });
        }
        BatchQueue { sender, wait }
    }

    /// Returns the number of requests in the queue.
    pub(crate) fn len(&self) -> usize {
        self.sender.max_capacity() - self.sender.capacity()
    }

    /// Queues a request and returns its outcome.
    pub(crate) async fn run(&self, work: T) -> Result<R, HostError> {
        let (outcome, mut receiver) = oneshot::channel();
        let work = Arc::new(Mutex::new(Some(work)));
        let queued = Queued {
            work: Arc::clone(&work),
            outcome,
        };
        let closed = || unavailable("the database is closed");
        let waiting = async {
            self.sender.send(queued).await.map_err(|_| closed())?;
            (&mut receiver).await.map_err(|_| closed())?
        };
        match timeout(self.wait, waiting).await {
            Ok(outcome) => outcome,
            Err(_) if take(&work).is_some() => Err(unavailable("no transaction began in time")),
            // Its batch has begun.
            Err(_) => receiver.await.map_err(|_| closed())?,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use tokio::sync::Semaphore;

    use super::*;

    const WAIT: Duration = Duration::from_millis(200);

    /// A queue with one worker whose batches wait for a permit, and the number of requests in
    /// batches that began.
    fn queue() -> (BatchQueue<u32, u32>, Arc<Semaphore>, Arc<AtomicUsize>) {
        let (permits, begun) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
        let (own_permits, own_begun) = (Arc::clone(&permits), Arc::clone(&begun));
        let queue = BatchQueue::start(
            Limits {
                workers: 1,
                batch: 8,
                wait: WAIT,
            },
            move |taken: Vec<Taken<u32, u32>>| {
                own_begun.fetch_add(taken.len(), SeqCst);
                let permits = Arc::clone(&own_permits);
                async move {
                    permits.acquire().await.unwrap().forget();
                    for one in taken {
                        let doubled = one.work * 2;
                        one.complete(Ok(doubled));
                    }
                }
            },
        );
        (queue, permits, begun)
    }

    #[tokio::test]
    async fn request_waits_for_its_batch_only_for_the_limit() {
        let (queue, permits, begun) = queue();
        let first = queue.run(1);
        let later = async {
            while begun.load(SeqCst) == 0 {
                tokio::task::yield_now().await;
            }
            let later = queue.run(2).await;
            permits.add_permits(1);
            later
        };
        // The first one has begun, so it waits for its outcome beyond the limit.
        let (first, later) = tokio::join!(first, later);
        assert_eq!(
            (first, later),
            (Ok(2), Err(unavailable("no transaction began in time")))
        );
        permits.add_permits(1);
        assert_eq!(queue.run(3).await, Ok(6));
        assert_eq!(
            begun.load(SeqCst),
            2,
            "the second request is not written after its error"
        );
    }

    #[tokio::test]
    async fn waiting_requests_begin_together_without_cancelled_ones() {
        let (queue, permits, begun) = queue();
        let queue = Arc::new(queue);
        let run = |work| {
            let queue = Arc::clone(&queue);
            tokio::spawn(async move { queue.run(work).await })
        };
        let first = run(1);
        while begun.load(SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        let (second, cancelled, third) = (run(2), run(3), run(4));
        tokio::task::yield_now().await;
        cancelled.abort();
        assert!(cancelled.await.unwrap_err().is_cancelled());
        permits.add_permits(2);
        assert_eq!(
            [
                first.await.unwrap(),
                second.await.unwrap(),
                third.await.unwrap()
            ],
            [Ok(2), Ok(4), Ok(8)]
        );
        assert_eq!(begun.load(SeqCst), 3);
        assert_eq!(permits.available_permits(), 0);
    }
}
