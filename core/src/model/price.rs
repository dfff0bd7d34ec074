//! Price lines.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::Money;

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

/// What to do with a price whose distance is uncertain, because an address was located only by its
/// municipality.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum EstimatePolicy {
    /// Charge the expected price.
    #[default]
    Accept,
    /// Charge the lower end of the price's range.
    Lower,
    /// Reject the order.
    Reject,
}

impl EstimatePolicy {
    /// Every policy.
    pub const ALL: [EstimatePolicy; 3] = [
        EstimatePolicy::Accept,
        EstimatePolicy::Lower,
        EstimatePolicy::Reject,
    ];

    /// Returns the name in the API and in settings.
    pub fn name(self) -> &'static str {
        match self {
            EstimatePolicy::Accept => "ACCEPT",
            EstimatePolicy::Lower => "LOWER",
            EstimatePolicy::Reject => "REJECT",
        }
    }

    /// Returns the policy with this name.
    pub fn parse(text: &str) -> Option<EstimatePolicy> {
        EstimatePolicy::ALL
            .into_iter()
            .find(|policy| policy.name() == text)
    }
}

/// A line of a fee. The sum of the lines is the fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceLine {
    /// The rule.
    pub rule: Rule,
    /// Quantity in the unit of the rule: kilometres, stops, per cent, or 1.
    pub quantity: Decimal,
    /// Amount, rounded to centavos once.
    pub amount: Money,
}
