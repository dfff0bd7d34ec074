//! One API, many runners: tests/cases holds requests and expected answers as data, and every host must give the same answers.
//!
//! tests/cases/README.md describes the format.

pub mod compare;
pub mod expand;
pub mod format;
mod fresh;
pub mod host;
pub mod invariants;
pub mod matching;
pub mod run;
pub mod variables;
