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

    /// What a new connection is told. Nothing runs longer than a request may take, and nothing holds a row for longer.
    pub(crate) fn session(self) -> &'static str {
        match self {
            // Every statement is short: to compile one costs more than to run it.
            Kind::Postgres => {
                "SET statement_timeout = '10s'; SET lock_timeout = '8s'; SET idle_in_transaction_session_timeout = '15s'; \
                 SET default_transaction_isolation = 'read committed'; SET jit = off"
            }
            _ => "SET statement_timeout = '10s'; SET idle_in_transaction_session_timeout = '15s'",
        }
    }

    /// The same for a connection whose writes are flushed later.
    pub(crate) fn hasty(self) -> String {
        format!("{}; SET synchronous_commit = off", self.session())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_told_apart_by_their_version() {
        assert_eq!(Kind::of("PostgreSQL 15.14 (Debian 15.14-0+deb12u1) on x86_64-pc-linux-gnu"), Kind::Postgres);
        assert_eq!(Kind::of("CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu)"), Kind::Cockroach);
        assert_eq!(Kind::of("PostgreSQL 11.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu"), Kind::Yugabyte);
        assert_eq!(Kind::Cockroach.step("CREATE UNLOGGED TABLE a (b TEXT)"), "CREATE TABLE a (b TEXT)");
    }
}
