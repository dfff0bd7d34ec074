//! The released component on the test host of tests/spin.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::Bytes;
use despacho_core::memory::MemoryHost;
use despacho_process::cluster::Cluster;
use despacho_spin_tests::{Clock, CompiledComponent, Options, TestServer};
use http::{Request, Response};

use super::{CaseSettings, Client, OPERATOR_TOKEN, TestHost};

/// The component over HTTP, on its own empty database.
pub(super) struct Spin {
    client: Client,
    clock: Clock,
    // Fields are dropped in this order: the application must end before its database.
    _served: TestServer,
    _folder: tempfile::TempDir,
    _cluster: Option<Arc<Cluster>>,
}

impl Spin {
    /// Starts the component on Spin's SQLite.
    pub(super) fn on_sqlite(overrides: &CaseSettings) -> Result<Spin, String> {
        Spin::start(overrides, Clock::stopped(), None)
    }

    /// Starts the component on Spin's SQLite with a running clock, because some responses contain
    /// the remaining minutes.
    pub(super) fn compared_with_warp(overrides: &CaseSettings) -> Result<Spin, String> {
        Spin::start(overrides, Clock::default(), None)
    }

    /// Starts the component on Spin's SQLite at the time at which the reference host starts,
    /// because prices depend on the hour.
    pub(super) fn compared_with_memory(overrides: &CaseSettings) -> Result<Spin, String> {
        Spin::start(
            overrides,
            Clock::at(MemoryHost::seeded(1).now().millis()),
            None,
        )
    }

    /// Starts the component on its own PostgreSQL database.
    pub(super) fn on_postgres(overrides: &CaseSettings) -> Result<Spin, String> {
        let cluster = despacho_process::cluster::shared().map_err(|error| error.to_string())?;
        let address = cluster.fresh().map_err(|error| error.to_string())?;
        Spin::start(overrides, Clock::stopped(), Some((cluster, address)))
    }

    fn start(
        overrides: &CaseSettings,
        clock: Clock,
        postgres: Option<(Arc<Cluster>, String)>,
    ) -> Result<Spin, String> {
        // One compilation serves all cases of the process.
        static COMPONENT: OnceLock<Result<CompiledComponent, String>> = OnceLock::new();
        let compiled = COMPONENT
            .get_or_init(|| CompiledComponent::shipped().map_err(|error| error.to_string()));
        let compiled = compiled.as_ref().map_err(Clone::clone)?;
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let mut options = Options::new(folder.path().join("despacho.db"), OPERATOR_TOKEN);
        options.clock = clock.clone();
        if let Some((_, address)) = &postgres {
            // The host offers no SQLite, so any use of it fails.
            options = Options {
                database: None,
                ..options.variable("database_url", address)
            };
        }
        if clock.is_stopped() {
            // A password slot expires by the clock, which is stopped. Instances that outlive the
            // case need only one slot.
            options.reuse.idle = Duration::from_secs(60);
        }
        options = options.variable("settings", &settings(overrides)?);
        if let Some(url) = overrides.get(PUBLIC_URL) {
            options = options.variable("public_url", url);
        }
        let served = TestServer::start(compiled, &options).map_err(|e| e.to_string())?;
        let cluster = postgres.map(|(cluster, _)| cluster);
        Ok(Spin {
            client: Client::to(&served.base),
            clock,
            _served: served,
            _folder: folder,
            _cluster: cluster,
        })
    }
}

/// The setting that is a variable of its own.
pub(super) const PUBLIC_URL: &str = "public-url";

/// Returns the variable `settings` for a case.
pub(super) fn settings(overrides: &CaseSettings) -> Result<String, String> {
    let mut settings = serde_json::json!({});
    for (key, text) in overrides {
        let value = match key.as_str() {
            PUBLIC_URL => continue,
            "places.min-precision"
            | "pricing.estimates"
            | "push.vapid-key"
            | "push.contact"
            | "pix.key"
            | "pix.name"
            | "pix.city" => text.as_str().into(),
            "keys.per-store"
            | "limits.users"
            | "limits.logins-per-15-minutes"
            | "accounts.link-minutes"
            | "pix.max-top-up"
            | "pix.pending-top-ups" => {
                let count: Result<u32, _> = text.parse();
                count
                    .map_err(|_| format!("`{text}` is not a count"))?
                    .into()
            }
            _ => return Err(format!("cases cannot set `{key}` on the component")),
        };
        let (section, name) = key.split_once('.').unwrap_or_default();
        settings[section][name] = value;
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
