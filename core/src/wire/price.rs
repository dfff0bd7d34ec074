//! Lines of price breakdowns.

use serde::Serialize;

use super::{Quantity, Reais};
use crate::model::price::{PriceLine, Rule};

/// A line of the price breakdown.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PriceLine))]
#[serde(rename_all = "camelCase")]
pub struct PriceLineView {
    /// The tariff rule.
    #[cfg_attr(feature = "openapi", schema(value_type = Rule))]
    pub rule: Rule,
    /// Quantity in the unit of the rule: kilometres, stops, per cent, or 1.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub quantity: Quantity,
    /// Amount in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
}

impl PriceLineView {
    /// Builds the API representation of a price line.
    pub fn of(line: &PriceLine) -> PriceLineView {
        PriceLineView {
            rule: line.rule,
            quantity: Quantity(line.quantity),
            amount: Reais(line.amount),
        }
    }
}
