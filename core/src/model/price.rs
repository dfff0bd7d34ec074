//! Price lines.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::{Money, read_decimal};

/// The tariff rule that produced a price line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The base fee.
    Base,
    /// Kilometres beyond those that the base fee covers.
    Distance,
    /// Stops after the first.
    ExtraStops,
    /// Returning a payment.
    Return,
    /// Kilometres of the way back.
    ReturnDistance,
    /// A surcharge depending on local time.
    Window,
    /// A surcharge depending on the vehicle that the requirements need.
    Vehicle,
    /// The difference to the minimum fee.
    Minimum,
}

/// A line of a fee. The sum of the lines is the fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceLine {
    /// The rule.
    pub rule: Rule,
    /// Quantity in the unit of the rule: kilometres, stops, per cent, or 1.
    #[serde(deserialize_with = "read_decimal")]
    pub quantity: Decimal,
    /// Amount, rounded to centavos once.
    pub amount: Money,
}
