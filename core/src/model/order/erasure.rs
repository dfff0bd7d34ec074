//! The extent to which an order's personal data was erased.

use serde::{Deserialize, Serialize};

/// The extent to which an order's personal data was erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Erasure {
    /// Nothing was erased.
    #[default]
    #[serde(rename = "nothing")]
    NotErased,
    /// The courier's positions and the reasons in the events were erased, and possibly the data of
    /// some recipients.
    Positions,
    /// In addition, the data of all recipients was erased.
    Recipients,
}

impl Erasure {
    /// Returns the number that databases store.
    pub fn number(self) -> u8 {
        match self {
            Erasure::NotErased => 0,
            Erasure::Positions => 1,
            Erasure::Recipients => 2,
        }
    }
}
