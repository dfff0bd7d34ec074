//! News between instances: whoever commits events or messages says so, and the others look at once instead of at their next poll.
//!
//! It is said after the commit, on a connection of its own, gathered for some milliseconds. Within the transaction it would make
//! every commit of the database wait for every other one. What is lost costs a poll's interval, no event.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{mpsc, watch},
    time::{sleep, timeout},
};

use crate::{connector::Connector, error::text};

/// How long commits are gathered before they are told.
const GATHER: Duration = Duration::from_millis(5);
/// How long to wait before another connection is tried.
const REST: Duration = Duration::from_secs(1);

/// What follows an instance's name where a commit changed keys or stores.
const ACCESS: &str = " access";

/// Notifies others of what `told` and `access` count and calls `on_notification` for their notifications, until it is aborted.
pub(crate) async fn exchange(
    connector: Arc<Connector>,
    mut outgoing: watch::Receiver<u64>,
    mut access: watch::Receiver<u64>,
    on_notification: impl Fn(bool) + Send + Sync + 'static,
) {
    // Whoever hears this name hears itself.
    let name = format!("{:016x}", fastrand::u64(..));
    loop {
        match follow(&connector, &name, &mut outgoing, &mut access, &on_notification).await {
            Ok(()) => return,
            Err(detail) => {
                tracing::warn!(detail, "news of other instances come late until the database is there again")
            }
        }
        sleep(REST).await;
        // What was told meanwhile nobody heard.
        on_notification(true);
    }
}

/// Until this process ends, or the connection does.
async fn follow(
    connector: &Connector,
    name: &str,
    outgoing: &mut watch::Receiver<u64>,
    access: &mut watch::Receiver<u64>,
    on_notification: &impl Fn(bool),
) -> Result<(), String> {
    let (to, mut from) = mpsc::channel(64);
    let connecting = timeout(connector.timeout(), connector.connect(Some(to))).await;
    let (client, _driver) = connecting.map_err(|_| "no host responds".to_owned())?.map_err(|error| text(&error))?;
    client.batch_execute("LISTEN despacho_news").await.map_err(|error| text(&error))?;
    let notify = client.prepare("SELECT pg_notify('despacho_news', $1)").await.map_err(|error| text(&error))?;
    outgoing.borrow_and_update();
    access.borrow_and_update();
    loop {
        tokio::select! {
            notifications = from.recv() => match notifications {
                Some(sender) if sender.strip_suffix(ACCESS).unwrap_or(&sender) == name => {}
                Some(sender) => on_notification(sender.ends_with(ACCESS)),
                None => return Err("the connection for news is gone".to_owned()),
            },
            changed = outgoing.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                sleep(GATHER).await;
                outgoing.borrow_and_update();
                client.execute(&notify, &[&name]).await.map_err(|error| text(&error))?;
            }
            // At once: until they have heard it, other instances may deliver to a key that was revoked.
            changed = access.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                access.borrow_and_update();
                client.execute(&notify, &[&format!("{name}{ACCESS}")]).await.map_err(|error| text(&error))?;
            }
        }
    }
}
