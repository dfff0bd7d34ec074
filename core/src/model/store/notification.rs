//! What a store is told at the panel.

use serde::{Deserialize, Serialize};

use crate::model::{NotificationId, OrderId, StoreId, Text, Timestamp};

/// The maximum number of notifications of a store; older ones are removed.
pub const NOTIFICATIONS_KEPT: usize = 500;

/// Why a store is told something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotificationKind {
    /// An order could not be created.
    OrderCreationFailed,
    /// No courier was found in time.
    OrderExpired,
    /// The platform cancelled an order.
    OrderCancelled,
    /// A delivery could not be handed over and comes back.
    DeliveryReturning,
    /// The courier is back with goods or a payment.
    CourierAtReturn,
    /// A delivery is lost.
    DeliveryLost,
    /// A subscription to events stopped by itself.
    WebhookStopped,
}

impl NotificationKind {
    /// The kind's name in answers and databases.
    pub fn name(self) -> &'static str {
        match self {
            NotificationKind::OrderCreationFailed => "order_creation_failed",
            NotificationKind::OrderExpired => "order_expired",
            NotificationKind::OrderCancelled => "order_cancelled",
            NotificationKind::DeliveryReturning => "delivery_returning",
            NotificationKind::CourierAtReturn => "courier_at_return",
            NotificationKind::DeliveryLost => "delivery_lost",
            NotificationKind::WebhookStopped => "webhook_stopped",
        }
    }
}

/// One thing that a store is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notification {
    /// The number.
    pub id: NotificationId,
    /// Who is told.
    pub store: StoreId,
    /// Why.
    pub kind: NotificationKind,
    /// When.
    pub created_at: Timestamp,
    /// When it was marked as read.
    pub read_at: Option<Timestamp>,
    /// The order that it is about, where one exists.
    pub order: Option<OrderId>,
    /// The order's code as the merchant sent it, cut to 64 characters.
    pub order_code: Option<String>,
    /// What went wrong, where something did.
    pub reason: Option<FailureReason>,
}

/// A problem as a notification keeps it, in both languages, since who reads it is not who sent the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailureReason {
    /// The problem's code.
    pub code: String,
    /// What is wrong.
    pub detail: Text,
    /// The fields at fault, at most 20.
    pub fields: Vec<FailedField>,
}

/// A field at fault, as a notification keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedField {
    /// RFC 6901 pointer into the request's body.
    pub pointer: String,
    /// The fault's code.
    pub code: String,
    /// What is wrong with it.
    pub detail: Text,
}
