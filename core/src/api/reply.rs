//! Converts a result or a problem into an HTTP response with its headers.

use std::borrow::Cow;

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header, request::Parts,
};

use super::{
    media::{JSON, sent_type, takes},
    pages,
    problem::{Problem, ProblemCode},
    response::ApiResponse,
    route::{Access, Protocol, Route},
};
use crate::{
    model::{ExecContext, Language},
    rules::limits::Admission,
};

const REQUEST_ID: &str = "x-request-id";
const MAX_REQUEST_ID: usize = 128;
/// Headers of most responses, with those of [`protect`] and of a server.
const USUAL_HEADERS: usize = 16;
/// Maximum number of characters of a path in a problem.
const MAX_INSTANCE: usize = 512;
/// The start of all paths of recipients.
const LINKS: &str = "/t/";

/// The outcome of a request, for a host's metrics and logs: an extension of every response of
/// [`handle`](super::handle).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The endpoint's template, `GET /delivery/orders/{platformOrderId}`; `unmatched` if there is
    /// none.
    pub route: &'static str,
    /// The problem's code, if the response is a problem.
    pub code: Option<&'static str>,
    /// The request ID, the caller's own if it sent a valid one.
    pub request_id: String,
    /// The cause of an error, for the operator only.
    pub log: Option<String>,
}

/// The properties of the response that are known before its result.
pub(super) struct Reply<'a> {
    request: &'a Parts,
    pub language: Language,
    /// The endpoint, after the request was matched.
    pub route: Option<&'static Route>,
    /// The name of the endpoint if it belongs to the host.
    pub name: &'static str,
    pub admission: Option<Admission>,
    request_id: String,
}

impl<'a> Reply<'a> {
    /// Creates the reply to a request; without a valid request ID from the caller it generates one.
    pub(super) fn to(request: &'a Parts, context: &mut ExecContext) -> Reply<'a> {
        let request_id =
            sent_request_id(&request.headers).map_or_else(|| context.entropy.hex(), str::to_owned);
        Reply::of(request, request_id)
    }

    /// Creates the reply to a request with this ID.
    pub(super) fn of(request: &'a Parts, request_id: String) -> Reply<'a> {
        Reply {
            request,
            language: language(request),
            route: None,
            name: "unmatched",
            admission: None,
            request_id,
        }
    }

    /// Builds the response.
    pub(super) fn write(self, result: Result<ApiResponse, Problem>) -> Response<Bytes> {
        let mut media = "application/problem+json";
        let recipient = self.route.filter(|route| route.access == Access::Recipient);
        let (status, body) = match &result {
            Ok(reply) => {
                media = reply.media;
                (reply.status, reply.body.clone())
            }
            Err(problem) if recipient.is_some() && self.accepts_page() => {
                media = pages::HTML;
                (
                    problem.code.status(),
                    pages::problem_page(problem, self.page_path(problem), self.language).into(),
                )
            }
            Err(problem) => {
                let document = problem.document(self.language, self.instance(), &self.request_id);
                (
                    problem.code.status(),
                    serde_json::to_vec(&document).unwrap_or_default().into(),
                )
            }
        };
        let mut response = Response::new(Bytes::new());
        *response.status_mut() =
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.headers_mut().reserve(USUAL_HEADERS);
        let mut set = |name: HeaderName, value: Cow<'static, str>| {
            let value = match value {
                Cow::Borrowed(text) => Ok(HeaderValue::from_static(text)),
                Cow::Owned(text) => HeaderValue::try_from(text),
            };
            if let Ok(value) = value {
                response.headers_mut().insert(name, value);
            }
        };
        if status != 204 {
            set(header::CONTENT_TYPE, media.into());
            set(header::CONTENT_LENGTH, body.len().to_string().into());
        }
        set(
            HeaderName::from_static(REQUEST_ID),
            self.request_id.clone().into(),
        );
        set(header::CACHE_CONTROL, "no-store".into());
        set(
            header::VARY,
            if recipient.is_some() {
                "accept, accept-language"
            } else {
                "accept-language"
            }
            .into(),
        );
        if recipient.is_some() {
            // With `no-referrer`, the origin of the page's forms would be `null`, like that of a
            // foreign page.
            set(header::REFERRER_POLICY, "same-origin".into());
            set(
                HeaderName::from_static("x-robots-tag"),
                "noindex, nofollow".into(),
            );
        }
        if media == pages::HTML {
            set(header::CONTENT_SECURITY_POLICY, pages::policy().into());
        }
        if let (Some(admission), Some(route)) = (self.admission, self.route) {
            let policy = route.usage.name();
            let Admission {
                quota,
                remaining,
                reset,
                ..
            } = admission;
            let reset = reset.seconds_ceil();
            set(
                HeaderName::from_static("ratelimit-policy"),
                format!("\"{policy}\";q={quota};w=60").into(),
            );
            set(
                HeaderName::from_static("ratelimit"),
                format!("\"{policy}\";r={remaining};t={reset}").into(),
            );
        }
        let code = match &result {
            Err(problem) => {
                set(header::CONTENT_LANGUAGE, self.language.tag().into());
                problem_headers(problem)
                    .into_iter()
                    .for_each(|(name, value)| set(name, value.into()));
                if status == 401 {
                    set(header::WWW_AUTHENTICATE, challenge(self.route).into());
                }
                Some(problem.code.name())
            }
            Ok(reply) => {
                own_headers(reply)
                    .into_iter()
                    .for_each(|(name, value)| set(name, value.into()));
                None
            }
        };
        let log = result.err().and_then(|problem| problem.log);
        let route = self.route.map_or(self.name, |route| route.template);
        response.extensions_mut().insert(Outcome {
            route,
            code,
            request_id: self.request_id,
            log,
        });
        if self.request.method != Method::HEAD {
            *response.body_mut() = body;
        }
        response
    }

    /// Returns whether the client accepts a page, on a recipient's endpoint.
    fn accepts_page(&self) -> bool {
        takes(&self.request.headers, "text/html") && sent_type(self.request) != JSON
    }

    /// Returns the path for a problem, without the token of a link. A path without a route can
    /// contain one too.
    fn instance(&self) -> &str {
        let path = self.request.uri.path();
        match self.route {
            Some(route) if route.access == Access::Recipient => route.path,
            None if path.starts_with(LINKS) => "/t/{token}",
            _ => path
                .char_indices()
                .nth(MAX_INSTANCE)
                .map_or(path, |(end, _)| path.split_at(end).0),
        }
    }

    /// Returns the path of the recipient's page after a rejected form, unless the link is unknown.
    fn page_path(&self, problem: &Problem) -> Option<&str> {
        let is_form = self.route.is_some_and(|route| route.is_form_of_page);
        let path = self
            .request
            .uri
            .path()
            .rsplit_once('/')
            .map(|(path, _)| path);
        path.filter(|_| {
            is_form
                && !matches!(
                    problem.code,
                    ProblemCode::TrackingNotFound | ProblemCode::RateLimited
                )
        })
    }
}

/// Returns the headers that a handler set.
fn own_headers(reply: &ApiResponse) -> impl IntoIterator<Item = (HeaderName, String)> {
    let set = [
        (header::LOCATION, reply.location.clone()),
        (header::CONTENT_SECURITY_POLICY, reply.policy.clone()),
        (
            header::CACHE_CONTROL,
            reply.is_final.then(|| "no-store, no-transform".to_owned()),
        ),
        (
            HeaderName::from_static("idempotent-replayed"),
            reply.replayed.then(|| "true".to_owned()),
        ),
        (header::SET_COOKIE, reply.cookie.clone()),
    ];
    set.into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
}

/// Returns the headers of a problem that depend only on the problem.
fn problem_headers(problem: &Problem) -> impl IntoIterator<Item = (HeaderName, String)> {
    let seconds = problem
        .retry_after
        .map(|span| span.seconds_ceil().max(1).to_string());
    let set = [
        (header::RETRY_AFTER, seconds),
        (header::ALLOW, problem.allow.clone()),
    ];
    set.into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
}

/// Returns the value of `WWW-Authenticate` for an endpoint.
fn challenge(route: Option<&Route>) -> &'static str {
    match route.map(|route| route.access) {
        Some(Access::Connection | Access::OptionalConnection) => "Bearer realm=\"despacho\"",
        Some(Access::Device(Protocol::OwnTracks)) => "Basic realm=\"despacho\"",
        Some(Access::Device(Protocol::Osmand)) => "ApiKey realm=\"despacho\", parameter=\"id\"",
        _ => "ApiKey realm=\"despacho\", header=\"x-api-token\"",
    }
}

/// Security headers. API responses are never pages or frames, and must not be cached.
const PROTECTION: [(HeaderName, HeaderValue); 6] = [
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    ),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    ),
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
];

/// Adds the security headers for browsers to a host's response. Existing headers, such as a page's
/// own policy, are not replaced.
pub fn protect(headers: &mut HeaderMap) {
    for (name, value) in PROTECTION {
        if !headers.contains_key(&name) {
            headers.insert(name, value);
        }
    }
}

/// Returns the caller's request ID if it has 1 to 128 letters, digits, dots, hyphens and
/// underscores.
pub fn sent_request_id(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(REQUEST_ID)?.to_str().ok()?;
    let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    ((1..=MAX_REQUEST_ID).contains(&text.len()) && text.chars().all(is_valid)).then_some(text)
}

/// Returns the language that the request accepts.
fn language(parts: &Parts) -> Language {
    let header = parts
        .headers
        .get(http::header::ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok());
    header.map(Language::of).unwrap_or_default()
}
