//! PostgreSQL under Despacho: a bounded pool, transactions sent as one message train, and news between instances.
//!
//! A transaction costs one round trip. Its statements and its `COMMIT` leave together; a statement that misses the row it must touch
//! fails within the database, so that nothing after it counts. Each transaction puts down a mark of its own first. Where a
//! connection breaks before the answer, the same transaction is sent again with the same mark: if the mark is there already, it was
//! done, and it is never done twice. hosts/shared/postgres/README.md is the operator's page.

mod address;
mod connector;
mod database;
mod error;
mod lease;
mod migrate;
mod news;
mod order;
mod pooler;
mod server;
mod stats;
mod tls;
mod train;
mod value;

pub use address::Address;
pub use database::{Options, Postgres};
pub use migrate::OpenError;
pub use stats::Stats;
