//! The component as it ships, on the test host of tests/spin.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::Bytes;
use despacho_core::memory::MemoryHost;
use despacho_process::cluster::Cluster;
use despacho_spin_tests::{Clock, CompiledComponent, Options, TestServer};
use http::{Request, Response};

use super::{Chosen, Client, OPERATOR_TOKEN, TestHost};

/// The component over HTTP, on an empty database of its own.
pub(super) struct Spin {
    client: Client,
    clock: Clock,
    // Declared in this order, so that the application is gone before its file or its server.
    _served: TestServer,
    _folder: tempfile::TempDir,
    _cluster: Option<Arc<Cluster>>,
}

impl Spin {
    /// On Spin's SQLite.
    pub(super) fn on_sqlite(chosen: &Chosen) -> Result<Spin, String> {
        Spin::start(chosen, Clock::stopped(), None)
    }

    /// On Spin's SQLite, with a clock that goes on as the server's does: some answers say how many minutes are left.
    pub(super) fn compared_with_warp(chosen: &Chosen) -> Result<Spin, String> {
        Spin::start(chosen, Clock::default(), None)
    }

    /// On Spin's SQLite, at the instant at which the reference host begins: prices depend on the hour.
    pub(super) fn compared_with_memory(chosen: &Chosen) -> Result<Spin, String> {
        Spin::start(chosen, Clock::at(MemoryHost::seeded(1).now().millis()), None)
    }

    /// On PostgreSQL, in a database of its own.
    pub(super) fn on_postgres(chosen: &Chosen) -> Result<Spin, String> {
        let cluster = despacho_process::cluster::shared().map_err(|error| error.to_string())?;
        let address = cluster.fresh().map_err(|error| error.to_string())?;
        Spin::start(chosen, Clock::stopped(), Some((cluster, address)))
    }

    fn start(chosen: &Chosen, clock: Clock, postgres: Option<(Arc<Cluster>, String)>) -> Result<Spin, String> {
        // One compilation for all cases of a process.
        static COMPONENT: OnceLock<Result<CompiledComponent, String>> = OnceLock::new();
        let compiled = COMPONENT.get_or_init(|| CompiledComponent::shipped().map_err(|error| error.to_string()));
        let compiled = compiled.as_ref().map_err(Clone::clone)?;
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let mut options = Options::new(folder.path().join("despacho.db"), OPERATOR_TOKEN);
        options.clock = clock.clone();
        if let Some((_, address)) = &postgres {
            // No SQLite at all: nothing of it may be asked for.
            options = Options { database: None, ..options.variable("database_url", address) };
        }
        if clock.is_stopped() {
            // A password slot ends by the clock. With instances that outlive a case, one slot is enough for all of it.
            options.reuse.idle = Duration::from_secs(60);
        }
        options = options.variable("settings", &settings(chosen)?);
        let served = TestServer::start(compiled, &options).map_err(|e| e.to_string())?;
        let cluster = postgres.map(|(cluster, _)| cluster);
        Ok(Spin { client: Client::to(&served.base), clock, _served: served, _folder: folder, _cluster: cluster })
    }
}

/// The variable `settings` for a case.
pub(super) fn settings(chosen: &Chosen) -> Result<String, String> {
    let mut settings = serde_json::json!({});
    for (key, text) in chosen {
        match key.as_str() {
            "places.min-precision" => settings["places"]["min-precision"] = text.as_str().into(),
            "keys.per-store" => {
                let count: u32 = text.parse().map_err(|_| format!("`{text}` is not a count"))?;
                settings["keys"]["per-store"] = count.into();
            }
            _ => return Err(format!("the component has no setting `{key}` for cases")),
        }
    }
    Ok(settings.to_string())
}

impl TestHost for Spin {
    fn send(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        self.client.send(request)
    }

    fn advance(&mut self, seconds: u32) -> Result<(), String> {
        self.clock.advance(Duration::from_secs(seconds.into()));
        Ok(())
    }
}
