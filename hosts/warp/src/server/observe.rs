//! What every answer gets, and what is kept of it: one line in the log, one count in the metrics, headers for browsers.

use std::{convert::Infallible, future::Future, sync::Arc, time::Instant};

use despacho_core::api::Outcome;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, header};

use crate::app::App;

/// An API's answers are neither pages, nor frames, nor kept by anybody. The documentation page sets its own policy.
const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
];
/// Half a year of HTTPS alone.
const HTTPS_ALONE: HeaderValue = HeaderValue::from_static("max-age=15552000");

/// Waits for an answer and writes down what it was. Of the request nothing is written but its method and its endpoint's
/// template: paths, queries, headers and bodies may hold secrets and people's data.
pub(super) async fn observe<B>(
    app: &Arc<App>,
    method: Method,
    secure: bool,
    answer: impl Future<Output = Result<Response<B>, Infallible>>,
) -> Result<Response<B>, Infallible> {
    let mut flight = Flight { app, started: Instant::now(), answered: false };
    app.metrics.in_flight.inc();
    let mut response = answer.await?;
    flight.answered = true;
    let took = flight.started.elapsed();
    // A preflight is answered by the CORS layer, which knows of no outcome.
    let outcome = response.extensions().get::<Outcome>().copied().unwrap_or(Outcome { route: "preflight", code: None });
    let status = response.status().as_u16();
    app.metrics.answered(outcome.route, status, took);
    let request_id = response.headers().get("x-request-id").and_then(|id| id.to_str().ok()).unwrap_or_default();
    let milliseconds = f64::from(u32::try_from(took.as_micros()).unwrap_or(u32::MAX)) / 1_000.0;
    let code = outcome.code.unwrap_or_default();
    if status >= 500 {
        tracing::error!(request_id, %method, route = outcome.route, status, ms = milliseconds, code, "request");
    } else {
        tracing::info!(request_id, %method, route = outcome.route, status, ms = milliseconds, code, "request");
    }
    harden(response.headers_mut(), secure);
    Ok(response)
}

fn harden(headers: &mut HeaderMap, secure: bool) {
    for (name, value) in HEADERS {
        if !headers.contains_key(&name) {
            headers.insert(name, value);
        }
    }
    if secure {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HTTPS_ALONE);
    }
}

/// A request between its head and its answer. Dropped without an answer, its caller has gone.
struct Flight<'a> {
    app: &'a Arc<App>,
    started: Instant,
    answered: bool,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.app.metrics.in_flight.dec();
        if !self.answered {
            self.app.metrics.abandoned.inc();
        }
    }
}
