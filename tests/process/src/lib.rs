//! Real processes for tests: PostgreSQL servers, and Despacho servers under load with injected
//! faults.

pub mod cluster;
pub mod faults;
