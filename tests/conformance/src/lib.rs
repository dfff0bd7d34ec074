//! Runs the requests of tests/cases on every host and compares the responses with the expected
//! ones. tests/cases/README.md describes the format.

pub mod compare;
pub mod expand;
pub mod format;
pub mod host;
pub mod invariants;
pub mod matching;
mod pairing;
pub mod run;
pub mod schema;
pub mod variables;
