//! Serves an application on loopback.

use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use bytes::Bytes;
use despacho_xtask::run::Failure;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, Uri, uri::Scheme};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use wasmtime_wasi_http::{Error as HttpError, WasiBody, handler::ProxyHandler};

use crate::{CompiledComponent, Options, Stats, instances::Application};

/// An application served on its own threads until this value is dropped.
pub struct TestServer {
    /// The base URL, without a trailing slash.
    pub base: String,
    stats: Arc<Stats>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl TestServer {
    /// Serves an application.
    pub fn start(compiled: &CompiledComponent, options: &Options) -> Result<TestServer, Failure> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::new(format!("cannot serve the application: {error}"))
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build();
        let runtime = runtime.map_err(|error| failed(&error))?;
        let application =
            Application::new(compiled, options).map_err(|error| failed(&format!("{error:#}")))?;
        let stats = Arc::clone(&application.stats);
        let listener = runtime
            .block_on(TcpListener::bind(options.listen))
            .map_err(|error| failed(&error))?;
        let address = listener.local_addr().map_err(|error| failed(&error))?;
        let handler = {
            let _guard = runtime.enter();
            ProxyHandler::new(application)
        };
        runtime.spawn(accept(listener, handler));
        Ok(TestServer {
            base: format!("http://{address}"),
            stats,
            runtime: Some(runtime),
        })
    }

    /// Returns the counters.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        // Simulates a kill: everything is aborted, except statements that a database is executing.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn accept(listener: TcpListener, handler: ProxyHandler<Application>) {
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            continue;
        };
        tokio::spawn(connection(stream, peer, handler.clone()));
    }
}

async fn connection(stream: TcpStream, peer: SocketAddr, handler: ProxyHandler<Application>) {
    _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let handler = handler.clone();
        async move { Ok::<_, Infallible>(reply(&handler, request, peer).await) }
    });
    _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn reply(
    handler: &ProxyHandler<Application>,
    request: Request<Incoming>,
    peer: SocketAddr,
) -> Response<WasiBody> {
    let request =
        with_spin_headers(request, peer).map(|body| body.map_err(HttpError::from).boxed_unsync());
    match handler.handle((), request).await {
        Ok(response) => response,
        Err(error) => {
            eprintln!("a request failed: {error:#}");
            let empty = Full::new(Bytes::new())
                .map_err(|never: Infallible| match never {})
                .boxed_unsync();
            let mut response = Response::new(empty);
            *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
            response
        }
    }
}

/// Makes the URI absolute, adds Spin's headers and removes hop-by-hop headers.
fn with_spin_headers(mut request: Request<Incoming>, peer: SocketAddr) -> Request<Incoming> {
    let mut parts = request.uri().clone().into_parts();
    let host = request
        .headers()
        .get(http::header::HOST)
        .and_then(|host| host.to_str().ok()?.parse().ok());
    parts.scheme = Some(Scheme::HTTP);
    parts.authority = host.or_else(|| "localhost".parse().ok());
    if let Ok(uri) = Uri::from_parts(parts) {
        *request.uri_mut() = uri;
    }
    let (full, path) = (request.uri().to_string(), request.uri().path().to_owned());
    let headers = request.headers_mut();
    for name in [
        "connection",
        "keep-alive",
        "transfer-encoding",
        "upgrade",
        "proxy-connection",
    ] {
        headers.remove(name);
    }
    let added = [
        ("spin-full-url", full),
        ("spin-path-info", path),
        ("spin-matched-route", "/...".to_owned()),
        ("spin-raw-component-route", "/...".to_owned()),
        ("spin-component-route", String::new()),
        ("spin-base-path", "/".to_owned()),
        ("spin-client-addr", peer.to_string()),
    ];
    for (name, value) in added {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    request
}
