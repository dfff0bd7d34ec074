//! Delivers a response: compresses it, reserves its memory and tracks it until it is sent.

use std::{
    net::{IpAddr, Ipv4Addr},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use despacho_core::api::{CallerAddress, Merchant, Outcome};
use despacho_shell::probes::{DOCS_ROUTE, HEALTH_ROUTE, PANEL_ROUTE, READY_ROUTE};
use http::{HeaderValue, Method, Request, Response, Version, header, request::Parts};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt;

use super::compress::{Compressor, Encoding, Threads};
use crate::{
    app::App,
    connections::{ActiveGuard, Connection, UnsentResponse, address_group},
    early::{self, EarlyResponse},
    endpoints::LLMS_ROUTE,
    memory::{Limit, MemoryOwner, MemoryShare, reserved},
};

/// Size of the frames passed to HTTP/2. Each further frame shows that the peer's window accepted
/// the previous one.
const FRAME_BYTES: usize = 16 * 1024;
/// Memory of a response besides its body: the task, the stream and the headers.
const OVERHEAD: usize = 4 * 1024;
/// Attempts to reserve memory, and the delay after closing a stalled connection to free some.
const MAX_ATTEMPTS: usize = 4;
const RETRY_DELAY: Duration = Duration::from_millis(10);
/// Routes of files whose memory all responses share.
const FILE_ROUTES: [&str; 5] = [
    DOCS_ROUTE,
    LLMS_ROUTE,
    "GET /docs/{file}",
    "GET /openapi.json",
    PANEL_ROUTE,
];

/// Names the body type of warp's response, which warp does not export.
pub(super) trait BodyOf {
    type Body;
}

impl<B> BodyOf for Response<B> {
    type Body = B;
}

pub(super) type FilterBody = <warp::reply::Response as BodyOf>::Body;

/// The request data on which the delivery of the response depends.
pub(super) struct Delivery {
    app: Arc<App>,
    compressor: Arc<Compressor>,
    connection: Option<Arc<Connection>>,
    address: IpAddr,
    encoding: Option<Encoding>,
    version: Version,
    facts: Parts,
}

impl Delivery {
    pub(super) fn of<B>(
        app: &Arc<App>,
        compressor: &Arc<Compressor>,
        request: &Request<B>,
    ) -> Delivery {
        let address = request
            .extensions()
            .get::<CallerAddress>()
            .map_or(Ipv4Addr::UNSPECIFIED.into(), |caller| caller.0);
        Delivery {
            app: app.clone(),
            compressor: compressor.clone(),
            connection: request.extensions().get::<Arc<Connection>>().cloned(),
            address: address_group(address),
            encoding: Encoding::preferred(request.headers()),
            version: request.version(),
            facts: early::facts(request),
        }
    }

    /// Returns the response for the connection, or 503 if its memory cannot be reserved.
    pub(super) async fn deliver(self, response: Response<FilterBody>) -> Response<Body> {
        let (mut head, body) = response.into_parts();
        if body.size_hint().exact().is_none() {
            let active = self.connection.as_ref().map(Connection::activate);
            return Response::from_parts(
                head,
                Body::Stream {
                    body: Box::pin(body),
                    _active: active,
                },
            );
        }
        let Ok(body) = body.collect().await else {
            return Response::from_parts(head, Body::whole(Bytes::new()));
        };
        let body = body.to_bytes();
        if body.is_empty() {
            return Response::from_parts(head, Body::whole(body));
        }
        let merchant = head.extensions.remove::<Merchant>();
        let route = head
            .extensions
            .get::<Outcome>()
            .map_or("", |outcome| outcome.route);
        let owner = match (merchant, route) {
            (Some(merchant), _) => MemoryOwner::Merchant(merchant.0),
            (None, HEALTH_ROUTE | READY_ROUTE) => MemoryOwner::HealthCheck(self.address),
            (None, _) => MemoryOwner::Address(self.address),
        };
        let file = FILE_ROUTES.contains(&route);
        let threads = Threads {
            handle: self.app.work.requests(),
            turns: self.app.store.turns(),
            owner,
        };
        let body = self
            .compressor
            .apply(&mut head.headers, body, self.encoding, file, threads)
            .await;
        let bytes = OVERHEAD + if file { 0 } else { body.len() };
        // A committed write keeps its response: 503 would contradict it. Metrics must be readable
        // during a shortage.
        let is_needed =
            !matches!(self.facts.method, Method::GET | Method::HEAD) || route == "GET /metrics";
        let required = is_needed && head.status.as_u16() < 400;
        let Some(share) = self.reserve(owner, bytes, required).await else {
            return self.reject(route);
        };
        let over_http2 = self.version == Version::HTTP_2;
        let unsent = self
            .connection
            .as_ref()
            .filter(|_| over_http2)
            .map(|connection| connection.add_unsent(body.len()));
        let unsent = unsent.map(Arc::new);
        let active = self.connection.as_ref().map(Connection::activate);
        let frame_bytes = if over_http2 { FRAME_BYTES } else { usize::MAX };
        Response::from_parts(
            head,
            Body::Whole {
                rest: reserved(body, share, active, unsent.clone()),
                frame_bytes,
                unsent,
            },
        )
    }

    async fn reserve(
        &self,
        owner: MemoryOwner,
        bytes: usize,
        required: bool,
    ) -> Option<MemoryShare> {
        for _ in 0..MAX_ATTEMPTS {
            let limit = match self.app.responses.reserve(owner, bytes, required) {
                Ok(share) => return Some(share),
                Err(limit) => limit,
            };
            let of = self
                .connection
                .as_deref()
                .filter(|_| limit == Limit::Caller);
            if !self.app.connections.reclaim(of) {
                return None;
            }
            tokio::time::sleep(RETRY_DELAY).await;
        }
        None
    }

    /// Returns 503 with a small body. Over HTTP/2 it has none: a peer that opens no window would
    /// block it.
    fn reject(&self, route: &'static str) -> Response<Body> {
        self.app.metrics.responses_shed.inc();
        let mut response = early::respond(&self.facts, route, EarlyResponse::ResponseMemory);
        if self.version == Version::HTTP_2 {
            *response.body_mut() = Bytes::new();
            response
                .headers_mut()
                .insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        response.map(Body::whole)
    }
}

/// The body of a response.
pub(super) enum Body {
    /// Bytes, sent in frames.
    Whole {
        rest: Bytes,
        frame_bytes: usize,
        unsent: Option<Arc<UnsentResponse>>,
    },
    /// A stream of events, which keeps its connection active.
    Stream {
        body: Pin<Box<FilterBody>>,
        _active: Option<ActiveGuard>,
    },
}

impl Body {
    pub(super) fn whole(bytes: Bytes) -> Body {
        Body::Whole {
            rest: bytes,
            frame_bytes: usize::MAX,
            unsent: None,
        }
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.get_mut() {
            Body::Whole { rest, .. } if rest.is_empty() => Poll::Ready(None),
            Body::Whole {
                rest,
                frame_bytes,
                unsent,
            } => {
                if let Some(unsent) = unsent {
                    unsent.progress();
                }
                let frame = rest.split_to(rest.len().min(*frame_bytes));
                if rest.is_empty() {
                    // From here on only the frame holds the reservation.
                    (*rest, *unsent) = (Bytes::new(), None);
                }
                Poll::Ready(Some(Ok(Frame::data(frame))))
            }
            Body::Stream { body, .. } => body.as_mut().poll_frame(context).map_err(Into::into),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Body::Whole { rest, .. } => rest.is_empty(),
            Body::Stream { body, .. } => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Body::Whole { rest, .. } => SizeHint::with_exact(rest.len() as u64),
            Body::Stream { body, .. } => body.size_hint(),
        }
    }
}
