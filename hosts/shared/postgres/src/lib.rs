//! The PostgreSQL driver of Despacho: a bounded pool, pipelined transactions, and notifications
//! between instances.
//!
//! A transaction is one round trip: its statements and its `COMMIT` are sent together. A write that
//! does not touch its row fails within the database, and the transaction is rolled back. Each
//! transaction inserts a marker. If a connection breaks before the response, the transaction is
//! sent again with the same marker. If the marker exists, it is already committed. See
//! hosts/shared/postgres/README.md.

mod address;
mod batch;
mod connections;
mod connector;
mod database;
mod error;
mod lease;
mod migrate;
mod notifications;
mod order;
mod pipeline;
mod pooler;
mod pools;
mod server;
mod stats;
mod tls;
mod value;

pub use address::{Address, AddressError};
pub use database::{Options, Postgres};
pub use migrate::OpenError;
pub use stats::Stats;
