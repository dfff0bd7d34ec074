//! What must survive a kill; see `tests/kill.rs`.
