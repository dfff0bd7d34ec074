//! What every answer gets, and what is kept of it: one line in the log, one count in the metrics, headers for browsers.

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

/// Half a year of HTTPS alone.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=15552000");

/// What a courier's app sends all day long.
const ROUTINE: [&str; 3] = ["GET /courier/me", "GET /courier/order", "POST /courier/position"];

/// What is kept of a request while it is on its way.
pub(super) struct RequestFacts {
    method: Method,
    request_id: Option<String>,
    span: Option<Span>,
}

impl RequestFacts {
    pub(super) fn of<B>(app: &App, request: &mut Request<B>) -> RequestFacts {
        let preflight = request.method() == Method::OPTIONS;
        let request_id = if preflight { sent_request_id(request.headers()).map(str::to_owned) } else { None };
        // Who only looks whether the server is there would bury what people look for.
        let tracer = app.tracer.as_ref().filter(|_| !overload::is_probe(request.uri().path()));
        let span = tracer.and_then(|tracer| tracer.root(request.headers(), "request", SpanKind::Server));
        if let Some(span) = &span {
            request.extensions_mut().insert(span.context());
        }
        RequestFacts { method: request.method().clone(), request_id, span }
    }
}

/// Waits for an answer and writes down what it was. Of the request nothing is written but its method and its endpoint's
/// template: paths, queries, headers and bodies may hold secrets and people's data.
pub(super) async fn observe<B>(
    app: &Arc<App>,
    requested: RequestFacts,
    secure: bool,
    reply: impl Future<Output = Result<Response<B>, Infallible>>,
) -> Result<Response<B>, Infallible> {
    let mut flight = Flight { app, started: Instant::now(), responded: false };
    app.metrics.in_flight.inc();
    let mut response = reply.await?;
    flight.responded = true;
    let took = flight.started.elapsed();
    let status = response.status().as_u16();
    // A preflight is answered by the CORS layer, which knows of no outcome.
    let outcome = response.extensions_mut().remove::<Outcome>().unwrap_or_else(|| Outcome {
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
    let Outcome { route, code, request_id, log } = outcome;
    let ms = f64::from(u32::try_from(took.as_micros()).unwrap_or(u32::MAX)) / 1_000.0;
    match log {
        Some(error) => tracing::error!(request_id, %method, route, status, ms, code, error, "request"),
        // Overload, which clients cause: the log of errors is for what the operator must repair.
        None if status == 503 => tracing::warn!(request_id, %method, route, status, ms, code, "request"),
        None if status >= 500 => tracing::error!(request_id, %method, route, status, ms, code, "request"),
        // Every courier's app asks and tells every few seconds: at a level of their own, they do not bury the rest.
        None if status < 400 && ROUTINE.contains(route) => {
            tracing::debug!(request_id, %method, route, status, ms, code, "request");
        }
        None => tracing::info!(request_id, %method, route, status, ms, code, "request"),
    }
}

/// Ends a request's span with what its endpoint was, as the conventions for HTTP name it.
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

/// A request between its head and its answer. Dropped without an answer, its caller has gone.
struct Flight<'a> {
    app: &'a Arc<App>,
    started: Instant,
    responded: bool,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.app.metrics.in_flight.dec();
        if !self.responded {
            self.app.metrics.abandoned.inc();
            let ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
            tracing::info!(ms, "a caller left before the answer");
        }
    }
}
