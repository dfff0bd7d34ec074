//! The real binary over real sockets.

mod commands;
mod config;
mod edges;
mod harness;
mod life;
mod secrets;
mod web;
