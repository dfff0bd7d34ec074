//! A PostgreSQL server of a test's own: made in a temporary folder, on a socket port of its own, gone with the test.

mod pooler;
mod standby;

pub use pooler::{Pooler, pooler_missing};

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use despacho_xtask::{place, postgres::programs, run::Failure};

/// A running server.
pub struct Cluster {
    folder: tempfile::TempDir,
    programs: PathBuf,
    port: u16,
    options: Options,
    /// Where a database of it is, but for the name: `postgres://despacho@127.0.0.1:40123`.
    pub base: String,
}

/// What a server is like, where it is not like the others.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder to make its own in; the machine's for temporary files where none is named. Its user must be able to enter.
    pub place: Option<PathBuf>,
    /// Whether what it commits is flushed to the disk, as it ships. Tests do without: only a power cut would tell.
    pub flushed: bool,
    /// Settings in the words of its command line: `-c max_wal_size=64MB`.
    pub settings: String,
}

/// The server of this process, while a test holds it.
static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());

/// The server that the tests of a process share, each with databases of its own; gone with the last of them. The reason where
/// there is none to be had.
pub fn shared() -> Result<Arc<Cluster>, Failure> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(cluster) = shared.upgrade() {
        return Ok(cluster);
    }
    let cluster = Arc::new(Cluster::start()?);
    *shared = Arc::downgrade(&cluster);
    Ok(cluster)
}

/// Whether PostgreSQL is installed; where it is not, what a test says when it is skipped.
pub fn missing() -> Option<&'static str> {
    programs().is_none().then_some("PostgreSQL's initdb and pg_ctl are not installed")
}

/// How often a server is started, each time on another port.
const START_ATTEMPTS: usize = 3;

impl Cluster {
    /// Makes and starts a server; the reason where there is none to be had.
    pub fn start() -> Result<Cluster, Failure> {
        Cluster::start_as(Options::default())
    }

    /// Makes and starts a server that is not like the others.
    pub fn start_as(options: Options) -> Result<Cluster, Failure> {
        let mut cluster = Cluster::make(options)?;
        cluster.fill()?;
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

    /// A folder and a port for a server, without its data.
    fn make(options: Options) -> Result<Cluster, Failure> {
        let programs = programs().ok_or_else(|| Failure::new("PostgreSQL's initdb and pg_ctl are not installed"))?;
        let folder = match &options.place {
            Some(place) => tempfile::tempdir_in(place),
            None => tempfile::tempdir(),
        };
        let folder = folder.map_err(|error| Failure::new(format!("no temporary folder: {error}")))?;
        let port = free_port()?;
        let cluster = Cluster { folder, programs, port, options, base: base(port) };
        if is_root() {
            // The server refuses to run as root.
            run(Command::new("chown").arg("postgres").arg(cluster.folder.path()))?;
        }
        Ok(cluster)
    }

    /// Makes an empty database and gives its address.
    pub fn database(&self, name: &str) -> Result<String, Failure> {
        self.query(&format!("{}/postgres", self.base), &format!("CREATE DATABASE {name}"))?;
        Ok(format!("{}/{name}", self.base))
    }

    /// Makes an empty database whose name no other has, and gives its address.
    pub fn fresh(&self) -> Result<String, Failure> {
        self.database(&unused())
    }

    /// What a query gives, as psql prints it without decoration.
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
        std::fs::read_to_string(&path).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
    }

    /// Ends the server at once, as a crash would.
    pub fn crash(&self) -> Result<(), Failure> {
        self.stop("--mode=immediate")
    }

    /// Ends the server as an operator does who does not wait for its clients.
    pub fn shut(&self) -> Result<(), Failure> {
        self.stop("--mode=fast")
    }

    fn stop(&self, mode: &str) -> Result<(), Failure> {
        let mut stop = self.command("pg_ctl");
        run(stop.args(["--silent", "--wait", mode, "--pgdata"]).arg(self.data()).arg("stop")).map(drop)
    }

    /// Whether its first process is there. It may still be busy with recovery, and refuse everybody.
    pub fn is_there(&self) -> bool {
        let mut status = self.command("pg_ctl");
        run(status.args(["--pgdata"]).arg(self.data()).arg("status")).is_ok()
    }

    /// One of PostgreSQL's programs, to be run as it must be.
    pub fn program(&self, name: &str) -> Command {
        Command::new(self.programs.join(name))
    }

    /// Starts it again, on the same port.
    pub fn run(&self) -> Result<(), Failure> {
        let data = self.data();
        // Flushed as in earnest, but for the flush itself, which only a power cut would tell.
        let flush = if self.options.flushed { "on" } else { "off" };
        let settings = format!(
            "-p {} -h 127.0.0.1 -k {} -c fsync={flush} -c max_connections=200 {}",
            self.port,
            data.display(),
            self.options.settings
        );
        let mut start = self.command("pg_ctl");
        start.args(["--silent", "--wait", "--options", &settings, "--pgdata"]).arg(&data);
        run(start.arg("--log").arg(data.join("log")).arg("start")).map(drop)
    }

    /// Fills the server's folder: from a copy that the first server of this build folder has left, since to make one takes longer than
    /// most tests.
    fn fill(&self) -> Result<(), Failure> {
        let version = self.programs.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let kept = place::target()?.join(format!("postgresql-{version}"));
        if !kept.join("PG_VERSION").is_file() {
            let mut make = self.command("initdb");
            make.args(["--auth=trust", "--encoding=UTF8", "--no-sync", "--wal-segsize=1", "--username=despacho"]);
            run(make.arg("--pgdata").arg(self.data()))?;
            // Under its name once it is whole; where another test was first, that one's stays.
            let draft = kept.with_extension(std::process::id().to_string());
            run(Command::new("cp").arg("-a").arg(self.data()).arg(&draft))?;
            if std::fs::rename(&draft, &kept).is_err() {
                run(Command::new("rm").arg("-rf").arg(&draft))?;
            }
            return Ok(());
        }
        run(Command::new("cp").arg("-a").arg(&kept).arg(self.data())).map(drop)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        command_as_postgres(&self.programs.join(program))
    }
}

/// A command that does not run as root.
fn command_as_postgres(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]).arg(program);
    command
}

impl Drop for Cluster {
    fn drop(&mut self) {
        _ = self.crash();
    }
}

/// A database's name that this process has not used.
fn unused() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

fn is_root() -> bool {
    run(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn run(command: &mut Command) -> Result<String, Failure> {
    // The temporary folder, which everybody may enter: the server's user may not enter the developer's.
    let output = command.current_dir(Path::new("/")).output();
    let output = output.map_err(|error| Failure::new(format!("{command:?} could not start: {error}")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    Err(Failure::new(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))))
}

/// The start of the addresses of a server's databases.
fn base(port: u16) -> String {
    format!("postgres://despacho@127.0.0.1:{port}")
}

fn free_port() -> Result<u16, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    listener.map(|address| address.port()).map_err(|error| Failure::new(format!("no free port: {error}")))
}
