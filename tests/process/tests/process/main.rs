//! The real server: killed in the middle of its work, several instances over one database, under load while parts of the machine fail.

mod archive;
mod failover;
mod faults;
mod instances;
mod kill;
mod migrate;
mod roads;
mod storm;
mod support;
