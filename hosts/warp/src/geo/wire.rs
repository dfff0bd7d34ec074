//! The wire to services of other machines, and what is kept and counted of what they say.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use despacho_geo::{AttemptError, CachedResult, Runtime, ServiceEvent, ServiceRequest, ServiceResponse};
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
    figures::{Cached, Figures},
};
use crate::{
    connector::connector,
    telemetry::{self, SpanKind},
};

/// Bytes of an answer that are read; a matrix of 100 by 100 has about 300,000.
const MAX_RESPONSE_BYTES: usize = 16 << 20;
/// Connections that wait for the next question.
const IDLE_CONNECTIONS: usize = 16;

/// A way to services.
pub(super) struct HttpRuntime {
    /// None where there is nobody to ask.
    client: Option<Client<HttpsConnector<HttpConnector>, Full<Bytes>>>,
    cache: Option<Arc<Cache>>,
    figures: Figures,
    began: Instant,
}

impl HttpRuntime {
    /// A wire to nobody.
    pub(super) fn nowhere(figures: Figures) -> HttpRuntime {
        HttpRuntime { client: None, cache: None, figures, began: Instant::now() }
    }

    /// A wire; nothing is asked yet.
    ///
    /// # Errors
    /// Where it is to speak HTTPS, that this system has no root certificates.
    pub(super) fn new(secure: bool, cache: Option<Cache>, figures: Figures) -> Result<HttpRuntime, String> {
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .build(connector(secure)?);
        Ok(HttpRuntime { client: Some(client), cache: cache.map(Arc::new), ..HttpRuntime::nowhere(figures) })
    }

    async fn in_time(
        &self,
        url: &str,
        outgoing: &ServiceRequest,
        time_limit: Duration,
    ) -> Result<ServiceResponse, AttemptError> {
        match timeout(time_limit, self.once(url, outgoing)).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => {
                tracing::debug!(%error, "no answer");
                Err(AttemptError::Unreachable)
            }
            Err(_) => Err(AttemptError::Timeout),
        }
    }

    async fn once(&self, url: &str, outgoing: &ServiceRequest) -> Result<ServiceResponse, String> {
        let mut request = outgoing.request(url).map_err(|error| error.to_string())?.map(Full::new);
        if let Some((name, value)) = telemetry::current().and_then(|context| context.header()) {
            request.headers_mut().insert(name, value);
        }
        let client = self.client.as_ref().ok_or("there is nobody to ask")?;
        let response = client.request(request).await.map_err(|error| described(&error))?;
        let status = response.status().as_u16();
        let collected = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect().await;
        Ok(ServiceResponse { status, body: collected.map_err(|error| error.to_string())?.to_bytes() })
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
            return self.in_time(url, outgoing, time_limit).await;
        };
        // Of the address its host alone: what is asked for is where somebody lives.
        if let Some(host) = url.parse::<Uri>().ok().as_ref().and_then(Uri::host) {
            span.set_attribute("server.address", host.to_owned());
        }
        let response = telemetry::within(Some(span.context()), self.in_time(url, outgoing, time_limit)).await;
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
        self.began.elapsed()
    }

    fn jitter(&self) -> u8 {
        let mut byte = [0; 1];
        // Without randomness waits are the longest, which is right as well.
        getrandom::fill(&mut byte).map_or(u8::MAX, |()| byte[0])
    }

    async fn cached(&self, outgoing: &str) -> Option<CachedResult> {
        let (cache, outgoing) = (self.cache.clone()?, outgoing.to_owned());
        let looked_up = tokio::task::spawn_blocking(move || cache.get(&outgoing)).await;
        let (outcome, kept) = match looked_up {
            Ok(Ok(Some(kept))) => (Cached::Hit, Some(kept)),
            Ok(Ok(None)) => (Cached::Miss, None),
            // Without the cache everything is asked again, which is slower and as right.
            Ok(Err(_)) | Err(_) => (Cached::Failed, None),
        };
        self.figures.looked_up(outcome);
        kept
    }

    async fn put_cached(&self, outgoing: &str, kept: &CachedResult) {
        let Some(cache) = self.cache.clone() else { return };
        let (outgoing, kept) = (outgoing.to_owned(), *kept);
        let written = tokio::task::spawn_blocking(move || cache.put(&outgoing, &kept)).await;
        if !matches!(written, Ok(Ok(()))) {
            self.figures.looked_up(Cached::Failed);
        }
    }

    fn record(&self, note: ServiceEvent) {
        match note {
            ServiceEvent::Queried { service, outcome } => self.figures.queried(service, outcome),
            ServiceEvent::Malformed { service, what } => tracing::warn!(service, what, "an answer that cannot be used"),
            ServiceEvent::CircuitOpened { service } => {
                tracing::warn!(service, "fails again and again: it is left alone for a while");
            }
            ServiceEvent::CircuitClosed { service } => tracing::info!(service, "answers again"),
            ServiceEvent::Rejected { service, mismatch } => self.figures.rejected(service, mismatch),
            ServiceEvent::Located { source, precision } => self.figures.located(source, precision),
            ServiceEvent::Measured { source, legs } => self.figures.measured(source, legs),
        }
    }
}

/// An error with its causes, of which the innermost is the one that helps.
fn described(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text = format!("{text}: {inner}");
        source = inner.source();
    }
    text
}
