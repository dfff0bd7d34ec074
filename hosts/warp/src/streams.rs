//! Streams of events that stay open: woken by this process's commits, and looking every now and then for those of others.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use despacho_core::{
    api::stream::{HEARTBEAT, HEARTBEAT_TEXT, Subscription},
    domain::KeyId,
    host::Fault,
};
use futures_util::stream::poll_fn;
use http::{HeaderName, HeaderValue, Response, header, request::Parts};
use tokio::{
    sync::{
        Semaphore,
        mpsc::{self, error::TrySendError},
        watch,
    },
    time::{Instant, sleep_until},
};
use warp::reply::Reply;

use crate::{
    app::App,
    config::StreamLimits,
    connections::Connection,
    feed::{Feed, Feeds, Freshness},
    refusal::{self, Refusal},
};

/// How often a stream looks for events that another instance has written, of which this one was not told.
const POLL: Duration = Duration::from_secs(2);
/// How long after it found nothing a stream looks again, whatever happens meanwhile: a thousand streams of merchants who have nothing to do
/// with each other look ten thousand times a second at most.
const REST: Duration = Duration::from_millis(100);
/// Streams that look at once: a thousand that wake together would hold up every request behind them.
const AT_ONCE: usize = 4;
/// Events that are read at once.
const PAGE: u32 = 100;
/// Pieces that wait for a slow reader; past that nothing more is read for it.
const PIECES: usize = 1;

/// The streams that are open, by key.
#[derive(Debug)]
pub struct Streams {
    limits: StreamLimits,
    open: Mutex<BTreeMap<KeyId, usize>>,
    feeds: Feeds,
    turns: Semaphore,
}

impl Streams {
    /// None so far.
    pub fn new(limits: StreamLimits) -> Streams {
        Streams { limits, open: Mutex::default(), feeds: Feeds::default(), turns: Semaphore::new(AT_ONCE) }
    }

    /// Takes a place for a key's stream; false where there is none left.
    fn enter(&self, key: KeyId) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let total: usize = open.values().sum();
        let own = open.get(&key).copied().unwrap_or(0);
        if total >= self.limits.total || own >= self.limits.per_key {
            return false;
        }
        open.insert(key, own + 1);
        true
    }

    fn leave(&self, key: KeyId) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match open.get_mut(&key) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(open.remove(&key)),
        }
    }
}

/// A stream's place, given back when it ends however it ends.
struct Place {
    app: Arc<App>,
    key: KeyId,
    connection: Option<Arc<Connection>>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.app.streams.leave(self.key);
        self.app.metrics.streams.dec();
    }
}

/// Makes the answer that begins a stream into one that goes on, or refuses it where too many are open.
pub fn respond(
    app: &Arc<App>,
    facts: &Parts,
    begun: Response<Bytes>,
    subscription: Subscription,
    connection: Option<Arc<Connection>>,
) -> warp::reply::Response {
    let key = subscription.key;
    if !app.streams.enter(key) {
        return refusal::respond(facts, "GET /delivery/events/stream", Refusal::TooManyStreams).map(Into::into);
    }
    app.metrics.streams.inc();
    let place = Place { app: app.clone(), key, connection };
    let (mut head, first) = begun.into_parts();
    head.headers.remove(header::CONTENT_LENGTH);
    // Some proxies hold an answer back until it is whole, unless they are told.
    head.headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    let (pieces, mut waiting) = mpsc::channel(PIECES);
    tokio::spawn(follow(place, subscription, first, pieces));
    let body = poll_fn(move |context| waiting.poll_recv(context).map(|piece| piece.map(Ok::<Bytes, Infallible>)));
    let (_, body) = warp::reply::stream(body).into_response().into_parts();
    Response::from_parts(head, body)
}

/// Writes until the reader goes, its key ends, or the server stops. A fault ends the stream too: the reader comes again, from
/// where it was.
async fn follow(place: Place, mut subscription: Subscription, first: Bytes, pieces: mpsc::Sender<Bytes>) {
    let app = &place.app;
    let (mut news, mut stopping) = (app.store.news(), app.stopping.clone());
    let feed = app.streams.feeds.of(&subscription);
    let heartbeat = Duration::from_millis(u64::try_from(HEARTBEAT.as_millis()).unwrap_or(15_000));
    let mut piece = Some(first);
    let mut written = Instant::now();
    loop {
        if let Some(piece) = piece.take() {
            tokio::select! {
                sent = pieces.send(piece) => if sent.is_err() { return },
                // Over HTTP/2 a peer can read its socket and never open the stream's window: only the end of the connection frees the events.
                () = tokio::time::sleep(app.write_timeout) => {
                    place.connection.iter().for_each(|connection| connection.close());
                    return;
                }
                () = told(&mut stopping) => return,
            }
            written = Instant::now();
        }
        match look(app, &feed, &mut subscription, &mut news, &pieces).await {
            Ok(Looked::Sent) => {
                written = Instant::now();
                continue;
            }
            Ok(Looked::Full(text)) => {
                piece = Some(text);
                continue;
            }
            Ok(Looked::Nothing) => {}
            Ok(Looked::Gone) => return,
            Err(fault) => {
                tracing::warn!(%fault, "a stream of events ends");
                return;
            }
        }
        if written.elapsed() >= heartbeat {
            if !app.store.is_allowed(&subscription).await.unwrap_or(false) {
                return;
            }
            piece = Some(Bytes::from_static(HEARTBEAT_TEXT.as_bytes()));
            continue;
        }
        let looked = Instant::now();
        tokio::select! {
            changed = news.changed() => if changed.is_err() { return },
            () = sleep_until(looked + POLL) => {}
            () = pieces.closed() => return,
            () = told(&mut stopping) => return,
        }
        tokio::select! {
            () = sleep_until(looked + REST) => {}
            () = pieces.closed() => return,
            () = told(&mut stopping) => return,
        }
    }
}

/// What came of looking.
enum Looked {
    /// Events, which are on their way.
    Sent,
    /// Events, for which the reader has no room yet.
    Full(Bytes),
    /// No events.
    Nothing,
    /// The reader has gone.
    Gone,
}

/// Looks for events, a few streams at a time, and lets others run before the next one looks.
async fn look(
    app: &App,
    feed: &Feed,
    subscription: &mut Subscription,
    news: &mut watch::Receiver<u64>,
    pieces: &mpsc::Sender<Bytes>,
) -> Result<Looked, Fault> {
    // Nobody closes it; without a turn a stream would still be right, and only hurried.
    let _turn = app.streams.turns.acquire().await;
    // Before the database is asked: what is committed after this is news again.
    let fresh = Freshness { news: *news.borrow_and_update(), age: POLL / 2 };
    let text = feed.next(&app.store, subscription, fresh, PAGE).await?;
    if text.is_empty() {
        return Ok(Looked::Nothing);
    }
    let sent = pieces.try_send(text);
    tokio::task::yield_now().await;
    Ok(match sent {
        Ok(()) => Looked::Sent,
        Err(TrySendError::Full(text)) => Looked::Full(text),
        Err(TrySendError::Closed(_)) => Looked::Gone,
    })
}

/// Until the server was told to stop.
async fn told(stopping: &mut watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_and_the_server_hold_so_many_open_and_no_more() {
        let streams = Streams::new(StreamLimits { per_key: 2, total: 3 });
        let key = |number| KeyId::new(number).unwrap();
        assert!(streams.enter(key(1)) && streams.enter(key(1)) && !streams.enter(key(1)));
        assert!(streams.enter(key(2)) && !streams.enter(key(2)));
        streams.leave(key(1));
        assert!(streams.enter(key(2)) && !streams.enter(key(3)));
        (0..2).for_each(|_| streams.leave(key(2)));
        streams.leave(key(1));
        assert!(streams.open.lock().unwrap().is_empty());
    }
}
