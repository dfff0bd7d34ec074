//! Checks that the address names the mode of a connection pooler.

use std::time::Duration;

use deadpool_postgres::tokio_postgres::Client;
use tokio::time::timeout;

use crate::{
    address::Pooling,
    connector::Connector,
    error::SHARED_SESSION,
    migrate::{OpenError, first},
    server::Kind,
};

/// Identifies a session of the server. Two concurrent clients have the same session only through a
/// pooler.
const SESSION: &str = "SELECT pg_backend_pid() || '@' || pg_postmaster_start_time()";
/// Queries on each of two connections. A pooler reuses the session that was freed last, so a shared
/// session appears within few queries.
const PROBES: usize = 4;
/// Timeout of the probe. A pooler in session mode with one free connection makes the second client
/// wait.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// Rejects a pooler in transaction mode that the address does not name, and a pooler in statement
/// mode.
pub(crate) async fn check(
    client: &Client,
    connector: &Connector,
    kind: Kind,
) -> Result<(), OpenError> {
    match connector.address().pooling() {
        Pooling::Transaction => {
            // Two messages, because a pooler in statement mode accepts both in one.
            let begun = async {
                client.batch_execute("BEGIN").await?;
                client.batch_execute("COMMIT").await
            };
            let begun = begun.await;
            begun.map_err(|error| {
                let detail = "the pooler allows no transactions; set it to transaction mode (PgBouncer: pool_mode = transaction)";
                OpenError::Database(format!("{detail}: {}", crate::error::text(&error)))
            })
        }
        Pooling::Session if kind == Kind::Postgres => {
            // If the probe fails, later errors of a shared session describe the same remedy.
            match timeout(PROBE_TIMEOUT, is_shared(client, connector)).await {
                Ok(Ok(true)) => Err(OpenError::Database(SHARED_SESSION.to_owned())),
                _ => Ok(()),
            }
        }
        Pooling::Session => Ok(()),
    }
}

/// Whether two connections share a session, or the session of one of them changes.
async fn is_shared(client: &Client, connector: &Connector) -> Result<bool, OpenError> {
    let (other, driver) = connector.connect(None).await?;
    let (mut first_sessions, mut other_sessions) = (Vec::new(), Vec::new());
    for _ in 0..PROBES {
        first_sessions.push(first(client, SESSION).await?);
        other_sessions.push(first(&other, SESSION).await?);
    }
    drop(other);
    driver.abort();
    let changes = |sessions: &[Option<String>]| sessions.windows(2).any(|pair| pair[0] != pair[1]);
    let is_same = first_sessions
        .iter()
        .any(|session| other_sessions.contains(session));
    Ok(is_same || changes(&first_sessions) || changes(&other_sessions))
}
