//! Shared parts of the benchmarks: a client with little overhead, orders to send, and problems for the route engine.

pub mod client;
pub mod orders;
pub mod parity;

/// Any error of a benchmark.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
