//! The HTTP API as a function of a host and a request.

use bytes::Bytes;
use http::{Request, Response};

use crate::{host::Host, settings::Settings};

/// Answers one request. The body must already be collected, up to `settings.limits.body_bytes` and one more.
pub async fn handle<H: Host>(host: &H, settings: &Settings, request: Request<Bytes>) -> Response<Bytes> {
    let _ = (host, settings, request);
    Response::new(Bytes::new())
}

/// What a response was, for a host's metrics and logs: an extension of every response of [`handle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The endpoint's template, `GET /delivery/orders/{platformOrderId}`; `unmatched` where there is none.
    pub route: &'static str,
    /// The problem's code, where it was one.
    pub code: Option<&'static str>,
}
