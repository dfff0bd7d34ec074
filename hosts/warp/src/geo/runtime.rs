//! Calls external services over HTTP, caches geocoder results and records metrics.

use std::{error::Error, sync::Arc, time::Duration};

use bytes::Bytes;
use despacho_geo::{
    AttemptError, CachedResult, Runtime, ServiceEvent, ServiceRequest, ServiceResponse,
};
use http::Uri;
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::HttpsConnector;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use tokio::time::{Instant, timeout};

use super::{
    cache::Cache,
    metrics::{CacheOutcome, GeoMetrics},
};
use crate::{
    connector::connector,
    error::StartError,
    telemetry::{self, SpanKind},
};

/// Maximum size of a response. A matrix of 100 by 100 has about 300,000 bytes.
const MAX_RESPONSE_BYTES: usize = 16 << 20;
/// Maximum number of idle connections per service.
const IDLE_CONNECTIONS: usize = 16;

/// An HTTP client for external services.
pub(super) struct HttpRuntime {
    /// `None` if no service is configured.
    client: Option<Client<HttpsConnector<HttpConnector>, Full<Bytes>>>,
    cache: Option<Arc<Cache>>,
    metrics: GeoMetrics,
    started: Instant,
}

impl HttpRuntime {
    /// Creates a runtime without services.
    pub(super) fn offline(metrics: GeoMetrics) -> HttpRuntime {
        HttpRuntime {
            client: None,
            cache: None,
            metrics,
            started: Instant::now(),
        }
    }

    /// Creates a runtime without connecting.
    ///
    /// # Errors
    /// HTTPS is required, but the system's root certificates cannot be read.
    pub(super) fn new(
        secure: bool,
        cache: Option<Cache>,
        metrics: GeoMetrics,
    ) -> Result<HttpRuntime, StartError> {
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .build(connector(secure)?);
        Ok(HttpRuntime {
            client: Some(client),
            cache: cache.map(Arc::new),
            ..HttpRuntime::offline(metrics)
        })
    }

    async fn send_within(
        &self,
        url: &str,
        outgoing: &ServiceRequest,
        time_limit: Duration,
    ) -> Result<ServiceResponse, AttemptError> {
        match timeout(time_limit, self.send_once(url, outgoing)).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => {
                tracing::debug!(error = error_chain(&*error), "request to a service failed");
                Err(AttemptError::Unreachable)
            }
            Err(_) => Err(AttemptError::Timeout),
        }
    }

    async fn send_once(
        &self,
        url: &str,
        outgoing: &ServiceRequest,
    ) -> Result<ServiceResponse, Box<dyn Error + Send + Sync>> {
        let mut request = outgoing.request(url)?.map(Full::new);
        if let Some((name, value)) = telemetry::current().and_then(|context| context.header()) {
            request.headers_mut().insert(name, value);
        }
        let client = self.client.as_ref().ok_or("no service is configured")?;
        let response = client.request(request).await?;
        let status = response.status().as_u16();
        let collected = Limited::new(response.into_body(), MAX_RESPONSE_BYTES)
            .collect()
            .await;
        Ok(ServiceResponse {
            status,
            body: collected?.to_bytes(),
        })
    }
}

impl Runtime for HttpRuntime {
    async fn send(
        &self,
        url: &str,
        outgoing: &ServiceRequest,
        time_limit: Duration,
    ) -> Result<ServiceResponse, AttemptError> {
        let Some(mut span) = telemetry::child("service", SpanKind::Client) else {
            return self.send_within(url, outgoing, time_limit).await;
        };
        // Only the host of the URL: its query contains a person's address.
        if let Some(host) = url.parse::<Uri>().ok().as_ref().and_then(Uri::host) {
            span.set_attribute("server.address", host.to_owned());
        }
        let response = telemetry::within(
            Some(span.context()),
            self.send_within(url, outgoing, time_limit),
        )
        .await;
        if let Ok(response) = &response {
            span.set_attribute("http.response.status_code", i64::from(response.status));
        }
        span.end(response.is_err());
        response
    }

    async fn pause(&self, span: Duration) {
        tokio::time::sleep(span).await;
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn jitter(&self) -> u8 {
        let mut byte = [0; 1];
        // Without randomness the maximum delay is used, which is also correct.
        getrandom::fill(&mut byte).map_or(u8::MAX, |()| byte[0])
    }

    async fn cached(&self, outgoing: &str) -> Option<CachedResult> {
        let (cache, outgoing) = (self.cache.clone()?, outgoing.to_owned());
        let looked_up = tokio::task::spawn_blocking(move || cache.get(&outgoing)).await;
        let (outcome, kept) = match looked_up {
            Ok(Ok(Some(kept))) => (CacheOutcome::Hit, Some(kept)),
            Ok(Ok(None)) => (CacheOutcome::Miss, None),
            // Without the cache the service is queried again: slower, but correct.
            Ok(Err(_)) | Err(_) => (CacheOutcome::Failed, None),
        };
        self.metrics.record_lookup(outcome);
        kept
    }

    async fn put_cached(&self, outgoing: &str, kept: &CachedResult) {
        let Some(cache) = self.cache.clone() else {
            return;
        };
        let (outgoing, kept) = (outgoing.to_owned(), *kept);
        let written = tokio::task::spawn_blocking(move || cache.put(&outgoing, &kept)).await;
        if !matches!(written, Ok(Ok(()))) {
            self.metrics.record_lookup(CacheOutcome::Failed);
        }
    }

    fn record(&self, event: ServiceEvent) {
        match event {
            ServiceEvent::Queried { service, outcome } => {
                self.metrics.record_attempt(service, outcome)
            }
            ServiceEvent::Malformed { service, what } => {
                tracing::warn!(
                    service,
                    what,
                    "malformed response from a service; ignoring it"
                )
            }
            ServiceEvent::CircuitOpened { service } => {
                tracing::warn!(
                    service,
                    "circuit breaker opened; not calling the service for a while"
                );
            }
            ServiceEvent::CircuitClosed { service } => {
                tracing::info!(
                    service,
                    "circuit breaker closed; the service responds again"
                )
            }
            ServiceEvent::Forbidden { service, setting } => {
                tracing::warn!(
                    service,
                    setting,
                    "calls to a service are not permitted; not calling it again"
                );
            }
            ServiceEvent::Rejected { service, mismatch } => {
                self.metrics.record_mismatch(service, mismatch)
            }
            ServiceEvent::Located { source, precision } => {
                self.metrics.record_location(source, precision)
            }
            ServiceEvent::Measured { source, legs } => self.metrics.record_legs(source, legs),
        }
    }
}

/// Formats an error with its causes. The innermost is the informative one.
fn error_chain(error: &(dyn Error + Send + Sync + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text = format!("{text}: {inner}");
        source = inner.source();
    }
    text
}
