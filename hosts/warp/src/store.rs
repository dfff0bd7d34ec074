//! The state behind the core: which database, and what the server asks of it besides the core's own questions.

use std::{path::Path, sync::Arc};

use bytes::Bytes;
use despacho_core::{
    api,
    changes::Changes,
    drivers::{
        clock,
        dispatch::{self, DispatchPass},
        erasure::{self, RetentionPass},
        outbox::{self, Batch},
        stream::{self, Subscription},
    },
    host::{HostError, Platform, Storage, WebhookQuery},
    model::{
        OrderId, Timestamp,
        privacy::{ErasureRecord, Redaction},
        webhook::Webhook,
    },
    rules::{settings::Settings, webhooks::MessageResult},
};
use despacho_postgres::{Address, Postgres};
use despacho_simulator::{Pass, Simulation, demo, run_pass};
use despacho_sql::SqlHost;
use despacho_sqlite::{LocalPlatform, Options, Sqlite};
use http::{Request, Response};
use tokio::sync::watch;

pub use despacho_sqlite::Stats;

use crate::{
    config::{Config, Database},
    geo::{Geography, ServerPlatform},
    telemetry::Traced,
};

/// Identifiers that a command reserves at once: it lives for one request, and what it leaves over is a gap.
const FEW_IDS: u32 = 8;
/// Where instances share a database each request reserves its own, so that higher numbers are newer, whichever instance gave them:
/// lists go by number.
const NO_MORE_IDS: u32 = 1;

/// The state. One database a variant, chosen once, so that everything behind it stays statically dispatched.
pub enum Store {
    /// The file in the data folder.
    Sqlite(SqlHost<Traced<Sqlite>, ServerPlatform>),
    /// A PostgreSQL server.
    Postgres(SqlHost<Traced<Postgres>, ServerPlatform>),
}

/// The same of whichever host it is.
macro_rules! each {
    ($store:expr, $host:ident => $response:expr) => {
        match $store {
            Store::Sqlite($host) => $response,
            Store::Postgres($host) => $response,
        }
    };
}

impl Store {
    /// Opens the configured database for a server: brings its schema up to date, and its deadlines to the configured timing. Only
    /// `--demo` creates a missing file by itself.
    pub async fn open(config: &Config, geography: Arc<Geography>) -> Result<Store, String> {
        let store = match &config.database {
            Database::Sqlite => Store::Sqlite(sqlite(config, geography, config.demo).await?),
            Database::Postgres(address) => {
                let (database, platform) = postgres(config, address, geography).await?;
                let platform = platform.sharing(&database);
                let host = SqlHost::new(Traced(database), platform, config.shared.timing.clone());
                Store::Postgres(host.with_id_batch(NO_MORE_IDS))
            }
        };
        let aligned = each!(&store, host => host.align_deadlines().await);
        aligned.map_err(|error| format!("deadlines cannot be brought up to date: {error}"))?;
        Ok(store)
    }

    /// Creates the configured database, or brings its schema up to date if it exists.
    pub async fn create(config: &Config) -> Result<(), String> {
        let geography = Arc::new(Geography::embedded());
        let closed = match &config.database {
            Database::Sqlite => sqlite(config, geography, true).await?.driver().close().await,
            Database::Postgres(address) => postgres(config, address, geography).await?.0.close().await,
        };
        closed.map_err(|error| error.to_string())
    }

    /// Opens it for one command, beside a server that may be running.
    pub async fn open_for_commands(config: &Config, geography: Arc<Geography>) -> Result<Store, String> {
        match &config.database {
            Database::Sqlite => Ok(Store::Sqlite(sqlite(config, geography, false).await?.with_id_batch(FEW_IDS))),
            Database::Postgres(address) => {
                let (database, platform) = postgres(config, address, geography).await?;
                let host = SqlHost::new(Traced(database), platform, config.shared.timing.clone());
                Ok(Store::Postgres(host.with_id_batch(NO_MORE_IDS)))
            }
        }
    }

    /// The core's answer to a request.
    pub async fn respond(&self, settings: &Settings, request: Request<Bytes>) -> Response<Bytes> {
        each!(self, host => api::handle(host, settings, request).await)
    }

    /// The same, and how it goes on where it begins a stream.
    pub async fn respond_or_stream(
        &self,
        settings: &Settings,
        request: Request<Bytes>,
    ) -> (Response<Bytes>, Option<Subscription>) {
        each!(self, host => api::handle_or_stream(host, settings, request).await)
    }

    /// The next events of a stream, as it writes them.
    pub async fn next(&self, subscription: &mut Subscription, limit: u32) -> Result<String, HostError> {
        each!(self, host => stream::next(host, subscription, limit).await)
    }

    /// Whether a stream may stay open.
    pub async fn is_allowed(&self, subscription: &Subscription) -> Result<bool, HostError> {
        each!(self, host => stream::is_allowed(host, subscription, host.exec_context().now).await)
    }

    /// Changes whenever this process wrote events or messages.
    pub fn updates(&self) -> watch::Receiver<u64> {
        each!(self, host => host.platform().updates())
    }

    /// Changes whenever some instance wrote keys or stores, as far as this process has heard.
    pub fn access(&self) -> watch::Receiver<u64> {
        each!(self, host => host.platform().access())
    }

    /// Webhooks that have something to send, at most `limit`.
    pub async fn due_webhooks(&self, limit: u32) -> Result<Vec<Webhook>, HostError> {
        each!(self, host => host.find_webhooks(WebhookQuery::Due { now: host.exec_context().now, limit }).await)
    }

    /// Takes a webhook's next round, where it is to be had.
    pub async fn take(&self, settings: &Settings, webhook: &Webhook) -> Result<Option<Batch>, HostError> {
        each!(self, host => outbox::take(host, settings, webhook).await)
    }

    /// Settles a round.
    pub async fn finish(&self, settings: &Settings, batch: &Batch, tried: Vec<MessageResult>) -> Result<(), HostError> {
        each!(self, host => outbox::finish(host, settings, batch, tried).await)
    }

    /// The time as the rules have it.
    pub fn now(&self) -> Timestamp {
        each!(self, host => host.exec_context().now)
    }

    /// Runs one pass of the simulated couriers of sandbox stores.
    pub async fn simulate(
        &self,
        settings: &Settings,
        simulation: Simulation,
        after: Option<OrderId>,
    ) -> Result<Pass, HostError> {
        each!(self, host => run_pass(host, settings, simulation, after).await)
    }

    /// Creates the demo data unless it exists, and returns whether it was created.
    pub async fn seed(&self, settings: &Settings) -> Result<bool, HostError> {
        match self {
            Store::Sqlite(host) => demo::seed(host, settings).await,
            // Instances that start at once would each find the first half of the other's.
            Store::Postgres(host) => host.driver().exclusively(demo::seed(host, settings)).await?,
        }
    }

    /// Creates demo orders to replace those that have ended, and returns how many.
    pub async fn replace_demo_orders(&self, settings: &Settings) -> Result<u32, HostError> {
        if each!(self, host => demo::missing_orders(host).await)? == 0 {
            return Ok(0);
        }
        match self {
            Store::Sqlite(host) => demo::replace_ended_orders(host, settings).await,
            Store::Postgres(host) => host.driver().exclusively(demo::replace_ended_orders(host, settings)).await?,
        }
    }

    /// One round of timed transitions, at most `limit` orders; how many moved.
    pub async fn round(&self, settings: &Settings, limit: u32) -> Result<u32, HostError> {
        each!(self, host => clock::run_pass(host, settings, host.exec_context().now, limit).await)
    }

    /// One round of dispatch.
    pub async fn dispatch(&self, settings: &Settings) -> Result<DispatchPass, HostError> {
        each!(self, host => dispatch::run_pass(host, settings, &mut host.exec_context()).await)
    }

    /// One pass of the configured retention of personal data.
    pub async fn retain(&self, settings: &Settings) -> Result<RetentionPass, HostError> {
        each!(self, host => erasure::retain(host, settings, host.exec_context().now).await)
    }

    /// Adds to the record of an erasure.
    pub async fn record(&self, record: ErasureRecord) -> Result<(), HostError> {
        let redactions = vec![Redaction::Record(record)];
        each!(self, host => host.commit(&Changes { at: host.exec_context().now, redactions, ..Changes::default() }).await)
    }

    /// Whether reads and writes are answered.
    pub async fn ready(&self) -> Result<(), HostError> {
        each!(self, host => host.driver().ready().await)
    }

    /// What places and roads are known from.
    pub fn geography(&self) -> &Geography {
        each!(self, host => host.platform().geography())
    }

    /// The database's figures. On PostgreSQL a group is one pipeline.
    pub fn stats(&self) -> Stats {
        match self {
            Store::Sqlite(host) => host.driver().stats(),
            Store::Postgres(host) => {
                let stats = host.driver().stats();
                Stats {
                    commits: stats.commits,
                    conflicts: stats.conflicts,
                    failures: stats.failures,
                    groups: stats.pipelines,
                    reads: stats.reads,
                    queued_writes: stats.waiting,
                    ..Stats::default()
                }
            }
        }
    }

    /// The figures of the connections to PostgreSQL.
    pub fn connections(&self) -> Option<despacho_postgres::Stats> {
        match self {
            Store::Sqlite(_) => None,
            Store::Postgres(host) => Some(host.driver().stats()),
        }
    }

    /// Finishes what waits, then closes.
    pub async fn close(&self) -> Result<(), HostError> {
        each!(self, host => host.driver().close().await)
    }
}

/// Copies the configured database to a file, and returns what the copy holds.
pub async fn backup(config: &Config, to: &Path) -> Result<String, String> {
    if config.database != Database::Sqlite {
        return Err("PostgreSQL has backups of its own: pg_dump, or an archive of its log".to_owned());
    }
    let (from, to) = (config.database_file(), to.to_owned());
    let copied = tokio::task::spawn_blocking(move || despacho_sqlite::backup(&from, &to)).await;
    let report = copied.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    Ok(format!("{} bytes, schema {}, {} orders, checked", report.bytes, report.schema, report.orders))
}

/// Opens the database's file, in a thread of its own: migrations may take a while, and they block.
pub async fn open_file(config: &Config, create: bool) -> Result<Sqlite, String> {
    let file = config.database_file();
    let name = file.display().to_string();
    let options = Options { create, ..Options::default() };
    let opened = tokio::task::spawn_blocking(move || Sqlite::open(&file, &options)).await;
    opened.map_err(|error| error.to_string())?.map_err(|error| format!("the database {name} cannot be opened: {error}"))
}

async fn sqlite(
    config: &Config,
    geography: Arc<Geography>,
    create: bool,
) -> Result<SqlHost<Traced<Sqlite>, ServerPlatform>, String> {
    let (database, timing) = (open_file(config, create).await?, config.shared.timing.clone());
    let machine = LocalPlatform::new().map_err(|error| error.to_string())?;
    Ok(SqlHost::new(Traced(database), ServerPlatform::new(machine, geography), timing))
}

async fn postgres(
    config: &Config,
    address: &Address,
    geography: Arc<Geography>,
) -> Result<(Postgres, ServerPlatform), String> {
    let options = despacho_postgres::Options { connections: config.database_connections, ..Default::default() };
    let database = Postgres::open(address, &options).await;
    let database = database.map_err(|error| format!("the database cannot be opened: {error}"))?;
    let machine = LocalPlatform::new().map_err(|error| error.to_string())?;
    Ok((database, ServerPlatform::new(machine, geography)))
}
