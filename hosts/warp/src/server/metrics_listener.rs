//! The listener that serves `/metrics` alone, without a token.

use std::{convert::Infallible, sync::Arc, time::Duration};

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::timeout,
};

use crate::{
    app::App,
    early::{self, EarlyResponse},
    endpoints,
};

/// Connections at once: a monitor has one or two.
const MAX_CONNECTIONS: usize = 16;
/// The longest life of a connection, whatever its client does.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(60);

/// Serves until it is dropped.
pub(super) async fn serve(app: Arc<App>, listener: TcpListener) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = room.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((socket, _)) => {
                let app = app.clone();
                tokio::spawn(async move {
                    let _ = timeout(CONNECTION_TIMEOUT, serve_connection(app, socket)).await;
                    drop(permit);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "metrics connection not accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn serve_connection(app: Arc<App>, socket: TcpStream) {
    let service = service_fn(move |request: Request<Incoming>| {
        let request = request.map(|_| Bytes::new());
        let response = match (request.method().as_str(), request.uri().path()) {
            ("GET", "/metrics") => endpoints::metrics(&app, &request),
            _ => early::respond(&early::facts(&request), "unmatched", EarlyResponse::MetricsOnly),
        };
        std::future::ready(Ok::<_, Infallible>(response.map(Full::new)))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(CONNECTION_TIMEOUT)
        .serve_connection(TokioIo::new(socket), service);
    let _ = connection.await;
}
