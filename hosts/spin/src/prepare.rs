//! Prepares the database before the first request of an instance: schema, deadlines and demo data.
//!
//! Instances start at any time and concurrently, so each checks whether work is left and does it in
//! one transaction that excludes the others. An interrupted transaction has no effect.
//!
//! Requests that arrive during the preparation wait for it instead of repeating it.

use std::{cell::RefCell, rc::Rc};

use despacho_core::{
    host::{Host, HostError},
    model::store::KeyHash,
};
use despacho_simulator::demo::{self, SeedError};
use despacho_sql::{Dialect, Query, Row, SchemaState, SqlHost, is_ahead, pending};

use crate::{
    config::Config, database::Database, error::unavailable, platform::Machine, session::Session,
    sqlite, wait::Event,
};

/// The part that is unavailable if another store prevents the creation of the demo data.
pub(crate) const DEMO: &str = "demo";

/// The progress of this instance's preparation.
#[derive(Clone)]
enum Progress {
    /// No preparation is running. Contains the error of the previous one, unless it was cancelled.
    Idle(Option<HostError>),
    Running,
    Complete,
}

thread_local! {
    static PROGRESS: RefCell<Progress> = const { RefCell::new(Progress::Idle(None)) };
    /// Wakes the requests that wait for the preparation.
    static PREPARATION_ENDED: Rc<Event> = Rc::new(Event::new());
}

/// Marks that a request is preparing the database. If it is cancelled, the next request takes over.
struct PreparationGuard;

impl Drop for PreparationGuard {
    fn drop(&mut self) {
        PROGRESS.with_borrow_mut(|progress| {
            if matches!(progress, Progress::Running) {
                *progress = Progress::Idle(None);
            }
        });
        PREPARATION_ENDED.with(|result| result.notify_all());
    }
}

/// Prepares the database, once per instance.
pub(crate) async fn prepare(
    host: &SqlHost<Database, Machine>,
    config: &Config,
) -> Result<(), HostError> {
    let mut waited = false;
    loop {
        match PROGRESS.with_borrow(Clone::clone) {
            Progress::Complete => return Ok(()),
            // A request that waited does not repeat a failed preparation: sequential retries would
            // multiply the wait of the last one.
            Progress::Idle(Some(error)) if waited => return Err(error),
            Progress::Idle(_) => break,
            // The timeouts of the statements bound this wait.
            Progress::Running => PREPARATION_ENDED.with(Rc::clone).notified().await,
        }
        waited = true;
    }
    PROGRESS.set(Progress::Running);
    let guard = PreparationGuard;
    let result = prepare_database(host, config).await;
    PROGRESS.set(result.as_ref().map_or_else(
        |error| Progress::Idle(Some(error.clone())),
        |()| Progress::Complete,
    ));
    drop(guard);
    result
}

async fn prepare_database(
    host: &SqlHost<Database, Machine>,
    config: &Config,
) -> Result<(), HostError> {
    let database = host.driver();
    database.warm().await?;
    if !is_current(database, config).await? {
        let session = database.own().await?;
        if database.is_sqlite() && session.is_in_memory().await? {
            return Err(unavailable(sqlite::IN_MEMORY));
        }
        // If another instance is preparing, it enables the log.
        let _ = session.write_ahead().await;
        database
            .exclusively(async || migrate(&session).await)
            .await?;
    }
    host.align_deadlines().await?;
    if !config.own.demo || host.key(&KeyHash::of(demo::KEY)).await?.is_some() {
        return Ok(());
    }
    if let Some(obstacle) = demo::obstacle(host).await? {
        return Err(HostError::Unavailable {
            what: DEMO,
            detail: obstacle.to_string(),
        });
    }
    let seed = async || match demo::seed(host, &config.settings).await {
        Ok(created) => Ok(created),
        Err(SeedError::Obstacle(obstacle)) => Err(HostError::Unavailable {
            what: DEMO,
            detail: obstacle.to_string(),
        }),
        Err(SeedError::Host(error)) => Err(error),
    };
    database.exclusively(seed).await?;
    Ok(())
}

/// Returns whether this component can use the current schema. Without a schema the query fails.
async fn is_current(database: &Database, config: &Config) -> Result<bool, HostError> {
    let dialect = if config.own.database_url.is_some() {
        Dialect::Postgres
    } else {
        Dialect::Sqlite
    };
    let query = async |sql: &'static str| {
        one_number(
            database
                .single(Query {
                    sql: sql.into(),
                    params: Vec::new(),
                })
                .await?,
        )
    };
    let version = match query(Dialect::VERSION_QUERY).await {
        Ok(version) => version,
        Err(HostError::Internal { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    // If the minimum compatible version cannot be read, this program must not use a newer schema.
    let min_compatible = if is_ahead(version) {
        query(Dialect::MIN_COMPATIBLE_QUERY).await.unwrap_or(None)
    } else {
        None
    };
    let missing = pending(
        dialect,
        SchemaState {
            version,
            min_compatible,
        },
    )
    .map_err(|error| unavailable(error.to_string()))?;
    Ok(missing.is_empty())
}

async fn migrate(session: &Session) -> Result<(), HostError> {
    let dialect = session.dialect();
    session.run(&dialect.version_table(), &[]).await?;
    let version = one_number(session.rows(Dialect::VERSION_QUERY, &[]).await?)?;
    let min_compatible = if is_ahead(version) {
        one_number(session.rows(Dialect::MIN_COMPATIBLE_QUERY, &[]).await?)?
    } else {
        None
    };
    for migration in pending(
        dialect,
        SchemaState {
            version,
            min_compatible,
        },
    )
    .map_err(|error| unavailable(error.to_string()))?
    {
        for step in &migration.steps {
            session.run(step, &[]).await?;
        }
    }
    Ok(())
}

fn one_number(mut rows: Vec<Row>) -> Result<Option<i64>, HostError> {
    Ok(rows
        .first_mut()
        .map(Row::optional_integer)
        .transpose()?
        .flatten())
}
