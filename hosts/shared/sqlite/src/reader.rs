//! Reads: on connections that requests use directly, and on reader threads with a connection each.
//!
//! A read by key takes about ten microseconds, less than waking another thread and being woken. A
//! request therefore reads in place if a connection is idle, and otherwise joins the queue of the
//! reader threads.

use std::{
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::Ordering::Relaxed,
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use despacho_core::host::HostError;
use despacho_sql::{Query, Row};
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::{
    connection::{OpenError, open_reader, query},
    error::{host_error, unavailable},
    stats::Counters,
};

/// After a longer read in place the task yields, so that a request of many reads does not delay the
/// other tasks of its thread.
const LONG_READ: Duration = Duration::from_micros(500);

/// SQLite's instructions between two checks of a read's time, less than a millisecond.
const INSTRUCTIONS: i32 = 10_000;

/// The limits of reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadLimits {
    /// Maximum number of queued reads.
    pub(crate) queue: usize,
    /// Maximum time in the queue.
    pub(crate) waiting: Duration,
    /// Maximum time after the queue.
    pub(crate) running: Duration,
}

/// The connections for reads in place and the queue of the reader threads.
#[derive(Debug)]
pub(crate) struct Readers {
    /// Connections for reads in place; `None` after the database was closed.
    in_place: Vec<Mutex<Option<Connection>>>,
    jobs: SyncSender<Job>,
    /// Maximum time of a read in place.
    limit: Duration,
    counters: Arc<Counters>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

enum Job {
    Read {
        query: Query,
        since: Instant,
        reply: oneshot::Sender<Result<Vec<Row>, HostError>>,
    },
    Close,
}

impl Readers {
    /// Opens the connections and starts the threads.
    pub(crate) fn start(
        path: &Path,
        readers: usize,
        limits: ReadLimits,
        counters: Arc<Counters>,
    ) -> Result<Readers, OpenError> {
        let (jobs, waiting) = sync_channel(limits.queue);
        let waiting = Arc::new(Mutex::new(waiting));
        let mut threads = Vec::with_capacity(readers);
        for number in 1..=readers.max(1) {
            let mut connection = open_reader(path)?;
            let (waiting, counters) = (Arc::clone(&waiting), Arc::clone(&counters));
            let thread = thread::Builder::new().name(format!("database-reader-{number}"));
            let thread = thread.spawn(move || run(&mut connection, &waiting, limits, &counters));
            threads.push(thread.map_err(|error| OpenError::Database(error.to_string()))?);
        }
        let in_place = (0..readers.max(1)).map(|_| Ok(Mutex::new(Some(open_reader(path)?))));
        let in_place = in_place.collect::<Result<Vec<_>, OpenError>>()?;
        Ok(Readers {
            in_place,
            jobs,
            limit: limits.running,
            counters,
            threads: Mutex::new(threads),
        })
    }

    pub(crate) async fn read(&self, query: Query) -> Result<Vec<Row>, HostError> {
        let started = Instant::now();
        let Some(result) = self.read_in_place(&query) else {
            return self.read_queued(query).await;
        };
        if started.elapsed() > LONG_READ {
            tokio::task::yield_now().await;
        }
        result
    }

    /// Reads on an idle connection; `None` if all are busy.
    fn read_in_place(&self, query: &Query) -> Option<Result<Vec<Row>, HostError>> {
        let mut idle = self
            .in_place
            .iter()
            .find_map(|connection| connection.try_lock().ok())?;
        let result = read(idle.as_mut()?, query, self.limit);
        self.counters.reads.fetch_add(1, Relaxed);
        Some(result)
    }

    async fn read_queued(&self, query: Query) -> Result<Vec<Row>, HostError> {
        let (reply, response) = oneshot::channel();
        self.counters.queued_reads.fetch_add(1, Relaxed);
        self.jobs
            .try_send(Job::Read {
                query,
                since: Instant::now(),
                reply,
            })
            .map_err(|error| {
                self.counters.queued_reads.fetch_sub(1, Relaxed);
                match error {
                    TrySendError::Full(_) => unavailable("the queue of reads is full"),
                    TrySendError::Disconnected(_) => unavailable("the database is closed"),
                }
            })?;
        response
            .await
            .unwrap_or_else(|_| Err(unavailable("the database is closed")))
    }

    /// Closes the connections for reads in place, and makes the threads finish the queue and exit.
    pub(crate) fn close(&self) -> Vec<JoinHandle<()>> {
        for connection in &self.in_place {
            drop(
                connection
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .take(),
            );
        }
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for _ in &threads {
            // Blocks only while the queue is full; the threads are emptying it.
            let _ = self.jobs.send(Job::Close);
        }
        threads
    }
}

/// Reads, and interrupts the read after the time limit.
fn read(connection: &mut Connection, read: &Query, limit: Duration) -> Result<Vec<Row>, HostError> {
    let started = Instant::now();
    connection
        .progress_handler(INSTRUCTIONS, Some(move || started.elapsed() > limit))
        .map_err(host_error)?;
    query(connection, &read.sql, &read.params)
}

fn run(
    connection: &mut Connection,
    waiting: &Mutex<Receiver<Job>>,
    limits: ReadLimits,
    counters: &Counters,
) {
    loop {
        let job = waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        let Ok(Job::Read {
            query,
            since,
            reply,
        }) = job
        else {
            return;
        };
        counters.queued_reads.fetch_sub(1, Relaxed);
        if reply.is_closed() {
            continue;
        }
        let result = if since.elapsed() > limits.waiting {
            Err(unavailable("the read waited too long in the queue"))
        } else {
            read(connection, &query, limits.running)
        };
        counters.reads.fetch_add(1, Relaxed);
        // The receiver is gone if the caller was cancelled.
        drop(reply.send(result));
    }
}
