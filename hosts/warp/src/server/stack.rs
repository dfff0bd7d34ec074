//! The layers around the filter, from the outside in: observation with security headers, compression, CORS.

use std::{convert::Infallible, net::IpAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response, Uri, header};
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use tower::{Layer, ServiceExt, service_fn, util::BoxCloneSyncService};
use tower_http::{
    compression::{
        CompressionBody, CompressionLayer,
        predicate::{NotForContentType, Predicate, SizeAbove},
    },
    cors::{AllowOrigin, CorsLayer},
};

use super::{filter, observe};
use crate::{
    app::App,
    config::Config,
    endpoints, overload,
    peer::{self, Network},
    refusal::{self, Refusal},
};

/// Below this many bytes a compressed answer saves no packet.
const WORTH_COMPRESSING: u16 = 1024;
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

/// A response's body, for one that warp does not name.
pub(super) trait BodyOf {
    type Body;
}

impl<B> BodyOf for Response<B> {
    type Body = B;
}

type FilterBody = <warp::reply::Response as BodyOf>::Body;
/// An answer's body: of the layers, or of a refusal.
pub(super) type Body = Either<CompressionBody<FilterBody>, Full<Bytes>>;
/// What answers a connection's requests.
pub(super) type Stack = BoxCloneSyncService<Request<Incoming>, Response<Body>, Infallible>;

/// The whole server as a service.
pub(super) fn full(app: Arc<App>, config: &Config) -> Stack {
    let secure = config.tls_cert.is_some();
    let compression = CompressionLayer::new()
        .compress_when(SizeAbove::new(WORTH_COMPRESSING).and(NotForContentType::IMAGES).and(NotForContentType::SSE));
    let api = warp::service(filter::catch_all(app.clone()));
    if config.cors_origins.is_empty() {
        observed(app, compression.layer(api), secure)
    } else {
        observed(app, compression.layer(cors(&config.cors_origins).layer(api)), secure)
    }
}

/// What a connection gets for which there is no room: one refusal, and its end. Whoever watches the server is answered all the same,
/// since a server that is busy is not one that is dead.
pub(super) fn refuser(app: Arc<App>) -> Stack {
    BoxCloneSyncService::new(service_fn(move |request: Request<Incoming>| {
        let app = app.clone();
        async move {
            let (head, _) = request.into_parts();
            let watched = if overload::is_watched(head.uri.path()) {
                endpoints::answer(&app, &Request::from_parts(head.clone(), Bytes::new())).await
            } else {
                None
            };
            let refused = || refusal::respond(&head, "unmatched", Refusal::Overloaded);
            let mut response = watched.unwrap_or_else(refused);
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            Ok(response.map(|body| Either::Right(Full::new(body))))
        }
    }))
}

/// The same service for a connection from an address, which each request is told.
pub(super) fn called_from(peer: IpAddr, trusted: &Arc<[Network]>, stack: Stack) -> Stack {
    let trusted = trusted.clone();
    BoxCloneSyncService::new(stack.map_request(move |mut request: Request<Incoming>| {
        let caller = peer::caller(peer, request.headers(), &trusted);
        request.extensions_mut().insert(caller);
        request
    }))
}

fn observed<S>(app: Arc<App>, inner: S, secure: bool) -> Stack
where
    S: tower::Service<Request<Incoming>, Response = Response<CompressionBody<FilterBody>>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send + 'static,
{
    BoxCloneSyncService::new(service_fn(move |request: Request<Incoming>| {
        let (app, inner) = (app.clone(), inner.clone());
        async move {
            let mut request = request;
            let asked = observe::Asked::of(&app, &mut request);
            let response = observe::observe(&app, asked, secure, inner.oneshot(with_path(request))).await?;
            Ok(response.map(Either::Left))
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
