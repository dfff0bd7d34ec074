//! The databases that the suite runs against.

use std::{path::PathBuf, sync::Arc};

use despacho_core::{memory::MemoryHost, rules::lifecycle::Timing};
use despacho_postgres::{Address, Postgres};
use despacho_process::cluster::{Cluster, Pooler};
use despacho_sql::{SqlHost, TABLES, Table};
use despacho_sqlite::{LocalPlatform, Options, Sqlite, SqliteHost};
use tempfile::TempDir;

use crate::suite::Backend;

/// The in-memory reference host. It cannot restart, so `restart` keeps it running.
pub(crate) struct InMemory(MemoryHost);

impl Backend for InMemory {
    type Host = MemoryHost;

    async fn start() -> InMemory {
        InMemory(MemoryHost::seeded(1))
    }

    fn host(&self) -> &MemoryHost {
        &self.0
    }

    async fn dump(&self) -> String {
        format!("{:?}", self.0)
    }

    async fn restart(self) -> InMemory {
        self
    }
}

/// SQLite in a temporary folder.
pub(crate) struct OnSqlite {
    folder: TempDir,
    host: SqliteHost,
}

impl OnSqlite {
    /// Returns the path of the database file.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("despacho.db")
    }

    /// Returns a path in the same folder as the database.
    pub(crate) fn sibling(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Closes the host and opens it again with other deadlines.
    pub(crate) async fn restart_with(self, timing: Timing) -> OnSqlite {
        self.host.driver().close().await.unwrap();
        OnSqlite::open(self.folder, timing)
    }

    fn open(folder: TempDir, timing: Timing) -> OnSqlite {
        let database =
            Sqlite::open(&folder.path().join("despacho.db"), &Options::default()).unwrap();
        let host = SqliteHost::new(database, LocalPlatform::new().unwrap(), timing);
        OnSqlite { folder, host }
    }
}

impl Backend for OnSqlite {
    type Host = SqliteHost;

    async fn start() -> OnSqlite {
        OnSqlite::open(tempfile::tempdir().unwrap(), Timing::default())
    }

    fn host(&self) -> &SqliteHost {
        &self.host
    }

    /// Returns the bytes of the files, including deleted data that is not overwritten.
    async fn dump(&self) -> String {
        assert_eq!(despacho_sqlite::truncate_log(&self.path()), Ok(true));
        let files = ["despacho.db", "despacho.db-wal"]
            .map(|name| std::fs::read(self.sibling(name)).unwrap_or_default());
        String::from_utf8_lossy(&files.concat()).into_owned()
    }

    async fn restart(self) -> OnSqlite {
        self.restart_with(Timing::default()).await
    }
}

/// The host on PostgreSQL.
pub(crate) type PostgresHost = SqlHost<Postgres, LocalPlatform>;

/// PostgreSQL, with a database for each test.
pub(crate) struct OnPostgres {
    pub(crate) cluster: Arc<Cluster>,
    /// The URL of the database.
    pub(crate) address: String,
    host: PostgresHost,
}

impl OnPostgres {
    /// Opens another instance on the same database.
    pub(crate) async fn sibling(&self) -> PostgresHost {
        OnPostgres::open(&self.address, despacho_postgres::Options::default()).await
    }

    /// Opens a host on a database.
    pub(crate) async fn open(address: &str, options: despacho_postgres::Options) -> PostgresHost {
        let database = Postgres::open(&Address::parse(address).unwrap(), &options)
            .await
            .unwrap();
        PostgresHost::new(database, LocalPlatform::new().unwrap(), Timing::default())
    }

    /// Returns the result of a query on the database.
    pub(crate) fn query(&self, sql: &str) -> String {
        self.cluster
            .query(&self.address, sql)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Starts a backend on a server that no other test uses, or returns `None` as [`Backend::find`]
    /// does.
    pub(crate) async fn exclusive() -> Option<OnPostgres> {
        if !despacho_process::cluster::is_installed() {
            return None;
        }
        Some(OnPostgres::within(Arc::new(Cluster::start().unwrap())).await)
    }

    async fn within(cluster: Arc<Cluster>) -> OnPostgres {
        let address = cluster.fresh().unwrap();
        let host = OnPostgres::open(&address, despacho_postgres::Options::default()).await;
        OnPostgres {
            cluster,
            address,
            host,
        }
    }
}

impl Backend for OnPostgres {
    type Host = PostgresHost;

    async fn start() -> OnPostgres {
        OnPostgres::within(despacho_process::cluster::shared().unwrap()).await
    }

    async fn find() -> Option<OnPostgres> {
        if !despacho_process::cluster::is_installed() {
            return None;
        }
        Some(OnPostgres::start().await)
    }

    fn host(&self) -> &PostgresHost {
        &self.host
    }

    async fn dump(&self) -> String {
        let rows = |table: &Table| {
            self.query(&format!(
                "SELECT string_agg(row::text, ' ') FROM {} AS row",
                table.name
            ))
        };
        TABLES.iter().map(rows).collect()
    }

    async fn restart(self) -> OnPostgres {
        self.host.driver().close().await.unwrap();
        let host = self.sibling().await;
        OnPostgres { host, ..self }
    }
}

/// PostgreSQL behind a PgBouncer in transaction mode.
pub(crate) struct OnPgBouncer {
    // Fields are dropped in this order: host, pooler, server.
    host: PostgresHost,
    pub(crate) pooler: Pooler,
    /// The same database without the pooler.
    pub(crate) direct: OnPostgres,
}

impl OnPgBouncer {
    /// Returns the URL of the database through the pooler.
    pub(crate) fn address(&self) -> String {
        format!(
            "{}?pooler=transaction",
            self.pooler.through(&self.direct.address)
        )
    }

    /// Opens another instance behind the same pooler.
    pub(crate) async fn second_instance(&self) -> PostgresHost {
        OnPostgres::open(&self.address(), despacho_postgres::Options::default()).await
    }
}

impl Backend for OnPgBouncer {
    type Host = PostgresHost;

    async fn start() -> OnPgBouncer {
        let cluster = despacho_process::cluster::shared().unwrap();
        let (address, pooler) = (
            cluster.fresh().unwrap(),
            Pooler::start(&cluster, "transaction").unwrap(),
        );
        let pooled = format!("{}?pooler=transaction", pooler.through(&address));
        // The host behind the pooler opens first and creates the tables through it.
        let host = OnPostgres::open(&pooled, despacho_postgres::Options::default()).await;
        let direct = OnPostgres::open(&address, despacho_postgres::Options::default()).await;
        OnPgBouncer {
            host,
            pooler,
            direct: OnPostgres {
                cluster,
                address,
                host: direct,
            },
        }
    }

    async fn find() -> Option<OnPgBouncer> {
        if !despacho_process::cluster::is_pooler_installed() {
            return None;
        }
        Some(OnPgBouncer::start().await)
    }

    fn host(&self) -> &PostgresHost {
        &self.host
    }

    async fn dump(&self) -> String {
        self.direct.dump().await
    }

    async fn restart(self) -> OnPgBouncer {
        self.host.driver().close().await.unwrap();
        let host = self.second_instance().await;
        OnPgBouncer { host, ..self }
    }
}
