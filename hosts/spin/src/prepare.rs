//! What has to be done before the first request of an instance: schema, deadlines, demonstration data.
//!
//! Instances begin at any time and side by side, so that each looks whether something is left to do, and does it in one
//! transaction that keeps the others waiting. One that is ended in the middle has done nothing.
//!
//! The requests that come while the first one looks wait for it, or each of them would look.

use std::{cell::RefCell, rc::Rc};

use despacho_core::{
    host::{Host, HostError},
    model::store::KeyHash,
};
use despacho_simulator::demo;
use despacho_sql::{Dialect, Query, Row, SchemaState, SqlHost, is_ahead, pending};

use crate::{
    config::Config, database::Database, error::unavailable, platform::Machine, session::Session, sqlite, wait::Event,
};

/// How far this instance is.
#[derive(Clone)]
enum Progress {
    /// Nobody looks; how the look before ended, where it was not given up.
    Idle(Option<HostError>),
    UnderWay,
    Prepared,
}

thread_local! {
    static PROGRESS: RefCell<Progress> = const { RefCell::new(Progress::Idle(None)) };
    /// Wakes the requests that wait for the one that looks.
    static LOOKED: Rc<Event> = Rc::new(Event::new());
}

/// That a request looks. Where it is given up, the next one does.
struct Looking;

impl Drop for Looking {
    fn drop(&mut self) {
        PROGRESS.with_borrow_mut(|progress| {
            if matches!(progress, Progress::UnderWay) {
                *progress = Progress::Idle(None);
            }
        });
        LOOKED.with(|looked| looked.notify_all());
    }
}

/// Makes the database ready, once an instance.
pub(crate) async fn prepare(host: &SqlHost<Database, Machine>, config: &Config) -> Result<(), HostError> {
    let mut waited = false;
    loop {
        match PROGRESS.with_borrow(Clone::clone) {
            Progress::Prepared => return Ok(()),
            // Who waited does not try what has just failed: one after the other, the last would wait many times as long.
            Progress::Idle(Some(error)) if waited => return Err(error),
            Progress::Idle(_) => break,
            // How long it takes is limited by the time limits of its statements.
            Progress::UnderWay => LOOKED.with(Rc::clone).notified().await,
        }
        waited = true;
    }
    PROGRESS.set(Progress::UnderWay);
    let looking = Looking;
    let looked = look(host, config).await;
    PROGRESS.set(looked.as_ref().map_or_else(|error| Progress::Idle(Some(error.clone())), |()| Progress::Prepared));
    drop(looking);
    looked
}

async fn look(host: &SqlHost<Database, Machine>, config: &Config) -> Result<(), HostError> {
    let database = host.driver();
    database.warm().await?;
    if !is_current(database, config).await? {
        let session = database.own().await?;
        if database.is_sqlite() && session.is_in_memory().await? {
            return Err(unavailable(sqlite::IN_MEMORY));
        }
        // Another instance may be at it; then the log is on all the same.
        let _ = session.write_ahead().await;
        database.exclusively(async || migrate(&session).await).await?;
    }
    host.align_deadlines().await?;
    if config.own.demo && host.key(&KeyHash::of(demo::KEY)).await?.is_none() {
        database.exclusively(async || demo::seed(host, &config.settings).await).await?;
    }
    Ok(())
}

/// Whether this component may go on with the schema as it is. Where there is none, the question fails.
async fn is_current(database: &Database, config: &Config) -> Result<bool, HostError> {
    let dialect = if config.own.database_url.is_some() { Dialect::Postgres } else { Dialect::Sqlite };
    let query = async |sql| one_number(database.single(Query { sql, params: Vec::new() }).await?);
    let version = match query(Dialect::VERSION_QUERY).await {
        Ok(version) => version,
        Err(HostError::Internal { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    // Where the floor cannot be asked for, nobody has said that this program may go on.
    let min_compatible =
        if is_ahead(version) { query(Dialect::MIN_COMPATIBLE_QUERY).await.unwrap_or(None) } else { None };
    let missing =
        pending(dialect, SchemaState { version, min_compatible }).map_err(|error| unavailable(error.to_string()))?;
    Ok(missing.is_empty())
}

async fn migrate(session: &Session) -> Result<(), HostError> {
    let dialect = session.dialect();
    session.run(&dialect.version_table(), &[]).await?;
    let version = one_number(session.rows(Dialect::VERSION_QUERY, &[]).await?)?;
    let min_compatible =
        if is_ahead(version) { one_number(session.rows(Dialect::MIN_COMPATIBLE_QUERY, &[]).await?)? } else { None };
    for migration in
        pending(dialect, SchemaState { version, min_compatible }).map_err(|error| unavailable(error.to_string()))?
    {
        for step in &migration.steps {
            session.run(step, &[]).await?;
        }
    }
    Ok(())
}

fn one_number(mut rows: Vec<Row>) -> Result<Option<i64>, HostError> {
    Ok(rows.first_mut().map(Row::optional_integer).transpose()?.flatten())
}
