//! Counting of wrong codes.
//!
//! Wrong codes are committed: the count is part of the order, so the lock applies on every
//! instance.

use serde::{Deserialize, Serialize};

use crate::model::Timestamp;

/// Wrong codes that an order's courier has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeTries {
    /// Number of wrong codes since the last correct code or the last lockout.
    pub wrong: u32,
    /// Time until which no code is accepted.
    pub locked_until: Option<Timestamp>,
}
