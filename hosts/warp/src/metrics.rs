//! What the server counts, in Prometheus' text form.

use std::{
    fmt,
    sync::atomic::{AtomicI64, AtomicU64, Ordering},
    time::Duration,
};

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::{Registry, Unit},
};

use crate::{
    geo,
    overload::{Overload, Shed},
    store::Stats,
};

/// Upper bounds of the latency's buckets, in seconds.
const BUCKETS: [f64; 14] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// A request's endpoint and answer. Templates, never paths, so that their number is bounded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResponseLabels {
    route: &'static str,
    status: u16,
}

/// Why a request was turned away.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reason {
    reason: &'static str,
}

/// Spans of traces; all copies count together.
#[derive(Clone, Debug, Default)]
pub struct SpanFigures {
    exported: Counter<u64, AtomicU64>,
    dropped: Counter<u64, AtomicU64>,
}

impl SpanFigures {
    /// Counts spans that the collector took.
    pub fn exported(&self, count: u64) {
        self.exported.inc_by(count);
    }

    /// Counts spans that the queue or the collector had no room for.
    pub fn dropped(&self, count: u64) {
        self.dropped.inc_by(count);
    }

    #[cfg(test)]
    pub(crate) fn dropped_total(&self) -> u64 {
        self.dropped.get()
    }
}

/// The server's counters.
pub struct Metrics {
    registry: Registry,
    latency: Family<ResponseLabels, Histogram, fn() -> Histogram>,
    /// Requests being answered.
    pub in_flight: Gauge<i64, AtomicI64>,
    /// Open connections.
    pub connections: Gauge<i64, AtomicI64>,
    /// Connections answered with 503 for want of room.
    pub shed: Counter<u64, AtomicU64>,
    turned_away: Family<Reason, Counter<u64, AtomicU64>>,
    waiting: Gauge<i64, AtomicI64>,
    body_bytes: Gauge<i64, AtomicI64>,
    /// Responses replaced by 503 for want of memory.
    pub responses_shed: Counter<u64, AtomicU64>,
    /// Connections closed because their peer read nothing, or to make room.
    pub connections_closed: Counter<u64, AtomicU64>,
    response_bytes: Gauge<i64, AtomicI64>,
    /// Requests whose caller went away before the answer.
    pub abandoned: Counter<u64, AtomicU64>,
    /// Handlers that panicked: each is a bug.
    pub panics: Counter<u64, AtomicU64>,
    /// Orders that the clock moved on.
    pub moved: Counter<u64, AtomicU64>,
    /// Orders that a courier was given.
    pub allocated: Counter<u64, AtomicU64>,
    /// Orders that were taken from silent couriers.
    pub released: Counter<u64, AtomicU64>,
    /// Rounds of the scheduler that failed.
    pub failed_rounds: Counter<u64, AtomicU64>,
    /// Open streams of events.
    pub streams: Gauge<i64, AtomicI64>,
    /// Webhook messages that their receivers took.
    pub delivered: Counter<u64, AtomicU64>,
    /// Attempts at webhook messages that failed.
    pub undelivered: Counter<u64, AtomicU64>,
    /// Spans of traces.
    pub spans: SpanFigures,
    store: StoreFigures,
}

/// What the store counts by itself.
#[derive(Default)]
struct StoreFigures {
    commits: Counter<u64, AtomicU64>,
    conflicts: Counter<u64, AtomicU64>,
    failures: Counter<u64, AtomicU64>,
    groups: Counter<u64, AtomicU64>,
    reads: Counter<u64, AtomicU64>,
    last_group: Gauge<i64, AtomicI64>,
    largest_group: Gauge<i64, AtomicI64>,
    queued_writes: Gauge<i64, AtomicI64>,
    queued_reads: Gauge<i64, AtomicI64>,
    repeats: Counter<u64, AtomicU64>,
    found_done: Counter<u64, AtomicU64>,
    connections: Gauge<i64, AtomicI64>,
    idle: Gauge<i64, AtomicI64>,
}

impl StoreFigures {
    fn register(&self, registry: &mut Registry) {
        let registry = registry.sub_registry_with_prefix("store");
        registry.register("commits", "Transactions on disk", self.commits.clone());
        registry.register("conflicts", "Transactions undone because another write came first", self.conflicts.clone());
        registry.register("failures", "Transactions that failed otherwise", self.failures.clone());
        registry.register("groups", "Groups that transactions were flushed to disk in", self.groups.clone());
        registry.register("reads", "Reads answered", self.reads.clone());
        registry.register("last_group_size", "Transactions in the last group", self.last_group.clone());
        registry.register("largest_group_size", "Transactions in the largest group", self.largest_group.clone());
        registry.register("write_queue_depth", "Transactions that wait", self.queued_writes.clone());
        registry.register("read_queue_depth", "Reads that wait", self.queued_reads.clone());
        registry.register("repeats", "Transactions that were sent to PostgreSQL again", self.repeats.clone());
        registry.register("found_done", "Transactions done before their connection broke", self.found_done.clone());
        registry.register("connections", "Open connections to PostgreSQL", self.connections.clone());
        registry.register("connections_idle", "Of these, those that nobody uses", self.idle.clone());
    }

    fn set(&self, stats: &Stats, pool: &despacho_postgres::Stats) {
        let counters = [
            (&self.repeats, pool.repeats),
            (&self.found_done, pool.found_done),
            (&self.commits, stats.commits),
            (&self.conflicts, stats.conflicts),
            (&self.failures, stats.failures),
            (&self.groups, stats.groups),
            (&self.reads, stats.reads),
        ];
        for (counter, value) in counters {
            counter.inner().store(value, Ordering::Relaxed);
        }
        let gauges = [
            (&self.connections, pool.connections),
            (&self.idle, pool.idle),
            (&self.last_group, stats.last_group),
            (&self.largest_group, stats.largest_group),
            (&self.queued_writes, stats.queued_writes),
            (&self.queued_reads, stats.queued_reads),
        ];
        for (gauge, value) in gauges {
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        }
    }
}

impl Metrics {
    /// Counters at zero.
    pub fn new() -> Metrics {
        let mut registry = Registry::with_prefix("despacho");
        let build = Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The running version", build);
        let latency: Family<_, _, fn() -> Histogram> = Family::new_with_constructor(|| Histogram::new(BUCKETS));
        let help = "Time from a request's head to its answer, by endpoint and status";
        registry.register_with_unit("http_request_duration", help, Unit::Seconds, latency.clone());
        let metrics = Metrics {
            latency,
            in_flight: Gauge::default(),
            connections: Gauge::default(),
            shed: Counter::default(),
            turned_away: Family::default(),
            waiting: Gauge::default(),
            body_bytes: Gauge::default(),
            responses_shed: Counter::default(),
            connections_closed: Counter::default(),
            response_bytes: Gauge::default(),
            abandoned: Counter::default(),
            panics: Counter::default(),
            moved: Counter::default(),
            allocated: Counter::default(),
            released: Counter::default(),
            failed_rounds: Counter::default(),
            streams: Gauge::default(),
            delivered: Counter::default(),
            undelivered: Counter::default(),
            spans: SpanFigures::default(),
            store: StoreFigures::default(),
            registry: Registry::default(),
        };
        registry.register("http_requests_in_flight", "Requests being answered", metrics.in_flight.clone());
        registry.register("http_connections", "Open connections", metrics.connections.clone());
        registry.register("http_connections_shed", "Connections refused for want of room", metrics.shed.clone());
        registry.register("http_requests_shed", "Requests refused for want of room", metrics.turned_away.clone());
        registry.register("http_requests_waiting", "Requests that wait for their turn", metrics.waiting.clone());
        registry.register("http_body_memory_bytes", "Memory that bodies take", metrics.body_bytes.clone());
        let responses = metrics.response_bytes.clone();
        registry.register("http_response_memory_bytes", "Memory of responses that are not sent yet", responses);
        registry.register("http_responses_shed", "Responses replaced by 503", metrics.responses_shed.clone());
        let closed = metrics.connections_closed.clone();
        registry.register("http_connections_closed", "Connections closed for slow peers or for room", closed);
        // All are there from the start, so that an alarm has something to watch.
        for shed in [Shed::QueueFull, Shed::WaitedTooLong, Shed::BodyMemory] {
            drop(metrics.turned_away.get_or_create(&Reason { reason: shed.name() }));
        }
        registry.register("http_requests_abandoned", "Requests whose caller left early", metrics.abandoned.clone());
        registry.register("http_handler_panics", "Handlers that panicked", metrics.panics.clone());
        registry.register("scheduler_orders_moved", "Orders that the clock moved on", metrics.moved.clone());
        registry.register("dispatch_orders_allocated", "Orders given to couriers", metrics.allocated.clone());
        registry.register("dispatch_orders_released", "Orders taken from silent couriers", metrics.released.clone());
        registry.register("scheduler_rounds_failed", "Rounds that failed", metrics.failed_rounds.clone());
        registry.register("event_streams", "Open streams of events", metrics.streams.clone());
        registry.register("webhook_messages_delivered", "Webhook messages that were taken", metrics.delivered.clone());
        registry.register("webhook_attempts_failed", "Attempts that failed", metrics.undelivered.clone());
        registry.register("trace_spans_exported", "Spans that the collector took", metrics.spans.exported.clone());
        registry.register("trace_spans_dropped", "Spans that nobody took", metrics.spans.dropped.clone());
        metrics.store.register(&mut registry);
        Metrics { registry, ..metrics }
    }

    /// The same with what is counted of places and roads.
    #[must_use]
    pub fn with_geography(mut self, figures: &geo::Figures) -> Metrics {
        figures.register(&mut self.registry);
        self
    }

    /// Counts an answered request.
    pub fn responded(&self, route: &'static str, status: u16, took: Duration) {
        self.latency.get_or_create(&ResponseLabels { route, status }).observe(took.as_secs_f64());
    }

    /// Counts a request that was turned away.
    pub fn turned_away(&self, shed: Shed) {
        self.turned_away.get_or_create(&Reason { reason: shed.name() }).inc();
    }

    /// Everything in OpenMetrics text.
    pub fn text(
        &self,
        stats: &Stats,
        pool: &despacho_postgres::Stats,
        overload: &Overload,
        response_bytes: usize,
    ) -> Result<String, fmt::Error> {
        self.store.set(stats, pool);
        let values = [
            (&self.waiting, overload.waiting()),
            (&self.body_bytes, overload.body_bytes()),
            (&self.response_bytes, response_bytes),
        ];
        for (gauge, value) in values {
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        }
        let mut text = String::with_capacity(16 * 1024);
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new()
    }
}
