//! The wire to services of other machines, and what is kept and counted of what they say.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use despacho_geo::{Answer, Kept, Missed, Note, Question, World};
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
const LONGEST_ANSWER: usize = 16 << 20;
/// Connections that wait for the next question.
const IDLE_CONNECTIONS: usize = 16;

/// A way to services.
pub(super) struct Wire {
    /// None where there is nobody to ask.
    client: Option<Client<HttpsConnector<HttpConnector>, Full<Bytes>>>,
    cache: Option<Arc<Cache>>,
    figures: Figures,
    began: Instant,
}

impl Wire {
    /// A wire to nobody.
    pub(super) fn nowhere(figures: Figures) -> Wire {
        Wire { client: None, cache: None, figures, began: Instant::now() }
    }

    /// A wire; nothing is asked yet.
    ///
    /// # Errors
    /// Where it is to speak HTTPS, that this system has no root certificates.
    pub(super) fn new(secure: bool, cache: Option<Cache>, figures: Figures) -> Result<Wire, String> {
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .build(connector(secure)?);
        Ok(Wire { client: Some(client), cache: cache.map(Arc::new), ..Wire::nowhere(figures) })
    }

    async fn in_time(&self, url: &str, question: &Question, patience: Duration) -> Result<Answer, Missed> {
        match timeout(patience, self.once(url, question)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => {
                tracing::debug!(%error, "no answer");
                Err(Missed::Unreachable)
            }
            Err(_) => Err(Missed::Late),
        }
    }

    async fn once(&self, url: &str, question: &Question) -> Result<Answer, String> {
        let mut request = question.request(url).map_err(|error| error.to_string())?.map(Full::new);
        if let Some((name, value)) = telemetry::current().and_then(|context| context.header()) {
            request.headers_mut().insert(name, value);
        }
        let client = self.client.as_ref().ok_or("there is nobody to ask")?;
        let response = client.request(request).await.map_err(|error| described(&error))?;
        let status = response.status().as_u16();
        let collected = Limited::new(response.into_body(), LONGEST_ANSWER).collect().await;
        Ok(Answer { status, body: collected.map_err(|error| error.to_string())?.to_bytes() })
    }
}

impl World for Wire {
    async fn send(&self, url: &str, question: &Question, patience: Duration) -> Result<Answer, Missed> {
        let Some(mut span) = telemetry::child("service", SpanKind::Client) else {
            return self.in_time(url, question, patience).await;
        };
        // Of the address its host alone: what is asked for is where somebody lives.
        if let Some(host) = url.parse::<Uri>().ok().as_ref().and_then(Uri::host) {
            span.set_attribute("server.address", host.to_owned());
        }
        let answer = telemetry::within(Some(span.context()), self.in_time(url, question, patience)).await;
        if let Ok(answer) = &answer {
            span.set_attribute("http.response.status_code", i64::from(answer.status));
        }
        span.end(answer.is_err());
        answer
    }

    async fn pause(&self, span: Duration) {
        tokio::time::sleep(span).await;
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn chance(&self) -> u8 {
        let mut byte = [0; 1];
        // Without randomness waits are the longest, which is right as well.
        getrandom::fill(&mut byte).map_or(u8::MAX, |()| byte[0])
    }

    async fn kept(&self, question: &str) -> Option<Kept> {
        let (cache, question) = (self.cache.clone()?, question.to_owned());
        let looked_up = tokio::task::spawn_blocking(move || cache.get(&question)).await;
        let (outcome, kept) = match looked_up {
            Ok(Ok(Some(kept))) => (Cached::Hit, Some(kept)),
            Ok(Ok(None)) => (Cached::Miss, None),
            // Without the cache everything is asked again, which is slower and as right.
            Ok(Err(_)) | Err(_) => (Cached::Failed, None),
        };
        self.figures.looked_up(outcome);
        kept
    }

    async fn keep(&self, question: &str, kept: &Kept) {
        let Some(cache) = self.cache.clone() else { return };
        let (question, kept) = (question.to_owned(), *kept);
        let written = tokio::task::spawn_blocking(move || cache.put(&question, &kept)).await;
        if !matches!(written, Ok(Ok(()))) {
            self.figures.looked_up(Cached::Failed);
        }
    }

    fn note(&self, note: Note) {
        match note {
            Note::Asked { service, outcome } => self.figures.asked(service, outcome),
            Note::Strange { service, what } => tracing::warn!(service, what, "an answer that cannot be used"),
            Note::Rests { service } => {
                tracing::warn!(service, "fails again and again: it is left alone for a while");
            }
            Note::Works { service } => tracing::info!(service, "answers again"),
            Note::Doubted { service, doubt } => self.figures.doubted(service, doubt),
            Note::Located { source, precision } => self.figures.located(source, precision),
            Note::Measured { source, legs } => self.figures.measured(source, legs),
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
