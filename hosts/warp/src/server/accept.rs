//! Connections: how many, how long they may dally, and how each ends.

use std::{net::IpAddr, sync::Arc, time::Duration};

use hyper::server::conn::{http1, http2};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::graceful::GracefulConnection,
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::timeout,
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::{
    socket::WatchedSocket,
    stack::{self, Stack},
};
use crate::{
    app::App,
    config::{Config, Timeouts},
    peer::Network,
};

/// Connections that are told at once that there is no room. Past these they are closed without a word.
const MAX_BUSY_RESPONSES: usize = 256;
/// How long such a connection may take to ask and to read its refusal.
const REJECTION_TIMEOUT: Duration = Duration::from_secs(2);
/// Bytes of a request's head.
const HEAD_BYTES: usize = 16 * 1024;
/// The same over HTTP/2.
const HEADER_LIST_BYTES: u32 = 16 * 1024;
/// Requests at once on one HTTP/2 connection.
const STREAMS: u32 = 128;
/// Streams of a connection that the server itself has reset and still keeps, because their peer broke the protocol.
const RESET_STREAMS: usize = 64;
/// Bytes of one HTTP/2 request's body, and of all of a connection's, that may be under way before they are read: what a peer can make
/// the server hold, times the connections. The library's own are a megabyte each.
const WINDOW: u32 = 64 * 1024;
const CONNECTION_WINDOW: u32 = 256 * 1024;

/// What every connection needs.
pub(super) struct Server {
    app: Arc<App>,
    stack: Stack,
    refuser: Stack,
    trusted: Arc<[Network]>,
    tls: Option<TlsAcceptor>,
    timeouts: Timeouts,
    rejections: Arc<Semaphore>,
}

impl Server {
    pub(super) fn new(config: &Config, app: Arc<App>, tls: Option<TlsAcceptor>) -> Server {
        Server {
            stack: stack::full(app.clone(), config),
            refuser: stack::refuser(app.clone()),
            trusted: config.trusted_proxies.clone().into(),
            app,
            tls,
            timeouts: config.timeouts,
            rejections: Arc::new(Semaphore::new(MAX_BUSY_RESPONSES)),
        }
    }

    /// Accepts until it is dropped.
    pub(super) async fn accept(&self, listener: TcpListener) {
        loop {
            match listener.accept().await {
                Ok((socket, peer)) => self.serve_connection(socket, peer.ip()),
                // Out of file handles or memory: closing connections will help, spinning will not.
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    fn serve_connection(&self, socket: TcpStream, peer: IpAddr) {
        // Answers are written whole: waiting for more only delays them.
        let _ = socket.set_nodelay(true);
        // A peer that vanished acknowledges nothing: the kernel would repeat what was sent for a quarter of an hour.
        #[cfg(target_os = "linux")]
        let _ = socket2::SockRef::from(&socket).set_tcp_user_timeout(Some(self.timeouts.write));
        let shutdown = self.app.shutdown.clone();
        let connection = Accepted { tls: self.tls.clone(), timeouts: self.timeouts, shutdown };
        let is_proxy = self.trusted.iter().any(|network| network.contains(peer));
        if let Some(open) = self.app.connections.register((!is_proxy).then_some(peer)) {
            let watched = open.connection().clone();
            let stack = stack::called_from(peer, &self.trusted, watched.clone(), self.stack.clone());
            let app = self.app.clone();
            self.app.tasks.spawn(async move {
                app.metrics.connections.inc();
                tokio::select! {
                    () = connection.run(WatchedSocket::new(socket, watched.clone()), stack) => {}
                    () = watched.wait_for_close() => { app.metrics.connections_closed.inc(); }
                }
                app.metrics.connections.dec();
                drop(open);
            });
            return;
        }
        self.app.metrics.shed.inc();
        if let Ok(place) = self.rejections.clone().try_acquire_owned() {
            let refuser = self.refuser.clone();
            self.app.tasks.spawn(async move {
                let _ = timeout(REJECTION_TIMEOUT, connection.run(socket, refuser)).await;
                drop(place);
            });
        }
    }
}

/// One accepted connection.
struct Accepted {
    tls: Option<TlsAcceptor>,
    timeouts: Timeouts,
    shutdown: CancellationToken,
}

impl Accepted {
    /// Serves the connection to its end. That a peer breaks off is no event.
    async fn run(self, socket: impl AsyncRead + AsyncWrite + Unpin + 'static, service: Stack) {
        match self.tls.clone() {
            None => self.http1(socket, service).await,
            Some(tls) => {
                let Ok(Ok(stream)) = timeout(self.timeouts.header, tls.accept(socket)).await else { return };
                if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                    self.http2(stream, service).await;
                } else {
                    self.http1(stream, service).await;
                }
            }
        }
    }

    async fn http1(self, io: impl AsyncRead + AsyncWrite + Unpin + 'static, service: Stack) {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.timeouts.header)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(io), TowerToHyperService::new(service));
        self.serve_out(connection).await;
    }

    async fn http2(self, io: impl AsyncRead + AsyncWrite + Unpin + 'static, service: Stack) {
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .keep_alive_interval(self.timeouts.header)
            .keep_alive_timeout(self.timeouts.header)
            .max_concurrent_streams(STREAMS)
            .max_local_error_reset_streams(RESET_STREAMS)
            .max_header_list_size(HEADER_LIST_BYTES)
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_send_buf_size(WINDOW as usize)
            .serve_connection(TokioIo::new(io), TowerToHyperService::new(service));
        self.serve_out(connection).await;
    }

    /// Serves until the peer ends the connection or, during a shutdown, until the accepted requests have their responses.
    async fn serve_out(self, connection: impl GracefulConnection) {
        let mut connection = std::pin::pin!(connection);
        tokio::select! {
            _ = connection.as_mut() => {}
            () = self.shutdown.cancelled() => {
                connection.as_mut().graceful_shutdown();
                let _ = connection.await;
            }
        }
    }
}
