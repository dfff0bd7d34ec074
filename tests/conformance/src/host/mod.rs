//! The hosts that cases run on.

mod spin;
mod spin_up;

use std::{
    collections::BTreeMap,
    future::Future,
    path::{Path, PathBuf},
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use bytes::Bytes;
use despacho_core::{
    api,
    memory::MemoryHost,
    model::{self, PixKey, Precision, price::EstimatePolicy, store::KeyHash},
    rules::{
        push::VapidKey,
        settings::{Secret, Settings},
    },
};
use despacho_process::cluster::{Cluster, Pooler};
use despacho_xtask::{
    place,
    server::{self, Server},
};
use http::{Request, Response};

use spin::Spin;
use spin_up::SpinUp;

/// The operator's token on every host, `${operatorToken}` in a case.
pub const OPERATOR_TOKEN: &str = "conformance-operator-token";

/// A new, empty host under test.
pub trait TestHost {
    /// Sends a request and returns the response.
    fn send(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>, String>;
    /// Advances the clock.
    fn advance(&mut self, seconds: u32) -> Result<(), String>;
}

/// Settings that override the defaults, with the keys of `despacho config`.
pub type CaseSettings = BTreeMap<String, String>;

/// A kind of host.
pub struct HostKind {
    /// The name in test names.
    pub name: &'static str,
    /// Whether its clock can be advanced.
    pub can_advance_clock: bool,
    /// Returns why the host cannot run on this machine; `None` if it can.
    pub missing: fn() -> Option<&'static str>,
    /// The tests that already run every case on this host. If set, its own tests run only with
    /// `--ignored`.
    pub covered_by: Option<&'static str>,
    /// Starts a host; `name` is unique among the hosts that run at the same time.
    pub start: Start,
}

/// Starts a host.
pub type Start = fn(name: &str, settings: &CaseSettings) -> Result<Box<dyn TestHost>, String>;

/// All kinds of host. Every case runs on each.
pub const HOST_KINDS: &[HostKind] = &[
    HostKind {
        name: "memory",
        can_advance_clock: true,
        missing: || None,
        covered_by: None,
        start: memory,
    },
    HostKind {
        name: "warp",
        can_advance_clock: false,
        missing: || None,
        covered_by: None,
        start: warp,
    },
    HostKind {
        name: "postgres",
        can_advance_clock: false,
        missing: despacho_process::cluster::missing,
        covered_by: Some("covered by `three`, which runs more servers"),
        start: |_, settings| Ok(Box::new(ServerGroup::start(1, settings)?)),
    },
    HostKind {
        name: "three",
        can_advance_clock: false,
        missing: despacho_process::cluster::missing,
        covered_by: None,
        start: |_, settings| Ok(Box::new(ServerGroup::start(3, settings)?)),
    },
    HostKind {
        name: "pgbouncer",
        can_advance_clock: false,
        missing: despacho_process::cluster::pooler_missing,
        covered_by: None,
        start: |_, settings| Ok(Box::new(ServerGroup::start_pooled(settings)?)),
    },
    HostKind {
        name: "spin",
        can_advance_clock: true,
        missing: || None,
        covered_by: Some("covered by the comparisons with `warp` and `memory`"),
        start: spin,
    },
    HostKind {
        name: "spin-postgres",
        can_advance_clock: true,
        missing: despacho_process::cluster::missing,
        covered_by: None,
        start: |_, settings| Ok(Box::new(Spin::on_postgres(settings)?)),
    },
    HostKind {
        name: "spin-up",
        can_advance_clock: false,
        missing: spin_up::missing,
        covered_by: None,
        start: |_, settings| Ok(Box::new(SpinUp::start(settings)?)),
    },
];

/// Starts the in-memory reference host.
pub(crate) fn memory(_name: &str, settings: &CaseSettings) -> Result<Box<dyn TestHost>, String> {
    Ok(Box::new(Memory::start(settings)?))
}

/// Starts the server on SQLite.
pub(crate) fn warp(name: &str, settings: &CaseSettings) -> Result<Box<dyn TestHost>, String> {
    Ok(Box::new(Warp::start(name, settings)?))
}

/// Starts the component on Spin's SQLite.
fn spin(_name: &str, settings: &CaseSettings) -> Result<Box<dyn TestHost>, String> {
    Ok(Box::new(Spin::on_sqlite(settings)?))
}

/// Starts the component with the machine's clock.
pub(crate) fn spin_compared_with_warp(
    _name: &str,
    settings: &CaseSettings,
) -> Result<Box<dyn TestHost>, String> {
    Ok(Box::new(Spin::compared_with_warp(settings)?))
}

/// Starts the component at the time at which the reference host starts.
pub(crate) fn spin_compared_with_memory(
    _name: &str,
    settings: &CaseSettings,
) -> Result<Box<dyn TestHost>, String> {
    Ok(Box::new(Spin::compared_with_memory(settings)?))
}

/// The in-memory reference host, called without a network.
struct Memory {
    host: MemoryHost,
    settings: Settings,
    /// Whether the case has advanced the clock. From then on, each request takes time, as on a host
    /// with a real clock.
    is_clock_running: bool,
}

/// The duration of a request after the case has advanced the clock. It prevents cases from
/// depending on exact milliseconds.
const REQUEST_MILLIS: i64 = 200;

impl Memory {
    fn start(overrides: &CaseSettings) -> Result<Memory, String> {
        let operator = Some(KeyHash::of(OPERATOR_TOKEN));
        let mut settings = Settings {
            operator,
            secret: Secret([7; 32]),
            ..Settings::default()
        };
        for (key, text) in overrides {
            match (key.as_str(), Precision::parse(text), text.parse()) {
                ("places.min-precision", Some(level), _) => settings.places.min_precision = level,
                ("pricing.estimates", ..) => {
                    settings.pricing.estimates = EstimatePolicy::parse(text)
                        .ok_or_else(|| format!("`{text}` is not a policy"))?;
                }
                ("public-url", ..) => settings.public_url = Some(text.clone()),
                ("keys.per-store", _, Ok(count)) => settings.keys.per_store = count,
                ("limits.users", _, Ok(count)) => settings.limits.users = count,
                ("limits.logins-per-15-minutes", _, Ok(count)) => {
                    settings.limits.logins_per_15_minutes = count
                }
                ("accounts.link-minutes", _, Ok(minutes)) => {
                    settings.accounts.link_minutes = minutes
                }
                ("push.vapid-key", ..) => settings.push.vapid_key = VapidKey::parse(text).ok(),
                ("pix.key", ..) => settings.pix.key = PixKey::parse(text).ok(),
                ("pix.name", ..) => settings.pix.name = Some(text.clone()),
                ("pix.city", ..) => settings.pix.city = Some(text.clone()),
                ("pix.max-top-up", _, Ok(reais)) => settings.pix.max_top_up = reais,
                ("pix.pending-top-ups", _, Ok(count)) => settings.pix.pending_top_ups = count,
                ("push.contact", ..) => settings.push.contact = Some(text.clone()),
                _ => {
                    return Err(format!(
                        "the in-memory host does not support the setting `{key}` = `{text}`"
                    ));
                }
            }
        }
        Ok(Memory {
            host: MemoryHost::seeded(1),
            settings,
            is_clock_running: false,
        })
    }
}

impl TestHost for Memory {
    fn send(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        if self.is_clock_running {
            self.host.advance(model::Duration::millis(REQUEST_MILLIS));
        }
        let mut reply = pin!(api::handle(&self.host, &self.settings, request));
        // The host performs no I/O, so the first poll completes the future.
        match reply.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(mut response) => {
                api::protect(response.headers_mut());
                Ok(response)
            }
            Poll::Pending => Err("the future of the in-memory host is pending".to_owned()),
        }
    }

    fn advance(&mut self, seconds: u32) -> Result<(), String> {
        self.is_clock_running = true;
        self.host
            .advance(model::Duration::millis(i64::from(seconds) * 1_000));
        Ok(())
    }
}

/// The server as a process, over HTTP.
struct Warp {
    server: Server,
    client: Client,
    data: PathBuf,
}

impl Warp {
    fn start(name: &str, settings: &CaseSettings) -> Result<Warp, String> {
        let folder = format!("{}-{}", name.replace('/', "-"), std::process::id());
        let data = place::target()
            .map_err(|e| e.to_string())?
            .join("conformance")
            .join(folder);
        let server = serve(&data, settings, &[])?;
        Ok(Warp {
            client: Client::to(&server.base),
            server,
            data,
        })
    }
}

impl TestHost for Warp {
    fn send(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        self.client.send(request)
    }

    fn advance(&mut self, _seconds: u32) -> Result<(), String> {
        Err("a running server's clock is the machine's".to_owned())
    }
}

impl Drop for Warp {
    fn drop(&mut self) {
        // The process must end before its files are removed. Files that cannot be removed remain
        // below target.
        let _ = self.server.child().kill();
        let _ = self.server.child().wait();
        let _ = std::fs::remove_dir_all(&self.data);
    }
}

/// Starts the server as a process.
fn serve(data: &Path, overrides: &CaseSettings, more: &[(&str, &str)]) -> Result<Server, String> {
    let binary = server::binary().map_err(|e| e.to_string())?;
    let variable = |key: &str| format!("DESPACHO_{}", key.replace(['.', '-'], "_").to_uppercase());
    let named: Vec<(String, &str)> = overrides
        .iter()
        .map(|(key, text)| (variable(key), text.as_str()))
        .collect();
    // The cases start the passes of dispatch. A pass of the server itself between two requests
    // would assign the order first.
    let mut variables = vec![
        ("DESPACHO_ADMIN_TOKEN", OPERATOR_TOKEN),
        ("DESPACHO_DISPATCH_INTERVAL_SECONDS", "60"),
    ];
    variables.extend(named.iter().map(|(name, text)| (name.as_str(), *text)));
    variables.extend(more);
    Server::start(&binary, data, &[], &variables).map_err(|e| e.to_string())
}

/// Servers on one PostgreSQL database. Requests go to each in turn, as behind a load balancer.
struct ServerGroup {
    clients: Vec<Client>,
    next: usize,
    // Fields are dropped in this order: the servers must end before their database.
    _servers: Vec<Server>,
    _pooler: Option<Pooler>,
    _cluster: Arc<Cluster>,
    _folder: tempfile::TempDir,
}

impl ServerGroup {
    fn start(count: usize, settings: &CaseSettings) -> Result<ServerGroup, String> {
        let cluster = despacho_process::cluster::shared().map_err(|e| e.to_string())?;
        let database = cluster.fresh().map_err(|e| e.to_string())?;
        ServerGroup::over(cluster, None, &database, count, settings)
    }

    /// Two servers behind a PgBouncer in transaction mode.
    fn start_pooled(settings: &CaseSettings) -> Result<ServerGroup, String> {
        let cluster = despacho_process::cluster::shared().map_err(|e| e.to_string())?;
        let pooler = Pooler::start(&cluster, "transaction").map_err(|e| e.to_string())?;
        let database = pooler.through(&cluster.fresh().map_err(|e| e.to_string())?);
        ServerGroup::over(
            cluster,
            Some(pooler),
            &format!("{database}?pooler=transaction"),
            2,
            settings,
        )
    }

    fn over(
        cluster: Arc<Cluster>,
        pooler: Option<Pooler>,
        database: &str,
        count: usize,
        settings: &CaseSettings,
    ) -> Result<ServerGroup, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let secret = "5e".repeat(32);
        let more = [
            ("DESPACHO_DATABASE", database),
            ("DESPACHO_SECRET", secret.as_str()),
            ("DESPACHO_DATABASE_CONNECTIONS", "4"),
        ];
        // All servers start at once on an empty database, and one of them creates the tables.
        let servers = std::thread::scope(|scope| {
            let starting: Vec<_> = (0..count)
                .map(|_| scope.spawn(|| serve(folder.path(), settings, &more)))
                .collect();
            let started = starting.into_iter().map(|one| {
                one.join()
                    .unwrap_or_else(|_| Err("starting the server panicked".to_owned()))
            });
            started.collect::<Result<Vec<_>, String>>()
        })?;
        let clients = servers
            .iter()
            .map(|server| Client::to(&server.base))
            .collect();
        Ok(ServerGroup {
            clients,
            next: 0,
            _servers: servers,
            _pooler: pooler,
            _cluster: cluster,
            _folder: folder,
        })
    }
}

impl TestHost for ServerGroup {
    fn send(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        self.next += 1;
        let client = self
            .clients
            .get(self.next % self.clients.len().max(1))
            .ok_or("no server is running")?;
        client.send(request)
    }

    fn advance(&mut self, _seconds: u32) -> Result<(), String> {
        Err("a running server's clock is the machine's".to_owned())
    }
}

/// Sends requests over HTTP unchanged, without following redirects. Every status is a response, not
/// an error.
struct Client {
    agent: ureq::Agent,
    base: String,
}

impl Client {
    fn to(base: &str) -> Client {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            .max_redirects(0)
            .proxy(None)
            .timeout_global(Some(Duration::from_secs(30)));
        Client {
            agent: config.build().into(),
            base: base.to_owned(),
        }
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let (mut parts, body) = request.into_parts();
        let target = format!("{}{}", self.base, parts.uri);
        parts.uri = target.parse().map_err(|e| format!("{target}: {e}"))?;
        let reply = self
            .agent
            .run(Request::from_parts(parts, &body[..]))
            .map_err(|e| format!("{target}: {e}"))?;
        let (parts, mut body) = reply.into_parts();
        let bytes = body.read_to_vec().map_err(|e| format!("{target}: {e}"))?;
        Ok(Response::from_parts(parts, bytes.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_host_responds_and_its_clock_advances() {
        let mut memory = Memory::start(&CaseSettings::new()).expect("the host starts");
        let before = memory.host.now();
        let request = Request::get("/nothing")
            .body(Bytes::new())
            .expect("a request");
        assert_eq!(
            memory.send(request).map(|reply| reply.status().as_u16()),
            Ok(404)
        );
        memory.advance(90).expect("the clock can be advanced");
        assert_eq!(
            memory.host.now(),
            before.after(model::Duration::millis(90_000))
        );
    }
}
