//! Background work. Each driver reads through [`crate::host`], calls the rules and commits the
//! changes.

pub mod clock;
pub mod connection;
pub mod dispatch;
pub mod erasure;
pub mod fleet;
pub mod mail;
pub mod outbox;
pub mod push;
pub mod stream;
pub mod tracking;
pub mod trips;
