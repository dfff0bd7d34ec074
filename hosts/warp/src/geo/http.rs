//! Questions to services of other machines: a time limit, few retries with jitter, a pace, a limit to what is read.

use std::{sync::Mutex, time::Duration};

use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use tokio::time::{Instant, sleep_until, timeout};

use super::{
    breaker::Breaker,
    figures::{Figures, Outcome},
};
use crate::telemetry::{self, Attribute, Kind};

/// Bytes of an answer that are read; a matrix of 100 by 100 has about 300,000.
const LONGEST_ANSWER: usize = 16 << 20;
/// The first wait before another attempt; it doubles, and half of it is chance.
const BACKOFF: Duration = Duration::from_millis(100);
/// Connections that wait for the next question.
const IDLE_CONNECTIONS: usize = 16;
/// How we call ourselves, as public services demand.
const AGENT: &str = concat!("despacho/", env!("CARGO_PKG_VERSION"));

/// Why a service did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// It took too long, could not be reached, or said 5xx or 429, at every attempt.
    Failed,
    /// It failed so often that it is left alone for now.
    Resting,
    /// More was asked than its pace allows.
    Paced,
    /// It said something that is not its protocol.
    Strange,
}

/// An answer, whatever it says.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
}

/// How a service is asked.
#[derive(Clone, Debug)]
pub(super) struct Manners {
    /// For one attempt.
    pub(super) timeout: Duration,
    /// Attempts at one question.
    pub(super) attempts: u32,
    /// Questions a second; `None` for any number.
    pub(super) per_second: Option<u32>,
}

/// A service at a base address.
pub(super) struct Service {
    name: &'static str,
    base: String,
    manners: Manners,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    breaker: Breaker,
    /// When the next question may leave.
    next: Mutex<Option<Instant>>,
    figures: Figures,
}

impl Service {
    /// A service by its name in metrics. Nothing is asked yet.
    ///
    /// # Errors
    /// Over HTTPS, that this system has no root certificates.
    pub(super) fn new(name: &'static str, base: &str, manners: Manners, figures: Figures) -> Result<Service, String> {
        let connector = connector(base.starts_with("https:"))?;
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .build(connector);
        let (breaker, next) = (Breaker::default(), Mutex::new(None));
        Ok(Service { name, base: base.to_owned(), manners, client, breaker, next, figures })
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// The answer to `GET`; `target` begins with a slash.
    pub(super) async fn get(&self, target: &str) -> Result<Answer, Unanswered> {
        self.ask(Method::GET, target, Bytes::new()).await
    }

    /// The answer to a `POST` of JSON.
    pub(super) async fn post(&self, target: &str, json: String) -> Result<Answer, Unanswered> {
        self.ask(Method::POST, target, json.into()).await
    }

    /// An answer that is not of the service's protocol; it comes at once, so that the service need not be left alone for it.
    pub(super) fn strange(&self, what: &str) -> Unanswered {
        self.count(Outcome::Strange);
        tracing::warn!(service = self.name, what, "an answer that cannot be used");
        Unanswered::Strange
    }

    async fn ask(&self, method: Method, target: &str, body: Bytes) -> Result<Answer, Unanswered> {
        let Some(mut span) = telemetry::child("service", Kind::Client) else {
            return self.ask_again(method, target, body).await;
        };
        span.note("peer.service", Attribute::Text(self.name.to_owned()));
        let answer = telemetry::within(Some(span.context()), self.ask_again(method, target, body)).await;
        if let Ok(answer) = &answer {
            span.note("http.response.status_code", Attribute::Number(answer.status.as_u16().into()));
        }
        span.end(answer.is_err());
        answer
    }

    async fn ask_again(&self, method: Method, target: &str, body: Bytes) -> Result<Answer, Unanswered> {
        if !self.breaker.admits() {
            self.count(Outcome::Resting);
            return Err(Unanswered::Resting);
        }
        for attempt in 0..self.manners.attempts {
            if attempt > 0 {
                tokio::time::sleep(jittered(BACKOFF * 2_u32.saturating_pow(attempt - 1))).await;
            }
            self.pace().await?;
            let outcome = match timeout(self.manners.timeout, self.once(&method, target, body.clone())).await {
                Ok(Ok(answer)) if answer.status.is_server_error() => Outcome::ServerError,
                Ok(Ok(answer)) if answer.status == StatusCode::TOO_MANY_REQUESTS => Outcome::Refused,
                Ok(Ok(answer)) => {
                    self.count(Outcome::Answered);
                    if self.breaker.worked() {
                        tracing::info!(service = self.name, "answers again");
                    }
                    return Ok(answer);
                }
                Ok(Err(error)) => {
                    tracing::debug!(service = self.name, %error, "no answer");
                    Outcome::Unreachable
                }
                Err(_) => Outcome::Late,
            };
            self.count(outcome);
        }
        self.failed();
        Err(Unanswered::Failed)
    }

    fn failed(&self) {
        if self.breaker.failed() {
            tracing::warn!(service = self.name, "fails again and again: it is left alone for a while");
        }
    }

    async fn once(&self, method: &Method, target: &str, body: Bytes) -> Result<Answer, String> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{target}", self.base))
            .header(header::USER_AGENT, AGENT)
            .header(header::ACCEPT, "application/json")
            .header(header::ACCEPT_LANGUAGE, "pt-BR");
        if let Some((name, value)) = telemetry::current().and_then(|context| context.header()) {
            request = request.header(name, value);
        }
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let request = request.body(Full::new(body)).map_err(|error| error.to_string())?;
        let response = self.client.request(request).await.map_err(|error| described(&error))?;
        let status = response.status();
        let collected = Limited::new(response.into_body(), LONGEST_ANSWER).collect().await;
        Ok(Answer { status, body: collected.map_err(|error| error.to_string())?.to_bytes() })
    }

    /// Waits for the service's pace. Where the wait would be longer than an answer may take there is no use in it.
    async fn pace(&self) -> Result<(), Unanswered> {
        let Some(per_second) = self.manners.per_second else { return Ok(()) };
        let (now, step) = (Instant::now(), Duration::from_secs(1) / per_second.max(1));
        let at = {
            let mut next = self.next.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let at = next.map_or(now, |next| next.max(now));
            if at - now > self.manners.timeout {
                self.count(Outcome::Paced);
                return Err(Unanswered::Paced);
            }
            *next = Some(at + step);
            at
        };
        sleep_until(at).await;
        Ok(())
    }

    fn count(&self, outcome: Outcome) {
        self.figures.asked(self.name, outcome);
    }
}

/// HTTP, and HTTPS by the certificates that this system trusts; these are read only where they are needed.
pub(crate) fn connector(secure: bool) -> Result<HttpsConnector<HttpConnector>, String> {
    let provider = tokio_rustls::rustls::crypto::ring::default_provider();
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_nodelay(true);
    let builder = HttpsConnectorBuilder::new();
    let builder = if secure {
        builder
            .with_provider_and_native_roots(provider)
            .map_err(|error| format!("the root certificates of this system cannot be read: {error}"))?
    } else {
        let config = tokio_rustls::rustls::ClientConfig::builder_with_provider(provider.into())
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let nobody = tokio_rustls::rustls::RootCertStore::empty();
        builder.with_tls_config(config.with_root_certificates(nobody).with_no_client_auth())
    };
    Ok(builder.https_or_http().enable_http1().wrap_connector(http))
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

/// Half of a span, and a random part of the other half, so that who failed together does not come back together.
fn jittered(span: Duration) -> Duration {
    let mut byte = [0; 1];
    // Without randomness the wait is the whole span, which is right as well.
    let part = getrandom::fill(&mut byte).map_or(255, |()| u32::from(byte[0]));
    span / 2 + span * part / 510
}

/// A query string.
pub(super) fn query<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_stays_within_the_span() {
        for _ in 0..1_000 {
            let wait = jittered(BACKOFF);
            assert!(wait >= BACKOFF / 2 && wait <= BACKOFF, "{wait:?}");
        }
    }

    #[test]
    fn queries_are_encoded() {
        assert_eq!(
            query([("street", "12 Rua São João & Cia"), ("city", "")]),
            "street=12+Rua+S%C3%A3o+Jo%C3%A3o+%26+Cia&city="
        );
    }
}
