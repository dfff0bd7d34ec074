//! How the receipt of a delivery is confirmed, in requests and webhooks.

use serde::{Deserialize, Serialize};

use crate::model::order::Confirmation;

/// How the receipt of a delivery is confirmed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Confirmation))]
#[serde(default)]
pub struct ConfirmationBody {
    /// The order in the first marketplace.
    #[serde(rename = "marketplaceA")]
    pub marketplace_a: Option<MarketplaceOrder>,
    /// The order in the first marketplace, as identified by its webhooks.
    #[serde(rename = "marketplaceA_webhook")]
    pub marketplace_a_webhook: Option<MarketplaceWebhookOrder>,
    /// The order in the second marketplace.
    #[serde(rename = "marketplaceB")]
    pub marketplace_b: Option<MarketplaceWebhookOrder>,
    /// Whether the courier must send the recipient's code to complete the delivery.
    pub platform: Option<bool>,
}

/// An order in a marketplace.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct MarketplaceOrder {
    /// The marketplace's order ID.
    pub order_id: Option<String>,
}

/// An order in a marketplace, as identified by its webhooks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct MarketplaceWebhookOrder {
    /// The marketplace's order ID.
    pub order_id: Option<String>,
}

impl ConfirmationBody {
    /// Builds the confirmation that the merchant sent, with all fields.
    pub(super) fn of(confirmation: Option<&Confirmation>) -> ConfirmationBody {
        let Some(sent) = confirmation else {
            return ConfirmationBody {
                platform: Some(false),
                ..ConfirmationBody::default()
            };
        };
        let by_webhook = |id: &Option<String>| {
            id.clone()
                .map(|id| MarketplaceWebhookOrder { order_id: Some(id) })
        };
        ConfirmationBody {
            marketplace_a: sent
                .marketplace_a
                .clone()
                .map(|id| MarketplaceOrder { order_id: Some(id) }),
            marketplace_a_webhook: by_webhook(&sent.marketplace_a_webhook),
            marketplace_b: by_webhook(&sent.marketplace_b),
            platform: Some(sent.platform),
        }
    }
}
