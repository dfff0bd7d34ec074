//! Real processes for tests: a PostgreSQL server, and servers under load while parts of the machine fail.

pub mod cluster;
pub mod faults;
