//! A PostgreSQL server for tests, in a temporary folder and on a free port. Dropping it stops the
//! server and deletes its data.

mod pooler;
mod standby;

pub use pooler::{PGBOUNCER, Pooler, is_pooler_installed, pooler_missing};

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use despacho_xtask::{place, postgres::programs, run::Failure, skip};

/// A running PostgreSQL server.
pub struct Cluster {
    folder: tempfile::TempDir,
    programs: PathBuf,
    port: u16,
    options: Options,
    /// The URL without a database name: `postgres://despacho@127.0.0.1:40123`.
    pub base: String,
}

/// The options of a server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The parent of the server's folder, which its user must be able to enter. The default is the
    /// system's temporary folder.
    pub parent: Option<PathBuf>,
    /// Whether commits are flushed to disk, which is PostgreSQL's default. Tests do without,
    /// because only a power failure would show a difference.
    pub flushed: bool,
    /// Additional command-line options: `-c max_wal_size=64MB`.
    pub settings: String,
}

/// The shared server of this process, while at least one test uses it.
static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());

/// Returns the server that the tests of a process share, each with its own databases. It stops when
/// the last test drops it.
pub fn shared() -> Result<Arc<Cluster>, Failure> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(cluster) = shared.upgrade() {
        return Ok(cluster);
    }
    let cluster = Arc::new(Cluster::start()?);
    *shared = Arc::downgrade(&cluster);
    Ok(cluster)
}

/// The name of PostgreSQL in `DESPACHO_ALLOW_SKIPS`.
pub const POSTGRES: &str = "postgresql";

/// Returns whether PostgreSQL is installed. If not, the running test is ignored: it must return.
///
/// # Panics
/// If it is missing in CI: see [`skip`].
pub fn is_installed() -> bool {
    missing()
        .inspect(|reason| skip::test(POSTGRES, reason))
        .is_none()
}

/// Returns the reason to skip a test if PostgreSQL is not installed.
pub fn missing() -> Option<&'static str> {
    programs()
        .is_none()
        .then_some("PostgreSQL's initdb and pg_ctl are not installed")
}

/// The maximum number of attempts to start a server, each on a different port.
const START_ATTEMPTS: usize = 3;

impl Cluster {
    /// Creates and starts a server with the default options.
    pub fn start() -> Result<Cluster, Failure> {
        Cluster::start_as(Options::default())
    }

    /// Creates and starts a server with options.
    pub fn start_as(options: Options) -> Result<Cluster, Failure> {
        let mut cluster = Cluster::prepare(options)?;
        cluster.create_data()?;
        // Another process can take a free port before the server binds it.
        for _ in 1..START_ATTEMPTS {
            if cluster.run().is_ok() {
                return Ok(cluster);
            }
            cluster.port = free_port()?;
            cluster.base = base(cluster.port);
        }
        cluster.run()?;
        Ok(cluster)
    }

    /// Creates a server's folder and chooses its port, without its data.
    fn prepare(options: Options) -> Result<Cluster, Failure> {
        let programs = programs()
            .ok_or_else(|| Failure::new("PostgreSQL's initdb and pg_ctl are not installed"))?;
        let folder = match &options.parent {
            Some(parent) => tempfile::tempdir_in(parent),
            None => tempfile::tempdir(),
        };
        let folder =
            folder.map_err(|error| Failure::new(format!("no temporary folder: {error}")))?;
        let port = free_port()?;
        let cluster = Cluster {
            folder,
            programs,
            port,
            options,
            base: base(port),
        };
        if is_root() {
            // PostgreSQL does not run as root.
            run(Command::new("chown")
                .arg("postgres")
                .arg(cluster.folder.path()))?;
        }
        Ok(cluster)
    }

    /// Creates an empty database and returns its URL.
    pub fn database(&self, name: &str) -> Result<String, Failure> {
        self.query(
            &format!("{}/postgres", self.base),
            &format!("CREATE DATABASE {name}"),
        )?;
        Ok(format!("{}/{name}", self.base))
    }

    /// Creates an empty database with a unique name and returns its URL.
    pub fn fresh(&self) -> Result<String, Failure> {
        self.database(&unique_name())
    }

    /// Returns the result of a query, as psql prints it without headers and alignment.
    pub fn query(&self, database: &str, sql: &str) -> Result<String, Failure> {
        let mut psql = Command::new(self.programs.join("psql"));
        run(psql.args([
            "--quiet",
            "--no-align",
            "--tuples-only",
            "--no-psqlrc",
            "--dbname",
            database,
            "--command",
            sql,
        ]))
    }

    /// Returns the server's log.
    pub fn log(&self) -> Result<String, Failure> {
        let path = self.data().join("log");
        std::fs::read_to_string(&path)
            .map_err(|error| Failure::new(format!("{}: {error}", path.display())))
    }

    /// Stops the server immediately, without a checkpoint, as in a crash.
    pub fn crash(&self) -> Result<(), Failure> {
        self.stop("--mode=immediate")
    }

    /// Stops the server in order, without waiting for its clients to disconnect.
    pub fn shut(&self) -> Result<(), Failure> {
        self.stop("--mode=fast")
    }

    fn stop(&self, mode: &str) -> Result<(), Failure> {
        let mut stop = self.command("pg_ctl");
        run(stop
            .args(["--silent", "--wait", mode, "--pgdata"])
            .arg(self.data())
            .arg("stop"))
        .map(drop)
    }

    /// Returns whether the postmaster is running. During recovery it rejects connections.
    pub fn is_running(&self) -> bool {
        let mut status = self.command("pg_ctl");
        run(status.args(["--pgdata"]).arg(self.data()).arg("status")).is_ok()
    }

    /// Returns a command for one of PostgreSQL's programs, run as the current user.
    pub fn program(&self, name: &str) -> Command {
        Command::new(self.programs.join(name))
    }

    /// Starts the server on its port.
    pub fn run(&self) -> Result<(), Failure> {
        let data = self.data();
        // Without fsync, commits still wait for the write but not for the disk.
        let flush = if self.options.flushed { "on" } else { "off" };
        let settings = format!(
            "-p {} -h 127.0.0.1 -k {} -c fsync={flush} -c max_connections=200 {}",
            self.port,
            data.display(),
            self.options.settings
        );
        let mut start = self.command("pg_ctl");
        start
            .args(["--silent", "--wait", "--options", &settings, "--pgdata"])
            .arg(&data);
        run(start.arg("--log").arg(data.join("log")).arg("start")).map(drop)
    }

    /// Creates the server's data folder. initdb takes longer than most tests, so its result is
    /// stored in the build folder and copied for later servers.
    fn create_data(&self) -> Result<(), Failure> {
        let version = self
            .programs
            .parent()
            .and_then(Path::file_name)
            .unwrap_or_default()
            .to_string_lossy();
        let template = place::target()?.join(format!("postgresql-{version}"));
        if !template.join("PG_VERSION").is_file() {
            let mut make = self.command("initdb");
            make.args([
                "--auth=trust",
                "--encoding=UTF8",
                "--no-sync",
                "--wal-segsize=1",
                "--username=despacho",
            ]);
            run(make.arg("--pgdata").arg(self.data()))?;
            // The rename publishes a complete folder. If another process was first, its folder
            // stays.
            let draft = template.with_extension(std::process::id().to_string());
            run(Command::new("cp").arg("-a").arg(self.data()).arg(&draft))?;
            if std::fs::rename(&draft, &template).is_err() {
                run(Command::new("rm").arg("-rf").arg(&draft))?;
            }
            return Ok(());
        }
        run(Command::new("cp").arg("-a").arg(&template).arg(self.data())).map(drop)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        command_as_postgres(&self.programs.join(program))
    }
}

/// Returns a command that runs as the user postgres if this process runs as root.
fn command_as_postgres(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command
        .args([
            "--reuid=postgres",
            "--regid=postgres",
            "--clear-groups",
            "--",
        ])
        .arg(program);
    command
}

impl Drop for Cluster {
    fn drop(&mut self) {
        _ = self.crash();
    }
}

/// Returns a database name that this process has not used.
fn unique_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!(
        "test_{}_{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}

fn is_root() -> bool {
    run(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn run(command: &mut Command) -> Result<String, Failure> {
    // The server's user can enter the root folder, but possibly not the current one.
    let output = command.current_dir(Path::new("/")).output();
    let output =
        output.map_err(|error| Failure::new(format!("{command:?} could not start: {error}")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    Err(Failure::new(format!(
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    )))
}

/// Returns the URL of a server without a database name.
fn base(port: u16) -> String {
    format!("postgres://despacho@127.0.0.1:{port}")
}

fn free_port() -> Result<u16, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    listener
        .map(|address| address.port())
        .map_err(|error| Failure::new(format!("no free port: {error}")))
}
