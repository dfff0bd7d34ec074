//! Notifications in the panel.

use serde::{Deserialize, Serialize};

use crate::model::{NotificationId, OrderId, StoreId, Text, Timestamp};

/// The maximum number of notifications of a store; older ones are removed.
pub const MAX_NOTIFICATIONS: usize = 500;

/// The reason for a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotificationKind {
    /// An order could not be created.
    OrderCreationFailed,
    /// No courier was found in time.
    OrderExpired,
    /// The platform cancelled an order.
    OrderCancelled,
    /// A delivery failed and is being returned.
    DeliveryReturning,
    /// The courier is back at the pickup with goods or a payment.
    CourierAtReturn,
    /// A delivery was lost.
    DeliveryLost,
    /// A webhook subscription was disabled or has ended.
    WebhookStopped,
    /// Prices are estimates, because addresses are located only by their municipality. At most once
    /// a day.
    PricesEstimated,
    /// Mails were not sent, because the day's quota is used up.
    MailWithheld,
}

impl NotificationKind {
    /// Returns the name in responses and databases.
    pub fn name(self) -> &'static str {
        match self {
            NotificationKind::OrderCreationFailed => "order_creation_failed",
            NotificationKind::OrderExpired => "order_expired",
            NotificationKind::OrderCancelled => "order_cancelled",
            NotificationKind::DeliveryReturning => "delivery_returning",
            NotificationKind::CourierAtReturn => "courier_at_return",
            NotificationKind::DeliveryLost => "delivery_lost",
            NotificationKind::WebhookStopped => "webhook_stopped",
            NotificationKind::PricesEstimated => "prices_estimated",
            NotificationKind::MailWithheld => "mail_withheld",
        }
    }
}

/// A notification to a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notification {
    /// The ID.
    pub id: NotificationId,
    /// The store.
    pub store: StoreId,
    /// The kind of the notification.
    pub kind: NotificationKind,
    /// Time of the notification.
    pub created_at: Timestamp,
    /// Time at which the notification was marked as read.
    pub read_at: Option<Timestamp>,
    /// The affected order, if it was created.
    pub order: Option<OrderId>,
    /// The order's code as the merchant sent it, truncated to 64 characters.
    pub order_code: Option<String>,
    /// The problem, if any.
    pub reason: Option<FailureReason>,
}

/// A stored problem, in both languages, because the reader can use another language than the sender
/// of the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailureReason {
    /// The problem's code.
    pub code: String,
    /// Description of the problem.
    pub detail: Text,
    /// The invalid fields, at most 20.
    pub fields: Vec<FailedField>,
}

/// An invalid field of a stored problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedField {
    /// JSON pointer (RFC 6901) to the field in the request body.
    pub pointer: String,
    /// Code of the violation.
    pub code: String,
    /// Description of the violation.
    pub detail: Text,
}
