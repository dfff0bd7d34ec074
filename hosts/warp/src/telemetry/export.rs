//! Sends spans to the collector: batches of JSON over HTTP, one at a time, each given up after a while.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::HttpsConnector;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use tokio::{
    sync::{mpsc, watch},
    time::timeout,
};

use super::{Ended, Tracer, otlp};
use crate::{config::OtlpTerms, geo::connector, metrics::SpanFigures};

/// Spans that wait to be sent; some 2 MB.
const QUEUE: usize = 4_096;
/// Spans in one message, at most.
const BATCH: usize = 512;
/// How long spans are gathered for one message.
const GATHER: Duration = Duration::from_secs(1);
/// How long the collector may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of its answer that are read.
const ANSWER: usize = 64 * 1024;
/// How long is tried to send what is left when the server stops.
const LAST: Duration = Duration::from_secs(2);

/// What is needed to send.
pub struct Exporter {
    spans: mpsc::Receiver<Ended>,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    url: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    figures: SpanFigures,
}

/// A tracer and what sends its spans, where a collector is configured.
pub fn start(terms: &OtlpTerms, figures: &SpanFigures) -> Result<Option<(Arc<Tracer>, Exporter)>, String> {
    let Some(endpoint) = &terms.endpoint else { return Ok(None) };
    let client = Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .build(connector(endpoint.starts_with("https:"))?);
    let (queue, spans) = mpsc::channel(QUEUE);
    let tracer = Tracer { queue, figures: figures.clone(), sample_percent: terms.sample_percent };
    let url = target(endpoint);
    let exporter = Exporter { spans, client, url, headers: terms.headers.clone(), figures: figures.clone() };
    Ok(Some((Arc::new(tracer), exporter)))
}

/// The traces' own path, as the protocol has it, below a collector's address.
fn target(endpoint: &str) -> String {
    let base = endpoint.trim_end_matches('/');
    if base.ends_with("/v1/traces") { base.to_owned() } else { format!("{base}/v1/traces") }
}

/// Sends until `stop` says true, and then what is left, for a moment.
pub async fn run(mut exporter: Exporter, mut stop: watch::Receiver<bool>) {
    let mut failed = false;
    loop {
        let mut batch = Vec::new();
        let count = tokio::select! {
            () = told(&mut stop) => break,
            count = exporter.spans.recv_many(&mut batch, BATCH) => count,
        };
        if count == 0 {
            return;
        }
        exporter.gather(&mut batch).await;
        failed = exporter.send(batch, failed).await;
    }
    let _ = timeout(LAST, exporter.rest()).await;
}

/// Until the server was told to stop.
async fn told(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

impl Exporter {
    /// Adds what ends within a moment.
    async fn gather(&mut self, batch: &mut Vec<Ended>) {
        let more = async {
            while batch.len() < BATCH {
                let room = BATCH - batch.len();
                if self.spans.recv_many(batch, room).await == 0 {
                    return;
                }
            }
        };
        let _ = timeout(GATHER, more).await;
    }

    /// Sends what waits, without waiting for more.
    async fn rest(&mut self) {
        loop {
            let mut batch = Vec::new();
            while batch.len() < BATCH
                && let Ok(span) = self.spans.try_recv()
            {
                batch.push(span);
            }
            if batch.is_empty() {
                return;
            }
            self.send(batch, true).await;
        }
    }

    /// Sends a batch, and says whether that failed; the first failure of a row is logged. What failed is not sent again: traces are worth
    /// less than the memory that a collector's outage would take.
    async fn send(&self, batch: Vec<Ended>, failed_before: bool) -> bool {
        let count = batch.len() as u64;
        match timeout(PATIENCE, self.post(otlp::body(&batch))).await.unwrap_or_else(|_| Err("too late".to_owned())) {
            Ok(()) => {
                self.figures.exported(count);
                if failed_before {
                    tracing::info!("the collector of traces answers again");
                }
                false
            }
            Err(error) => {
                self.figures.dropped(count);
                if !failed_before {
                    tracing::warn!(error, "traces do not reach their collector and are dropped");
                }
                true
            }
        }
    }

    async fn post(&self, body: Vec<u8>) -> Result<(), String> {
        let mut request = Request::post(&self.url).header(header::CONTENT_TYPE, "application/json");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::from(body)).map_err(|error| error.to_string())?;
        let response = self.client.request(request).await.map_err(|error| error.to_string())?;
        let status = response.status();
        // Read, so that the connection can be used again.
        let _ = Limited::new(response.into_body(), ANSWER).collect().await;
        if status.is_success() { Ok(()) } else { Err(format!("status {}", status.as_u16())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_and_without_the_path_is_the_same() {
        for endpoint in ["http://c:4318", "http://c:4318/", "http://c:4318/v1/traces"] {
            assert_eq!(target(endpoint), "http://c:4318/v1/traces");
        }
    }
}
