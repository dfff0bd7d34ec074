//! The layers around the filter, from the outside in: observation with security headers, delivery
//! with compression, CORS.

use std::{convert::Infallible, net::IpAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response, Uri, header};
use hyper::body::Incoming;
use tower::{Layer, ServiceExt, service_fn, util::BoxCloneSyncService};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::{
    compress::Compressor,
    deliver::{Body, Delivery, FilterBody},
    filter, observe,
};
use crate::{
    app::App,
    config::Config,
    connections::Connection,
    early::{self, EarlyResponse},
    endpoints, overload,
    peer::{self, Network},
};

/// Response headers that pages of other origins may read.
const EXPOSED_HEADERS: [HeaderName; 8] = [
    HeaderName::from_static("idempotent-replayed"),
    HeaderName::from_static("preference-applied"),
    HeaderName::from_static("ratelimit"),
    HeaderName::from_static("ratelimit-policy"),
    HeaderName::from_static("x-request-id"),
    header::LINK,
    header::RETRY_AFTER,
    header::WWW_AUTHENTICATE,
];
/// Request headers that pages of other origins may send.
const ALLOWED_HEADERS: [HeaderName; 8] = [
    HeaderName::from_static("idempotency-key"),
    HeaderName::from_static("prefer"),
    HeaderName::from_static("x-api-token"),
    HeaderName::from_static("x-integrator-token"),
    HeaderName::from_static("x-request-id"),
    header::ACCEPT,
    header::ACCEPT_LANGUAGE,
    header::CONTENT_TYPE,
];
/// How long a browser may cache a preflight response.
const PREFLIGHT_MAX_AGE: Duration = Duration::from_secs(3_600);

/// The service behind a connection.
pub(super) type Stack = BoxCloneSyncService<Request<Incoming>, Response<Body>, Infallible>;

/// Returns the complete service.
pub(super) fn full(app: Arc<App>, config: &Config) -> Stack {
    let secure = config.tls.cert.is_some();
    let api = warp::service(filter::catch_all(app.clone()));
    if config.cors.origins.is_empty() {
        with_layers(app, api, secure)
    } else {
        with_layers(app, cors(&config.cors.origins).layer(api), secure)
    }
}

/// Returns the service for connections above the limit: one 503 response, after which the
/// connection is closed. Probes are still served, because an overloaded server must not be
/// restarted.
pub(super) fn overload_stack(app: Arc<App>) -> Stack {
    BoxCloneSyncService::new(service_fn(move |request: Request<Incoming>| {
        let app = app.clone();
        async move {
            let (head, _) = request.into_parts();
            let probe_response = if overload::is_probe(head.uri.path()) {
                endpoints::serve(&app, &Request::from_parts(head.clone(), Bytes::new())).await
            } else {
                None
            };
            let rejected = || early::respond(&head, "unmatched", EarlyResponse::Overloaded);
            let mut response = probe_response.unwrap_or_else(rejected);
            response
                .headers_mut()
                .insert(header::CONNECTION, HeaderValue::from_static("close"));
            Ok(response.map(Body::whole))
        }
    }))
}

/// Returns the service for one connection: it adds the connection and the client's address to each
/// request.
pub(super) fn for_connection(
    peer: IpAddr,
    trusted: &Arc<[Network]>,
    connection: Arc<Connection>,
    stack: Stack,
) -> Stack {
    let trusted = trusted.clone();
    BoxCloneSyncService::new(stack.map_request(move |mut request: Request<Incoming>| {
        let caller = peer::caller(peer, request.headers(), &trusted);
        request.extensions_mut().insert(caller);
        request.extensions_mut().insert(connection.clone());
        request
    }))
}

fn with_layers<S>(app: Arc<App>, inner: S, secure: bool) -> Stack
where
    S: tower::Service<Request<Incoming>, Response = Response<FilterBody>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send + 'static,
{
    let compressor = Arc::new(Compressor::default());
    BoxCloneSyncService::new(service_fn(move |request: Request<Incoming>| {
        let (app, inner, compressor) = (app.clone(), inner.clone(), compressor.clone());
        async move {
            let mut request = request;
            let requested = observe::ObservedRequest::of(&app, &mut request);
            let delivery = Delivery::of(&app, &compressor, &request);
            let response = async {
                Ok(delivery
                    .deliver(inner.oneshot(with_path(request)).await?)
                    .await)
            };
            observe::observe(&app, requested, secure, response).await
        }
    }))
}

/// Adds a path if it is missing: `CONNECT` has only a host, and warp's path filter panics without a
/// path.
fn with_path(mut request: Request<Incoming>) -> Request<Incoming> {
    if request.uri().path_and_query().is_none() {
        *request.uri_mut() = Uri::from_static("/");
    }
    request
}

fn cors(origins: &[String]) -> CorsLayer {
    let origins = origins
        .iter()
        .filter_map(|origin| HeaderValue::from_str(origin).ok());
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([
            Method::GET,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
        ])
        .allow_headers(ALLOWED_HEADERS)
        .expose_headers(EXPOSED_HEADERS)
        .max_age(PREFLIGHT_MAX_AGE)
}
