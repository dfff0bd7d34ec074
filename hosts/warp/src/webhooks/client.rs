//! One request of a webhook: no redirects, no proxy, a time limit, and an answer's body that nobody reads.

use std::{error::Error as _, time::Duration};

use bytes::Bytes;
use despacho_core::{
    drivers::outbox::Job,
    model::webhook::{AttemptResult, SendError},
    rules::webhooks::WebhookConfig,
};
use despacho_shell::webhooks::{MAX_RESPONSE_BYTES, RESPONSE_TIMEOUT};
use http::HeaderValue;
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::{
    client::legacy::{self, Error},
    rt::{TokioExecutor, TokioTimer},
};
use tokio::time::timeout;

use super::connect::{ConnectError, Connector};

/// How long a connection is kept for the next message.
const IDLE: Duration = Duration::from_secs(20);

/// Sends requests.
pub(super) struct Client {
    inner: legacy::Client<Connector, Full<Bytes>>,
    timeout: Duration,
}

impl Client {
    pub(super) fn new(terms: &WebhookConfig) -> Result<Client, String> {
        let inner = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(4)
            .build(Connector::new(terms.loopback)?);
        Ok(Client { inner, timeout: Duration::from_secs(terms.timeout_seconds.into()) })
    }

    /// Sends one message and says what came of it.
    pub(super) async fn post(&self, url: &str, job: &Job, trace: Option<(&'static str, HeaderValue)>) -> AttemptResult {
        let request = job.request(url).map(|mut request| {
            if let Some((name, value)) = trace {
                request.headers_mut().insert(name, value);
            }
            request.map(Full::new)
        });
        // The URL was checked when it was taken, so that no request fails to be built.
        let Ok(request) = request else { return AttemptResult::Failed(SendError::Broken) };
        match timeout(self.timeout, self.inner.request(request)).await {
            Err(_) => AttemptResult::Failed(SendError::Timeout),
            Ok(Err(error)) => AttemptResult::Failed(send_error(&error)),
            Ok(Ok(response)) => {
                let status = response.status().as_u16();
                let _ =
                    timeout(RESPONSE_TIMEOUT, Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect()).await;
                AttemptResult::Status(status)
            }
        }
    }
}

/// What an error was, by the connector's own word where it was the connector's.
fn send_error(error: &Error) -> SendError {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(ConnectError(send_error)) = cause.downcast_ref::<ConnectError>() {
            return *send_error;
        }
        source = cause.source();
    }
    if error.is_connect() { SendError::Connect } else { SendError::Broken }
}
