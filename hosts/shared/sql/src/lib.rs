//! The database of Despacho, without a database: what is asked and what is written, as data.
//!
//! SQL text lives here once, for SQLite and PostgreSQL alike. A driver runs it: it implements [`Driver`], some 100 lines for
//! each of the four, and [`SqlHost`] makes a [`despacho_core::host::Storage`] of it. Nothing here does I/O.
//!
//! The dialect is the common one: parameters `$1…` in ascending order of first appearance (SQLite numbers them by it), `ON
//! CONFLICT`, `RETURNING`, partial indexes. Every number is a 64-bit integer, instants are milliseconds since 1970, money is
//! centavos, and what is nested is JSON text, so that no driver has a type to lose a digit in.

mod archive;
mod archive_privacy;
mod bucket;
mod copy;
mod driver;
mod geocoded;
mod health;
mod host;
mod outward;
mod personal;
mod read;
mod recent;
mod reserve;
mod schema;
mod slot;
mod statement;
mod tables;
mod value;
mod write;

pub use archive::{EndedOrder, Histories, OrderHistory, Readers, delete_archived, ended_orders};
pub use archive_privacy::{Selection, erase_record, find_in_record};
pub use bucket::{Leases, admit};
pub use copy::{CopyError, copy};
pub use driver::Driver;
pub use geocoded::{forget_geocoded, geocoded, keep_geocoded, limit_geocoded, to_geocoded};
pub use health::{STORAGE, WriteHealth, WriteState};
pub use host::{Machine, SqlHost};
pub use recent::RecentKeys;
pub use schema::{Change, Dialect, Migration, SchemaError, SchemaState, is_ahead, migrations, pending};
pub use slot::{Slot, Slots};
pub use statement::{Expect, Query, Statement};
pub use tables::{TABLES, Table};
pub use value::{Row, Value};
pub use write::statements;
