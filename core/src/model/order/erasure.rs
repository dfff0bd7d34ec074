//! How much of an order was erased.

use serde::{Deserialize, Serialize};

/// How much of an order's personal data was erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Erasure {
    /// Nothing.
    #[default]
    Nothing,
    /// The courier's positions and the reasons in its events; the data of some recipients, possibly.
    Positions,
    /// That, and the data of every recipient.
    Recipients,
}

impl Erasure {
    /// The number that databases store.
    pub fn number(self) -> u8 {
        match self {
            Erasure::Nothing => 0,
            Erasure::Positions => 1,
            Erasure::Recipients => 2,
        }
    }
}
