//! A PgBouncer in front of a cluster. Dropping it stops the process.

use std::{
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use despacho_xtask::{
    run::{Failure, succeeds},
    skip,
};

use super::{Cluster, command_as_postgres, free_port, is_root, missing, run};

/// The time limit until the pooler accepts connections, on a busy machine.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// The number of server connections per database.
const POOL_SIZE: u16 = 12;

/// A running PgBouncer.
pub struct Pooler {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

/// The name of PgBouncer in `DESPACHO_ALLOW_SKIPS`.
pub const PGBOUNCER: &str = "pgbouncer";

/// Returns whether PostgreSQL and PgBouncer are installed. If not, the running test is ignored: it
/// must return.
///
/// # Panics
/// If one is missing in CI: see [`skip`].
pub fn is_pooler_installed() -> bool {
    pooler_missing()
        .inspect(|reason| skip::test(PGBOUNCER, reason))
        .is_none()
}

/// Returns the reason to skip a test if PostgreSQL or PgBouncer is not installed.
pub fn pooler_missing() -> Option<&'static str> {
    missing().or_else(|| {
        (!succeeds(&["pgbouncer", "--version"])).then_some("PgBouncer is not installed")
    })
}

impl Pooler {
    /// Starts a pooler for all databases of a cluster. `mode` is its `pool_mode`: `session`,
    /// `transaction` or `statement`.
    pub fn start(cluster: &Cluster, mode: &str) -> Result<Pooler, Failure> {
        let folder = tempfile::tempdir()
            .map_err(|error| Failure::new(format!("no temporary folder: {error}")))?;
        let port = free_port()?;
        let file = folder.path().join("pgbouncer.ini");
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={} user=despacho\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = {mode}\nmax_client_conn = 500\n\
             default_pool_size = {POOL_SIZE}\nserver_tls_sslmode = disable\n",
            cluster.port
        );
        std::fs::write(&file, text)
            .map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
        if is_root() {
            // PgBouncer does not run as root, like PostgreSQL.
            run(Command::new("chown")
                .args(["-R", "postgres"])
                .arg(folder.path()))?;
        }
        let mut start = command_as_postgres("pgbouncer".as_ref());
        start.arg("--quiet").arg(&file).current_dir("/");
        let child = start
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let child =
            child.map_err(|error| Failure::new(format!("pgbouncer could not start: {error}")))?;
        let mut pooler = Pooler {
            child,
            port,
            folder,
        };
        pooler.await_ready()?;
        Ok(pooler)
    }

    /// Converts a database's direct URL into its URL through the pooler.
    #[must_use]
    pub fn through(&self, address: &str) -> String {
        let name = address.rsplit('/').next().unwrap_or_default();
        format!("postgres://despacho@127.0.0.1:{}/{name}", self.port)
    }

    fn await_ready(&mut self) -> Result<(), Failure> {
        let deadline = Instant::now() + START_TIMEOUT;
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let ended = self.child.try_wait().ok().flatten();
            if ended.is_some() || Instant::now() > deadline {
                return Err(Failure::new(format!(
                    "pgbouncer does not run ({ended:?}) in {}",
                    self.folder.path().display()
                )));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
