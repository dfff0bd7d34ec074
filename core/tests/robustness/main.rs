//! Robustness against races, host errors, exhausted quotas and malformed request bodies.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests panic on failure")]

mod fairness;
mod faults;
mod faulty_host;
mod fuzz;
mod mutate;
mod races;
mod shape;
mod support;
mod trips;
