//! Parts of orders and previews: lines of the price, notices, and live estimates.

use serde::Serialize;

use super::{Quantity, Reais};
#[cfg(feature = "openapi")]
use crate::model::order::NoticeCode;
use crate::model::{
    Language, Timestamp,
    order::{Eta, Notice},
    price::{PriceLine, Rule},
};

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

/// What the caller should know about an accepted request. Unlike an error, it does not prevent the
/// order.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Notice))]
pub struct NoticeView {
    /// The kind of the notice. New codes may be added: ignore unknown codes.
    #[cfg_attr(feature = "openapi", schema(value_type = NoticeCode))]
    pub code: &'static str,
    /// RFC 6901 pointer into the request's body; empty if the notice concerns the whole request.
    pub pointer: String,
    /// What happened, and what to do about it, in the language of the request.
    pub detail: String,
}

impl NoticeView {
    /// Builds the notices in a language.
    pub fn all(notices: &[Notice], language: Language) -> Vec<NoticeView> {
        let view = |notice: &Notice| NoticeView {
            code: notice.code.name(),
            pointer: notice.pointer.clone(),
            detail: notice.detail.get(language).to_owned(),
        };
        notices.iter().map(view).collect()
    }
}

/// The live estimate of an order's times.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Eta))]
pub struct EtaView {
    /// Time of the pickup. Null after the pickup.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub pickup: Option<String>,
    /// Time of the last delivery.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub delivery: String,
    /// Time at which the estimate was made.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub at: String,
}

impl EtaView {
    /// Builds the representation of an estimate.
    pub fn of(eta: &Eta) -> EtaView {
        EtaView {
            pickup: eta.pickup.as_ref().map(Timestamp::to_string),
            delivery: eta.delivery.to_string(),
            at: eta.at.to_string(),
        }
    }
}
