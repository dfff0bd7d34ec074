//! Spin's PostgreSQL interface. The runtime pools connections, and errors have a SQLSTATE.

use despacho_core::host::HostError;
use despacho_sql::{Row, Value};
use spin_sdk::pg::{Connection, DbValue, Error, ParameterValue, PgError, QueryError};

use crate::error::{internal, unavailable};

/// Opens the database at a URL, and rolls back a transaction that an earlier request left open in
/// the pooled connection. Otherwise this request's writes would become part of it.
pub(crate) async fn open(url: &str) -> Result<Connection, HostError> {
    let connection = Connection::open(url)
        .await
        .map_err(|error| connection_error(error, url))?;
    connection
        .execute("ROLLBACK", [])
        .await
        .map_err(host_error)?;
    Ok(connection)
}

/// Runs one statement and returns its rows.
pub(crate) async fn rows(
    connection: &Connection,
    sql: &str,
    params: &[Value],
) -> Result<Vec<Row>, HostError> {
    let mut response = connection
        .query(sql, parameters(params))
        .await
        .map_err(host_error)?;
    let mut rows = Vec::new();
    while let Some(row) = response.rows().next().await {
        rows.push(Row::new(
            row.into_iter().map(column).collect::<Result<_, _>>()?,
        ));
    }
    response.result().await.map_err(host_error)?;
    Ok(rows)
}

/// Runs one statement and returns the number of affected rows.
pub(crate) async fn run(
    connection: &Connection,
    sql: &str,
    params: &[Value],
) -> Result<u64, HostError> {
    connection
        .execute(sql, parameters(params))
        .await
        .map_err(host_error)
}

fn parameters(params: &[Value]) -> Vec<ParameterValue> {
    let parameter = |value: &Value| match value {
        Value::Null => ParameterValue::DbNull,
        Value::Integer(number) => ParameterValue::Int64(*number),
        Value::Text(text) => ParameterValue::Str(text.clone()),
        Value::Bytes(bytes) => ParameterValue::Binary(bytes.to_vec()),
    };
    params.iter().map(parameter).collect()
}

fn column(value: DbValue) -> Result<Value, HostError> {
    match value {
        DbValue::DbNull => Ok(Value::Null),
        DbValue::Int64(number) => Ok(Value::Integer(number)),
        DbValue::Int32(number) => Ok(Value::Integer(number.into())),
        DbValue::Str(text) => Ok(Value::Text(text)),
        DbValue::Binary(bytes) => Ok(Value::Bytes(bytes.into())),
        _ => Err(internal(
            "unexpected column type: neither integer, text nor bytes",
        )),
    }
}

/// Returns the error of a failed connection, with the setting that is the likely cause. The URL is
/// removed from the runtime's message, because it contains the password.
fn connection_error(error: Error, url: &str) -> HostError {
    let Error::PgError(PgError::ConnectionFailed(text)) = error else {
        return host_error(error);
    };
    unavailable(format!(
        "{}{}",
        text.replace(url, "`database_url`"),
        hint(&text)
    ))
}

fn hint(text: &str) -> &'static str {
    let has = |part: &str| text.contains(part);
    if has("not permitted") || has("not allowed") {
        "; see the variable `database_host`, for `allowed_outbound_hosts` in spin.toml"
    } else if has("prohibited") || has("blocked") {
        "; see `block_networks` of `[outbound_networking]` in the runtime configuration"
    } else if has("too many clients") || has("connection slots") || has("53300") {
        "; see `max_connections` of `[outbound_pg]` in the runtime configuration"
    } else {
        ""
    }
}

fn host_error(error: Error) -> HostError {
    match error {
        Error::PgError(PgError::ConnectionFailed(text)) => unavailable(text),
        Error::PgError(PgError::QueryFailed(QueryError::DbError(error))) => {
            error_of_state(&error.code, format!("{}: {}", error.code, error.message))
        }
        // Only a broken connection is reported as text without a SQLSTATE.
        Error::PgError(PgError::QueryFailed(QueryError::Text(text))) => unavailable(text),
        Error::PgError(
            PgError::BadParameter(text)
            | PgError::ValueConversionFailed(text)
            | PgError::Other(text),
        ) => internal(text),
        Error::Decode(text) => internal(text),
    }
}

/// Maps a SQLSTATE to an error.
fn error_of_state(state: &str, detail: String) -> HostError {
    match state {
        // Unique violation, serialization failure, deadlock.
        "23505" | "40001" | "40P01" => HostError::Conflict,
        // Connection errors, exhausted resources, shutdown, I/O errors; then lock timeouts,
        // read-only replicas and failed logins.
        _ if ["08", "53", "57", "58"]
            .iter()
            .any(|class| state.starts_with(class)) =>
        {
            unavailable(detail)
        }
        "55P03" | "25006" | "28P01" | "28000" | "3D000" => unavailable(detail),
        _ => internal(detail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_connection_names_the_setting_and_no_password() {
        let failed = |text: &str| {
            connection_error(
                Error::PgError(PgError::ConnectionFailed(text.to_owned())),
                "postgres://a:hunter2@b/c",
            )
        };
        for (text, setting) in [
            (
                "address postgres://a:hunter2@b/c is not permitted",
                "database_host",
            ),
            ("destination IP prohibited", "block_networks"),
            (
                "db error: FATAL: sorry, too many clients already",
                "max_connections",
            ),
        ] {
            let detail = failed(text).to_string();
            assert!(
                detail.contains(setting) && !detail.contains("hunter2"),
                "{detail}"
            );
        }
    }

    #[test]
    fn sqlstates_map_to_host_errors() {
        let error = |state: &str| error_of_state(state, String::new());
        assert_eq!(error("23505"), HostError::Conflict);
        assert_eq!(error("40P01"), HostError::Conflict);
        assert!(matches!(
            error("57P01"),
            HostError::Unavailable {
                what: "database",
                ..
            }
        ));
        assert!(matches!(error("42P01"), HostError::Internal { .. }));
    }
}
