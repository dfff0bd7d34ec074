//! The options of a test server.

use std::{collections::BTreeMap, net::SocketAddr, path::PathBuf, time::Duration};

use wasmtime_wasi::p2::pipe::MemoryOutputPipe;

use crate::Clock;

/// Reuse of instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reuse {
    /// Maximum requests per instance.
    pub requests: usize,
    /// Maximum concurrent requests per instance.
    pub max_concurrent: usize,
    /// Time without requests after which an instance ends.
    pub idle: Duration,
}

impl Reuse {
    /// The defaults of Spin 4.
    pub const SPIN: Reuse = Reuse {
        requests: 128,
        max_concurrent: 16,
        idle: Duration::from_secs(1),
    };
    /// A new instance for every request.
    pub const NEVER: Reuse = Reuse {
        requests: 1,
        max_concurrent: 1,
        idle: Duration::from_secs(1),
    };
}

/// The options of a test server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on; port 0 selects a free port.
    pub listen: SocketAddr,
    /// The file of the SQLite database `default`; `None` if the component has no database.
    pub database: Option<PathBuf>,
    /// Whether there is a state directory. Without one every connection to SQLite is an empty
    /// database in memory, as in Spin.
    pub state_directory: bool,
    /// Maximum PostgreSQL connections of the application: `max_connections` of `[outbound_pg]` in
    /// Spin's runtime configuration.
    pub postgres_connections: usize,
    /// The component's variables.
    pub variables: BTreeMap<String, String>,
    /// Addresses of this machine that the component may call.
    pub outbound: Vec<SocketAddr>,
    /// Addresses that the runtime blocks, even if the component may call them.
    pub blocked: Vec<SocketAddr>,
    /// DER certificates that the component trusts for outbound TLS.
    pub trusted: Vec<Vec<u8>>,
    /// The folders mounted read-only, by their path in the component. Relative folders are in the
    /// repository.
    pub files: BTreeMap<&'static str, PathBuf>,
    /// Reuse of instances.
    pub reuse: Reuse,
    /// The statement, counted from 1 over all instances, at which the instance that sends it traps.
    pub trap_at: Option<u64>,
    /// The wall clock that instances see.
    pub clock: Clock,
    /// Receives the component's log; standard error by default.
    pub log: Option<MemoryOutputPipe>,
}

/// Spin's default limit of PostgreSQL connections.
const POSTGRES_CONNECTIONS: usize = 64;

impl Options {
    /// Returns options with a SQLite database and the two required variables.
    pub fn new(database: PathBuf, admin_token: &str) -> Options {
        let secret = "5a".repeat(32);
        let variables = [("admin_token", admin_token), ("secret", &secret)];
        Options {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            database: Some(database),
            state_directory: true,
            postgres_connections: POSTGRES_CONNECTIONS,
            variables: variables
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            outbound: Vec::new(),
            blocked: Vec::new(),
            trusted: Vec::new(),
            files: BTreeMap::new(),
            reuse: Reuse::SPIN,
            trap_at: None,
            clock: Clock::default(),
            log: None,
        }
    }

    /// Sets a variable.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Options {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }
}
