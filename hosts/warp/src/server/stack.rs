//! The layers around the filter, from the outside in: observation with security headers, delivery with compression, CORS.

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

/// What a page of another origin may read of an answer.
const EXPOSED: [HeaderName; 7] = [
    HeaderName::from_static("idempotent-replayed"),
    HeaderName::from_static("ratelimit"),
    HeaderName::from_static("ratelimit-policy"),
    HeaderName::from_static("x-request-id"),
    header::LINK,
    header::RETRY_AFTER,
    header::WWW_AUTHENTICATE,
];
/// What a page of another origin may send.
const ACCEPTED: [HeaderName; 7] = [
    HeaderName::from_static("idempotency-key"),
    HeaderName::from_static("x-api-token"),
    HeaderName::from_static("x-integrator-token"),
    HeaderName::from_static("x-request-id"),
    header::ACCEPT,
    header::ACCEPT_LANGUAGE,
    header::CONTENT_TYPE,
];
/// How long a browser may keep what it was told about another origin's rights.
const KNOWN_FOR: Duration = Duration::from_secs(3_600);

/// What answers a connection's requests.
pub(super) type Stack = BoxCloneSyncService<Request<Incoming>, Response<Body>, Infallible>;

/// The whole server as a service.
pub(super) fn full(app: Arc<App>, config: &Config) -> Stack {
    let secure = config.tls.cert.is_some();
    let api = warp::service(filter::catch_all(app.clone()));
    if config.cors.origins.is_empty() {
        observed(app, api, secure)
    } else {
        observed(app, cors(&config.cors.origins).layer(api), secure)
    }
}

/// What a connection gets for which there is no room: one refusal, and its end. Whoever watches the server is answered all the same,
/// since a server that is busy is not one that is dead.
pub(super) fn refuser(app: Arc<App>) -> Stack {
    BoxCloneSyncService::new(service_fn(move |request: Request<Incoming>| {
        let app = app.clone();
        async move {
            let (head, _) = request.into_parts();
            let watched = if overload::is_probe(head.uri.path()) {
                endpoints::serve(&app, &Request::from_parts(head.clone(), Bytes::new())).await
            } else {
                None
            };
            let rejected = || early::respond(&head, "unmatched", EarlyResponse::Overloaded);
            let mut response = watched.unwrap_or_else(rejected);
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            Ok(response.map(Body::whole))
        }
    }))
}

/// The same service for one connection: each request carries the connection and the client's address.
pub(super) fn called_from(peer: IpAddr, trusted: &Arc<[Network]>, connection: Arc<Connection>, stack: Stack) -> Stack {
    let trusted = trusted.clone();
    BoxCloneSyncService::new(stack.map_request(move |mut request: Request<Incoming>| {
        let caller = peer::caller(peer, request.headers(), &trusted);
        request.extensions_mut().insert(caller);
        request.extensions_mut().insert(connection.clone());
        request
    }))
}

fn observed<S>(app: Arc<App>, inner: S, secure: bool) -> Stack
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
            let requested = observe::RequestFacts::of(&app, &mut request);
            let delivery = Delivery::of(&app, &compressor, &request);
            let response = async { Ok(delivery.deliver(inner.oneshot(with_path(request)).await?).await) };
            observe::observe(&app, requested, secure, response).await
        }
    }))
}

/// A request with a path: `CONNECT` names a host and no path, and warp's path filter panics where there is none.
fn with_path(mut request: Request<Incoming>) -> Request<Incoming> {
    if request.uri().path_and_query().is_none() {
        *request.uri_mut() = Uri::from_static("/");
    }
    request
}

fn cors(origins: &[String]) -> CorsLayer {
    let origins = origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers(ACCEPTED)
        .expose_headers(EXPOSED)
        .max_age(KNOWN_FOR)
}
