//! One suite of storage tests. Whatever keeps Despacho's data passes it, the host in memory first of all; what a database must
//! do is written here and nowhere else. Tests of one database alone stand in the module with its name.

// Clippy allows `unwrap` in tests, and helpers of tests are such by this line alone.
#![cfg(test)]

mod archive;
mod backend;
mod instances;
mod migration;
mod plans;
mod pooler;
mod postgres;
mod recent;
mod sqlite;
mod suite;

use backend::{InMemory, OnPgBouncer, OnPostgres, OnSqlite};
use suite::run_suite;

run_suite!(InMemory in memory);
run_suite!(OnSqlite in on_sqlite);
run_suite!(OnPostgres in on_postgres);
run_suite!(OnPgBouncer in on_pgbouncer);
