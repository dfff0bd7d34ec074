//! Observes every response: writes a log line, updates the metrics and adds security headers.

use std::{
    convert::Infallible,
    future::Future,
    sync::Arc,
    time::{Duration, Instant},
};

use despacho_core::api::{self, Outcome, sent_request_id};
use http::{HeaderMap, HeaderValue, Method, Request, Response, header};

use crate::{
    app::App,
    early, overload,
    telemetry::{Span, SpanKind},
};

/// Requires HTTPS for half a year.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=15552000");

/// The requests that couriers' apps send every few seconds.
const ROUTINE_ROUTES: [&str; 6] = [
    "GET /courier/me",
    "GET /courier/order",
    "POST /courier/position",
    "GET /courier/positions/osmand",
    "POST /courier/positions/osmand",
    "POST /courier/positions/owntracks",
];

/// The observed data of a request in progress.
pub(super) struct ObservedRequest {
    method: Method,
    request_id: Option<String>,
    span: Option<Span>,
}

impl ObservedRequest {
    pub(super) fn of<B>(app: &App, request: &mut Request<B>) -> ObservedRequest {
        let preflight = request.method() == Method::OPTIONS;
        let request_id = if preflight {
            sent_request_id(request.headers()).map(str::to_owned)
        } else {
            None
        };
        // Probes are not traced: they would outnumber all other traces.
        let tracer = app
            .tracer
            .as_ref()
            .filter(|_| !overload::is_probe(request.uri().path()));
        let span =
            tracer.and_then(|tracer| tracer.root(request.headers(), "request", SpanKind::Server));
        if let Some(span) = &span {
            request.extensions_mut().insert(span.context());
        }
        ObservedRequest {
            method: request.method().clone(),
            request_id,
            span,
        }
    }
}

/// Waits for a response and records it. Of the request only the method and the route template are
/// logged: paths, queries, headers and bodies may contain secrets and personal data.
pub(super) async fn observe<B>(
    app: &Arc<App>,
    requested: ObservedRequest,
    secure: bool,
    reply: impl Future<Output = Result<Response<B>, Infallible>>,
) -> Result<Response<B>, Infallible> {
    let mut in_flight = InFlight {
        app,
        started: Instant::now(),
        responded: false,
    };
    app.metrics.in_flight.inc();
    let mut response = reply.await?;
    in_flight.responded = true;
    let took = in_flight.started.elapsed();
    let status = response.status().as_u16();
    // The CORS layer responds to a preflight, without an outcome.
    let outcome = response
        .extensions_mut()
        .remove::<Outcome>()
        .unwrap_or_else(|| Outcome {
            route: "preflight",
            code: None,
            request_id: requested.request_id.unwrap_or_else(early::fresh_id),
            log: None,
        });
    app.metrics.responded(outcome.route, status, took);
    log_request(&requested.method, &outcome, status, took);
    if let Some(span) = requested.span {
        end(span, &requested.method, &outcome, status);
    }
    if let Ok(id) = HeaderValue::try_from(outcome.request_id) {
        response.headers_mut().insert("x-request-id", id);
    }
    add_security_headers(response.headers_mut(), secure);
    Ok(response)
}

fn log_request(method: &Method, outcome: &Outcome, status: u16, took: Duration) {
    let Outcome {
        route,
        code,
        request_id,
        log,
    } = outcome;
    let ms = f64::from(u32::try_from(took.as_micros()).unwrap_or(u32::MAX)) / 1_000.0;
    match log {
        Some(error) => {
            tracing::error!(request_id, %method, route, status, ms, code, error, "request")
        }
        // Clients cause overload; the level `error` is for problems that the operator must fix.
        None if status == 503 => {
            tracing::warn!(request_id, %method, route, status, ms, code, "request")
        }
        None if status >= 500 => {
            tracing::error!(request_id, %method, route, status, ms, code, "request")
        }
        // Logged at `debug`, because these requests would outnumber all others.
        None if status < 400 && ROUTINE_ROUTES.contains(route) => {
            tracing::debug!(request_id, %method, route, status, ms, code, "request");
        }
        None => tracing::info!(request_id, %method, route, status, ms, code, "request"),
    }
}

/// Ends a request's span with the attributes of the HTTP semantic conventions.
fn end(mut span: Span, method: &Method, outcome: &Outcome, status: u16) {
    span.rename(outcome.route);
    span.set_attribute("http.request.method", method.to_string());
    span.set_attribute("http.route", outcome.route);
    span.set_attribute("http.response.status_code", i64::from(status));
    span.set_attribute("despacho.request_id", outcome.request_id.clone());
    if let Some(code) = outcome.code {
        span.set_attribute("error.type", code);
    }
    span.end(status >= 500);
}

fn add_security_headers(headers: &mut HeaderMap, secure: bool) {
    api::protect(headers);
    if secure {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HSTS);
    }
}

/// A request in progress. If it is dropped without a response, the client has disconnected.
struct InFlight<'a> {
    app: &'a Arc<App>,
    started: Instant,
    responded: bool,
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.app.metrics.in_flight.dec();
        if !self.responded {
            self.app.metrics.abandoned.inc();
            let ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
            tracing::info!(ms, "client disconnected before the response");
        }
    }
}
