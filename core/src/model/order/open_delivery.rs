//! The data of orders that were created by Open Delivery.

use serde::{Deserialize, Serialize};

use crate::model::{Timestamp, WebhookId};

/// The data of an order that only Open Delivery uses. Such an order has one delivery, and its code
/// is the standard's `orderId`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenDelivery {
    /// The connection that created the order. No other connection can read or change it.
    pub connection: WebhookId,
    /// The order's code for the customer.
    pub display_id: String,
    /// The merchant's public name.
    pub merchant_name: String,
    /// The container that was requested, `NORMAL` or `THERMIC`.
    pub container: String,
    /// The latest time of the delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deliver_until: Option<Timestamp>,
    /// Whether the courier cannot pick up the goods before the merchant reports that they are
    /// ready.
    #[serde(default)]
    pub awaits_ready: bool,
    /// Whether the merchant confirms the pickup instead of the courier.
    #[serde(default)]
    pub awaits_pickup: bool,
    /// Whether the delivery is finished only when the merchant confirms it.
    #[serde(default)]
    pub awaits_conclusion: bool,
    /// Whether the merchant's system checks the recipient's code.
    #[serde(default)]
    pub checks_code: bool,
    /// Time at which the merchant confirmed the end of the delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
}
