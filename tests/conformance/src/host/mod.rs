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
    model::{self, Precision, store::KeyHash},
    rules::settings::{Secret, Settings},
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

/// A host under test, fresh and empty.
pub trait TestHost {
    /// Answers a request.
    fn send(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>, String>;
    /// Moves the clock on.
    fn advance(&mut self, seconds: u32) -> Result<(), String>;
}

/// Settings by the keys of `despacho config`.
pub type Chosen = BTreeMap<String, String>;

/// A kind of host.
pub struct Kind {
    /// What tests call it.
    pub name: &'static str,
    /// Whether its clock can be moved.
    pub has_clock: bool,
    /// Why there is none on this machine, where there is none.
    pub missing: fn() -> Option<&'static str>,
    /// What runs every case in its place, where something does: then it is run by name, with `--ignored`, to tell where a fault lies.
    pub covered_by: Option<&'static str>,
    /// Starts one with settings that differ from the defaults; `name` is unique among those that run at the same time.
    pub start: Start,
}

/// Starts a host.
pub type Start = fn(name: &str, settings: &Chosen) -> Result<Box<dyn TestHost>, String>;

/// Every kind of host; every case runs on each.
pub const KINDS: &[Kind] = &[
    Kind { name: "memory", has_clock: true, missing: || None, covered_by: None, start: memory },
    Kind { name: "warp", has_clock: false, missing: || None, covered_by: None, start: warp },
    Kind {
        name: "postgres",
        has_clock: false,
        missing: despacho_process::cluster::missing,
        covered_by: Some("`three` runs it with more servers"),
        start: |_, chosen| Ok(Box::new(Shared::start(1, chosen)?)),
    },
    Kind {
        name: "three",
        has_clock: false,
        missing: despacho_process::cluster::missing,
        covered_by: None,
        start: |_, chosen| Ok(Box::new(Shared::start(3, chosen)?)),
    },
    Kind {
        name: "pgbouncer",
        has_clock: false,
        missing: despacho_process::cluster::pooler_missing,
        covered_by: None,
        start: |_, chosen| Ok(Box::new(Shared::start_pooled(chosen)?)),
    },
    Kind {
        name: "spin",
        has_clock: true,
        missing: || None,
        covered_by: Some("run beside `warp` or `memory`"),
        start: spin,
    },
    Kind {
        name: "spin-postgres",
        has_clock: true,
        missing: despacho_process::cluster::missing,
        covered_by: None,
        start: |_, chosen| Ok(Box::new(Spin::on_postgres(chosen)?)),
    },
    Kind {
        name: "spin-up",
        has_clock: false,
        missing: spin_up::missing,
        covered_by: None,
        start: |_, chosen| Ok(Box::new(SpinUp::start(chosen)?)),
    },
];

/// The reference host.
pub(crate) fn memory(_name: &str, chosen: &Chosen) -> Result<Box<dyn TestHost>, String> {
    Ok(Box::new(Memory::start(chosen)?))
}

/// The server, on SQLite.
pub(crate) fn warp(name: &str, chosen: &Chosen) -> Result<Box<dyn TestHost>, String> {
    Ok(Box::new(Warp::start(name, chosen)?))
}

/// The component, on Spin's SQLite.
fn spin(_name: &str, chosen: &Chosen) -> Result<Box<dyn TestHost>, String> {
    Ok(Box::new(Spin::on_sqlite(chosen)?))
}

/// The same with the machine's clock.
pub(crate) fn spin_compared_with_warp(_name: &str, chosen: &Chosen) -> Result<Box<dyn TestHost>, String> {
    Ok(Box::new(Spin::compared_with_warp(chosen)?))
}

/// The same at the instant at which the reference host begins.
pub(crate) fn spin_compared_with_memory(_name: &str, chosen: &Chosen) -> Result<Box<dyn TestHost>, String> {
    Ok(Box::new(Spin::compared_with_memory(chosen)?))
}

/// The reference host, without a network between.
struct Memory {
    host: MemoryHost,
    settings: Settings,
    /// Whether a case has moved the clock: from then on each request takes time, as on a host with a real clock.
    is_clock_running: bool,
}

/// What a request takes once a case has moved the clock, so that no case can depend on the very millisecond of a deadline.
const REQUEST_MILLIS: i64 = 200;

impl Memory {
    fn start(chosen: &Chosen) -> Result<Memory, String> {
        let operator = Some(KeyHash::of(OPERATOR_TOKEN));
        let mut settings = Settings { operator, secret: Secret([7; 32]), ..Settings::default() };
        for (key, text) in chosen {
            match (key.as_str(), Precision::parse(text), text.parse()) {
                ("places.min-precision", Some(level), _) => settings.places.min_precision = level,
                ("keys.per-store", _, Ok(count)) => settings.keys.per_store = count,
                _ => return Err(format!("the in-memory host has no setting `{key}` that can be `{text}`")),
            }
        }
        Ok(Memory { host: MemoryHost::seeded(1), settings, is_clock_running: false })
    }
}

impl TestHost for Memory {
    fn send(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        if self.is_clock_running {
            self.host.advance(model::Duration::millis(REQUEST_MILLIS));
        }
        let mut reply = pin!(api::handle(&self.host, &self.settings, request));
        // The host never waits: what is not ready at once would never be.
        match reply.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(mut response) => {
                // As every host does.
                api::protect(response.headers_mut());
                Ok(response)
            }
            Poll::Pending => Err("the in-memory host waits for something".to_owned()),
        }
    }

    fn advance(&mut self, seconds: u32) -> Result<(), String> {
        self.is_clock_running = true;
        self.host.advance(model::Duration::millis(i64::from(seconds) * 1_000));
        Ok(())
    }
}

/// The server as it ships, over HTTP.
struct Warp {
    server: Server,
    client: Client,
    data: PathBuf,
}

impl Warp {
    fn start(name: &str, chosen: &Chosen) -> Result<Warp, String> {
        let folder = format!("{}-{}", name.replace('/', "-"), std::process::id());
        let data = place::target().map_err(|e| e.to_string())?.join("conformance").join(folder);
        let server = serve(&data, chosen, &[])?;
        Ok(Warp { client: Client::to(&server.base), server, data })
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
        // The process must be gone before its files go; what cannot be removed is below target and harms nobody.
        let _ = self.server.child().kill();
        let _ = self.server.child().wait();
        let _ = std::fs::remove_dir_all(&self.data);
    }
}

/// Starts the server as it ships.
fn serve(data: &Path, chosen: &Chosen, more: &[(&str, &str)]) -> Result<Server, String> {
    let binary = server::binary().map_err(|e| e.to_string())?;
    let variable = |key: &str| format!("DESPACHO_{}", key.replace(['.', '-'], "_").to_uppercase());
    let named: Vec<(String, &str)> = chosen.iter().map(|(key, text)| (variable(key), text.as_str())).collect();
    let mut variables = vec![("DESPACHO_ADMIN_TOKEN", OPERATOR_TOKEN)];
    variables.extend(named.iter().map(|(name, text)| (name.as_str(), *text)));
    variables.extend(more);
    Server::start(&binary, data, &[], &variables).map_err(|e| e.to_string())
}

/// Servers as they ship over one PostgreSQL database. They are asked in turn, as behind a balancer.
struct Shared {
    clients: Vec<Client>,
    next: usize,
    // Declared in this order, so that the servers are gone before their database.
    _servers: Vec<Server>,
    _pooler: Option<Pooler>,
    _cluster: Arc<Cluster>,
    _folder: tempfile::TempDir,
}

impl Shared {
    fn start(count: usize, chosen: &Chosen) -> Result<Shared, String> {
        let cluster = despacho_process::cluster::shared().map_err(|e| e.to_string())?;
        let database = cluster.fresh().map_err(|e| e.to_string())?;
        Shared::over(cluster, None, &database, count, chosen)
    }

    /// Two servers behind a PgBouncer in transaction mode.
    fn start_pooled(chosen: &Chosen) -> Result<Shared, String> {
        let cluster = despacho_process::cluster::shared().map_err(|e| e.to_string())?;
        let pooler = Pooler::start(&cluster, "transaction").map_err(|e| e.to_string())?;
        let database = pooler.through(&cluster.fresh().map_err(|e| e.to_string())?);
        Shared::over(cluster, Some(pooler), &format!("{database}?pooler=transaction"), 2, chosen)
    }

    fn over(
        cluster: Arc<Cluster>,
        pooler: Option<Pooler>,
        database: &str,
        count: usize,
        chosen: &Chosen,
    ) -> Result<Shared, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let secret = "5e".repeat(32);
        let more = [
            ("DESPACHO_DATABASE", database),
            ("DESPACHO_SECRET", secret.as_str()),
            ("DESPACHO_DATABASE_CONNECTIONS", "4"),
        ];
        // All at once: they find an empty database, and one of them makes the tables.
        let servers = std::thread::scope(|scope| {
            let starting: Vec<_> = (0..count).map(|_| scope.spawn(|| serve(folder.path(), chosen, &more))).collect();
            let started = starting.into_iter().map(|one| one.join().unwrap_or_else(|_| Err("it panicked".to_owned())));
            started.collect::<Result<Vec<_>, String>>()
        })?;
        let clients = servers.iter().map(|server| Client::to(&server.base)).collect();
        Ok(Shared { clients, next: 0, _servers: servers, _pooler: pooler, _cluster: cluster, _folder: folder })
    }
}

impl TestHost for Shared {
    fn send(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        self.next += 1;
        let client = self.clients.get(self.next % self.clients.len().max(1)).ok_or("there is no server")?;
        client.send(request)
    }

    fn advance(&mut self, _seconds: u32) -> Result<(), String> {
        Err("a running server's clock is the machine's".to_owned())
    }
}

/// Requests over HTTP as they are: no redirect is followed, no status is an error.
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
        Client { agent: config.build().into(), base: base.to_owned() }
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let (mut parts, body) = request.into_parts();
        let target = format!("{}{}", self.base, parts.uri);
        parts.uri = target.parse().map_err(|e| format!("{target}: {e}"))?;
        let reply = self.agent.run(Request::from_parts(parts, &body[..])).map_err(|e| format!("{target}: {e}"))?;
        let (parts, mut body) = reply.into_parts();
        let bytes = body.read_to_vec().map_err(|e| format!("{target}: {e}"))?;
        Ok(Response::from_parts(parts, bytes.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_host_answers_without_waiting_and_its_clock_moves() {
        let mut memory = Memory::start(&Chosen::new()).expect("it starts");
        let before = memory.host.now();
        let request = Request::get("/nothing").body(Bytes::new()).expect("a request");
        assert_eq!(memory.send(request).map(|reply| reply.status().as_u16()), Ok(404));
        memory.advance(90).expect("it can");
        assert_eq!(memory.host.now(), before.after(model::Duration::millis(90_000)));
    }
}
