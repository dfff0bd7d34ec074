//! From one database to another: every table, row by row in pages, and then both compared row by row.

use despacho_core::host::HostError;

use crate::{Dialect, Driver, TABLES, Table, Value, tables::Copying};

/// Rows that are read at once, and written in one transaction.
const PAGE: i64 = 250;

/// Why a copy is not there, or not to be trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyError {
    /// The target has rows in this table.
    NotEmpty(&'static str),
    /// After the copy the two differ in this table, first at this row of it.
    Differs(&'static str, u64),
    /// One of the databases could not.
    Database(HostError),
}

impl std::fmt::Display for CopyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CopyError::NotEmpty(table) => {
                write!(f, "the target is not empty: it has {table}; a migration never mixes two databases")
            }
            CopyError::Differs(table, row) => {
                write!(f, "the copy differs from the source in {table}, first at row {row}: do not use it")
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

/// Copies all tables into a database that has the same schema and nothing in it, and compares. Gives the rows of each table. Nobody may
/// write to either meanwhile.
pub async fn copy<A: Driver, B: Driver>(
    (from, dialect): (&A, Dialect),
    (to, target): (&B, Dialect),
) -> Result<Vec<(&'static str, u64)>, CopyError> {
    for table in TABLES.iter().filter(|table| table.starts_empty()) {
        if !to.read(table.copying(target).page(None, 1)).await?.is_empty() {
            return Err(CopyError::NotEmpty(table.name));
        }
    }
    let mut copied = Vec::with_capacity(TABLES.len());
    for table in TABLES {
        let (reading, writing) = (table.copying(dialect), table.copying(target));
        fill((from, &reading), (to, &writing)).await?;
        if let Some(sequence) = writing.sequence() {
            to.write_returning(sequence).await?;
        }
        copied.push((table.name, compare(table, (from, &reading), (to, &writing)).await?));
    }
    Ok(copied)
}

async fn fill<A: Driver, B: Driver>(
    (from, reading): (&A, &Copying),
    (to, writing): (&B, &Copying),
) -> Result<(), HostError> {
    let mut after: Option<Vec<Value>> = None;
    loop {
        let page = page(from, reading, after.as_deref()).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(reading.key(last).to_vec());
        to.transact(page.iter().map(|row| writing.insert(row)).collect()).await?;
    }
}

/// How many rows both have, where they have the same.
async fn compare<A: Driver, B: Driver>(
    table: &Table,
    (from, reading): (&A, &Copying),
    (to, writing): (&B, &Copying),
) -> Result<u64, CopyError> {
    let (mut after, mut count): (Option<Vec<Value>>, u64) = (None, 0);
    loop {
        let source = page(from, reading, after.as_deref()).await?;
        let target = page(to, writing, after.as_deref()).await?;
        if source != target {
            let same = source.iter().zip(&target).take_while(|(one, other)| one == other).count();
            return Err(CopyError::Differs(table.name, count + same as u64 + 1));
        }
        let Some(last) = source.last() else { return Ok(count) };
        count += source.len() as u64;
        after = Some(reading.key(last).to_vec());
    }
}

async fn page<D: Driver>(driver: &D, copying: &Copying, after: Option<&[Value]>) -> Result<Vec<Vec<Value>>, HostError> {
    let rows = driver.read(copying.page(after, PAGE)).await?;
    Ok(rows.into_iter().map(crate::Row::into_values).collect())
}
