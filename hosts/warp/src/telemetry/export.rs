//! Sends spans to the collector: batches of JSON over HTTP, one at a time, each with a timeout.

use std::{fmt, time::Duration};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::HttpsConnector;
use hyper_util::{
    client::legacy::{self, Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use opentelemetry::{Context, InstrumentationScope, KeyValue, trace::TracerProvider as _};
use opentelemetry_proto::{
    tonic::collector::trace::v1::ExportTraceServiceRequest,
    transform::{
        common::tonic::ResourceAttributesWithSchema,
        trace::tonic::group_spans_by_resource_and_scope,
    },
};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{Sampler, SdkTracerProvider, Span, SpanData, SpanProcessor},
};
use tokio::{
    sync::{mpsc, watch},
    time::timeout,
};

use super::Tracer;
use crate::{config::OtlpConfig, connector::connector, error::StartError, metrics::SpanCounters};

/// Maximum number of queued spans; about 2 MB.
const MAX_QUEUED_SPANS: usize = 4_096;
/// Maximum number of spans per message.
const MAX_BATCH_SPANS: usize = 512;
/// How long spans are collected for a message.
const BATCH_DELAY: Duration = Duration::from_secs(1);
/// Timeout of one message.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of bytes read from the collector's response.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;
/// Timeout of the last messages during shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// The name of the service and of the instrumentation scope.
const SERVICE: &str = "despacho";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The error of one export.
#[derive(Debug)]
enum ExportError {
    Timeout,
    Encode(serde_json::Error),
    Request(http::Error),
    Connection(legacy::Error),
    Status(StatusCode),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::Timeout => f.write_str("timeout"),
            ExportError::Encode(error) => error.fmt(f),
            ExportError::Request(error) => error.fmt(f),
            ExportError::Connection(error) => error.fmt(f),
            ExportError::Status(status) => write!(f, "status {}", status.as_u16()),
        }
    }
}

impl std::error::Error for ExportError {}

/// The receiver of the queue, and the connection to the collector.
pub struct Exporter {
    spans: mpsc::Receiver<SpanData>,
    resource: ResourceAttributesWithSchema,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    url: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    counters: SpanCounters,
}

/// The sender of the queue. The SDK's batch processor blocks a thread without a Tokio runtime, and
/// does not count the spans that it drops.
#[derive(Debug)]
struct Queue {
    spans: mpsc::Sender<SpanData>,
    counters: SpanCounters,
}

impl SpanProcessor for Queue {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if self.spans.try_send(span).is_err() {
            self.counters.dropped(1);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}

/// Returns a tracer and the exporter of its spans, if a collector is configured.
pub fn start(
    config: &OtlpConfig,
    counters: &SpanCounters,
) -> Result<Option<(Tracer, Exporter)>, StartError> {
    let Some(endpoint) = &config.endpoint else {
        return Ok(None);
    };
    let client = Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .build(connector(endpoint.starts_with("https:"))?);
    let resource = resource();
    let (tracer, spans) = tracer(config.sample_percent, resource.clone(), counters);
    let (url, headers, counters) = (target(endpoint), config.headers.clone(), counters.clone());
    Ok(Some((
        tracer,
        Exporter {
            spans,
            resource: (&resource).into(),
            client,
            url,
            headers,
            counters,
        },
    )))
}

/// The service that spans belong to. The SDK's default would add attributes from environment
/// variables.
fn resource() -> Resource {
    let version = KeyValue::new("service.version", VERSION);
    Resource::builder_empty()
        .with_service_name(SERVICE)
        .with_attribute(version)
        .build()
}

fn tracer(
    sample_percent: u64,
    resource: Resource,
    counters: &SpanCounters,
) -> (Tracer, mpsc::Receiver<SpanData>) {
    let (sender, receiver) = mpsc::channel(MAX_QUEUED_SPANS);
    let percent = u8::try_from(sample_percent).unwrap_or(100);
    let sampler = Sampler::TraceIdRatioBased(f64::from(percent) / 100.0);
    let provider = SdkTracerProvider::builder()
        .with_sampler(Sampler::ParentBased(Box::new(sampler)))
        .with_resource(resource)
        .with_span_processor(Queue {
            spans: sender,
            counters: counters.clone(),
        })
        .build();
    let scope = InstrumentationScope::builder(SERVICE)
        .with_version(VERSION)
        .build();
    (Tracer(provider.tracer_with_scope(scope)), receiver)
}

/// Encodes a batch as the body of `POST /v1/traces`.
fn encode(
    batch: Vec<SpanData>,
    resource: &ResourceAttributesWithSchema,
) -> Result<Vec<u8>, serde_json::Error> {
    let resource_spans = group_spans_by_resource_and_scope(batch, resource);
    serde_json::to_vec(&ExportTraceServiceRequest { resource_spans })
}

/// Returns the URL of traces below a collector's address.
fn target(endpoint: &str) -> String {
    let base = endpoint.trim_end_matches('/');
    if base.ends_with("/v1/traces") {
        base.to_owned()
    } else {
        format!("{base}/v1/traces")
    }
}

/// Sends spans until `stop` is true, and then the remaining ones.
pub async fn run(mut exporter: Exporter, mut stop: watch::Receiver<bool>) {
    let mut failed = false;
    loop {
        let mut batch = Vec::new();
        let count = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            count = exporter.spans.recv_many(&mut batch, MAX_BATCH_SPANS) => count,
        };
        if count == 0 {
            return;
        }
        exporter.gather(&mut batch).await;
        failed = exporter.send(batch, failed).await;
    }
    let _ = timeout(SHUTDOWN_TIMEOUT, exporter.flush()).await;
}

impl Exporter {
    /// Adds the spans that end within the next second.
    async fn gather(&mut self, batch: &mut Vec<SpanData>) {
        let more = async {
            while batch.len() < MAX_BATCH_SPANS {
                let limit = MAX_BATCH_SPANS - batch.len();
                if self.spans.recv_many(batch, limit).await == 0 {
                    return;
                }
            }
        };
        let _ = timeout(BATCH_DELAY, more).await;
    }

    /// Sends the queued spans without waiting for more.
    async fn flush(&mut self) {
        loop {
            let mut batch = Vec::new();
            while batch.len() < MAX_BATCH_SPANS
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

    /// Sends a batch and returns whether that failed. Only the first of consecutive failures is
    /// logged. A failed batch is not sent again: queued batches would take memory for as long as
    /// the collector is unavailable.
    async fn send(&self, batch: Vec<SpanData>, failed_before: bool) -> bool {
        let count = batch.len() as u64;
        match timeout(EXPORT_TIMEOUT, self.post(batch))
            .await
            .unwrap_or(Err(ExportError::Timeout))
        {
            Ok(()) => {
                self.counters.exported(count);
                if failed_before {
                    tracing::info!("trace export recovered");
                }
                false
            }
            Err(error) => {
                self.counters.dropped(count);
                if !failed_before {
                    tracing::warn!(%error, "trace export failed; dropping spans");
                }
                true
            }
        }
    }

    async fn post(&self, batch: Vec<SpanData>) -> Result<(), ExportError> {
        let body = encode(batch, &self.resource).map_err(ExportError::Encode)?;
        let mut request = Request::post(&self.url).header(header::CONTENT_TYPE, "application/json");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request
            .body(Full::from(body))
            .map_err(ExportError::Request)?;
        let response = self
            .client
            .request(request)
            .await
            .map_err(ExportError::Connection)?;
        let status = response.status();
        // A connection can be reused only after its response is read.
        let _ = Limited::new(response.into_body(), MAX_RESPONSE_BYTES)
            .collect()
            .await;
        if status.is_success() {
            Ok(())
        } else {
            Err(ExportError::Status(status))
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::{Value, json};

    use super::*;
    use crate::telemetry::{SpanKind, TRACEPARENT};

    const SAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn root(
        sample_percent: u64,
        traceparent: Option<&str>,
    ) -> (Option<super::super::Span>, mpsc::Receiver<SpanData>) {
        let (tracer, spans) = tracer(sample_percent, resource(), &SpanCounters::default());
        let headers = HeaderMap::from_iter(
            traceparent.map(|text| (HeaderName::from_static(TRACEPARENT), text.parse().unwrap())),
        );
        (tracer.root(&headers, "request", SpanKind::Server), spans)
    }

    #[test]
    fn endpoint_with_or_without_path_has_same_target() {
        for endpoint in ["http://c:4318", "http://c:4318/", "http://c:4318/v1/traces"] {
            assert_eq!(target(endpoint), "http://c:4318/v1/traces");
        }
    }

    #[test]
    fn span_is_encoded_as_otlp_json() {
        let (span, mut spans) = root(0, Some(SAMPLED));
        let mut span = span.expect("sampled by the client");
        span.rename("GET /x");
        span.set_attribute("http.response.status_code", 200);
        let header = span.context().header().unwrap().1;
        span.end(true);
        let body = encode(vec![spans.try_recv().unwrap()], &(&resource()).into()).unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        let scope = &body["resourceSpans"][0]["scopeSpans"][0];
        assert_eq!(scope["scope"]["name"], "despacho");
        let span = &scope["spans"][0];
        assert_eq!(span["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(span["parentSpanId"], "00f067aa0ba902b7");
        assert_eq!(
            format!(
                "00-4bf92f3577b34da6a3ce929d0e0e4736-{}-01",
                span["spanId"].as_str().unwrap()
            ),
            header
        );
        assert_eq!(
            (&span["name"], &span["kind"], &span["status"]["code"]),
            (&json!("GET /x"), &json!(2), &json!(2))
        );
        assert_eq!(span["attributes"][0]["value"]["intValue"], "200");
        assert!(span["startTimeUnixNano"].is_string() && span["endTimeUnixNano"].is_string());
    }

    #[test]
    fn dropped_span_ends_as_failed_and_ended_span_does_not() {
        let (span, mut spans) = root(100, None);
        drop(span);
        assert_eq!(
            spans.try_recv().unwrap().status,
            opentelemetry::trace::Status::error("")
        );
        let (span, mut spans) = root(100, None);
        span.unwrap().end(false);
        assert_eq!(
            spans.try_recv().unwrap().status,
            opentelemetry::trace::Status::Unset
        );
        assert!(spans.try_recv().is_err(), "an ended span is exported once");
    }

    #[test]
    fn client_decides_on_sampling_of_its_trace() {
        assert!(root(0, Some(SAMPLED)).0.is_some());
        assert!(
            root(
                100,
                Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")
            )
            .0
            .is_none()
        );
        assert!(root(0, None).0.is_none());
        for invalid in [
            "",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            assert!(
                root(0, Some(invalid)).0.is_none() && root(100, Some(invalid)).0.is_some(),
                "{invalid}"
            );
        }
    }

    #[test]
    fn full_queue_drops_and_counts_spans() {
        let counters = SpanCounters::default();
        let (tracer, mut spans) = tracer(100, resource(), &counters);
        for _ in 0..=MAX_QUEUED_SPANS {
            drop(tracer.root(&HeaderMap::new(), "request", SpanKind::Server));
        }
        assert_eq!(counters.dropped_total(), 1);
        assert!(spans.try_recv().is_ok());
    }
}
