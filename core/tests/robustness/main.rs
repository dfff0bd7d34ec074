//! What must hold when things go wrong: races, faults of the host, used-up quotas, and bodies that nobody meant to send.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it fails")]

mod fairness;
mod faults;
mod faulty_host;
mod fuzz;
mod mutate;
mod races;
mod shape;
mod support;
