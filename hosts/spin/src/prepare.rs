//! What has to be done before the first request of an instance: schema, deadlines, demonstration data.
//!
//! Instances begin at any time and side by side, so that each looks whether something is left to do, and does it in one
//! transaction that keeps the others waiting. One that is ended in the middle has done nothing.

use std::cell::Cell;

use despacho_core::{
    demo,
    host::{Fault, Host},
    store::KeyHash,
};
use despacho_sql::{Dialect, Query, Row, SqlHost, Standing, is_ahead, pending};

use crate::{config::Config, database::Database, fault::unavailable, platform::Machine, session::Session};

thread_local! {
    /// Whether this instance has looked.
    static PREPARED: Cell<bool> = const { Cell::new(false) };
}

/// Makes the database ready, once an instance.
pub(crate) async fn prepare(host: &SqlHost<Database, Machine>, config: &Config) -> Result<(), Fault> {
    if PREPARED.get() {
        return Ok(());
    }
    let database = host.driver();
    if !is_current(database, config).await? {
        let session = database.own().await?;
        // Another instance may be at it; then the log is on all the same.
        let _ = session.write_ahead().await;
        database.alone(async || migrate(session).await).await?;
    }
    host.align_deadlines().await?;
    if config.demo && host.key(&KeyHash::of(demo::KEY)).await?.is_none() {
        database.alone(async || demo::seed(host, &config.settings).await).await?;
    }
    PREPARED.set(true);
    Ok(())
}

/// Whether this component may go on with the schema as it is. Where there is none, the question fails.
async fn is_current(database: &Database, config: &Config) -> Result<bool, Fault> {
    let dialect = if config.database_url.is_some() { Dialect::Postgres } else { Dialect::Sqlite };
    let ask = async |sql| one_number(database.single(Query { sql, params: Vec::new() }).await?);
    let version = match ask(Dialect::VERSION_QUERY).await {
        Ok(version) => version,
        Err(Fault::Internal { .. }) => return Ok(false),
        Err(fault) => return Err(fault),
    };
    let floor = if is_ahead(version) { ask(Dialect::FLOOR_QUERY).await? } else { None };
    let missing = pending(dialect, Standing { version, floor }).map_err(|fault| unavailable(fault.to_string()))?;
    Ok(missing.is_empty())
}

async fn migrate(session: &Session) -> Result<(), Fault> {
    let dialect = session.dialect();
    session.run(&dialect.version_table(), &[]).await?;
    let version = one_number(session.rows(Dialect::VERSION_QUERY, &[]).await?)?;
    let floor = if is_ahead(version) { one_number(session.rows(Dialect::FLOOR_QUERY, &[]).await?)? } else { None };
    for migration in pending(dialect, Standing { version, floor }).map_err(|fault| unavailable(fault.to_string()))? {
        for step in &migration.steps {
            session.run(step, &[]).await?;
        }
    }
    Ok(())
}

fn one_number(mut rows: Vec<Row>) -> Result<Option<i64>, Fault> {
    Ok(rows.first_mut().map(Row::optional_integer).transpose()?.flatten())
}
