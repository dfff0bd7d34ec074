//! Accepts connections within their limits, with timeouts and a graceful end.

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

/// Maximum number of rejected connections that receive a 503 at the same time. Further ones are
/// closed without a response.
const MAX_BUSY_RESPONSES: usize = 256;
/// Maximum time for the request and the response of a rejected connection.
const REJECTION_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum size of a request head, in bytes.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Maximum size of the headers of an HTTP/2 request, in bytes.
const MAX_HEADER_LIST_BYTES: u32 = 16 * 1024;
/// Maximum number of concurrent requests on one HTTP/2 connection.
const MAX_STREAMS: u32 = 128;
/// Maximum number of streams that the server has reset, because of protocol errors, and still
/// tracks per connection.
const MAX_RESET_STREAMS: usize = 64;
/// HTTP/2 flow control windows of a stream and of a connection, in bytes. They bound the unread
/// data that a client can make the server hold per connection. The library's defaults are a
/// megabyte each.
const STREAM_WINDOW: u32 = 64 * 1024;
const CONNECTION_WINDOW: u32 = 256 * 1024;

/// The state that all connections share.
pub(super) struct Server {
    app: Arc<App>,
    stack: Stack,
    overload_stack: Stack,
    trusted: Arc<[Network]>,
    tls: Option<TlsAcceptor>,
    timeouts: Timeouts,
    rejections: Arc<Semaphore>,
}

impl Server {
    pub(super) fn new(config: &Config, app: Arc<App>, tls: Option<TlsAcceptor>) -> Server {
        Server {
            stack: stack::full(app.clone(), config),
            overload_stack: stack::overload_stack(app.clone()),
            trusted: config.trusted_proxies.clone().into(),
            app,
            tls,
            timeouts: config.timeouts,
            rejections: Arc::new(Semaphore::new(MAX_BUSY_RESPONSES)),
        }
    }

    /// Accepts connections until the future is dropped.
    pub(super) async fn accept(&self, listener: TcpListener) {
        loop {
            match listener.accept().await {
                Ok((socket, peer)) => self.serve_connection(socket, peer.ip()),
                // Usually out of file handles or memory. The pause lets other connections end.
                Err(error) => {
                    tracing::warn!(%error, "failed to accept a connection; retrying");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    fn serve_connection(&self, socket: TcpStream, peer: IpAddr) {
        // Responses are written in one piece, so Nagle's algorithm would only delay them.
        let _ = socket.set_nodelay(true);
        // Without this timeout the kernel retransmits to a vanished peer for a quarter of an hour.
        #[cfg(target_os = "linux")]
        let _ = socket2::SockRef::from(&socket).set_tcp_user_timeout(Some(self.timeouts.write));
        let shutdown = self.app.shutdown.clone();
        let connection = AcceptedConnection {
            tls: self.tls.clone(),
            timeouts: self.timeouts,
            shutdown,
        };
        let is_proxy = self.trusted.iter().any(|network| network.contains(peer));
        if let Some(registered) = self.app.connections.register((!is_proxy).then_some(peer)) {
            let watched = registered.connection().clone();
            let stack =
                stack::for_connection(peer, &self.trusted, watched.clone(), self.stack.clone());
            let app = self.app.clone();
            self.app.tasks.spawn(async move {
                app.metrics.connections.inc();
                tokio::select! {
                    () = connection.run(WatchedSocket::new(socket, watched.clone()), stack) => {}
                    () = watched.wait_for_close() => { app.metrics.connections_closed.inc(); }
                }
                app.metrics.connections.dec();
                drop(registered);
            });
            return;
        }
        self.app.metrics.shed.inc();
        if let Ok(permit) = self.rejections.clone().try_acquire_owned() {
            let overload_stack = self.overload_stack.clone();
            self.app.tasks.spawn(async move {
                let _ = timeout(REJECTION_TIMEOUT, connection.run(socket, overload_stack)).await;
                drop(permit);
            });
        }
    }
}

/// One accepted connection.
struct AcceptedConnection {
    tls: Option<TlsAcceptor>,
    timeouts: Timeouts,
    shutdown: CancellationToken,
}

impl AcceptedConnection {
    /// Serves the connection until it ends. Disconnects are not errors.
    async fn run(self, socket: impl AsyncRead + AsyncWrite + Unpin + 'static, service: Stack) {
        match self.tls.clone() {
            None => self.http1(socket, service).await,
            Some(tls) => {
                let Ok(Ok(stream)) = timeout(self.timeouts.header, tls.accept(socket)).await else {
                    return;
                };
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
            .max_buf_size(MAX_HEAD_BYTES)
            .serve_connection(TokioIo::new(io), TowerToHyperService::new(service));
        self.serve_until_shutdown(connection).await;
    }

    async fn http2(self, io: impl AsyncRead + AsyncWrite + Unpin + 'static, service: Stack) {
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .keep_alive_interval(self.timeouts.header)
            .keep_alive_timeout(self.timeouts.header)
            .max_concurrent_streams(MAX_STREAMS)
            .max_local_error_reset_streams(MAX_RESET_STREAMS)
            .max_header_list_size(MAX_HEADER_LIST_BYTES)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_send_buf_size(STREAM_WINDOW as usize)
            .serve_connection(TokioIo::new(io), TowerToHyperService::new(service));
        self.serve_until_shutdown(connection).await;
    }

    /// Serves until the peer ends the connection or, during a shutdown, until the accepted requests
    /// have their responses.
    async fn serve_until_shutdown(self, connection: impl GracefulConnection) {
        let mut connection = std::pin::pin!(connection);
        let serving = self.shutdown.run_until_cancelled(connection.as_mut());
        if serving.await.is_none() {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
