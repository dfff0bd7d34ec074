//! What `cargo up`, `cargo verify` and the tests that need a running server share.

#![expect(clippy::print_stdout, reason = "a tool for a terminal: what it says goes to standard output")]

pub mod component;
pub mod place;
pub mod postgres;
pub mod run;
pub mod server;
pub mod shrink;
