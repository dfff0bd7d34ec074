//! Opens connections: first to the host that accepted the last one, then to the others.

use std::{
    fmt,
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use deadpool_postgres::{
    Connect,
    tokio_postgres::{
        AsyncMessage, Client, Config, Connection, Error, NoTls, Socket, tls::MakeTlsConnect,
    },
};
use futures_util::future::BoxFuture;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    runtime::Handle,
    sync::mpsc,
    task::JoinHandle,
    time::timeout,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{
    address::Address,
    tls::{self, TlsError},
};

/// Receives the payloads of notifications.
pub(crate) type Notifications = mpsc::Sender<String>;

/// Opens connections to one database.
pub(crate) struct Connector {
    address: Address,
    tls: Option<MakeRustlsConnect>,
    /// Index of the host that accepted the last connection.
    last_host: AtomicUsize,
    /// The runtime that opened the database. It drives all connections, whichever runtime uses
    /// them: one that is busy with long requests must not delay the connections of others.
    runtime: Handle,
}

impl Connector {
    pub(crate) fn new(address: &Address) -> Result<Connector, TlsError> {
        let tls = if address.uses_tls() {
            Some(tls::connector()?)
        } else {
            None
        };
        Ok(Connector {
            address: address.clone(),
            tls,
            last_host: AtomicUsize::new(0),
            runtime: Handle::current(),
        })
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// Returns the time in which every host is tried. The driver's `connect_timeout` covers only
    /// the TCP handshake, and the kernel of a frozen server still accepts connections.
    pub(crate) fn timeout(&self) -> Duration {
        self.address.host_timeout() * u32::try_from(self.address.hosts().len()).unwrap_or(u32::MAX)
    }

    /// Opens a connection and returns it with the task that drives it. The caller must limit it by
    /// [`Connector::timeout`].
    pub(crate) async fn connect(
        &self,
        notifications: Option<Notifications>,
    ) -> Result<(Client, JoinHandle<()>), Error> {
        let (hosts, first) = (self.address.hosts(), self.last_host.load(Relaxed));
        for tried in 1..=hosts.len() {
            let index = (first + tried - 1) % hosts.len();
            let attempt = self.attempt(&hosts[index], notifications.clone());
            if tried == hosts.len() {
                return attempt
                    .await
                    .inspect(|_| self.last_host.store(index, Relaxed));
            }
            if let Ok(Ok(connected)) = timeout(self.address.host_timeout(), attempt).await {
                self.last_host.store(index, Relaxed);
                return Ok(connected);
            }
        }
        // Not reached, because an address has at least one host.
        self.attempt(self.address.config(), notifications).await
    }

    async fn attempt(
        &self,
        config: &Config,
        notifications: Option<Notifications>,
    ) -> Result<(Client, JoinHandle<()>), Error> {
        match &self.tls {
            Some(tls) => open(config, tls.clone(), notifications).await,
            None => open(config, NoTls, notifications).await,
        }
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connector({})", self.address)
    }
}

/// Opens the connections of a pool.
pub(crate) struct PoolConnect(pub(crate) Arc<Connector>);

impl Connect for PoolConnect {
    fn connect(&self, _config: &Config) -> BoxFuture<'_, Result<(Client, JoinHandle<()>), Error>> {
        let connector = Arc::clone(&self.0);
        let opened = self
            .0
            .runtime
            .spawn(async move { connector.connect(None).await });
        Box::pin(async move {
            match opened.await {
                Ok(opened) => opened,
                // The task is never aborted, so it panicked. The panic is propagated.
                Err(error) => std::panic::resume_unwind(Box::new(error.to_string())),
            }
        })
    }
}

async fn open<T>(
    config: &Config,
    tls: T,
    notifications: Option<Notifications>,
) -> Result<(Client, JoinHandle<()>), Error>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let (client, connection) = config.connect(tls).await?;
    Ok((client, tokio::spawn(drive(connection, notifications))))
}

/// Drives a connection and forwards its notifications. It ends when the client is dropped.
async fn drive<S, T>(mut connection: Connection<S, T>, notifications: Option<Notifications>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let (AsyncMessage::Notification(notification), Some(to)) = (message, &notifications) {
            // If the channel is full, the notifications in it suffice: receivers then read all
            // changes.
            let _ = to.try_send(notification.payload().to_owned());
        }
    }
}
