//! The real binary over real sockets.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test says by a panic that it failed, and so do its helpers")]

mod addresses;
mod commands;
mod config;
mod couriers;
mod deploy;
mod edges;
mod fairness;
mod geography;
mod harness;
mod hostile;
mod http2;
mod life;
mod overload;
mod privacy;
mod secrets;
mod start;
mod storage;
mod telemetry;
mod upstream;
mod web;
