//! Every rule of Despacho, without I/O.
//!
//! The crate knows no clock, no network, no database and no thread: time and entropy come as a [`domain::Moment`], everything
//! else through [`host::Host`]. A host hands [`api::handle`] a request and gets a response.

#![forbid(missing_docs)]

pub mod api;
pub mod courier;
pub mod domain;
pub mod geo;
pub mod host;
pub mod json;
pub mod limits;
#[cfg(any(test, feature = "testing"))]
pub mod memory;
pub mod order;
pub mod privacy;
pub mod quote;
pub mod settings;
pub mod store;
pub mod webhook;

/// A package of its own, which needs nothing of the others: see its `README.md`.
pub use despacho_route as route;
pub use settings::Settings;
