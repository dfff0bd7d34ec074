//! What every request needs: the store, the core's settings, the counters.

use std::{sync::Arc, time::Duration};

use despacho_core::{model::store::KeyHash, rules::settings::Settings};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    connections::Connections, memory::MemoryBudget, metrics::Metrics, overload::Overload, panel::Panel, store::Store,
    streams::Streams, telemetry::Tracer,
};

/// The running application.
pub struct App {
    /// The rules' configuration.
    pub settings: Settings,
    /// The state.
    pub store: Store,
    /// The counters.
    pub metrics: Metrics,
    /// The hash of the token for the counters; the operator's is valid too.
    pub metrics_token: Option<KeyHash>,
    /// The merchant panel, where it is served.
    pub panel: Option<Panel>,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How long a peer may take no part of a response.
    pub write_timeout: Duration,
    /// The streams that are open.
    pub streams: Streams,
    /// Where traces go, where they go anywhere.
    pub tracer: Option<Tracer>,
    /// How much is taken on.
    pub overload: Overload,
    /// The open connections.
    pub connections: Arc<Connections>,
    /// The memory of unsent responses.
    pub responses: Arc<MemoryBudget>,
    /// Cancelled when the server shuts down.
    pub shutdown: CancellationToken,
    /// Open connections and unfinished writes, for which a shutdown waits.
    pub tasks: TaskTracker,
}
