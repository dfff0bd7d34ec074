//! Open event streams: woken by commits of this process, and polling for commits of other
//! instances.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
    time::Duration,
};

use bytes::Bytes;
use despacho_core::{
    drivers::stream::{HEARTBEAT, HEARTBEAT_TEXT, JournalSubscription},
    host::HostError,
};
use futures_util::stream::poll_fn;
use http::{HeaderName, HeaderValue, Response, header, request::Parts};
use tokio::{
    sync::{
        mpsc::{self, error::TrySendError},
        watch,
    },
    time::{Instant, sleep_until, timeout, timeout_at},
};
use warp::reply::Reply;

use crate::{
    app::App,
    connections::Connection,
    early::{self, EarlyResponse},
    feed::{Feed, Freshness},
    streams::StreamOwner,
};

/// Time between two polls for events of another instance that arrived without a notification.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Minimum time between an empty read and the next read of a stream. It limits a thousand streams
/// of unrelated merchants to ten thousand reads per second.
const MIN_READ_INTERVAL: Duration = Duration::from_millis(100);
/// Maximum number of events per read.
const MAX_PAGE_EVENTS: u32 = 100;
/// Chunks queued for a slow reader. No more events are read while the queue is full.
const MAX_QUEUED_CHUNKS: usize = 1;

/// A stream's permit, released on drop.
pub(crate) struct StreamPermit {
    pub(crate) app: Arc<App>,
    owner: StreamOwner,
    connection: Option<Arc<Connection>>,
}

impl StreamPermit {
    /// Acquires a permit, or returns `None` if too many streams are open.
    pub(crate) fn acquire(
        app: &Arc<App>,
        owner: StreamOwner,
        connection: Option<Arc<Connection>>,
    ) -> Option<StreamPermit> {
        app.streams.acquire(owner).then(|| {
            app.metrics.streams.inc();
            StreamPermit {
                app: app.clone(),
                owner,
                connection,
            }
        })
    }

    /// Sends a chunk. False if the stream is to end.
    pub(crate) async fn send(&self, chunks: &mpsc::Sender<Bytes>, chunk: Bytes) -> bool {
        let sending = timeout(self.app.write_timeout, chunks.send(chunk));
        match self.app.shutdown.run_until_cancelled(sending).await {
            Some(Ok(sent)) => sent.is_ok(),
            Some(Err(_)) => {
                // Over HTTP/2 a peer can read its socket without opening the stream's window. Only
                // closing the connection frees the events.
                if let Some(connection) = &self.connection {
                    connection.close();
                }
                false
            }
            None => false,
        }
    }

    /// Waits after an empty read until the next one: for a commit, but at most `max` and at least
    /// `min`. False if the stream is to end.
    pub(crate) async fn wait(
        &self,
        updates: &mut watch::Receiver<u64>,
        chunks: &mpsc::Sender<Bytes>,
        (min, max): (Duration, Duration),
    ) -> bool {
        let read_at = Instant::now();
        let next = async {
            if let Ok(Err(_)) = timeout_at(read_at + max, updates.changed()).await {
                return false;
            }
            sleep_until(read_at + min).await;
            true
        };
        tokio::select! {
            is_due = next => is_due,
            () = chunks.closed() => false,
            () = self.app.shutdown.cancelled() => false,
        }
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        self.app.streams.release(self.owner);
        self.app.metrics.streams.dec();
    }
}

/// Turns the initial response of a stream into an open stream, or returns an error if too many
/// streams are open.
pub(crate) fn respond(
    app: &Arc<App>,
    facts: &Parts,
    initial: Response<Bytes>,
    subscription: JournalSubscription,
    connection: Option<Arc<Connection>>,
) -> warp::reply::Response {
    let owner = StreamOwner::Merchant(subscription.journal.merchant);
    let Some(permit) = StreamPermit::acquire(app, owner, connection) else {
        return early::respond(
            facts,
            "GET /delivery/events/stream",
            EarlyResponse::TooManyStreams,
        )
        .map(Into::into);
    };
    let (head, first) = stream_head(initial);
    let (chunks, mut waiting) = mpsc::channel(MAX_QUEUED_CHUNKS);
    let revoked = Arc::new(AtomicBool::new(false));
    tokio::spawn(follow(permit, subscription, first, chunks, revoked.clone()));
    let body = poll_fn(move |context| {
        // Queued chunks are discarded when the key is revoked.
        if revoked.load(Ordering::Acquire) {
            return Poll::Ready(None);
        }
        waiting
            .poll_recv(context)
            .map(|chunk| chunk.map(Ok::<Bytes, Infallible>))
    });
    let (_, body) = warp::reply::stream(body).into_response().into_parts();
    Response::from_parts(head, body)
}

/// Returns the head of a stream's response, and its first chunk.
pub(crate) fn stream_head(initial: Response<Bytes>) -> (http::response::Parts, Bytes) {
    let (mut head, first) = initial.into_parts();
    head.headers.remove(header::CONTENT_LENGTH);
    // Without this header some proxies buffer the response until it ends.
    head.headers.insert(
        HeaderName::from_static("x-accel-buffering"),
        HeaderValue::from_static("no"),
    );
    (head, first)
}

/// Writes until the reader disconnects, its key becomes invalid or the server shuts down. An error
/// ends the stream too; the reader reconnects with its last position.
async fn follow(
    permit: StreamPermit,
    subscription: JournalSubscription,
    first: Bytes,
    chunks: mpsc::Sender<Bytes>,
    revoked: Arc<AtomicBool>,
) {
    let app = &permit.app;
    let key = subscription.clone();
    let writing = write(&permit, subscription, first, chunks.clone());
    let access = app.streams.access.until_invalid(&app.store, &key);
    let ended = tokio::select! {
        ended = writing => ended,
        invalid = access => invalid.map(|()| EndReason::Revoked),
    };
    match ended {
        Ok(EndReason::Closed) => {}
        // Set before `chunks` is dropped, because the drop wakes the reader.
        Ok(EndReason::Revoked) => revoked.store(true, Ordering::Release),
        Err(error) => tracing::warn!(%error, "event stream failed; closing it"),
    }
}

/// The reason for which a stream ended.
enum EndReason {
    /// The reader disconnected, or the server shuts down.
    Closed,
    /// The key became invalid.
    Revoked,
}

async fn write(
    permit: &StreamPermit,
    mut subscription: JournalSubscription,
    first: Bytes,
    chunks: mpsc::Sender<Bytes>,
) -> Result<EndReason, HostError> {
    let app = &permit.app;
    let (mut updates, access) = (app.store.updates(), app.store.access());
    let feed = app.streams.feeds.of(&subscription);
    let heartbeat = Duration::from_millis(u64::try_from(HEARTBEAT.as_millis()).unwrap_or(15_000));
    let mut chunk = Some(first);
    let mut written = Instant::now();
    loop {
        if let Some(chunk) = chunk.take() {
            if !permit.send(&chunks, chunk).await {
                return Ok(EndReason::Closed);
            }
            written = Instant::now();
        }
        let text = read_next(app, &feed, &mut subscription, &mut updates).await?;
        if !text.is_empty() {
            // Checked after the read: the page must not contain events committed after the
            // revocation.
            if !app
                .streams
                .access
                .is_valid(&app.store, &access, &subscription)
                .await?
            {
                return Ok(EndReason::Revoked);
            }
            match chunks.try_send(text) {
                Ok(()) => written = Instant::now(),
                Err(TrySendError::Full(text)) => chunk = Some(text),
                Err(TrySendError::Closed(_)) => return Ok(EndReason::Closed),
            }
            tokio::task::yield_now().await;
            continue;
        }
        if written.elapsed() >= heartbeat {
            chunk = Some(Bytes::from_static(HEARTBEAT_TEXT.as_bytes()));
            continue;
        }
        let interval = (MIN_READ_INTERVAL, POLL_INTERVAL);
        if !permit.wait(&mut updates, &chunks, interval).await {
            return Ok(EndReason::Closed);
        }
    }
}

/// Reads the next events, with a limit on concurrent reads. Returns an empty string if there are
/// none.
async fn read_next(
    app: &App,
    feed: &Feed,
    subscription: &mut JournalSubscription,
    updates: &mut watch::Receiver<u64>,
) -> Result<Bytes, HostError> {
    // The semaphore is never closed; without a permit the read would still be correct.
    let _permit = app.streams.read_permits.acquire().await;
    // Taken before the query: a later commit must trigger another read.
    let fresh = Freshness {
        updates: *updates.borrow_and_update(),
        age: POLL_INTERVAL / 2,
    };
    feed.next(&app.store, subscription, fresh, MAX_PAGE_EVENTS)
        .await
}
