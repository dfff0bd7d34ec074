//! Which database answers: PostgreSQL itself, or one that speaks its language and lacks some of it.

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// PostgreSQL, or what calls itself so.
    Postgres,
    /// CockroachDB: no advisory locks, no `LISTEN`, no tables outside the log; transactions are serializable.
    Cockroach,
    /// YugabyteDB: no `LISTEN`, no tables outside the log in most versions.
    Yugabyte,
}

/// When a write is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flush {
    /// Before it is answered.
    Now,
    /// With the next transaction, at the latest within a second.
    Later,
}

impl Kind {
    /// By what `SELECT version()` says.
    pub(crate) fn of(version: &str) -> Kind {
        if version.contains("CockroachDB") {
            Kind::Cockroach
        } else if version.contains("-YB-") {
            Kind::Yugabyte
        } else {
            Kind::Postgres
        }
    }

    /// Whether `pg_advisory_xact_lock` keeps others out.
    pub(crate) fn locks(self) -> bool {
        self == Kind::Postgres
    }

    /// Whether `LISTEN` is worth trying.
    pub(crate) fn listens(self) -> bool {
        self == Kind::Postgres
    }

    /// How soon a write must be on disk that others build on: a distributed log has no one order that would flush it with them.
    pub(crate) fn flush(self) -> Flush {
        if self == Kind::Postgres { Flush::Later } else { Flush::Now }
    }

    /// A step of the schema as this server takes it: a table outside the log is a table like all others where there are none.
    pub(crate) fn step(self, step: &str) -> String {
        match self {
            Kind::Postgres => step.to_owned(),
            _ => step.replace("UNLOGGED ", ""),
        }
    }

    /// Time limits: no statement runs longer than a request may take, and no transaction holds a row for longer.
    fn limits(self) -> &'static [&'static str] {
        match self {
            // Every statement is short: to compile one costs more than to run it.
            Kind::Postgres => &[
                "statement_timeout = '10s'",
                "lock_timeout = '8s'",
                "idle_in_transaction_session_timeout = '15s'",
                "jit = off",
            ],
            _ => &["statement_timeout = '10s'", "idle_in_transaction_session_timeout = '15s'"],
        }
    }

    /// The settings of a new connection.
    pub(crate) fn session(self, flush: Flush) -> String {
        let isolation = (self == Kind::Postgres).then_some("default_transaction_isolation = 'read committed'");
        self.settings("SET", isolation, flush).join("; ")
    }

    /// The beginning of a transaction that carries the same settings with it, for connections whose session is not kept.
    pub(crate) fn begin(self, flush: Flush) -> String {
        let isolation = if self == Kind::Postgres { " ISOLATION LEVEL READ COMMITTED" } else { "" };
        format!("BEGIN{isolation}; {}", self.settings("SET LOCAL", None, flush).join("; "))
    }

    fn settings(self, set: &str, isolation: Option<&str>, flush: Flush) -> Vec<String> {
        let later = (flush == Flush::Later).then_some("synchronous_commit = off");
        self.limits().iter().copied().chain(isolation).chain(later).map(|one| format!("{set} {one}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_and_transaction_carry_the_same_limits() {
        let (session, begin) = (Kind::Postgres.session(Flush::Later), Kind::Postgres.begin(Flush::Later));
        for limit in ["statement_timeout = '10s'", "lock_timeout = '8s'", "jit = off", "synchronous_commit = off"] {
            assert!(session.contains(&format!("SET {limit}")), "{session}");
            assert!(begin.contains(&format!("SET LOCAL {limit}")), "{begin}");
        }
        assert!(begin.starts_with("BEGIN ISOLATION LEVEL READ COMMITTED; "), "{begin}");
        assert!(!Kind::Cockroach.begin(Flush::Now).contains("synchronous_commit"));
    }

    #[test]
    fn servers_are_told_apart_by_their_version() {
        assert_eq!(Kind::of("PostgreSQL 15.14 (Debian 15.14-0+deb12u1) on x86_64-pc-linux-gnu"), Kind::Postgres);
        assert_eq!(Kind::of("CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu)"), Kind::Cockroach);
        assert_eq!(Kind::of("PostgreSQL 11.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu"), Kind::Yugabyte);
        assert_eq!(Kind::Cockroach.step("CREATE UNLOGGED TABLE a (b TEXT)"), "CREATE TABLE a (b TEXT)");
    }
}
