//! Open streams of recipients: the status of one delivery, whenever it changes.

use std::{convert::Infallible, sync::Arc, time::Duration};

use bytes::Bytes;
use despacho_core::{
    drivers::stream::{DeliverySubscription, HEARTBEAT, HEARTBEAT_TEXT},
    host::HostError,
};
use futures_util::stream::poll_fn;
use http::{Response, request::Parts};
use tokio::{sync::mpsc, time::Instant};
use warp::reply::Reply;

use crate::{
    app::App,
    connections::Connection,
    early::{self, EarlyResponse},
    event_stream::{StreamPermit, stream_head},
    streams::StreamOwner,
};

/// Time between two reads without a commit of this process: positions of couriers and commits of
/// other instances.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Minimum time between two reads of a stream. Commits of other orders wake it too.
const MIN_READ_INTERVAL: Duration = Duration::from_secs(1);

/// Turns the initial response of a stream into an open stream, or returns an error if too many
/// streams are open.
pub(crate) fn respond(
    app: &Arc<App>,
    facts: &Parts,
    initial: Response<Bytes>,
    subscription: DeliverySubscription,
    connection: Option<Arc<Connection>>,
) -> warp::reply::Response {
    let owner = StreamOwner::Recipient(subscription.link.delivery);
    let Some(permit) = StreamPermit::acquire(app, owner, connection) else {
        return early::respond(
            facts,
            "GET /t/{token}/events",
            EarlyResponse::TooManyStreams,
        )
        .map(Into::into);
    };
    let (head, first) = stream_head(initial);
    let (chunks, mut waiting) = mpsc::channel(1);
    tokio::spawn(async move {
        if let Err(error) = write(&permit, subscription, first, chunks).await {
            tracing::warn!(%error, "recipient's stream failed; closing it");
        }
    });
    let body = poll_fn(move |context| {
        waiting
            .poll_recv(context)
            .map(|chunk| chunk.map(Ok::<Bytes, Infallible>))
    });
    let (_, body) = warp::reply::stream(body).into_response().into_parts();
    Response::from_parts(head, body)
}

/// Writes until the reader disconnects, the link ends or the server shuts down.
async fn write(
    permit: &StreamPermit,
    mut subscription: DeliverySubscription,
    first: Bytes,
    chunks: mpsc::Sender<Bytes>,
) -> Result<(), HostError> {
    let app = &permit.app;
    let mut updates = app.store.updates();
    let heartbeat = Duration::from_millis(u64::try_from(HEARTBEAT.as_millis()).unwrap_or(15_000));
    let (mut chunk, mut written) = (first, Instant::now());
    loop {
        if !chunk.is_empty() {
            if !permit.send(&chunks, chunk).await {
                return Ok(());
            }
            written = Instant::now();
        }
        let interval = (MIN_READ_INTERVAL, POLL_INTERVAL);
        if !permit.wait(&mut updates, &chunks, interval).await {
            return Ok(());
        }
        // Taken before the query: a later commit must trigger another read.
        updates.borrow_and_update();
        // The semaphore is never closed; without a permit the read would still be correct.
        let reading = app.streams.read_permits.acquire().await;
        let status = app
            .store
            .next_status(&app.settings, &mut subscription)
            .await?;
        drop(reading);
        let Some(text) = status else { return Ok(()) };
        chunk = match text.is_empty() && written.elapsed() >= heartbeat {
            true => Bytes::from_static(HEARTBEAT_TEXT.as_bytes()),
            false => text.into(),
        };
    }
}
