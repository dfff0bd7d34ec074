//! Implements `spin:postgres` over PostgreSQL, for the types that the component uses. As in Spin,
//! connections are pooled and not reset.

#![expect(
    clippy::result_large_err,
    reason = "the bindings define the size of the error"
)]

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::BytesMut;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_postgres::{
    Client, NoTls, Row as SqlRow,
    types::{IsNull, ToSql, Type, to_sql_checked},
};
use wasmtime::component::{Accessor, FutureReader, HasData, Resource, ResourceTable, StreamReader};

use crate::{
    bindings::spin::postgres::postgres::{
        Column, DbDataType, DbError, DbValue, Error, Host, HostConnection, HostConnectionBuilder,
        HostConnectionBuilderWithStore, HostConnectionWithStore, ParameterValue, QueryError,
        RowSet,
    },
    instances::TrapTrigger,
    rows::Rows,
};

/// Idle connections, by URL. As in Spin, connections are opened up to a limit and never closed when
/// idle. At the limit, opening waits without a timeout.
#[derive(Clone)]
pub(crate) struct Pool {
    idle: Arc<Mutex<HashMap<String, Vec<Client>>>>,
    permits: Arc<Semaphore>,
}

impl Pool {
    pub(crate) fn new(max_connections: usize) -> Pool {
        Pool {
            idle: Arc::default(),
            permits: Arc::new(Semaphore::new(max_connections)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<Client>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection in use.
#[expect(
    unreachable_pub,
    reason = "the generated bindings name it, and are public within their module"
)]
pub struct Connection {
    client: Option<Arc<Client>>,
    address: String,
    pool: Pool,
    _permit: OwnedSemaphorePermit,
}

/// A connection builder.
#[expect(
    unreachable_pub,
    reason = "the generated bindings name it, and are public within their module"
)]
pub struct Builder(String);

impl Drop for Connection {
    fn drop(&mut self) {
        let client = self
            .client
            .take()
            .and_then(Arc::into_inner)
            .filter(|client| !client.is_closed());
        if let Some(client) = client {
            self.pool
                .lock()
                .entry(self.address.clone())
                .or_default()
                .push(client);
        }
    }
}

/// The part of the host state that the interface uses.
pub(crate) struct View<'a> {
    pub(crate) table: &'a mut ResourceTable,
    pub(crate) pool: &'a Pool,
    pub(crate) trap: &'a TrapTrigger,
}

/// Names the interface's data.
pub(crate) struct Postgres;

impl HasData for Postgres {
    type Data<'a> = View<'a>;
}

async fn open(pool: Pool, address: String) -> Result<Connection, Error> {
    let permit = Arc::clone(&pool.permits).acquire_owned().await;
    let permit = permit.map_err(|error| Error::ConnectionFailed(error.to_string()))?;
    let idle = pool.lock().get_mut(&address).and_then(Vec::pop);
    let client = match idle.filter(|client| !client.is_closed()) {
        Some(client) => client,
        None => {
            // The same format as in Spin.
            let failed =
                |error: tokio_postgres::Error| Error::ConnectionFailed(format!("{error:?}"));
            let (client, connection) = tokio_postgres::connect(&address, NoTls)
                .await
                .map_err(failed)?;
            tokio::spawn(async move { _ = connection.await });
            client
        }
    };
    Ok(Connection {
        client: Some(Arc::new(client)),
        address,
        pool,
        _permit: permit,
    })
}

/// A null parameter of any type.
#[derive(Debug)]
struct UntypedNull;

impl ToSql for UntypedNull {
    fn to_sql(
        &self,
        _: &Type,
        _: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        Ok(IsNull::Yes)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

type Parameter = Box<dyn ToSql + Sync + Send>;

fn parameters(values: Vec<ParameterValue>) -> Result<Vec<Parameter>, Error> {
    let parameter = |value| -> Result<Parameter, Error> {
        Ok(match value {
            ParameterValue::DbNull => Box::new(UntypedNull),
            ParameterValue::Boolean(value) => Box::new(value),
            ParameterValue::Int32(value) => Box::new(value),
            ParameterValue::Int64(value) => Box::new(value),
            ParameterValue::Str(value) => Box::new(value),
            ParameterValue::Binary(value) => Box::new(value),
            other => {
                return Err(Error::BadParameter(format!(
                    "the test host does not support {other:?}"
                )));
            }
        })
    };
    values.into_iter().map(parameter).collect()
}

fn borrowed(parameters: &[Parameter]) -> Vec<&(dyn ToSql + Sync)> {
    parameters
        .iter()
        .map(|parameter| &**parameter as &(dyn ToSql + Sync))
        .collect()
}

fn failed(error: tokio_postgres::Error) -> Error {
    let text = error.to_string();
    let Some(error) = error.as_db_error() else {
        return Error::QueryFailed(QueryError::Text(text));
    };
    Error::QueryFailed(QueryError::DbError(DbError {
        as_text: text,
        severity: error.severity().to_owned(),
        code: error.code().code().to_owned(),
        message: error.message().to_owned(),
        detail: error.detail().map(str::to_owned),
        extras: Vec::new(),
    }))
}

fn data_type(kind: &Type) -> DbDataType {
    match *kind {
        Type::BOOL => DbDataType::Boolean,
        Type::INT4 => DbDataType::Int32,
        Type::INT8 => DbDataType::Int64,
        Type::TEXT | Type::VARCHAR => DbDataType::Str,
        Type::BYTEA => DbDataType::Binary,
        _ => DbDataType::Other(kind.name().to_owned()),
    }
}

fn value(row: &SqlRow, index: usize) -> Result<DbValue, Error> {
    let wrong = |error: tokio_postgres::Error| Error::ValueConversionFailed(error.to_string());
    let kind = row
        .columns()
        .get(index)
        .map(|column| column.type_().clone())
        .unwrap_or(Type::UNKNOWN);
    let value = match kind {
        Type::BOOL => row
            .try_get::<_, Option<bool>>(index)
            .map_err(wrong)?
            .map(DbValue::Boolean),
        Type::INT4 => row
            .try_get::<_, Option<i32>>(index)
            .map_err(wrong)?
            .map(DbValue::Int32),
        Type::INT8 => row
            .try_get::<_, Option<i64>>(index)
            .map_err(wrong)?
            .map(DbValue::Int64),
        Type::TEXT | Type::VARCHAR => row
            .try_get::<_, Option<String>>(index)
            .map_err(wrong)?
            .map(DbValue::Str),
        Type::BYTEA => row
            .try_get::<_, Option<Vec<u8>>>(index)
            .map_err(wrong)?
            .map(DbValue::Binary),
        other => {
            return Err(Error::ValueConversionFailed(format!(
                "the test host does not support {other}"
            )));
        }
    };
    Ok(value.unwrap_or(DbValue::DbNull))
}

async fn query(client: &Client, sql: &str, values: Vec<ParameterValue>) -> Result<RowSet, Error> {
    let parameters = parameters(values)?;
    let statement = client.prepare(sql).await.map_err(failed)?;
    let column = |column: &tokio_postgres::Column| Column {
        name: column.name().to_owned(),
        data_type: data_type(column.type_()),
    };
    let columns = statement.columns().iter().map(column).collect();
    let found = client
        .query(&statement, &borrowed(&parameters))
        .await
        .map_err(failed)?;
    let row = |row: &SqlRow| (0..row.len()).map(|index| value(row, index)).collect();
    Ok(RowSet {
        columns,
        rows: found.iter().map(row).collect::<Result<_, _>>()?,
    })
}

async fn execute(client: &Client, sql: &str, values: Vec<ParameterValue>) -> Result<u64, Error> {
    let parameters = parameters(values)?;
    client
        .execute(sql, &borrowed(&parameters))
        .await
        .map_err(failed)
}

impl View<'_> {
    /// Counts a statement, and returns the client of a connection.
    fn client(&mut self, connection: &Resource<Connection>) -> wasmtime::Result<Arc<Client>> {
        self.trap.check()?;
        let client = self.table.get(connection)?.client.clone();
        client.ok_or_else(|| wasmtime::format_err!("the connection is closed"))
    }

    async fn open_connection(
        &mut self,
        address: String,
    ) -> wasmtime::Result<Result<Resource<Connection>, Error>> {
        Ok(match open(self.pool.clone(), address).await {
            Ok(connection) => Ok(self.table.push(connection)?),
            Err(error) => Err(error),
        })
    }
}

impl Host for View<'_> {}

impl HostConnection for View<'_> {
    async fn open(
        &mut self,
        address: String,
    ) -> wasmtime::Result<Result<Resource<Connection>, Error>> {
        self.open_connection(address).await
    }

    async fn query(
        &mut self,
        connection: Resource<Connection>,
        sql: String,
        values: Vec<ParameterValue>,
    ) -> wasmtime::Result<Result<RowSet, Error>> {
        let client = self.client(&connection)?;
        Ok(query(&client, &sql, values).await)
    }

    async fn execute(
        &mut self,
        connection: Resource<Connection>,
        sql: String,
        values: Vec<ParameterValue>,
    ) -> wasmtime::Result<Result<u64, Error>> {
        let client = self.client(&connection)?;
        Ok(execute(&client, &sql, values).await)
    }

    async fn drop(&mut self, connection: Resource<Connection>) -> wasmtime::Result<()> {
        self.table.delete(connection)?;
        Ok(())
    }
}

impl HostConnectionBuilder for View<'_> {
    async fn new(&mut self, address: String) -> wasmtime::Result<Resource<Builder>> {
        Ok(self.table.push(Builder(address))?)
    }

    async fn set_ca_root(
        &mut self,
        _builder: Resource<Builder>,
        _certificate: String,
    ) -> wasmtime::Result<Result<(), Error>> {
        Ok(Err(Error::Other(
            "the test host does not support TLS".to_owned(),
        )))
    }

    async fn build(
        &mut self,
        builder: Resource<Builder>,
    ) -> wasmtime::Result<Result<Resource<Connection>, Error>> {
        let address = self.table.get(&builder)?.0.clone();
        self.open_connection(address).await
    }

    async fn drop(&mut self, builder: Resource<Builder>) -> wasmtime::Result<()> {
        self.table.delete(builder)?;
        Ok(())
    }
}

impl<T: 'static> HostConnectionBuilderWithStore<T> for Postgres {
    async fn build_async(
        store: &Accessor<T, Self>,
        builder: Resource<Builder>,
    ) -> wasmtime::Result<Result<Resource<Connection>, Error>> {
        let address = store
            .with(|mut access| wasmtime::error::Ok(access.get().table.get(&builder)?.0.clone()))?;
        <Postgres as HostConnectionWithStore<T>>::open_async(store, address).await
    }
}

type Streamed = (
    Vec<Column>,
    StreamReader<Vec<DbValue>>,
    FutureReader<Result<(), Error>>,
);

impl<T: 'static> HostConnectionWithStore<T> for Postgres {
    async fn open_async(
        store: &Accessor<T, Self>,
        address: String,
    ) -> wasmtime::Result<Result<Resource<Connection>, Error>> {
        let pool = store.with(|mut access| access.get().pool.clone());
        Ok(match open(pool, address).await {
            Ok(connection) => Ok(store.with(|mut access| access.get().table.push(connection))?),
            Err(error) => Err(error),
        })
    }

    async fn query_async(
        store: &Accessor<T, Self>,
        connection: Resource<Connection>,
        sql: String,
        values: Vec<ParameterValue>,
    ) -> wasmtime::Result<Result<Streamed, Error>> {
        let client = store.with(|mut access| access.get().client(&connection))?;
        let RowSet { columns, rows } = match query(&client, &sql, values).await {
            Ok(found) => found,
            Err(error) => return Ok(Err(error)),
        };
        let (report_row, received) = mpsc::channel(rows.len().max(1));
        rows.into_iter()
            .for_each(|row| _ = report_row.try_send(row));
        let (rows, end) = store.with(|mut access| {
            let rows = StreamReader::new(&mut access, Rows(received))?;
            let end = FutureReader::new(&mut access, async { wasmtime::error::Ok(Ok(())) })?;
            wasmtime::error::Ok((rows, end))
        })?;
        Ok(Ok((columns, rows, end)))
    }

    async fn execute_async(
        store: &Accessor<T, Self>,
        connection: Resource<Connection>,
        sql: String,
        values: Vec<ParameterValue>,
    ) -> wasmtime::Result<Result<u64, Error>> {
        let client = store.with(|mut access| access.get().client(&connection))?;
        Ok(execute(&client, &sql, values).await)
    }
}
