//! Pure decisions: each takes a command and the facts that were loaded, and returns [`crate::changes::Changes`] or a reason.

pub mod couriers;
pub mod erasure;
pub mod lifecycle;
pub mod limits;
pub mod matching;
pub mod password;
pub mod pricing;
pub mod settings;
pub mod stores;
pub mod webhooks;
