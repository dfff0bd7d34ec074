//! What an application is served with.

use std::{collections::BTreeMap, net::SocketAddr, path::PathBuf, time::Duration};

use wasmtime_wasi::p2::pipe::MemoryOutputPipe;

use crate::Clock;

/// How instances are reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reuse {
    /// Requests in an instance's life.
    pub requests: usize,
    /// Requests that it answers at once.
    pub at_once: usize,
    /// How long it waits for another request.
    pub idle: Duration,
}

impl Reuse {
    /// As Spin 4 does.
    pub const SPIN: Reuse = Reuse { requests: 128, at_once: 16, idle: Duration::from_secs(1) };
    /// An instance for every request.
    pub const NEVER: Reuse = Reuse { requests: 1, at_once: 1, idle: Duration::from_secs(1) };
}

/// What an application is served with.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The file of the SQLite database `default`; none where the component is given no database.
    pub database: Option<PathBuf>,
    /// Whether there is a state directory. Without one every connection to SQLite is an empty database in memory, as in Spin.
    pub state_directory: bool,
    /// PostgreSQL connections of this application, `max_connections` of `[outbound_pg]` in Spin's runtime configuration.
    pub postgres_connections: usize,
    /// The component's variables.
    pub variables: BTreeMap<String, String>,
    /// Addresses of this machine that the component may call.
    pub outbound: Vec<SocketAddr>,
    /// Addresses of networks that the runtime blocks, whatever the component may call.
    pub blocked: Vec<SocketAddr>,
    /// Certificates, in DER, that what it calls over TLS may show.
    pub trusted: Vec<Vec<u8>>,
    /// The folder that the component sees as its files, to read; none where it is given no files.
    pub files: Option<PathBuf>,
    /// How instances are reused.
    pub reuse: Reuse,
    /// The statement, counted from 1 over all instances, at which the instance that sends it traps.
    pub trap_at: Option<u64>,
    /// The wall clock that instances see.
    pub clock: Clock,
    /// Receives the component's log; standard error where there is none.
    pub log: Option<MemoryOutputPipe>,
}

/// Spin's limit of PostgreSQL connections where the runtime configuration names none.
const POSTGRES_CONNECTIONS: usize = 64;

impl Options {
    /// An application with a SQLite database and the two variables that it needs.
    pub fn new(database: PathBuf, admin_token: &str) -> Options {
        let secret = "5a".repeat(32);
        let variables = [("admin_token", admin_token), ("secret", &secret)];
        Options {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            database: Some(database),
            state_directory: true,
            postgres_connections: POSTGRES_CONNECTIONS,
            variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            outbound: Vec::new(),
            blocked: Vec::new(),
            trusted: Vec::new(),
            files: None,
            reuse: Reuse::SPIN,
            trap_at: None,
            clock: Clock::default(),
            log: None,
        }
    }

    /// The same with another variable.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Options {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }
}
