//! The real binary over real sockets.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test says by a panic that it failed, and so do its helpers")]

mod commands;
mod config;
mod couriers;
mod edges;
mod geography;
mod harness;
mod life;
mod secrets;
mod web;
