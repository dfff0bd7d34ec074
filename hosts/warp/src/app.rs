//! The state that all requests share: the store, the core's settings and the counters.

use std::{sync::Arc, time::Duration};

use despacho_core::{model::store::KeyHash, rules::settings::Settings};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    connections::Connections, memory::MemoryBudget, metrics::Metrics, overload::Overload,
    panel::Panel, store::Store, streams::Streams, telemetry::Tracer, work::Work,
};

/// The running application.
pub struct App {
    /// The core's settings.
    pub settings: Settings,
    /// The database and the services behind the core.
    pub store: Store,
    /// The counters.
    pub metrics: Metrics,
    /// The hash of the token for `GET /metrics`; the operator's token is valid too.
    pub metrics_token: Option<KeyHash>,
    /// The merchant panel, if it is served.
    pub panel: Option<Panel>,
    /// The maximum time to process a request.
    pub timeout: Duration,
    /// The maximum time without progress while a response is sent.
    pub write_timeout: Duration,
    /// The open event streams.
    pub streams: Streams,
    /// The tracer, if traces are exported.
    pub tracer: Option<Tracer>,
    /// The admission of requests.
    pub overload: Overload,
    /// The threads for requests that take long, and for passes.
    pub work: Work,
    /// The open connections.
    pub connections: Arc<Connections>,
    /// The memory of unsent responses.
    pub responses: Arc<MemoryBudget>,
    /// Cancelled when the server shuts down.
    pub shutdown: CancellationToken,
    /// Open connections and unfinished writes, for which a shutdown waits.
    pub tasks: TaskTracker,
}
