//! A synchronous standby of a cluster, and its promotion.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use despacho_xtask::run::Failure;

use super::{Cluster, Options, run};

/// The standby's name in the primary's `synchronous_standby_names`.
const NAME: &str = "standby";
/// The time limit until the standby is synchronous, on a busy machine.
const SYNC_TIMEOUT: Duration = Duration::from_secs(60);

impl Cluster {
    /// Starts a standby from a base backup. This cluster, the primary, then acknowledges a commit
    /// after the standby has flushed it.
    pub fn synchronous_standby(&self) -> Result<Cluster, Failure> {
        let standby = Cluster::prepare(Options::default())?;
        let mut backup = standby.command("pg_basebackup");
        backup.args([
            "--checkpoint=fast",
            "--no-sync",
            "--wal-method=stream",
            "--write-recovery-conf",
            "--dbname",
        ]);
        backup
            .arg(format!("{}/postgres?application_name={NAME}", self.base))
            .arg("--pgdata")
            .arg(standby.data());
        run(&mut backup)?;
        standby.run()?;
        let postgres = format!("{}/postgres", self.base);
        self.query(
            &postgres,
            &format!("ALTER SYSTEM SET synchronous_standby_names = '{NAME}'"),
        )?;
        self.query(&postgres, "SELECT pg_reload_conf()")?;
        let deadline = Instant::now() + SYNC_TIMEOUT;
        while self.query(
            &postgres,
            "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'",
        )? != "1"
        {
            if Instant::now() > deadline {
                return Err(Failure::new(
                    "the standby did not become synchronous in time",
                ));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(standby)
    }

    /// Makes a standby the primary.
    pub fn promote(&self) -> Result<(), Failure> {
        let mut promote = self.command("pg_ctl");
        run(promote
            .args(["--silent", "--wait", "--pgdata"])
            .arg(self.data())
            .arg("promote"))
        .map(drop)
    }

    /// Kills every process of the server with SIGKILL.
    pub fn kill(&self) -> Result<(), Failure> {
        self.signal("-KILL")
    }

    /// Stops every process of the server with SIGSTOP. The kernel still accepts connections, but no
    /// process responds. Call [`Cluster::kill`] before dropping the cluster.
    pub fn freeze(&self) -> Result<(), Failure> {
        self.signal("-STOP")
    }

    fn signal(&self, signal: &str) -> Result<(), Failure> {
        let file = self.data().join("postmaster.pid");
        let text = std::fs::read_to_string(&file)
            .map_err(|e| Failure::new(format!("{}: {e}", file.display())))?;
        let first = text.lines().next().unwrap_or_default().trim().to_owned();
        // ps fails if the process has no children, for example because it was killed before.
        let children =
            run(Command::new("ps").args(["-o", "pid=", "--ppid", &first])).unwrap_or_default();
        // The postmaster comes first because it would restart the others.
        let mut kill = Command::new("kill");
        kill.arg(signal)
            .arg(&first)
            .args(children.split_whitespace());
        // kill fails if a child has already exited, which is not an error here.
        let _ = run(&mut kill);
        Ok(())
    }

    /// Returns the port on the loopback address.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }
}
