//! Sends one webhook request, with a timeout and without redirects or a proxy. The response body is
//! discarded.

use std::{error::Error as _, time::Duration};

use bytes::Bytes;
use despacho_core::{
    drivers::outbox::Job,
    model::webhook::{AttemptResult, SendError},
    rules::webhooks::WebhookConfig,
};
use despacho_shell::webhooks::{MAX_RESPONSE_BYTES, RESPONSE_TIMEOUT};
use http::{HeaderValue, Request};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::{
    client::legacy::{self, Error},
    rt::{TokioExecutor, TokioTimer},
};
use tokio::time::timeout;
use tokio_rustls::rustls;

use super::connect::{ConnectError, Connector};

/// How long an idle connection stays open for the next message.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// Sends requests.
pub(crate) struct Client {
    inner: legacy::Client<Connector, Full<Bytes>>,
    timeout: Duration,
}

impl Client {
    pub(crate) fn new(config: &WebhookConfig) -> Result<Client, rustls::Error> {
        let inner = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(4)
            .build(Connector::new(config.loopback)?);
        Ok(Client {
            inner,
            timeout: Duration::from_secs(config.timeout_seconds.into()),
        })
    }

    /// Sends one message and returns the result of the attempt.
    pub(super) async fn post(
        &self,
        url: &str,
        job: &Job,
        trace: Option<(&'static str, HeaderValue)>,
    ) -> AttemptResult {
        // The URL was validated when the webhook was created, so building the request does not
        // fail.
        let Ok(mut request) = job.request(url) else {
            return AttemptResult::Failed(SendError::Broken);
        };
        if let Some((name, value)) = trace {
            request.headers_mut().insert(name, value);
        }
        self.send(request).await
    }

    /// Sends a request and returns the result of the attempt.
    pub(crate) async fn send(&self, request: Request<Bytes>) -> AttemptResult {
        match timeout(self.timeout, self.inner.request(request.map(Full::new))).await {
            Err(_) => AttemptResult::Failed(SendError::Timeout),
            Ok(Err(error)) => AttemptResult::Failed(send_error(&error)),
            Ok(Ok(response)) => {
                let status = response.status().as_u16();
                let _ = timeout(
                    RESPONSE_TIMEOUT,
                    Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect(),
                )
                .await;
                AttemptResult::Status(status)
            }
        }
    }
}

/// Maps a client error to the reported one. An error of the connector already has a specific one.
fn send_error(error: &Error) -> SendError {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(ConnectError(send_error)) = cause.downcast_ref::<ConnectError>() {
            return *send_error;
        }
        source = cause.source();
    }
    if error.is_connect() {
        SendError::Connect
    } else {
        SendError::Broken
    }
}
