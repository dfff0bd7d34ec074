//! The database under the servers, queried directly.

use std::path::PathBuf;

use crate::cluster::Cluster;
use despacho_xtask::run::Failure;
use rusqlite::{Connection, OpenFlags, types::ValueRef};

/// The servers' database.
pub(crate) enum Database<'a> {
    /// A database of a PostgreSQL server, with its URL.
    Server(&'a Cluster, String),
    /// The SQLite file of the only instance.
    File(PathBuf),
}

impl Database<'_> {
    /// Returns the value of the setting `database`.
    pub(crate) fn address(&self) -> &str {
        match self {
            Database::Server(_, address) => address,
            Database::File(_) => "sqlite",
        }
    }

    /// Returns the rows of a query in psql's format: one line per row, columns separated by `|`.
    pub(crate) fn query(&self, sql: &str) -> Result<String, Failure> {
        match self {
            Database::Server(cluster, address) => cluster.query(address, sql),
            Database::File(file) => read(file, &translate(sql))
                .map_err(|error| Failure::new(format!("{}: {error}: {sql}", file.display()))),
        }
    }
}

/// Translates PostgreSQL's syntax for JSON. SQLite reads JSON from text and needs no casts of
/// numbers.
fn translate(sql: &str) -> String {
    sql.replace("body::json", "body")
        .replace("json_array_elements(", "json_each(")
        .replace("::bigint", "")
        .replace("::int", "")
}

fn read(file: &std::path::Path, sql: &str) -> rusqlite::Result<String> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(std::time::Duration::from_secs(30))?;
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    let mut lines = Vec::new();
    while let Some(row) = rows.next()? {
        let values = (0..columns).map(|column| Ok(text(row.get_ref(column)?)));
        lines.push(values.collect::<rusqlite::Result<Vec<_>>>()?.join("|"));
    }
    Ok(lines.join("\n"))
}

fn text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlite_rows_have_the_format_of_psql() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        let connection = Connection::open(&file).unwrap();
        connection
            .execute_batch(
                r#"CREATE TABLE t (id INTEGER, body TEXT); INSERT INTO t VALUES (1, '{"a":{"b":7}}'), (2, NULL)"#,
            )
            .unwrap();
        let read = Database::File(file)
            .query("SELECT id, (body::json->'a'->>'b')::bigint FROM t ORDER BY id");
        assert_eq!(read, Ok("1|7\n2|".to_owned()));
    }
}
