//! Pure decisions. Each takes a command and the loaded data, and returns
//! [`crate::changes::Changes`] or an error.

pub mod accounts;
pub mod cash;
pub mod couriers;
pub mod erasure;
pub mod health;
pub mod hours;
pub mod lifecycle;
pub mod limits;
pub mod matching;
pub mod open_delivery;
pub mod operator;
pub mod password;
pub mod pay;
pub mod photos;
pub mod pricing;
pub mod proofs;
pub mod push;
pub mod recipient;
pub mod report;
pub mod settings;
pub mod stores;
pub mod top_ups;
pub mod tracking;
pub mod trips;
pub mod webhooks;
