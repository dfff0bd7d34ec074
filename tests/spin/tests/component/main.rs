//! The built component on a test host: what no case of tests/cases can show.

#![expect(clippy::panic, reason = "a test says by a panic that it failed, and so do its helpers")]

mod configuration;
mod database;
mod faults;
mod geography;
mod limits;
mod locks;
mod panel;
mod postgres;
mod side_by_side;
mod support;
mod surface;
mod upstream;
mod webhooks;
