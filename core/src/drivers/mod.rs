//! Background work. Each driver reads through [`crate::host`], calls the rules and commits the
//! changes.

pub mod clock;
#[doc(hidden)]
pub mod connection;
pub mod dispatch;
pub mod erasure;
#[doc(hidden)]
pub mod fleet;
#[doc(hidden)]
pub mod mail;
pub mod outbox;
pub mod push;
pub mod stream;
#[doc(hidden)]
pub mod tracking;
#[doc(hidden)]
pub mod trips;
