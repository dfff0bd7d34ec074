//! The native Despacho server: the core behind one warp filter, its database, its scheduler and the
//! operator's commands.

pub mod access;
pub mod app;
pub mod cli;
pub mod commands;
pub mod config;
pub mod connections;
mod connector;
mod database;
pub mod docs;
mod download;
pub mod early;
pub mod endpoints;
pub mod error;
mod event_stream;
pub mod feed;
pub mod geo;
pub mod log;
pub mod mail;
pub mod memory;
pub mod metrics;
pub mod overload;
pub mod panel;
pub mod peer;
pub mod private;
mod push;
mod recipient_stream;
mod respond;
pub mod scheduler;
pub mod server;
pub mod simulation;
pub mod store;
pub mod streams;
pub mod streets;
pub mod telemetry;
pub mod webhooks;
pub mod work;
