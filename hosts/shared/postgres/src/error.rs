//! Maps PostgreSQL's errors to host errors.

use deadpool_postgres::PoolError;
use despacho_core::host::HostError;
use despacho_sql::STORAGE;
use tokio_postgres::Error;

/// The name of this part in errors and the documentation.
const DATABASE: &str = "database";

/// The cause and the remedies if several clients share one session of the server.
pub(crate) const SHARED_SESSION: &str = "a connection pooler between this program and the database shares sessions: add \
     pooler=transaction to the database's URL, or set the pooler to session mode (PgBouncer: pool_mode = session)";

/// An operation failed, or its outcome is unknown.
#[derive(Debug)]
pub(crate) enum PgError {
    /// Nothing was written, and a retry would fail as well.
    Permanent(HostError),
    /// Nothing was written because of a concurrent transaction; a retry may succeed.
    Retryable(String),
    /// The connection broke before the response.
    ConnectionLost(String),
}

impl From<Error> for PgError {
    fn from(error: Error) -> PgError {
        let Some(database) = error.as_db_error() else {
            // The error is not from the server: the connection failed, or this program encoded a
            // parameter or decoded a column incorrectly.
            let text = text(&error);
            let is_internal = error.to_string().starts_with("error serializing")
                || error.to_string().starts_with("error deserializing")
                || error.to_string().starts_with("error encoding");
            return if is_internal {
                PgError::Permanent(internal(text))
            } else {
                PgError::ConnectionLost(text)
            };
        };
        by_state(
            database.code().code(),
            format!("{}: {}", database.code().code(), database.message()),
        )
    }
}

impl From<PoolError> for PgError {
    fn from(error: PoolError) -> PgError {
        match error {
            PoolError::Backend(error) => match PgError::from(error) {
                // Nothing was sent yet, so the caller decides whether to retry.
                PgError::ConnectionLost(detail) | PgError::Retryable(detail) => {
                    PgError::ConnectionLost(detail)
                }
                // An operator may have changed a rejected password or name.
                PgError::Permanent(HostError::Internal { detail }) => {
                    PgError::Permanent(unavailable(detail))
                }
                other => other,
            },
            PoolError::Timeout(_) => {
                PgError::Permanent(unavailable("no connection was free in time"))
            }
            PoolError::Closed => PgError::Permanent(unavailable("the database is closed")),
            other => PgError::ConnectionLost(other.to_string()),
        }
    }
}

impl From<PgError> for HostError {
    fn from(error: PgError) -> HostError {
        match error {
            PgError::Permanent(error) => error,
            PgError::Retryable(_) => HostError::Conflict,
            PgError::ConnectionLost(detail) => unavailable(detail),
        }
    }
}

/// Maps a SQLSTATE to an error.
fn by_state(state: &str, detail: String) -> PgError {
    match state {
        // Division by zero: a write did not touch the row that it must. Unique violation: the value
        // exists.
        "22012" | "23505" => PgError::Permanent(HostError::Conflict),
        // Serialization failure, deadlock, or timeout of a lock.
        "40001" | "40P01" | "55P03" => PgError::Retryable(detail),
        // The outcome is unknown, as after a lost connection.
        "40003" => PgError::ConnectionLost(detail),
        // Statement timeout; the statement was rolled back.
        "57014" => PgError::Permanent(HostError::Timeout { what: DATABASE }),
        // The server is starting, shutting down or closed the connection (57P01 to 57P05), or a
        // connection exception (class 08).
        _ if state.starts_with("57P") || state.starts_with("08") => PgError::ConnectionLost(detail),
        // A prepared statement is missing or exists, because a pooler shares the session between
        // clients.
        "26000" | "42P05" => PgError::ConnectionLost(format!("{detail}; {SHARED_SESSION}")),
        // The disk is full or failing, or the server is a read-only replica.
        _ if state == "53100" || state.starts_with("58") || state == "25006" => {
            PgError::Permanent(HostError::Unavailable {
                what: STORAGE,
                detail,
            })
        }
        // Out of memory or connections.
        _ if state.starts_with("53") => PgError::Permanent(unavailable(detail)),
        "25P03" | "28P01" | "28000" | "3D000" => PgError::Permanent(unavailable(detail)),
        _ => PgError::Permanent(internal(detail)),
    }
}

/// Returns an error's text with its causes, because tokio-postgres displays only the kind of error.
pub(crate) fn text(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// Returns the error of a database that is unavailable.
pub(crate) fn unavailable(detail: impl Into<String>) -> HostError {
    HostError::Unavailable {
        what: DATABASE,
        detail: detail.into(),
    }
}

/// Returns the error of an unexpected condition.
pub(crate) fn internal(detail: impl Into<String>) -> HostError {
    HostError::Internal {
        detail: detail.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlstates_map_to_conflicts_retries_and_failures() {
        let error = |state: &str| by_state(state, String::new());
        for state in ["22012", "23505"] {
            assert!(
                matches!(error(state), PgError::Permanent(HostError::Conflict)),
                "{state}"
            );
        }
        for state in ["40001", "40P01", "55P03"] {
            assert!(matches!(error(state), PgError::Retryable(_)), "{state}");
        }
        for state in [
            "40003", "57P01", "57P02", "57P03", "08006", "26000", "42P05",
        ] {
            assert!(
                matches!(error(state), PgError::ConnectionLost(_)),
                "{state}"
            );
        }
        assert!(matches!(
            error("57014"),
            PgError::Permanent(HostError::Timeout { .. })
        ));
        for state in ["53100", "58030", "25006"] {
            assert!(
                matches!(
                    error(state),
                    PgError::Permanent(HostError::Unavailable { what: STORAGE, .. })
                ),
                "{state}"
            );
        }
        assert!(matches!(
            error("53300"),
            PgError::Permanent(HostError::Unavailable { what: DATABASE, .. })
        ));
        assert!(matches!(
            error("42P01"),
            PgError::Permanent(HostError::Internal { .. })
        ));
    }
}
