//! Despacho's server on one machine: the core behind one warp filter, its database, its clock and the operator's commands.

pub mod access;
pub mod app;
pub mod cli;
pub mod commands;
pub mod config;
pub mod connections;
pub mod docs;
pub mod early;
pub mod endpoints;
pub mod feed;
pub mod geo;
pub mod log;
pub mod memory;
pub mod metrics;
pub mod overload;
pub mod panel;
pub mod peer;
pub mod private;
pub mod scheduler;
pub mod server;
pub mod simulation;
pub mod store;
pub mod streams;
pub mod telemetry;
pub mod webhooks;
