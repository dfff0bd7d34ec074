//! Traces for OpenTelemetry: spans of a request and of the calls that it waits for, sent to a
//! collector if one is configured.
//!
//! An ended span enters a bounded queue. A span that does not fit, or does not reach the collector,
//! is dropped and counted: requests never wait for the collector.

pub mod export;
mod storage;

use std::{future::Future, pin::pin};

use http::{HeaderMap, HeaderValue};
use opentelemetry::{
    Context as TraceContext, KeyValue, Value,
    propagation::{Extractor, TextMapPropagator},
    trace::{FutureExt, Status, TraceContextExt, Tracer as _},
};
use opentelemetry_sdk::{propagation::TraceContextPropagator, trace::SdkTracer};

pub use self::storage::Traced;

/// The role of a span: [`SpanKind::Server`] for received requests, [`SpanKind::Client`] for sent
/// ones.
pub use opentelemetry::trace::SpanKind;

/// The header of W3C Trace Context.
const TRACEPARENT: &str = "traceparent";
/// The length of the header in version 0; later versions may be longer.
const TRACEPARENT_BYTES: usize = 55;

/// Starts spans.
#[derive(Clone, Debug)]
pub struct Tracer(SdkTracer);

/// A position in a trace: the parent of spans that start there.
#[derive(Clone, Debug)]
pub struct Context(TraceContext);

/// A span that has not ended. Dropping it ends it as failed.
#[derive(Debug)]
pub struct Span(TraceContext);

impl Tracer {
    /// Starts a span below the client's span if the headers name one, and a new trace otherwise.
    /// Returns `None` if the trace is not sampled.
    pub fn root(&self, headers: &HeaderMap, name: &'static str, kind: SpanKind) -> Option<Span> {
        let parent = TraceContextPropagator::new()
            .extract_with_context(&TraceContext::new(), &Headers(headers));
        self.start(&parent.with_value(self.clone()), name, kind)
    }

    fn start(&self, parent: &TraceContext, name: &'static str, kind: SpanKind) -> Option<Span> {
        let span = Span(
            parent.with_span(
                self.0
                    .span_builder(name)
                    .with_kind(kind)
                    .start_with_context(&self.0, parent),
            ),
        );
        span.0.span().is_recording().then_some(span)
    }
}

impl Span {
    /// Returns the parent of spans below this one.
    pub fn context(&self) -> Context {
        Context(self.0.clone())
    }

    /// Sets an attribute.
    pub fn set_attribute(&mut self, key: &'static str, value: impl Into<Value>) {
        self.0.span().set_attribute(KeyValue::new(key, value));
    }

    /// Replaces the name.
    pub fn rename(&mut self, name: &'static str) {
        self.0.span().update_name(name);
    }

    /// Ends the span. The conventions leave the status of a success unset.
    pub fn end(self, failed: bool) {
        if !failed {
            self.0.span().end();
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        let span = self.0.span();
        if span.is_recording() {
            span.set_status(Status::error(""));
            span.end();
        }
    }
}

impl Context {
    /// Returns the header that passes the trace on with an outbound request.
    pub fn header(&self) -> Option<(&'static str, HeaderValue)> {
        let span = self.0.span();
        let parent = span.span_context();
        // Only sampled spans have a context here.
        let text = format!("00-{}-{}-01", parent.trace_id(), parent.span_id());
        Some((TRACEPARENT, HeaderValue::try_from(text).ok()?))
    }
}

/// The headers that the propagator may read. Without `tracestate`, the spans in the queue have a
/// small bounded size.
struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        // The propagator also accepts IDs with too few digits.
        self.0
            .get(key)
            .filter(|value| key == TRACEPARENT && value.len() >= TRACEPARENT_BYTES)?
            .to_str()
            .ok()
    }

    fn keys(&self) -> Vec<&str> {
        vec![TRACEPARENT]
    }
}

/// Runs work as part of a trace, or unchanged without one.
pub async fn within<T>(context: Option<Context>, work: impl Future<Output = T>) -> T {
    // Pinned once: otherwise the future would have room for the work at both places where it is
    // awaited.
    let mut work = pin!(work);
    match context {
        Some(Context(context)) => work.as_mut().with_context(context).await,
        None => work.await,
    }
}

/// Returns the current task's position in a trace.
pub fn current() -> Option<Context> {
    let context = TraceContext::current();
    context.has_active_span().then_some(Context(context))
}

/// Starts a span below the current one, if there is one.
pub fn child(name: &'static str, kind: SpanKind) -> Option<Span> {
    let parent = TraceContext::current();
    parent.get::<Tracer>()?.start(&parent, name, kind)
}
