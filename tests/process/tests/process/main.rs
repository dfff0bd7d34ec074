//! Tests of real server processes: kills under load, several instances with one database, injected
//! faults.

mod archive;
mod failover;
mod faults;
mod instances;
mod kill;
mod migrate;
mod roads;
mod scheduled;
mod storm;
mod support;
