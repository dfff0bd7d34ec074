//! The server's metrics in the OpenMetrics text format.

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

/// Upper bounds of the latency buckets, in seconds.
const BUCKETS: [f64; 14] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// The endpoint and status of a response. Route templates bound the number of series; paths would
/// not.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResponseLabels {
    route: &'static str,
    status: u16,
}

/// The endpoint of a request, and the threads on which it ran.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PollLabels {
    route: &'static str,
    threads: &'static str,
}

/// The reason for which a request was rejected.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reason {
    reason: &'static str,
}

/// Counters of trace spans, shared by all clones.
#[derive(Clone, Debug, Default)]
pub struct SpanCounters {
    exported: Counter<u64, AtomicU64>,
    dropped: Counter<u64, AtomicU64>,
}

impl SpanCounters {
    /// Counts spans that the collector accepted.
    pub fn exported(&self, count: u64) {
        self.exported.inc_by(count);
    }

    /// Counts spans dropped by a full queue or rejected by the collector.
    pub fn dropped(&self, count: u64) {
        self.dropped.inc_by(count);
    }

    #[cfg(test)]
    pub(crate) fn dropped_total(&self) -> u64 {
        self.dropped.get()
    }
}

/// The server's metrics.
pub struct Metrics {
    registry: Registry,
    latency: Family<ResponseLabels, Histogram, fn() -> Histogram>,
    longest_poll: Family<PollLabels, Gauge<f64, AtomicU64>>,
    /// Requests in progress.
    pub in_flight: Gauge<i64, AtomicI64>,
    /// Open connections.
    pub connections: Gauge<i64, AtomicI64>,
    /// Connections rejected with 503 at the connection limit.
    pub shed: Counter<u64, AtomicU64>,
    rejected_requests: Family<Reason, Counter<u64, AtomicU64>>,
    waiting: Gauge<i64, AtomicI64>,
    body_bytes: Gauge<i64, AtomicI64>,
    /// Responses replaced by 503 at the memory limit.
    pub responses_shed: Counter<u64, AtomicU64>,
    /// Connections closed because the client stalled, or to make room.
    pub connections_closed: Counter<u64, AtomicU64>,
    response_bytes: Gauge<i64, AtomicI64>,
    /// Requests whose client disconnected before the response.
    pub abandoned: Counter<u64, AtomicU64>,
    /// Handlers that panicked. Each panic is a bug.
    pub panics: Counter<u64, AtomicU64>,
    /// Orders advanced by timed transitions.
    pub moved: Counter<u64, AtomicU64>,
    /// Orders allocated to couriers.
    pub allocated: Counter<u64, AtomicU64>,
    /// Orders released from unresponsive couriers.
    pub released: Counter<u64, AtomicU64>,
    /// Failed passes of the scheduler.
    pub failed_passes: Counter<u64, AtomicU64>,
    /// Open event streams.
    pub streams: Gauge<i64, AtomicI64>,
    /// Webhook messages that their receivers accepted.
    pub delivered: Counter<u64, AtomicU64>,
    /// Failed attempts to deliver webhook messages.
    pub undelivered: Counter<u64, AtomicU64>,
    /// Pushes that push services accepted.
    pub pushed: Counter<u64, AtomicU64>,
    /// Failed attempts to send pushes.
    pub unpushed: Counter<u64, AtomicU64>,
    /// Trace spans.
    pub spans: SpanCounters,
    store: StoreMetrics,
}

/// Metrics of the database driver.
#[derive(Default)]
struct StoreMetrics {
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

impl StoreMetrics {
    fn register(&self, registry: &mut Registry) {
        let registry = registry.sub_registry_with_prefix("store");
        registry.register(
            "commits",
            "Transactions committed and flushed to disk",
            self.commits.clone(),
        );
        registry.register(
            "conflicts",
            "Transactions rolled back because of a concurrent write",
            self.conflicts.clone(),
        );
        registry.register(
            "failures",
            "Transactions that failed for other reasons",
            self.failures.clone(),
        );
        registry.register(
            "groups",
            "Group commits: transactions flushed to disk together",
            self.groups.clone(),
        );
        registry.register("reads", "Completed reads", self.reads.clone());
        registry.register(
            "last_group_size",
            "Transactions in the last group commit",
            self.last_group.clone(),
        );
        registry.register(
            "largest_group_size",
            "Transactions in the largest group commit",
            self.largest_group.clone(),
        );
        registry.register(
            "write_queue_depth",
            "Queued transactions",
            self.queued_writes.clone(),
        );
        registry.register(
            "read_queue_depth",
            "Queued reads",
            self.queued_reads.clone(),
        );
        registry.register(
            "repeats",
            "Transactions resent to PostgreSQL",
            self.repeats.clone(),
        );
        registry.register(
            "found_done",
            "Resent transactions that had already been committed",
            self.found_done.clone(),
        );
        registry.register(
            "connections",
            "Open connections to PostgreSQL",
            self.connections.clone(),
        );
        registry.register(
            "connections_idle",
            "Idle connections to PostgreSQL",
            self.idle.clone(),
        );
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
    /// Creates and registers all metrics.
    pub fn new() -> Metrics {
        let mut registry = Registry::with_prefix("despacho");
        let build = Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "Version of the running server", build);
        let latency: Family<_, _, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(BUCKETS));
        let help = "Time from the request head to the response, by endpoint and status";
        registry.register_with_unit(
            "http_request_duration",
            help,
            Unit::Seconds,
            latency.clone(),
        );
        let longest_poll = Family::<PollLabels, Gauge<f64, AtomicU64>>::default();
        let help = "Longest time for which a request occupied a thread without a pause";
        registry.register_with_unit(
            "http_longest_poll",
            help,
            Unit::Seconds,
            longest_poll.clone(),
        );
        let metrics = Metrics {
            latency,
            longest_poll,
            in_flight: Gauge::default(),
            connections: Gauge::default(),
            shed: Counter::default(),
            rejected_requests: Family::default(),
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
            failed_passes: Counter::default(),
            streams: Gauge::default(),
            delivered: Counter::default(),
            undelivered: Counter::default(),
            pushed: Counter::default(),
            unpushed: Counter::default(),
            spans: SpanCounters::default(),
            store: StoreMetrics::default(),
            registry: Registry::default(),
        };
        metrics.register_http(&mut registry);
        metrics.register_background(&mut registry);
        metrics.store.register(&mut registry);
        Metrics {
            registry,
            ..metrics
        }
    }

    fn register_http(&self, registry: &mut Registry) {
        registry.register(
            "http_requests_in_flight",
            "Requests in progress",
            self.in_flight.clone(),
        );
        registry.register(
            "http_connections",
            "Open connections",
            self.connections.clone(),
        );
        registry.register(
            "http_connections_shed",
            "Connections rejected at the connection limit",
            self.shed.clone(),
        );
        registry.register(
            "http_requests_shed",
            "Requests rejected by the overload limits",
            self.rejected_requests.clone(),
        );
        registry.register(
            "http_requests_waiting",
            "Queued requests",
            self.waiting.clone(),
        );
        registry.register(
            "http_body_memory_bytes",
            "Memory reserved for request bodies",
            self.body_bytes.clone(),
        );
        let responses = self.response_bytes.clone();
        registry.register(
            "http_response_memory_bytes",
            "Memory of unsent responses",
            responses,
        );
        registry.register(
            "http_responses_shed",
            "Responses replaced by 503 at the memory limit",
            self.responses_shed.clone(),
        );
        let closed = self.connections_closed.clone();
        registry.register(
            "http_connections_closed",
            "Connections closed because the client stalled or to make room",
            closed,
        );
        // All reasons exist from the start: an alert on a missing series never fires.
        for shed in [Shed::QueueFull, Shed::WaitedTooLong, Shed::BodyMemory] {
            drop(self.rejected_requests.get_or_create(&Reason {
                reason: shed.name(),
            }));
        }
        registry.register(
            "http_requests_abandoned",
            "Requests whose client disconnected before the response",
            self.abandoned.clone(),
        );
        registry.register(
            "http_handler_panics",
            "Handlers that panicked",
            self.panics.clone(),
        );
    }

    fn register_background(&self, registry: &mut Registry) {
        registry.register(
            "scheduler_orders_moved",
            "Orders advanced by timed transitions",
            self.moved.clone(),
        );
        registry.register(
            "dispatch_orders_allocated",
            "Orders allocated to couriers",
            self.allocated.clone(),
        );
        registry.register(
            "dispatch_orders_released",
            "Orders released from unresponsive couriers",
            self.released.clone(),
        );
        registry.register(
            "scheduler_passes_failed",
            "Failed passes of the scheduler",
            self.failed_passes.clone(),
        );
        registry.register("event_streams", "Open event streams", self.streams.clone());
        registry.register(
            "webhook_messages_delivered",
            "Webhook messages accepted by their receivers",
            self.delivered.clone(),
        );
        registry.register(
            "webhook_attempts_failed",
            "Failed attempts to deliver webhook messages",
            self.undelivered.clone(),
        );
        registry.register(
            "push_messages_delivered",
            "Pushes accepted by push services",
            self.pushed.clone(),
        );
        registry.register(
            "push_attempts_failed",
            "Failed attempts to send pushes",
            self.unpushed.clone(),
        );
        registry.register(
            "trace_spans_exported",
            "Spans accepted by the collector",
            self.spans.exported.clone(),
        );
        registry.register(
            "trace_spans_dropped",
            "Spans dropped by a full queue or rejected by the collector",
            self.spans.dropped.clone(),
        );
    }

    /// Adds the metrics of geocoders and road services.
    #[must_use]
    pub fn with_geography(mut self, geo_metrics: &geo::GeoMetrics) -> Metrics {
        geo_metrics.register(&mut self.registry);
        self
    }

    /// Records a response and its latency.
    pub fn responded(&self, route: &'static str, status: u16, took: Duration) {
        self.latency
            .get_or_create(&ResponseLabels { route, status })
            .observe(took.as_secs_f64());
    }

    /// Records the longest time for which a request occupied a thread of these without a pause.
    pub fn polled(&self, route: &'static str, threads: &'static str, longest: Duration) {
        let gauge = self
            .longest_poll
            .get_or_create(&PollLabels { route, threads });
        if longest.as_secs_f64() > gauge.get() {
            gauge.set(longest.as_secs_f64());
        }
    }

    /// Counts a rejected request.
    pub fn rejected_requests(&self, shed: Shed) {
        self.rejected_requests
            .get_or_create(&Reason {
                reason: shed.name(),
            })
            .inc();
    }

    /// Returns all metrics in the OpenMetrics text format.
    pub fn text(
        &self,
        stats: &Stats,
        pool: &despacho_postgres::Stats,
        overload: &Overload,
        response_bytes: usize,
    ) -> Result<String, fmt::Error> {
        self.store.set(stats, pool);
        let values = [
            (&self.waiting, overload.queued_requests()),
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
