//! The kinds of servers: PostgreSQL, and compatible databases that lack some features.

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// PostgreSQL, or a server that identifies itself as PostgreSQL.
    Postgres,
    /// CockroachDB: no advisory locks, no `LISTEN`, no unlogged tables; transactions are
    /// serializable.
    Cockroach,
    /// YugabyteDB: no `LISTEN`, and no unlogged tables in most versions.
    Yugabyte,
}

/// The time when a write is flushed to disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flush {
    /// Before the response.
    Now,
    /// With the next transaction, or within a second.
    Later,
}

impl Kind {
    /// Returns the kind of server, from the result of `SELECT version()`.
    pub(crate) fn of(version: &str) -> Kind {
        if version.contains("CockroachDB") {
            Kind::Cockroach
        } else if version.contains("-YB-") {
            Kind::Yugabyte
        } else {
            Kind::Postgres
        }
    }

    /// Whether `pg_advisory_xact_lock` works.
    pub(crate) fn locks(self) -> bool {
        self == Kind::Postgres
    }

    /// Whether `lock_timeout` works, without which transactions of several requests would wait for
    /// each other's locks.
    pub(crate) fn has_lock_timeout(self) -> bool {
        self == Kind::Postgres
    }

    /// Whether `LISTEN` works.
    pub(crate) fn listens(self) -> bool {
        self == Kind::Postgres
    }

    /// Returns when writes must be flushed on which later transactions depend. PostgreSQL's log
    /// flushes them with those transactions; a distributed log has no such order.
    pub(crate) fn flush(self) -> Flush {
        if self == Kind::Postgres {
            Flush::Later
        } else {
            Flush::Now
        }
    }

    /// Adapts a step of the schema to this server. Without unlogged tables it creates an ordinary
    /// table. CockroachDB has no `ROWS`.
    pub(crate) fn step(self, step: &str) -> String {
        match self {
            Kind::Postgres => step.to_owned(),
            Kind::Yugabyte => step.replace("UNLOGGED ", ""),
            Kind::Cockroach => step.replace("UNLOGGED ", "").replace(" ROWS 20", ""),
        }
    }

    /// Returns the timeouts, which limit statements to the time of a request and the time that a
    /// transaction holds row locks.
    fn limits(self) -> &'static [&'static str] {
        match self {
            // Every statement is short: compiling it costs more than running it.
            Kind::Postgres => &[
                "statement_timeout = '10s'",
                "lock_timeout = '8s'",
                "idle_in_transaction_session_timeout = '15s'",
                "jit = off",
            ],
            _ => &[
                "statement_timeout = '10s'",
                "idle_in_transaction_session_timeout = '15s'",
            ],
        }
    }

    /// Returns the statement that sets the settings of a new connection.
    pub(crate) fn session(self, flush: Flush) -> String {
        let isolation =
            (self == Kind::Postgres).then_some("default_transaction_isolation = 'read committed'");
        self.settings("SET", isolation, flush).join("; ")
    }

    /// Returns the beginning of a transaction that sets the same settings, for shared sessions.
    pub(crate) fn begin(self, flush: Flush) -> String {
        let isolation = if self == Kind::Postgres {
            " ISOLATION LEVEL READ COMMITTED"
        } else {
            ""
        };
        format!(
            "BEGIN{isolation}; {}",
            self.settings("SET LOCAL", None, flush).join("; ")
        )
    }

    /// Returns the beginning of a transaction of several requests, which fails soon if another one
    /// has locked a row, so that the other requests need not wait.
    pub(crate) fn begin_joined(self, begin: &str) -> String {
        let limit = if self.has_lock_timeout() {
            "; SET LOCAL lock_timeout = '250ms'"
        } else {
            ""
        };
        format!("{begin}{limit}")
    }

    fn settings(self, set: &str, isolation: Option<&str>, flush: Flush) -> Vec<String> {
        let later = (flush == Flush::Later).then_some("synchronous_commit = off");
        self.limits()
            .iter()
            .copied()
            .chain(isolation)
            .chain(later)
            .map(|setting| format!("{set} {setting}"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use despacho_sql::{Dialect, migrations};

    use super::*;

    #[test]
    fn session_and_transaction_set_the_same_limits() {
        let (session, begin) = (
            Kind::Postgres.session(Flush::Later),
            Kind::Postgres.begin(Flush::Later),
        );
        for limit in [
            "statement_timeout = '10s'",
            "lock_timeout = '8s'",
            "jit = off",
            "synchronous_commit = off",
        ] {
            assert!(session.contains(&format!("SET {limit}")), "{session}");
            assert!(begin.contains(&format!("SET LOCAL {limit}")), "{begin}");
        }
        assert!(
            begin.starts_with("BEGIN ISOLATION LEVEL READ COMMITTED; "),
            "{begin}"
        );
        assert!(
            !Kind::Cockroach
                .begin(Flush::Now)
                .contains("synchronous_commit")
        );
    }

    #[test]
    fn server_kind_is_detected_by_its_version() {
        assert_eq!(
            Kind::of("PostgreSQL 15.14 (Debian 15.14-0+deb12u1) on x86_64-pc-linux-gnu"),
            Kind::Postgres
        );
        assert_eq!(
            Kind::of("CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu)"),
            Kind::Cockroach
        );
        assert_eq!(
            Kind::of("PostgreSQL 11.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu"),
            Kind::Yugabyte
        );
    }

    #[test]
    fn steps_for_cockroachdb_use_no_missing_feature() {
        let steps = migrations(Dialect::Postgres)
            .into_iter()
            .flat_map(|migration| migration.steps);
        let missing = |step: &String| step.contains("UNLOGGED") || step.contains(" ROWS ");
        let steps: Vec<String> = steps.filter(missing).collect();
        assert_eq!(steps.len(), 3, "{steps:?}");
        assert!(
            steps
                .iter()
                .all(|step| !missing(&Kind::Cockroach.step(step))),
            "{steps:?}"
        );
    }
}
