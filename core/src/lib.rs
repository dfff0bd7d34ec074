//! Every rule of Despacho, without I/O.
//!
//! The crate has no clock, network, database or threads: time and entropy come as a [`model::ExecContext`], everything else through
//! [`host::Storage`] and [`host::Platform`]. A host passes a request to [`api::handle`] and gets a response. ARCHITECTURE.md describes the
//! layers, HOSTING.md how to write a host.

#![forbid(missing_docs)]

pub mod api;
pub mod changes;
pub mod drivers;
pub mod geo;
pub mod host;
pub mod json;
#[cfg(any(test, feature = "testing"))]
pub mod memory;
pub mod model;
pub mod rules;
pub mod wire;

/// The route engine, a package of its own.
pub use despacho_route as route;
pub use rules::settings::Settings;
