//! What runs beside requests: each driver reads through [`crate::host`], asks the rules and commits.

pub mod clock;
pub mod dispatch;
pub mod erasure;
pub mod outbox;
pub mod stream;
