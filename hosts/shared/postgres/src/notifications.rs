//! Change notifications between instances: an instance that commits events or messages notifies the
//! others, which read them at once instead of at their next poll.
//!
//! Notifications are sent after the commit, on a separate connection, batched for some
//! milliseconds. `NOTIFY` within the transactions would serialize all commits of the database. A
//! lost notification delays events until the next poll, and loses none.

use std::{fmt, sync::Arc, time::Duration};

use tokio::{
    sync::{mpsc, watch},
    time::{sleep, timeout},
};

use crate::{connector::Connector, error::text};

/// Time in which commits are batched into one notification.
const BATCH_TIME: Duration = Duration::from_millis(5);
/// Time between two attempts to connect.
const RECONNECT_DELAY: Duration = Duration::from_secs(1);

/// Suffix of the instance's name in a notification of changed keys or stores.
const ACCESS: &str = " access";

/// The reason that the connection for notifications ended.
enum ListenError {
    /// No host responded in time.
    Timeout,
    /// The connection was closed.
    Closed,
    /// A statement or the connection failed.
    Postgres(tokio_postgres::Error),
}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListenError::Timeout => f.write_str("no host responds"),
            ListenError::Closed => f.write_str("the connection for notifications was closed"),
            ListenError::Postgres(error) => f.write_str(&text(error)),
        }
    }
}

impl From<tokio_postgres::Error> for ListenError {
    fn from(error: tokio_postgres::Error) -> ListenError {
        ListenError::Postgres(error)
    }
}

/// Notifies other instances of the changes that `outgoing` and `access` count, and calls
/// `on_notification` for their notifications. Runs until it is aborted.
pub(crate) async fn run_listener(
    connector: Arc<Connector>,
    mut outgoing: watch::Receiver<u64>,
    mut access: watch::Receiver<u64>,
    on_notification: impl Fn(bool) + Send + Sync + 'static,
) {
    // Identifies this instance's own notifications.
    let name = format!("{:016x}", fastrand::u64(..));
    loop {
        match listen(
            &connector,
            &name,
            &mut outgoing,
            &mut access,
            &on_notification,
        )
        .await
        {
            Ok(()) => return,
            Err(error) => {
                tracing::warn!(%error, "connection for notifications lost; polling for events until it is restored")
            }
        }
        sleep(RECONNECT_DELAY).await;
        // Notifications were lost meanwhile.
        on_notification(true);
    }
}

/// Sends and receives notifications on one connection. Returns when this process closes the
/// database.
async fn listen(
    connector: &Connector,
    name: &str,
    outgoing: &mut watch::Receiver<u64>,
    access: &mut watch::Receiver<u64>,
    on_notification: &impl Fn(bool),
) -> Result<(), ListenError> {
    let (to, mut from) = mpsc::channel(64);
    let connecting = timeout(connector.timeout(), connector.connect(Some(to))).await;
    let (client, _driver) = connecting.map_err(|_| ListenError::Timeout)??;
    client.batch_execute("LISTEN despacho_news").await?;
    let notify = client
        .prepare("SELECT pg_notify('despacho_news', $1)")
        .await?;
    outgoing.borrow_and_update();
    access.borrow_and_update();
    loop {
        tokio::select! {
            sender = from.recv() => match sender {
                Some(sender) if sender.strip_suffix(ACCESS).unwrap_or(&sender) == name => {}
                Some(sender) => on_notification(sender.ends_with(ACCESS)),
                None => return Err(ListenError::Closed),
            },
            changed = outgoing.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                sleep(BATCH_TIME).await;
                outgoing.borrow_and_update();
                client.execute(&notify, &[&name]).await?;
            }
            // Not batched: until they are notified, other instances can accept a revoked key.
            changed = access.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                access.borrow_and_update();
                client.execute(&notify, &[&format!("{name}{ACCESS}")]).await?;
            }
        }
    }
}
