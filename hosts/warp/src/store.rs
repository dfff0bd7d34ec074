//! The state behind the core: which database, and what the server asks of it besides the core's own questions.

use std::{path::Path, sync::Arc};

use bytes::Bytes;
use despacho_core::{
    Settings,
    api::{
        self,
        outbox::{self, Batch},
        stream::{self, Subscription},
    },
    courier::dispatch::{self, Round},
    demo,
    domain::Timestamp,
    host::{Fault, Host},
    order::drive,
    webhook::{Tried, Webhook},
};
use despacho_sql::SqlHost;
use despacho_sqlite::{LocalPlatform, Options, Sqlite};
use http::{Request, Response};
use tokio::sync::watch;

pub use despacho_sqlite::Stats;

use crate::{
    config::{Config, Database},
    geo::{Geography, Platform},
    telemetry::Traced,
};

/// Identifiers that a command reserves at once: it lives for one request, and what it leaves over is a gap.
const FEW_IDS: u32 = 8;

/// The state. One database a variant, chosen once, so that everything behind it stays statically dispatched.
pub enum Store {
    /// The file in the data folder.
    Sqlite(SqlHost<Traced<Sqlite>, Platform>),
}

impl Store {
    /// Opens the configured database for a server: makes it where it is missing, brings its schema up to date, and its deadlines
    /// to the configured timing.
    pub async fn open(config: &Config, geography: Arc<Geography>) -> Result<Store, String> {
        match config.database {
            Database::Sqlite => {
                let host = sqlite(config, geography).await?;
                host.align_deadlines()
                    .await
                    .map_err(|fault| format!("deadlines cannot be brought up to date: {fault}"))?;
                Ok(Store::Sqlite(host))
            }
        }
    }

    /// Opens it for one command, beside a server that may be running.
    pub async fn open_beside(config: &Config, geography: Arc<Geography>) -> Result<Store, String> {
        match config.database {
            Database::Sqlite => Ok(Store::Sqlite(sqlite(config, geography).await?.reserving(FEW_IDS))),
        }
    }

    /// The core's answer to a request.
    pub async fn answer(&self, settings: &Settings, request: Request<Bytes>) -> Response<Bytes> {
        match self {
            Store::Sqlite(host) => api::handle(host, settings, request).await,
        }
    }

    /// The same, and how it goes on where it begins a stream.
    pub async fn answer_or_stream(
        &self,
        settings: &Settings,
        request: Request<Bytes>,
    ) -> (Response<Bytes>, Option<Subscription>) {
        match self {
            Store::Sqlite(host) => api::handle_or_stream(host, settings, request).await,
        }
    }

    /// The next events of a stream, as it writes them.
    pub async fn next(&self, subscription: &mut Subscription, limit: u32) -> Result<String, Fault> {
        match self {
            Store::Sqlite(host) => stream::next(host, subscription, limit).await,
        }
    }

    /// Whether a stream may stay open.
    pub async fn is_allowed(&self, subscription: &Subscription) -> Result<bool, Fault> {
        match self {
            Store::Sqlite(host) => stream::is_allowed(host, subscription, host.moment().now).await,
        }
    }

    /// Changes whenever this process wrote events or messages.
    pub fn news(&self) -> watch::Receiver<u64> {
        match self {
            Store::Sqlite(host) => host.platform().news(),
        }
    }

    /// Webhooks that have something to send, at most `limit`.
    pub async fn due_webhooks(&self, limit: u32) -> Result<Vec<Webhook>, Fault> {
        match self {
            Store::Sqlite(host) => host.due_webhooks(host.moment().now, limit).await,
        }
    }

    /// Takes a webhook's next round, where it is to be had.
    pub async fn take(&self, settings: &Settings, webhook: &Webhook) -> Result<Option<Batch>, Fault> {
        match self {
            Store::Sqlite(host) => outbox::take(host, settings, webhook).await,
        }
    }

    /// Settles a round.
    pub async fn finish(&self, settings: &Settings, batch: &Batch, tried: Vec<Tried>) -> Result<(), Fault> {
        match self {
            Store::Sqlite(host) => outbox::finish(host, settings, batch, tried).await,
        }
    }

    /// The time as the rules have it.
    pub fn now(&self) -> Timestamp {
        match self {
            Store::Sqlite(host) => host.moment().now,
        }
    }

    /// Puts the demonstration's data in where it is not there yet, and says whether it was not.
    pub async fn seed(&self, settings: &Settings) -> Result<bool, Fault> {
        match self {
            Store::Sqlite(host) => demo::seed(host, settings).await,
        }
    }

    /// One round of timed transitions, at most `limit` orders; how many moved.
    pub async fn round(&self, settings: &Settings, limit: u32) -> Result<u32, Fault> {
        match self {
            Store::Sqlite(host) => drive::round(host, settings, host.moment().now, limit).await,
        }
    }

    /// One round of dispatch.
    pub async fn dispatch(&self, settings: &Settings) -> Result<Round, Fault> {
        match self {
            Store::Sqlite(host) => dispatch::round(host, settings, &mut host.moment()).await,
        }
    }

    /// Whether reads and writes are answered.
    pub async fn ready(&self) -> Result<(), Fault> {
        match self {
            Store::Sqlite(host) => host.driver().ready().await,
        }
    }

    /// What places and roads are known from.
    pub fn geography(&self) -> &Geography {
        match self {
            Store::Sqlite(host) => host.platform().geography(),
        }
    }

    /// The database's figures.
    pub fn stats(&self) -> Stats {
        match self {
            Store::Sqlite(host) => host.driver().stats(),
        }
    }

    /// Finishes what waits, then closes.
    pub async fn close(&self) -> Result<(), Fault> {
        match self {
            Store::Sqlite(host) => host.driver().close().await,
        }
    }
}

/// Copies the configured database to a file, and says what the copy holds.
pub async fn backup(config: &Config, to: &Path) -> Result<String, String> {
    let (from, to) = (config.database_file(), to.to_owned());
    if !from.exists() {
        return Err(format!("there is no database {}", from.display()));
    }
    let copied = tokio::task::spawn_blocking(move || despacho_sqlite::backup(&from, &to)).await;
    let report = copied.map_err(|error| error.to_string())?.map_err(|fault| fault.to_string())?;
    Ok(format!("{} bytes, schema {}, {} orders, checked", report.bytes, report.schema, report.orders))
}

async fn sqlite(config: &Config, geography: Arc<Geography>) -> Result<SqlHost<Traced<Sqlite>, Platform>, String> {
    let (file, timing) = (config.database_file(), config.timing.clone());
    let name = file.display().to_string();
    // Migrations may take a while, and they block.
    let opened = tokio::task::spawn_blocking(move || Sqlite::open(&file, &Options::default())).await;
    let database = opened
        .map_err(|error| error.to_string())?
        .map_err(|fault| format!("the database {name} cannot be opened: {fault}"))?;
    let machine = LocalPlatform::new().map_err(|fault| fault.to_string())?;
    Ok(SqlHost::new(Traced(database), Platform::new(machine, geography), timing))
}
