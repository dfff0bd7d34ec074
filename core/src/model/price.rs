//! The lines of a fee.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::{Money, read_decimal};

/// A rule of the tariff that put a line into a fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The base fee.
    Base,
    /// Kilometres after those that the base fee covers.
    Distance,
    /// Stops after the first.
    ExtraStops,
    /// Bringing a payment back.
    Return,
    /// Kilometres of the way back.
    ReturnDistance,
    /// A surcharge by local time.
    Window,
    /// What is missing to the minimum.
    Minimum,
}

/// One line of a fee. The lines' amounts add up to the fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceLine {
    /// The rule.
    pub rule: Rule,
    /// Kilometres, stops, per cent, or 1.
    #[serde(deserialize_with = "read_decimal")]
    pub quantity: Decimal,
    /// What it adds, rounded to centavos once.
    pub amount: Money,
}
