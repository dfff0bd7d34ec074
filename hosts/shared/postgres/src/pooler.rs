//! Whether a connection pooler between this program and the server fits the address.

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

/// Identifies a session of the server: two clients that are connected at once see the same one only through a pooler.
const SESSION: &str = "SELECT pg_backend_pid() || '@' || pg_postmaster_start_time()";
/// Queries on each of two connections. A pooler reuses the session that came free last, so that an idle one shows in the first.
const PROBES: usize = 4;
/// For the probe. A pooler in session mode that has one connection left keeps the second client waiting.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// Rejects a pooler that shares sessions where the address does not name it, and one that shares them within transactions.
pub(crate) async fn check(client: &Client, connector: &Connector, kind: Kind) -> Result<(), OpenError> {
    match connector.address().pooling() {
        Pooling::Transaction => {
            // Two messages: a pooler of statements lets both pass in one.
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
            // What cannot be learnt now shows later: the errors of a shared session carry the same advice.
            match timeout(PROBE_TIMEOUT, is_shared(client, connector)).await {
                Ok(Ok(true)) => Err(OpenError::Database(SHARED_SESSION.to_owned())),
                _ => Ok(()),
            }
        }
        Pooling::Session => Ok(()),
    }
}

/// Whether two connections share a session, or one of them changes it.
async fn is_shared(client: &Client, connector: &Connector) -> Result<bool, OpenError> {
    let (other, driving) = connector.connect(None).await?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..PROBES {
        ours.push(first(client, SESSION).await?);
        theirs.push(first(&other, SESSION).await?);
    }
    drop(other);
    driving.abort();
    let changes = |sessions: &[Option<String>]| sessions.windows(2).any(|pair| pair[0] != pair[1]);
    Ok(changes(&ours) || changes(&theirs) || ours.iter().any(|session| theirs.contains(session)))
}
