//! The platform-independent core of Despacho: all rules and the HTTP API, without I/O.
//!
//! The crate uses no clock, network, database or threads. Time and entropy come from a
//! [`model::ExecContext`], everything else from [`host::Storage`] and [`host::Platform`]. A host
//! passes each request to [`api::handle`] and receives a response. ARCHITECTURE.md describes the
//! layers, HOSTING.md how to write a host.

#![forbid(missing_docs)]

pub mod api;
pub mod changes;
pub mod drivers;
pub mod geo;
pub mod host;
pub mod json;
pub mod memory;
pub mod model;
pub mod rules;
pub mod wire;

/// The route engine, which is a separate package.
pub use despacho_route as route;
pub use rules::settings::Settings;
