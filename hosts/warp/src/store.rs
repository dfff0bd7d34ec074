//! The storage behind the core: the configured database, and the operations that the server needs
//! besides the core's queries.

use std::{path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use despacho_core::{
    api,
    changes::Changes,
    drivers::{
        clock,
        dispatch::{self, DispatchPass},
        erasure::{self, RetentionPass},
        outbox::{self, Batch},
        push::{self, PushBatch},
        stream::{self, DeliverySubscription, JournalSubscription, Subscription},
    },
    host::{HostError, Platform, Storage, StoreQuery, WebhookQuery},
    model::{
        self, OrderId, Timestamp,
        privacy::{ErasureRecord, Redaction},
        webhook::{AttemptResult, Webhook},
    },
    rules::{pricing::Tariff, settings::Settings, webhooks::MessageResult},
};
use despacho_postgres::Postgres;
use despacho_simulator::{
    Pass, Simulation,
    demo::{self, SeedError},
    run_pass,
};
use despacho_sql::SqlHost;
use despacho_sqlite::{LocalPlatform, Options, Sqlite};
use http::{Request, Response};
use tokio::sync::watch;

pub use despacho_sqlite::Stats;

use crate::{
    config::{Config, Database},
    database::AnyDatabase,
    error::StartError,
    geo::{Geography, ServerPlatform},
    mail::Mailer,
    telemetry::Traced,
    work::Turns,
};

/// IDs that a command reserves at once. It serves one request, and unused IDs remain gaps.
const FEW_IDS: u32 = 8;
/// On a shared database each request reserves its own ID: lists are sorted by ID, so a higher ID
/// must be newer on every instance.
const NO_MORE_IDS: u32 = 1;

/// The storage: the core's host on the configured database.
pub struct Store {
    host: SqlHost<Traced<AnyDatabase>, ServerPlatform>,
}

impl Store {
    /// Opens the configured database for a server, migrates its schema and aligns deadlines with
    /// the configured timing. Only `--demo` creates a missing file.
    pub async fn open(config: &Config, geography: Arc<Geography>) -> Result<Store, StartError> {
        let (database, platform) = open(config, geography, config.demo).await?;
        let timing = config.shared.timing.clone();
        let host = match &database {
            AnyDatabase::Sqlite(_) => SqlHost::new(Traced(database), platform, timing),
            AnyDatabase::Postgres(shared) => {
                let platform = platform.sharing(shared);
                SqlHost::new(Traced(database), platform, timing).with_id_batch(NO_MORE_IDS)
            }
        };
        host.align_deadlines()
            .await
            .map_err(StartError::Deadlines)?;
        Ok(Store { host })
    }

    /// Creates the configured database, or migrates its schema if it exists.
    pub async fn create(config: &Config) -> Result<(), StartError> {
        let (database, _) = open(config, Arc::new(Geography::embedded()), true).await?;
        database.close().await.map_err(StartError::Close)
    }

    /// Opens the database for one command, also while a server uses it.
    pub async fn open_for_commands(
        config: &Config,
        geography: Arc<Geography>,
    ) -> Result<Store, StartError> {
        let (database, platform) = open(config, geography, false).await?;
        let ids = match &database {
            AnyDatabase::Sqlite(_) => FEW_IDS,
            AnyDatabase::Postgres(_) => NO_MORE_IDS,
        };
        let host = SqlHost::new(Traced(database), platform, config.shared.timing.clone());
        Ok(Store {
            host: host.with_id_batch(ids),
        })
    }

    /// Returns the core's response to a request.
    pub async fn respond(&self, settings: &Settings, request: Request<Bytes>) -> Response<Bytes> {
        api::handle(&self.host, settings, request).await
    }

    /// Returns the core's response and, if it starts a stream, the subscription.
    pub async fn respond_or_stream(
        &self,
        settings: &Settings,
        request: Request<Bytes>,
    ) -> (Response<Bytes>, Option<Subscription>) {
        api::handle_or_stream(&self.host, settings, request).await
    }

    /// Returns the turns of callers for requests that take long.
    pub fn turns(&self) -> &Turns {
        self.host.platform().turns()
    }

    /// Returns the next events of a stream in its text format.
    pub async fn next(
        &self,
        subscription: &mut JournalSubscription,
        limit: u32,
    ) -> Result<String, HostError> {
        stream::next(&self.host, subscription, limit).await
    }

    /// Returns the changed status of a recipient's stream in its text format, or `None` if its link
    /// has ended.
    pub async fn next_status(
        &self,
        settings: &Settings,
        subscription: &mut DeliverySubscription,
    ) -> Result<Option<String>, HostError> {
        stream::next_status(
            &self.host,
            settings,
            subscription,
            self.host.exec_context().now,
        )
        .await
    }

    /// Returns whether a stream may stay open.
    pub async fn is_allowed(&self, subscription: &JournalSubscription) -> Result<bool, HostError> {
        stream::is_allowed(&self.host, subscription, self.host.exec_context().now).await
    }

    /// Returns a counter that changes when this process writes events or messages.
    pub fn updates(&self) -> watch::Receiver<u64> {
        self.host.platform().updates()
    }

    /// Returns a counter that changes when this process writes keys or stores, or is notified that
    /// another instance did.
    pub fn access(&self) -> watch::Receiver<u64> {
        self.host.platform().access()
    }

    /// Returns at most `limit` webhooks that have messages to send.
    pub async fn due_webhooks(&self, limit: u32) -> Result<Vec<Webhook>, HostError> {
        self.host
            .find_webhooks(WebhookQuery::Due {
                now: self.host.exec_context().now,
                limit,
            })
            .await
    }

    /// Claims a webhook's next batch, if there is one.
    pub async fn take(
        &self,
        settings: &Settings,
        webhook: &Webhook,
    ) -> Result<Option<Batch>, HostError> {
        outbox::take(&self.host, settings, webhook).await
    }

    /// Stores the results of a batch.
    pub async fn finish(
        &self,
        settings: &Settings,
        batch: &Batch,
        tried: Vec<MessageResult>,
    ) -> Result<(), HostError> {
        outbox::finish(&self.host, settings, batch, tried).await
    }

    /// Takes the due pushes of at most `limit` couriers. Also returns the number of couriers that
    /// were found.
    pub async fn take_pushes(
        &self,
        settings: &Settings,
        limit: u32,
    ) -> Result<(usize, Vec<PushBatch>), HostError> {
        push::take(&self.host, settings, limit).await
    }

    /// Stores the results of a courier's pushes.
    pub async fn finish_pushes(
        &self,
        batch: &PushBatch,
        results: &[AttemptResult],
    ) -> Result<(), HostError> {
        push::finish(&self.host, batch, results).await
    }

    /// Returns the stores with an ID above `after`, by ID, at most `limit`.
    pub async fn stores(
        &self,
        after: Option<model::StoreId>,
        limit: u32,
    ) -> Result<Vec<model::store::Store>, HostError> {
        self.host
            .find_stores(StoreQuery::All { after, limit })
            .await
    }

    /// Returns the current and the scheduled tariffs. The first is the configured one if no stored
    /// tariff is in effect.
    pub async fn tariffs(&self, configured: Tariff) -> Result<Vec<Tariff>, HostError> {
        let schedule = self.host.tariff_schedule(None).await?;
        let now = self.now();
        let current = schedule
            .at(now)
            .map_or(configured, |stored| (*stored.tariff).clone());
        let scheduled = schedule
            .scheduled(now)
            .map(|stored| (*stored.tariff).clone());
        Ok(std::iter::once(current).chain(scheduled).collect())
    }

    /// Returns the current time of the core.
    pub fn now(&self) -> Timestamp {
        self.host.exec_context().now
    }

    /// Runs one pass of the simulated couriers of sandbox stores.
    pub async fn simulate(
        &self,
        settings: &Settings,
        simulation: Simulation,
        after: Option<OrderId>,
    ) -> Result<Pass, HostError> {
        run_pass(&self.host, settings, simulation, after).await
    }

    /// Creates the demo data unless it exists, and returns whether it was created.
    pub async fn seed(&self, settings: &Settings) -> Result<bool, SeedError> {
        // Instances that start at the same time would otherwise see each other's partial data.
        self.host
            .driver()
            .exclusively(demo::seed(&self.host, settings))
            .await?
    }

    /// Issues a sign-in code for the demo's courier; `None` if the operator removed the courier.
    pub async fn sign_in_demo_courier(
        &self,
        settings: &Settings,
    ) -> Result<Option<String>, HostError> {
        self.host
            .driver()
            .exclusively(demo::sign_in(&self.host, settings))
            .await?
    }

    /// Creates demo orders to replace those that have ended, and returns how many.
    pub async fn replace_demo_orders(&self, settings: &Settings) -> Result<u32, HostError> {
        if demo::missing_orders(&self.host).await? == 0 {
            return Ok(0);
        }
        self.host
            .driver()
            .exclusively(demo::replace_ended_orders(&self.host, settings))
            .await?
    }

    /// Runs one pass of timed transitions for at most `limit` orders, and returns how many changed.
    pub async fn round(&self, settings: &Settings, limit: u32) -> Result<u32, HostError> {
        clock::run_pass(&self.host, settings, self.host.exec_context().now, limit).await
    }

    /// Runs one dispatch pass.
    pub async fn dispatch(&self, settings: &Settings) -> Result<DispatchPass, HostError> {
        dispatch::run_pass(&self.host, settings, &mut self.host.exec_context()).await
    }

    /// Runs one pass of the configured retention of personal data.
    pub async fn retain(&self, settings: &Settings) -> Result<RetentionPass, HostError> {
        erasure::retain(&self.host, settings, self.host.exec_context().now).await
    }

    /// Adds to the record of an erasure.
    pub async fn record(&self, record: ErasureRecord) -> Result<(), HostError> {
        let redactions = vec![Redaction::Record(record)];
        self.host
            .commit(&Changes {
                at: self.host.exec_context().now,
                redactions,
                ..Changes::default()
            })
            .await
    }

    /// Checks that the database accepts reads and writes.
    pub async fn ready(&self) -> Result<(), HostError> {
        self.host.driver().ready().await
    }

    /// Returns the mailer, if a mail server is configured.
    pub fn mailer(&self) -> Option<Arc<Mailer>> {
        self.host.platform().mailer()
    }

    /// Returns the sources of locations and distances.
    pub fn geography(&self) -> &Geography {
        self.host.platform().geography()
    }

    /// Returns the database statistics. On PostgreSQL a group is one pipeline.
    pub fn stats(&self) -> Stats {
        self.host.driver().stats()
    }

    /// Returns the statistics of the PostgreSQL connection pool.
    pub fn connections(&self) -> Option<despacho_postgres::Stats> {
        self.host.driver().connections()
    }

    /// Completes queued work, then closes the database.
    pub async fn close(&self) -> Result<(), HostError> {
        self.host.driver().close().await
    }
}

/// Copies the configured database to a file, and returns a summary of the copy.
pub async fn backup(config: &Config, to: &Path) -> Result<String, StartError> {
    if config.database != Database::Sqlite {
        return Err(StartError::BackupOfPostgres);
    }
    let (from, to) = (config.database_file(), to.to_owned());
    let copied = tokio::task::spawn_blocking(move || despacho_sqlite::backup(&from, &to)).await;
    let report = copied
        .map_err(|error| blocking(error.into()))?
        .map_err(StartError::Backup)?;
    Ok(format!(
        "{} bytes, schema {}, {} orders, checked",
        report.bytes, report.schema, report.orders
    ))
}

/// Opens the database file on a blocking thread, because migrations may take long.
pub async fn open_file(config: &Config, create: bool) -> Result<Sqlite, StartError> {
    let file = config.database_file();
    let options = Options {
        create,
        ..Options::default()
    };
    let opened = tokio::task::spawn_blocking({
        let file = file.clone();
        move || Sqlite::open(&file, &options)
    });
    let opened = opened.await.map_err(|error| blocking(error.into()))?;
    opened.map_err(|error| StartError::Sqlite { file, error })
}

/// The error of a blocking task that panicked.
fn blocking(error: std::io::Error) -> StartError {
    StartError::Process {
        action: "access the database",
        error,
    }
}

/// Opens the configured database. `create` creates a missing file.
async fn open(
    config: &Config,
    geography: Arc<Geography>,
    create: bool,
) -> Result<(AnyDatabase, ServerPlatform), StartError> {
    let database = match &config.database {
        Database::Sqlite => AnyDatabase::Sqlite(open_file(config, create).await?),
        Database::Postgres(address) => {
            let options = despacho_postgres::Options {
                connections: config.database_connections,
                ..Default::default()
            };
            AnyDatabase::Postgres(
                Postgres::open(address, &options)
                    .await
                    .map_err(StartError::Postgres)?,
            )
        }
    };
    let machine = LocalPlatform::new().map_err(StartError::Platform)?;
    Ok((
        database,
        ServerPlatform::new(machine, geography, mailer(config)?),
    ))
}

fn mailer(config: &Config) -> Result<Option<Arc<Mailer>>, StartError> {
    let timeout = Duration::from_secs(config.shared.webhooks.timeout_seconds.into());
    Ok(Mailer::new(&config.smtp, timeout)?.map(Arc::new))
}
