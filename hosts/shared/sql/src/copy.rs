//! Copies one database to another, table by table in pages, and then compares all rows.

use despacho_core::host::HostError;

use crate::{Dialect, Driver, TABLES, Table, Value, tables::CopyStatements};

/// The reason that a copy failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyError {
    /// The target has rows in this table.
    NotEmpty(&'static str),
    /// After the copy the databases differ in this table, first at this row.
    Differs(&'static str, u64),
    /// One of the databases failed.
    Database(HostError),
}

impl std::fmt::Display for CopyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CopyError::NotEmpty(table) => {
                write!(
                    f,
                    "the target is not empty: its table {table} has rows; name an empty database"
                )
            }
            CopyError::Differs(table, row) => {
                write!(
                    f,
                    "the copy differs from the source in the table {table}, first at row {row}; do not use the copy"
                )
            }
            CopyError::Database(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CopyError {}

impl From<HostError> for CopyError {
    fn from(error: HostError) -> CopyError {
        CopyError::Database(error)
    }
}

/// Copies all tables into an empty database with the same schema, compares both, and returns the
/// number of rows of each table. Neither database may be written to during the copy.
pub async fn copy<A: Driver, B: Driver>(
    (from, dialect): (&A, Dialect),
    (to, target): (&B, Dialect),
) -> Result<Vec<(&'static str, u64)>, CopyError> {
    for table in TABLES.iter().filter(|table| table.starts_empty()) {
        if !to
            .read(table.copy_statements(target).page(None, 1))
            .await?
            .is_empty()
        {
            return Err(CopyError::NotEmpty(table.name));
        }
    }
    let mut copied = Vec::with_capacity(TABLES.len());
    for table in TABLES {
        let (reading, writing) = (
            table.copy_statements(dialect),
            table.copy_statements(target),
        );
        fill(table, (from, &reading), (to, &writing)).await?;
        if let Some(sequence) = writing.sequence() {
            to.write_returning(sequence).await?;
        }
        copied.push((
            table.name,
            compare(table, (from, &reading), (to, &writing)).await?,
        ));
    }
    Ok(copied)
}

async fn fill<A: Driver, B: Driver>(
    table: &Table,
    (from, reading): (&A, &CopyStatements),
    (to, writing): (&B, &CopyStatements),
) -> Result<(), HostError> {
    let mut after: Option<Vec<Value>> = None;
    loop {
        let page = page(table, (from, reading), after.as_deref()).await?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        after = Some(reading.key(last).to_vec());
        to.transact(page.iter().map(|row| writing.insert(row)).collect())
            .await?;
    }
}

/// Compares a table in both databases and returns its number of rows.
async fn compare<A: Driver, B: Driver>(
    table: &Table,
    (from, reading): (&A, &CopyStatements),
    (to, writing): (&B, &CopyStatements),
) -> Result<u64, CopyError> {
    let (mut after, mut count): (Option<Vec<Value>>, u64) = (None, 0);
    loop {
        let source = page(table, (from, reading), after.as_deref()).await?;
        let target = page(table, (to, writing), after.as_deref()).await?;
        if source != target {
            let same = source
                .iter()
                .zip(&target)
                .take_while(|(one, other)| one == other)
                .count();
            return Err(CopyError::Differs(table.name, count + same as u64 + 1));
        }
        let Some(last) = source.last() else {
            return Ok(count);
        };
        count += source.len() as u64;
        after = Some(reading.key(last).to_vec());
    }
}

async fn page<D: Driver>(
    table: &Table,
    (driver, statements): (&D, &CopyStatements),
    after: Option<&[Value]>,
) -> Result<Vec<Vec<Value>>, HostError> {
    let rows = driver.read(statements.page(after, table.page())).await?;
    Ok(rows.into_iter().map(crate::Row::into_values).collect())
}
