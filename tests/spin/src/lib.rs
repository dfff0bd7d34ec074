//! A stand-in for the Spin runtime, for tests: it serves the built component on loopback, on wasmtime, with Spin's interfaces over a
//! real SQLite file and a real PostgreSQL.
//!
//! What it shares with Spin: wasmtime and its implementation of WASI, the WIT files, the numbers by which instances are reused, a
//! SQLite connection for every open, and PostgreSQL connections from a pool that does not clean them, with Spin's limit of 64, and no time
//! limit of requests. What it lacks: the
//! manifest (spin.toml), providers of variables, TLS, outbound HTTP to other machines, and everything else around an application.

mod bindings {
    //! Spin's interfaces, made by build.rs.
    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}
pub mod bench;
mod clock;
pub mod component;
mod instances;
pub mod options;
mod outbound;
mod postgres;
mod rows;
mod server;
mod sqlite;
mod stats;
mod variables;

pub use clock::Clock;
pub use component::Compiled;
pub use options::{Options, Reuse};
pub use server::Served;
pub use stats::Stats;
