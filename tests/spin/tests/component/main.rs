//! Tests of the built component on the test host, beyond the cases of tests/cases.

#![expect(
    clippy::panic,
    reason = "tests and their helpers report failures by panics"
)]

mod concurrency;
mod configuration;
mod database;
mod faults;
mod geography;
mod limits;
mod locks;
mod panel;
mod postgres;
mod push;
mod support;
mod surface;
mod upstream;
mod webhooks;
