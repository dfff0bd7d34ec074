//! The readers: a few threads with a connection each, fed from one queue.

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

use despacho_core::host::Fault;
use despacho_sql::{Query, Row};
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::{
    connection::{OpenFault, open_reader, query},
    fault::unavailable,
    stats::Counters,
};

/// The readers' end that requests hold.
#[derive(Debug)]
pub(crate) struct Readers {
    jobs: SyncSender<Job>,
    counters: Arc<Counters>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

enum Job {
    Read { query: Query, since: Instant, reply: oneshot::Sender<Result<Vec<Row>, Fault>> },
    Close,
}

impl Readers {
    /// Opens the connections and starts their threads. `queue` reads may wait, each for `patience`.
    pub(crate) fn start(
        path: &Path,
        readers: usize,
        queue: usize,
        patience: Duration,
        counters: Arc<Counters>,
    ) -> Result<Readers, OpenFault> {
        let (jobs, waiting) = sync_channel(queue);
        let waiting = Arc::new(Mutex::new(waiting));
        let mut threads = Vec::with_capacity(readers);
        for number in 1..=readers.max(1) {
            let connection = open_reader(path)?;
            let (waiting, counters) = (Arc::clone(&waiting), Arc::clone(&counters));
            let thread = thread::Builder::new().name(format!("database-reader-{number}"));
            let thread = thread.spawn(move || run(&connection, &waiting, patience, &counters));
            threads.push(thread.map_err(|error| OpenFault::Database(error.to_string()))?);
        }
        Ok(Readers { jobs, counters, threads: Mutex::new(threads) })
    }

    pub(crate) async fn read(&self, query: Query) -> Result<Vec<Row>, Fault> {
        let (reply, answer) = oneshot::channel();
        self.counters.queued_reads.fetch_add(1, Relaxed);
        self.jobs.try_send(Job::Read { query, since: Instant::now(), reply }).map_err(|error| {
            self.counters.queued_reads.fetch_sub(1, Relaxed);
            match error {
                TrySendError::Full(_) => unavailable("too many reads are waiting"),
                TrySendError::Disconnected(_) => unavailable("the database is closed"),
            }
        })?;
        answer.await.unwrap_or_else(|_| Err(unavailable("the database is closed")))
    }

    /// Asks the threads to finish what waits and end.
    pub(crate) fn close(&self) -> Vec<JoinHandle<()>> {
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for _ in &threads {
            // Blocks only while the queue is full, and the threads are emptying it.
            let _ = self.jobs.send(Job::Close);
        }
        threads
    }
}

fn run(connection: &Connection, waiting: &Mutex<Receiver<Job>>, patience: Duration, counters: &Counters) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job::Read { query: read, since, reply }) = job else { return };
        counters.queued_reads.fetch_sub(1, Relaxed);
        if reply.is_closed() {
            continue;
        }
        let result = if since.elapsed() > patience {
            Err(unavailable("the read waited too long for its turn"))
        } else {
            query(connection, read.sql, &read.params)
        };
        counters.reads.fetch_add(1, Relaxed);
        // Whoever asked may have gone meanwhile.
        drop(reply.send(result));
    }
}
