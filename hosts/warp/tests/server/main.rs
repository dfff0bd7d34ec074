//! Tests of the server binary over sockets.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests and their helpers report failures by panics"
)]

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
mod mail;
mod overload;
mod privacy;
mod push;
mod secrets;
mod start;
mod storage;
mod telemetry;
mod upstream;
mod web;
