//! Live estimates.

use serde::Serialize;

use crate::model::{Timestamp, order::Eta};

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
