//! Streams of events that stay open: woken by this process's commits, and looking every now and then for those of others.

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
    drivers::stream::{HEARTBEAT, HEARTBEAT_TEXT, Subscription},
    host::HostError,
    model::StoreId,
};
use futures_util::stream::poll_fn;
use http::{HeaderName, HeaderValue, Response, header, request::Parts};
use tokio::{
    sync::{
        mpsc::{self, error::TrySendError},
        watch,
    },
    time::{Instant, sleep_until},
};
use warp::reply::Reply;

use crate::{
    app::App,
    connections::Connection,
    early::{self, EarlyResponse},
    feed::{Feed, Freshness},
};

/// How often a stream looks for events that another instance has written, of which this one was not told.
const POLL: Duration = Duration::from_secs(2);
/// How long after it found nothing a stream looks again, whatever happens meanwhile: a thousand streams of merchants who have nothing to do
/// with each other look ten thousand times a second at most.
const REST: Duration = Duration::from_millis(100);
/// Events that are read at once.
const PAGE: u32 = 100;
/// Pieces that wait for a slow reader; past that nothing more is read for it.
const PIECES: usize = 1;

/// A stream's place, given back when it ends however it ends.
struct Place {
    app: Arc<App>,
    merchant: StoreId,
    connection: Option<Arc<Connection>>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.app.streams.leave(self.merchant);
        self.app.metrics.streams.dec();
    }
}

/// Makes the answer that begins a stream into one that goes on, or refuses it where too many are open.
pub(crate) fn respond(
    app: &Arc<App>,
    facts: &Parts,
    begun: Response<Bytes>,
    subscription: Subscription,
    connection: Option<Arc<Connection>>,
) -> warp::reply::Response {
    let merchant = subscription.journal.merchant;
    if !app.streams.enter(merchant) {
        return early::respond(facts, "GET /delivery/events/stream", EarlyResponse::TooManyStreams).map(Into::into);
    }
    app.metrics.streams.inc();
    let place = Place { app: app.clone(), merchant, connection };
    let (mut head, first) = begun.into_parts();
    head.headers.remove(header::CONTENT_LENGTH);
    // Some proxies hold an answer back until it is whole, unless they are told.
    head.headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    let (pieces, mut waiting) = mpsc::channel(PIECES);
    let revoked = Arc::new(AtomicBool::new(false));
    tokio::spawn(follow(place, subscription, first, pieces, revoked.clone()));
    let body = poll_fn(move |context| {
        // Pieces that still wait for a slow reader are not for a key that was revoked.
        if revoked.load(Ordering::Acquire) {
            return Poll::Ready(None);
        }
        waiting.poll_recv(context).map(|piece| piece.map(Ok::<Bytes, Infallible>))
    });
    let (_, body) = warp::reply::stream(body).into_response().into_parts();
    Response::from_parts(head, body)
}

/// Writes until the reader goes, its key becomes invalid, or the server stops. A fault ends the stream too: the reader comes again, from
/// where it was.
async fn follow(
    place: Place,
    subscription: Subscription,
    first: Bytes,
    pieces: mpsc::Sender<Bytes>,
    revoked: Arc<AtomicBool>,
) {
    let app = &place.app;
    let key = subscription.clone();
    let ended = tokio::select! {
        ended = write(&place, subscription, first, pieces.clone()) => ended,
        invalid = app.streams.access.until_invalid(&app.store, &key) => invalid.map(|()| Ended::Revoked),
    };
    match ended {
        Ok(Ended::Gone) => {}
        // Before `pieces` is dropped, which wakes the reader.
        Ok(Ended::Revoked) => revoked.store(true, Ordering::Release),
        Err(error) => tracing::warn!(%error, "event stream ended"),
    }
}

/// Why a stream ended.
enum Ended {
    /// The reader has gone, or the server stops.
    Gone,
    /// The key is not valid any more.
    Revoked,
}

async fn write(
    place: &Place,
    mut subscription: Subscription,
    first: Bytes,
    pieces: mpsc::Sender<Bytes>,
) -> Result<Ended, HostError> {
    let app = &place.app;
    let (mut updates, access) = (app.store.updates(), app.store.access());
    let feed = app.streams.feeds.of(&subscription);
    let heartbeat = Duration::from_millis(u64::try_from(HEARTBEAT.as_millis()).unwrap_or(15_000));
    let mut piece = Some(first);
    let mut written = Instant::now();
    loop {
        if let Some(piece) = piece.take() {
            tokio::select! {
                sent = pieces.send(piece) => if sent.is_err() { return Ok(Ended::Gone) },
                // Over HTTP/2 a peer can read its socket and never open the stream's window: only the end of the connection frees the events.
                () = tokio::time::sleep(app.write_timeout) => {
                    place.connection.iter().for_each(|connection| connection.close());
                    return Ok(Ended::Gone);
                }
                () = app.shutdown.cancelled() => return Ok(Ended::Gone),
            }
            written = Instant::now();
        }
        let text = look(app, &feed, &mut subscription, &mut updates).await?;
        if !text.is_empty() {
            // After the events were read, so that none of a later commit than the revocation is among them.
            if !app.streams.access.is_valid(&app.store, &access, &subscription).await? {
                return Ok(Ended::Revoked);
            }
            match pieces.try_send(text) {
                Ok(()) => written = Instant::now(),
                Err(TrySendError::Full(text)) => piece = Some(text),
                Err(TrySendError::Closed(_)) => return Ok(Ended::Gone),
            }
            tokio::task::yield_now().await;
            continue;
        }
        if written.elapsed() >= heartbeat {
            piece = Some(Bytes::from_static(HEARTBEAT_TEXT.as_bytes()));
            continue;
        }
        let looked = Instant::now();
        tokio::select! {
            changed = updates.changed() => if changed.is_err() { return Ok(Ended::Gone) },
            () = sleep_until(looked + POLL) => {}
            () = pieces.closed() => return Ok(Ended::Gone),
            () = app.shutdown.cancelled() => return Ok(Ended::Gone),
        }
        tokio::select! {
            () = sleep_until(looked + REST) => {}
            () = pieces.closed() => return Ok(Ended::Gone),
            () = app.shutdown.cancelled() => return Ok(Ended::Gone),
        }
    }
}

/// Looks for events, a few streams at a time; empty where there are none.
async fn look(
    app: &App,
    feed: &Feed,
    subscription: &mut Subscription,
    updates: &mut watch::Receiver<u64>,
) -> Result<Bytes, HostError> {
    // Nobody closes it; without a turn a stream would still be right, and only hurried.
    let _turn = app.streams.turns.acquire().await;
    // Before the database is asked: what is committed after this is news again.
    let fresh = Freshness { updates: *updates.borrow_and_update(), age: POLL / 2 };
    feed.next(&app.store, subscription, fresh, PAGE).await
}
