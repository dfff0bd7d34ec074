//! Storage tests. Every storage must pass the suite, including the in-memory reference host.
//! Modules named after a database contain its own tests.

// Clippy allows `unwrap` in tests; without this line it does not treat helper functions as tests.
#![cfg(test)]

mod archive;
mod backend;
mod instances;
mod joined;
mod migration;
mod plans;
mod pooler;
mod postgres;
mod recent;
mod search_index;
mod sqlite;
mod suite;
mod what_if;

use backend::{InMemory, OnPgBouncer, OnPostgres, OnSqlite};
use suite::run_suite;

run_suite!(InMemory in memory);
run_suite!(OnSqlite in on_sqlite);
run_suite!(OnPostgres in on_postgres);
run_suite!(OnPgBouncer in on_pgbouncer);
