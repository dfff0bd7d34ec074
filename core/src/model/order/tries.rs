//! Wrong codes.

use serde::{Deserialize, Serialize};

use crate::model::Timestamp;

/// Wrong codes that an order's courier has given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeTries {
    /// Since the last right one, or the last lock.
    pub wrong: u32,
    /// Until when no code is looked at.
    pub locked_until: Option<Timestamp>,
}
