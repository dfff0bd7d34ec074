//! The listener that serves only `/metrics`, without a token.

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

/// Maximum number of connections. A monitor needs one or two.
const MAX_CONNECTIONS: usize = 16;
/// Maximum duration of a connection.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(60);

/// Serves until the future is dropped.
pub(super) async fn serve(app: Arc<App>, listener: TcpListener) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = permits.clone().acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((socket, _)) => {
                let app = app.clone();
                tokio::spawn(async move {
                    let _ = timeout(CONNECTION_TIMEOUT, serve_connection(app, socket)).await;
                    drop(permit);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "failed to accept a metrics connection; retrying");
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
            _ => early::respond(
                &early::facts(&request),
                "unmatched",
                EarlyResponse::MetricsOnly,
            ),
        };
        std::future::ready(Ok::<_, Infallible>(response.map(Full::new)))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(CONNECTION_TIMEOUT)
        .serve_connection(TokioIo::new(socket), service);
    let _ = connection.await;
}
