//! The HTTP API as a function of a host and a request.
//!
//! On every host a request passes the same guards before its handler, in this order: endpoint (404,
//! 405), authentication (401), rate limit (429), role (403), content negotiation and body size
//! (406, 413, 415), and idempotency (409, 422).

mod audit;
mod bounds;
mod call;
mod caller;
mod confirmation;
mod cookie;
mod credentials;
mod csv_file;
mod details;
#[doc(hidden)]
pub mod endpoints;
mod failures;
#[doc(hidden)]
pub mod follow;
mod guards;
mod idempotency;
mod lookup;
mod media;
#[cfg(feature = "openapi")]
#[doc(hidden)]
pub mod openapi;
mod operation;
#[doc(hidden)]
pub mod page;
mod pages;
mod paging;
#[doc(hidden)]
pub mod places;
mod planning;
#[doc(hidden)]
pub mod problem;
mod proof_page;
mod proof_words;
mod read;
mod reply;
mod reports;
mod response;
#[doc(hidden)]
pub mod route;
mod strict;
mod tariff;
#[doc(hidden)]
pub mod validate;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, request::Parts};

#[doc(hidden)]
pub use self::read::Body;
pub use self::{
    caller::{CallerAddress, Merchant},
    problem::ProblemDocument,
    reply::{Outcome, protect, sent_request_id},
};
use crate::{
    api::{
        call::Call,
        idempotency::Begun,
        lookup::{Match, find},
        problem::{Problem, ProblemCode},
        reply::Reply,
        response::ApiResponse,
        route::{Lasting, Route},
    },
    drivers::stream::Subscription,
    host::Host,
    model::store::{KeyKind, Recompute},
    rules::{limits::Admission, settings::Settings},
};

/// Responds to one request. The host must have collected the whole body, or at least one byte more
/// than [`Endpoint::max_body`].
///
/// ```
/// use std::task::{Context, Poll, Waker};
///
/// use despacho_core::{Settings, api, memory::MemoryHost};
///
/// let (host, settings) = (MemoryHost::seeded(1), Settings::default());
/// let request = http::Request::get("/delivery/orders/1000").body(bytes::Bytes::new())?;
/// // This host never waits, so one poll completes the future. A real host runs it on its runtime.
/// let response = std::pin::pin!(api::handle(&host, &settings, request));
/// let Poll::Ready(response) = response.poll(&mut Context::from_waker(Waker::noop())) else { unreachable!() };
/// assert_eq!(response.status(), 401, "the request has no API key");
/// assert_eq!(response.headers()["content-type"], "application/problem+json");
/// # Ok::<(), http::Error>(())
/// ```
pub async fn handle<H: Host>(
    host: &H,
    settings: &Settings,
    request: Request<Bytes>,
) -> Response<Bytes> {
    handle_or_stream(host, settings, request).await.0
}

/// Like [`handle`], but also returns the continuation if the response starts an event stream: see
/// [`crate::drivers::stream`]. A host that cannot hold connections open ends the response there;
/// the client reconnects with the last event's ID.
pub async fn handle_or_stream<H: Host>(
    host: &H,
    settings: &Settings,
    request: Request<Bytes>,
) -> (Response<Bytes>, Option<Subscription>) {
    let (parts, body) = request.into_parts();
    let (mut subscription, mut merchant) = (None, None);
    let mut context = host.exec_context();
    let mut reply = Reply::to(&parts, &mut context);
    let result = match find(&parts.method, parts.uri.path()) {
        Match::Found(index, route, id) => {
            reply.route = Some(route);
            let mut call = Call {
                host,
                settings,
                parts: &parts,
                body: &body,
                language: reply.language,
                context,
                caller: None,
                courier: None,
                connection: None,
                link: None,
                route,
                id,
                claim: None,
                stream: None,
                is_confirmed: false,
            };
            let result = execute(&mut call, index, &mut reply.admission).await;
            subscription = call.stream.take().filter(|_| parts.method == Method::GET);
            merchant = call
                .caller
                .as_ref()
                .map(|caller| caller.store.parent.unwrap_or(caller.store.id));
            result
        }
        Match::OtherMethods(allow) => {
            let problem = Problem::new(
                ProblemCode::MethodNotAllowed,
                format!("This endpoint accepts only {allow}."),
                format!("Este endpoint aceita somente {allow}."),
            );
            Err(Problem {
                allow: Some(allow),
                ..problem
            })
        }
        Match::NotFound => Err(Problem::new(
            ProblemCode::EndpointNotFound,
            "This endpoint does not exist. Check the path; /docs lists all endpoints.",
            "Este endpoint não existe. Confira o caminho; /docs lista todos os endpoints.",
        )),
    };
    let applies = reply.route.is_some_and(strict::applies) && !body.is_empty();
    let mut response = reply.write(result);
    if let Some(applied) = strict::applied(&parts.headers).filter(|_| applies) {
        response.headers_mut().insert("preference-applied", applied);
    }
    if let Some(merchant) = merchant {
        response.extensions_mut().insert(Merchant(merchant));
    }
    (response, subscription)
}

/// Handles a request, and ends its claim on an idempotency key.
async fn execute<H: Host>(
    call: &mut Call<'_, H>,
    index: usize,
    admission: &mut Option<Admission>,
) -> Result<ApiResponse, Problem> {
    let result = handle_once(call, index, admission).await;
    let left = match &result {
        Err(problem) if call.route.notifies_of_failure && is_notified(call, problem.code) => {
            failures::failed_creation(call, problem)
                .await
                .unwrap_or_default()
        }
        _ => crate::changes::Changes {
            at: call.context.now,
            ..Default::default()
        },
    };
    if call.claim.is_some() || !left.notifications.is_empty() {
        let ended = idempotency::end(call, &result, left).await;
        // If the commit of a success fails, nothing was changed, and its error is the result. A
        // failure remains the result.
        if result.is_ok() {
            ended?;
        }
    }
    result
}

/// Passes the guards, then calls the handler or repeats the response to an earlier request with the
/// same idempotency key.
async fn handle_once<H: Host>(
    call: &mut Call<'_, H>,
    index: usize,
    admission: &mut Option<Admission>,
) -> Result<ApiResponse, Problem> {
    let route = call.route;
    let passed = guards::pass(call, route, admission).await?;
    // Held until the handler has ended.
    let _turn = if takes_turn(route, call.body) {
        Some(guards::take_turn(call, route.access).await?)
    } else {
        None
    };
    let begun = match passed.scope {
        Some(scope) if call.parts.method == Method::POST && route.stores_response => {
            idempotency::begin(call, scope, passed.owner).await?
        }
        _ => Begun::New,
    };
    match begun {
        Begun::New => endpoints::handle(call, index).await,
        Begun::Replayed(response) => {
            // A stored secret is not returned to a session that may not create one.
            if route.lasting() == Lasting::Access {
                confirmation::confirm(call).await?;
            }
            Ok(match route.completion {
                Some(complete) => complete(call.settings, response),
                None => response,
            })
        }
        Begun::Recompute(recompute) => recomputed(call, index, recompute).await,
    }
}

/// Recomputes a preview at the time of its first response. If the result differs, because the
/// tariff or other data has changed, it returns a new preview: a preview creates nothing, so a
/// second one is harmless.
async fn recomputed<H: Host>(
    call: &mut Call<'_, H>,
    index: usize,
    Recompute { at, digest }: Recompute,
) -> Result<ApiResponse, Problem> {
    let now = std::mem::replace(&mut call.context.now, at);
    let again = endpoints::handle(call, index).await;
    call.context.now = now;
    match again {
        Ok(response) if response.digest() == digest => Ok(ApiResponse {
            replayed: true,
            ..response
        }),
        _ => endpoints::handle(call, index).await,
    }
}

/// Whether the store gets a notification of a failed creation: for every client error, from the
/// media type to the balance. An exceeded quota would only fill the panel, and a request that is
/// still running has not failed. A panel shows typing errors at their fields, so of its orders only
/// the lack of balance remains, which the store's owner must know.
fn is_notified<H: Host>(call: &Call<'_, H>, code: ProblemCode) -> bool {
    match call.caller.as_ref().map(|caller| caller.key.kind) {
        None => false,
        Some(KeyKind::Panel) => code == ProblemCode::InsufficientBalance,
        Some(KeyKind::Integration) => {
            code.status() < 500
                && !matches!(
                    code,
                    ProblemCode::RateLimited | ProblemCode::RequestInProgress
                )
        }
    }
}

/// The endpoint of a request, if it has one: what a host must know before it calls [`handle`].
#[derive(Clone, Copy)]
pub struct Endpoint {
    route: Option<&'static Route>,
    is_safe: bool,
}

impl Endpoint {
    /// Finds the endpoint of a method and a path.
    ///
    /// ```
    /// use despacho_core::{Settings, api::Endpoint};
    /// use http::{HeaderMap, Method};
    ///
    /// let preview = Endpoint::of(&Method::POST, "/delivery/orders/preview");
    /// assert!(!preview.may_write(&HeaderMap::new()));
    /// assert_eq!(preview.max_body(&Settings::default()), 256 * 1024);
    /// ```
    pub fn of(method: &Method, path: &str) -> Endpoint {
        let route = match find(method, path) {
            Match::Found(_, route, _) => Some(route),
            Match::OtherMethods(_) | Match::NotFound => None,
        };
        Endpoint {
            route,
            is_safe: method.is_safe(),
        }
    }

    /// Returns the maximum size of the body in bytes. Only the endpoint for photos has its own.
    pub fn max_body(self, settings: &Settings) -> usize {
        self.route.map_or(settings.limits.body_bytes, |route| {
            route.max_body(&settings.limits)
        })
    }

    /// Whether a request with these headers may change what is stored. A host completes such a
    /// request even if the client has gone; it may cancel any other.
    pub fn may_write(self, headers: &HeaderMap) -> bool {
        self.route.map_or(!self.is_safe, |route| {
            route.may_write(headers.contains_key(idempotency::HEADER))
        })
    }

    /// Whether a request with this body can take more than about a millisecond of processor time. A
    /// host with threads runs it on other threads than those that serve connections; the core waits
    /// for the caller's [`Platform::turn`](crate::host::Platform::turn).
    pub fn is_heavy(self, body: &[u8]) -> bool {
        self.route
            .map_or(body.len() > LIGHT_BODY, |route| takes_turn(route, body))
    }
}

fn takes_turn(route: &Route, body: &[u8]) -> bool {
    route.is_heavy || body.len() > LIGHT_BODY
}

/// Maximum bytes of a request that is read, checked and planned within about a millisecond: an
/// order of some ten stops.
const LIGHT_BODY: usize = 4 * 1024;

/// Returns a host's problem as a response of the API, in the caller's language and with the
/// caller's request ID, or else `request_id`. `route` is for the [`Outcome`].
pub fn reject(
    request: &Parts,
    route: &'static str,
    problem: impl Into<Problem>,
    request_id: impl FnOnce() -> String,
) -> Response<Bytes> {
    let request_id = sent_request_id(&request.headers).map_or_else(request_id, str::to_owned);
    let mut reply = Reply::of(request, request_id);
    reply.name = route;
    reply.write(Err(problem.into()))
}
