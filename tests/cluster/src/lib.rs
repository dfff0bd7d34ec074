//! A PostgreSQL of a test's own: made in a temporary folder, on a socket port of its own, gone with the test.

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
};

use despacho_tool::{postgres::programs, run::Failure};

/// A running server.
pub struct Cluster {
    folder: tempfile::TempDir,
    programs: PathBuf,
    /// Where a database of it is, but for the name: `postgres://despacho@127.0.0.1:40123`.
    pub base: String,
}

impl Cluster {
    /// Makes and starts a server; the reason where there is none to be had.
    pub fn start() -> Result<Cluster, Failure> {
        let programs = programs().ok_or_else(|| Failure::new("PostgreSQL's initdb and pg_ctl are not installed"))?;
        let folder = tempfile::tempdir().map_err(|error| Failure::new(format!("no temporary folder: {error}")))?;
        let port = free_port()?;
        let cluster = Cluster { folder, programs, base: format!("postgres://despacho@127.0.0.1:{port}") };
        if is_root() {
            // The server refuses to run as root.
            run(Command::new("chown").arg("postgres").arg(cluster.folder.path()))?;
        }
        let data = cluster.data();
        let mut make = cluster.command("initdb");
        run(make.args(["--auth=trust", "--encoding=UTF8", "--no-sync", "--username=despacho", "--pgdata"]).arg(&data))?;
        // Flushed as in earnest, but for the flush itself, which only a power cut would tell.
        let settings = format!("-p {port} -h 127.0.0.1 -k {} -c fsync=off -c max_connections=120", data.display());
        let mut start = cluster.command("pg_ctl");
        start.args(["--silent", "--wait", "--options", &settings, "--pgdata"]).arg(&data);
        run(start.arg("--log").arg(data.join("log")).arg("start"))?;
        Ok(cluster)
    }

    /// Makes an empty database and gives its address.
    pub fn database(&self, name: &str) -> Result<String, Failure> {
        let address = format!("{}/postgres", self.base);
        let sql = format!("CREATE DATABASE {name}");
        run(Command::new(self.programs.join("psql")).args(["--quiet", "--dbname", &address, "--command", &sql]))?;
        Ok(format!("{}/{name}", self.base))
    }

    /// What a query gives, as psql prints it without decoration.
    pub fn ask(&self, database: &str, sql: &str) -> Result<String, Failure> {
        let mut psql = Command::new(self.programs.join("psql"));
        run(psql.args(["--quiet", "--no-align", "--tuples-only", "--dbname", database, "--command", sql]))
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        if !is_root() {
            return Command::new(program);
        }
        let mut command = Command::new("setpriv");
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]).arg(program);
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let data = self.data();
        _ = run(self.command("pg_ctl").args(["--silent", "--mode=immediate", "--pgdata"]).arg(&data).arg("stop"));
    }
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

fn free_port() -> Result<u16, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    listener.map(|address| address.port()).map_err(|error| Failure::new(format!("no free port: {error}")))
}
