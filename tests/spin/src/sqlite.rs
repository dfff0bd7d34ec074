//! Implements `spin:sqlite` over SQLite like Spin: a connection per open, statements on a blocking
//! thread, streamed rows, and errors at the end.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use rusqlite::types::{Value as SqlValue, ValueRef};
use tokio::{
    sync::{mpsc, oneshot},
    task::spawn_blocking,
};
use wasmtime::component::{Accessor, FutureReader, HasData, Resource, ResourceTable, StreamReader};

use crate::{
    bindings::spin::sqlite::sqlite::{
        Error, Host, HostConnection, HostConnectionWithStore, QueryResult, RowResult, Value,
    },
    instances::TrapTrigger,
    rows::Rows,
};

type Shared = Arc<Mutex<rusqlite::Connection>>;

/// An open connection.
#[expect(
    unreachable_pub,
    reason = "the generated bindings name it, and are public within their module"
)]
pub struct Connection(Shared);

/// The part of the host state that the interface uses.
pub(crate) struct View<'a> {
    pub(crate) table: &'a mut ResourceTable,
    pub(crate) database: &'a Store,
    pub(crate) trap: &'a TrapTrigger,
}

/// The location of the database `default`.
#[derive(Clone)]
pub(crate) enum Store {
    /// The component has no database.
    None,
    /// In memory, a separate one per connection, as in Spin without a state directory.
    Memory,
    /// In a file.
    File(PathBuf),
}

/// Names the interface's data.
pub(crate) struct Sqlite;

impl HasData for Sqlite {
    type Data<'a> = View<'a>;
}

fn io(error: impl std::fmt::Display) -> Error {
    Error::Io(error.to_string())
}

fn open(database: &Store, name: &str) -> Result<Connection, Error> {
    let connection = match database {
        Store::File(path) if name == "default" => rusqlite::Connection::open(path),
        Store::Memory if name == "default" => rusqlite::Connection::open_in_memory(),
        _ => return Err(Error::AccessDenied),
    };
    let connection = connection.map_err(io)?;
    Ok(Connection(Arc::new(Mutex::new(connection))))
}

fn locked(connection: &Shared) -> std::sync::MutexGuard<'_, rusqlite::Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

fn parameter(value: Value) -> SqlValue {
    match value {
        Value::Null => SqlValue::Null,
        Value::Integer(number) => SqlValue::Integer(number),
        Value::Real(number) => SqlValue::Real(number),
        Value::Text(text) => SqlValue::Text(text),
        Value::Blob(bytes) => SqlValue::Blob(bytes),
    }
}

fn row(row: &rusqlite::Row<'_>, width: usize) -> rusqlite::Result<RowResult> {
    let column = |index| {
        Ok(match row.get_ref(index)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => Value::Integer(number),
            ValueRef::Real(number) => Value::Real(number),
            ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
        })
    };
    Ok(RowResult {
        values: (0..width).map(column).collect::<rusqlite::Result<_>>()?,
    })
}

/// Runs a statement. Passes the columns once, then each row until `each` returns false.
fn run(
    connection: &Shared,
    sql: &str,
    parameters: Vec<Value>,
    columns: impl FnOnce(Vec<String>),
    mut each: impl FnMut(RowResult) -> bool,
) -> Result<(), Error> {
    let connection = locked(connection);
    let mut statement = match connection.prepare_cached(sql) {
        Ok(statement) => statement,
        Err(error) => {
            columns(Vec::new());
            return Err(io(error));
        }
    };
    let names: Vec<String> = statement.column_names().map(Into::into).collect();
    let width = names.len();
    columns(names);
    let parameters = rusqlite::params_from_iter(parameters.into_iter().map(parameter));
    let mut rows = statement.query(parameters).map_err(io)?;
    while let Some(next) = rows.next().map_err(io)? {
        if !each(row(next, width).map_err(io)?) {
            return Err(io("the reader of the rows was dropped"));
        }
    }
    Ok(())
}

impl Host for View<'_> {}

impl HostConnection for View<'_> {
    async fn open(
        &mut self,
        name: String,
    ) -> wasmtime::Result<Result<Resource<Connection>, Error>> {
        Ok(match open(self.database, &name) {
            Ok(connection) => Ok(self.table.push(connection)?),
            Err(error) => Err(error),
        })
    }

    async fn execute(
        &mut self,
        connection: Resource<Connection>,
        sql: String,
        parameters: Vec<Value>,
    ) -> wasmtime::Result<Result<QueryResult, Error>> {
        self.trap.check()?;
        let connection = self.table.get(&connection)?.0.clone();
        Ok(spawn_blocking(move || {
            let (mut columns, mut rows) = (Vec::new(), Vec::new());
            let each = |row| {
                rows.push(row);
                true
            };
            run(&connection, &sql, parameters, |names| columns = names, each)?;
            Ok(QueryResult { columns, rows })
        })
        .await?)
    }

    async fn changes(&mut self, connection: Resource<Connection>) -> wasmtime::Result<u64> {
        Ok(locked(&self.table.get(&connection)?.0).changes())
    }

    async fn last_insert_rowid(
        &mut self,
        connection: Resource<Connection>,
    ) -> wasmtime::Result<i64> {
        Ok(locked(&self.table.get(&connection)?.0).last_insert_rowid())
    }

    async fn drop(&mut self, connection: Resource<Connection>) -> wasmtime::Result<()> {
        self.table.delete(connection)?;
        Ok(())
    }
}

type Streamed = (
    Vec<String>,
    StreamReader<RowResult>,
    FutureReader<Result<(), Error>>,
);

impl<T: 'static> HostConnectionWithStore<T> for Sqlite {
    async fn open_async(
        store: &Accessor<T, Self>,
        name: String,
    ) -> wasmtime::Result<Result<Resource<Connection>, Error>> {
        let database = store.with(|mut access| access.get().database.clone());
        Ok(
            match spawn_blocking(move || open(&database, &name)).await? {
                Ok(connection) => Ok(store.with(|mut access| access.get().table.push(connection))?),
                Err(error) => Err(error),
            },
        )
    }

    async fn execute_async(
        store: &Accessor<T, Self>,
        connection: Resource<Connection>,
        sql: String,
        parameters: Vec<Value>,
    ) -> wasmtime::Result<Result<Streamed, Error>> {
        let connection = store.with(|mut access| {
            access.get().trap.check()?;
            wasmtime::error::Ok(access.get().table.get(&connection)?.0.clone())
        })?;
        let (report_columns, columns) = oneshot::channel();
        let (report_row, rows) = mpsc::channel(4);
        let (report_end, end) = oneshot::channel();
        spawn_blocking(move || {
            let each = |row| report_row.blocking_send(row).is_ok();
            let ended = run(
                &connection,
                &sql,
                parameters,
                |names| _ = report_columns.send(names),
                each,
            );
            drop(report_row);
            _ = report_end.send(ended);
        });
        let columns = columns.await.unwrap_or_default();
        let (rows, end) = store.with(|mut access| {
            let rows = StreamReader::new(&mut access, Rows(rows))?;
            let end =
                FutureReader::new(&mut access, async move { wasmtime::error::Ok(end.await?) })?;
            wasmtime::error::Ok((rows, end))
        })?;
        Ok(Ok((columns, rows, end)))
    }

    async fn changes_async(
        store: &Accessor<T, Self>,
        connection: Resource<Connection>,
    ) -> wasmtime::Result<u64> {
        store.with(|mut access| Ok(locked(&access.get().table.get(&connection)?.0).changes()))
    }

    async fn last_insert_rowid_async(
        store: &Accessor<T, Self>,
        connection: Resource<Connection>,
    ) -> wasmtime::Result<i64> {
        store.with(|mut access| {
            Ok(locked(&access.get().table.get(&connection)?.0).last_insert_rowid())
        })
    }
}
