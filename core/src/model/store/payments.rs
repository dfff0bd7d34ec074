//! A store's settings for payments at the door.

use serde::{Deserialize, Serialize};

use crate::model::PixRecipient;

/// When couriers bring a store the cash that they collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Settle {
    /// After each order: the courier comes back to the pickup.
    #[default]
    PerOrder,
    /// At the end of the shift.
    AtShiftEnd,
}

impl Settle {
    /// All values.
    pub const ALL: &'static [Settle] = &[Settle::PerOrder, Settle::AtShiftEnd];

    /// Returns the name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Settle::PerOrder => "PER_ORDER",
            Settle::AtShiftEnd => "AT_SHIFT_END",
        }
    }

    /// Returns the value with this name.
    pub fn from_name(name: &str) -> Option<Settle> {
        Settle::ALL.iter().copied().find(|one| one.name() == name)
    }

    /// Whether this is the default.
    pub fn is_default(&self) -> bool {
        *self == Settle::default()
    }
}

/// A store's settings for payments at the door.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StorePayments {
    /// When couriers bring the cash.
    #[serde(skip_serializing_if = "Settle::is_default")]
    pub settle: Settle,
    /// The recipient of payments by Pix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pix: Option<PixRecipient>,
}

impl StorePayments {
    pub(super) fn is_default(&self) -> bool {
        *self == StorePayments::default()
    }
}
