//! The schema, queries and statements of Despacho's database, without I/O.
//!
//! The SQL text is the same for SQLite and PostgreSQL. A driver implements [`Driver`], which runs
//! it, in some 100 lines for each of the four drivers. [`SqlHost`] implements
//! [`despacho_core::host::Storage`] with a driver.
//!
//! The text uses the common dialect: parameters `$1…` in ascending order of first appearance
//! (SQLite numbers them by it), `ON CONFLICT`, `RETURNING`, partial indexes. Every number is a
//! 64-bit integer, instants are milliseconds since 1970, money is in centavos, and nested values
//! are JSON text. No driver has a type that can lose a digit.

mod accounts;
mod archive;
mod archive_privacy;
mod bucket;
mod cash;
mod copy;
mod driver;
mod figures;
mod geocoded;
mod health;
mod host;
mod id_allocator;
mod list;
mod outbound;
mod pay;
mod personal;
mod read;
mod recent;
mod schema;
mod slot;
mod statement;
mod tables;
mod tariffs;
mod value;
mod write;

pub use archive::{EndedOrder, Histories, OrderHistory, Readers, delete_archived, ended_orders};
pub use archive_privacy::{RecordError, Selection, erase_record, find_in_record};
pub use bucket::{Leases, admit};
pub use copy::{CopyError, copy};
pub use driver::Driver;
pub use geocoded::{delete_expired_geocoded, geocoded, put_geocoded, to_geocoded, trim_geocoded};
pub use health::{STORAGE, WriteHealth, WriteState};
pub use host::{Machine, SqlHost};
pub use outbound::{MAX_LOCKED_JOURNALS, lock_journals};
pub use recent::RecentKeys;
pub use schema::{
    Change, Dialect, Migration, SchemaError, SchemaState, is_ahead, migrations, pending,
};
pub use slot::{Slot, Slots};
pub use statement::{Expect, Query, Statement};
pub use tables::{TABLES, Table};
pub use value::{Row, Value};
pub use write::statements;
