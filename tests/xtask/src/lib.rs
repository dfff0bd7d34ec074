//! Code shared by `cargo up`, `cargo verify` and the tests that start a server.

#![expect(
    clippy::print_stdout,
    reason = "a command-line tool: its messages go to standard output"
)]

pub mod component;
pub mod place;
pub mod postgres;
pub mod run;
pub mod server;
pub mod skip;
