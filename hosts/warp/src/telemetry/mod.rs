//! Traces for OpenTelemetry: what a request waited for, sent to a collector where one is configured, and nothing at all where none is.
//!
//! A span costs a place in a bounded queue. What does not fit, or does not reach the collector, is dropped and counted: no request waits
//! for its trace.

mod export;
mod otlp;
mod parent;
mod storage;

use std::{
    future::Future,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use http::{HeaderMap, HeaderValue};
use tokio::sync::mpsc;

use self::parent::Parent;
pub use self::{
    export::{Exporter, run, start},
    storage::Traced,
};
use crate::metrics::SpanFigures;

/// The header of W3C Trace Context.
const TRACEPARENT: &str = "traceparent";

tokio::task_local! {
    static CURRENT: Context;
}

/// What spans are for, as OTLP numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Work inside the server.
    Internal = 1,
    /// A request that is answered.
    Server = 2,
    /// A request that is sent.
    Client = 3,
}

/// A value of a span's attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// A text.
    Text(String),
    /// A whole number.
    Number(i64),
}

/// A span that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    trace: [u8; 16],
    id: [u8; 8],
    parent: Option<[u8; 8]>,
    name: &'static str,
    kind: Kind,
    started: Duration,
    took: Duration,
    attributes: Vec<(&'static str, Attribute)>,
    failed: bool,
}

/// Where spans go.
#[derive(Debug)]
pub struct Tracer {
    queue: mpsc::Sender<Ended>,
    figures: SpanFigures,
    sample_percent: u64,
}

/// Where in a trace somebody is.
#[derive(Clone, Debug)]
pub struct Context {
    tracer: Arc<Tracer>,
    trace: [u8; 16],
    span: [u8; 8],
}

/// A piece of work that goes on. It is sent when it is ended; one that is dropped has failed.
#[derive(Debug)]
pub struct Span {
    context: Context,
    parent: Option<[u8; 8]>,
    name: &'static str,
    kind: Kind,
    started: Duration,
    clock: Instant,
    attributes: Vec<(&'static str, Attribute)>,
    ended: bool,
}

impl Tracer {
    /// A span that has no other of this server's above it: the caller's, where it sent one, or a trace of its own. None where it is not
    /// to be recorded.
    pub fn root(self: &Arc<Tracer>, headers: &HeaderMap, name: &'static str, kind: Kind) -> Option<Span> {
        let sent = headers.get(TRACEPARENT).and_then(|value| value.to_str().ok()).and_then(Parent::parse);
        let (trace, parent) = match sent {
            Some(parent) if parent.sampled => (parent.trace, Some(parent.span)),
            Some(_) => return None,
            None => {
                let trace: [u8; 16] = random()?;
                let [.., low, high] = trace;
                if u64::from(u16::from_be_bytes([high, low])) % 100 >= self.sample_percent {
                    return None;
                }
                (trace, None)
            }
        };
        let context = Context { tracer: self.clone(), trace, span: random()? };
        Some(Span::begin(context, parent, name, kind))
    }

    fn send(&self, ended: Ended) {
        if self.queue.try_send(ended).is_err() {
            self.figures.dropped(1);
        }
    }
}

impl Span {
    fn begin(context: Context, parent: Option<[u8; 8]>, name: &'static str, kind: Kind) -> Span {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Span { context, parent, name, kind, started, clock: Instant::now(), attributes: Vec::new(), ended: false }
    }

    /// Where what belongs to it is.
    pub fn context(&self) -> Context {
        self.context.clone()
    }

    /// Notes something about it.
    pub fn note(&mut self, key: &'static str, value: Attribute) {
        self.attributes.push((key, value));
    }

    /// The name that is known once it has ended.
    pub fn rename(&mut self, name: &'static str) {
        self.name = name;
    }

    /// Its end.
    pub fn end(mut self, failed: bool) {
        self.leave(failed);
    }

    fn leave(&mut self, failed: bool) {
        self.ended = true;
        self.context.tracer.send(Ended {
            trace: self.context.trace,
            id: self.context.span,
            parent: self.parent,
            name: self.name,
            kind: self.kind,
            started: self.started,
            took: self.clock.elapsed(),
            attributes: std::mem::take(&mut self.attributes),
            failed,
        });
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if !self.ended {
            self.leave(true);
        }
    }
}

impl Context {
    /// As the header that a request to somebody else takes along.
    pub fn header(&self) -> Option<(&'static str, HeaderValue)> {
        let parent = Parent { trace: self.trace, span: self.span, sampled: true };
        Some((TRACEPARENT, HeaderValue::try_from(parent.text()).ok()?))
    }
}

/// Does work as part of a trace; as it is where there is none.
pub async fn within<T>(context: Option<Context>, work: impl Future<Output = T>) -> T {
    match context {
        Some(context) => CURRENT.scope(context, work).await,
        None => work.await,
    }
}

/// Where the current task is in a trace.
pub fn current() -> Option<Context> {
    CURRENT.try_with(Clone::clone).ok()
}

/// A span below the current one, where there is one.
pub fn child(name: &'static str, kind: Kind) -> Option<Span> {
    let context = current()?;
    let below = Context { span: random()?, ..context.clone() };
    Some(Span::begin(below, Some(context.span), name, kind))
}

/// Random bytes that are not all zero, since those mean none; none where the machine has no randomness.
fn random<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).ok()?;
    bytes.iter().any(|byte| *byte != 0).then_some(bytes)
}
