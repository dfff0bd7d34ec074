//! Webhook subscriptions, their delivery logs and payloads.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openapi")]
use super::schema::{AttemptFault, WebhookStatus};
use super::{ConfirmationBody, JournalEventView, NotifiedRecipient, OrderDetails};
#[cfg(feature = "openapi")]
use crate::model::order::EventKind;
use crate::{
    model::{
        Language, Timestamp,
        order::{JournalEntry, Order, RecordedEvent},
        webhook::{Message, RecordedAttempt, Subject, Webhook, WebhookState},
    },
    rules::{open_delivery::app_id, settings::Secret},
};

/// The `type` of test messages.
pub const TEST_TYPE: &str = "webhook.test";

/// A new subscription.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CreateWebhook {
    /// URL of the receiver: HTTPS, without user name and fragment.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = "https-url",
            example = "https://loja.example/despacho"
        )
    )]
    pub url: Option<String>,
    /// Types of events to send. If absent or empty, all types are sent.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<EventKind>>))]
    pub events: Option<Vec<String>>,
    /// Sends the events of Open Delivery instead, and connects a merchant's system to the routes of
    /// that standard.
    pub open_delivery: Option<ConnectionBody>,
    /// The password of the calling login. Required if the key belongs to a panel session that was
    /// not confirmed in the last five minutes, ignored otherwise.
    #[cfg_attr(feature = "openapi", schema(format = "password"))]
    pub current_password: Option<String>,
}

/// A connection of a merchant's system by Open Delivery. `url` is then the base address of its
/// webhooks, without `/v1/newLogisticEvent`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = CreateConnection))]
#[serde(rename_all = "camelCase", default)]
pub struct ConnectionBody {
    /// The merchant's ID in Open Delivery. The standard recommends a CNPJ and a UUID.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            example = "11222333000181-de7e5f0c-7d2e-4b8a-9f4e-0a3d6b1c2f10"
        )
    )]
    pub merchant_id: Option<String>,
}

/// A connection of a merchant's system by Open Delivery.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Connection))]
#[serde(rename_all = "camelCase")]
pub struct ConnectionView {
    /// The merchant's ID in Open Delivery.
    pub merchant_id: String,
    /// The `client_id` for `POST /oauth/token`. The `client_secret` is `secret`.
    pub client_id: String,
    /// The value of the header `X-App-Id` in webhooks.
    pub app_id: String,
}

/// A subscription.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Webhook))]
#[serde(rename_all = "camelCase")]
pub struct WebhookView {
    /// The subscription's ID.
    pub id: u64,
    /// URL of the receiver.
    pub url: String,
    /// Types of events that are sent. An empty list means all types.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<EventKind>))]
    pub events: Vec<&'static str>,
    /// Whether the subscription is active.
    #[cfg_attr(feature = "openapi", schema(value_type = WebhookStatus))]
    pub status: &'static str,
    /// Time at which the subscription became inactive. Null while it is active.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub stopped_at: Option<String>,
    /// Number of consecutive failed attempts.
    pub failures: u32,
    /// Time until which messages are also signed with the previous secret. Null if there is none.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub previous_secret_until: Option<String>,
    /// Time at which the subscription was created.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// The connection by Open Delivery. Absent for other subscriptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub open_delivery: Option<ConnectionView>,
}

/// A subscription with its newest secret. The secret is returned only once.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WebhookSecret {
    /// The subscription.
    #[serde(flatten)]
    pub webhook: WebhookView,
    /// The secret for verifying signatures: `whsec_` followed by base64. Of a connection by Open
    /// Delivery, the `client_secret`.
    pub secret: String,
}

/// The subscriptions of a store, oldest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WebhookList {
    /// The subscriptions.
    pub webhooks: Vec<WebhookView>,
}

/// A queued message. The delivery log lists its attempts by `messageId`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QueuedMessage {
    /// The subscription's ID.
    pub webhook_id: u64,
    /// Value of the message's `webhook-id` header.
    pub message_id: String,
}

/// An attempt to deliver a message.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Attempt))]
#[serde(rename_all = "camelCase")]
pub struct AttemptView {
    /// The attempt's ID.
    pub id: u64,
    /// Value of the message's `webhook-id` header.
    pub message_id: String,
    /// Type of the event, or `webhook.test`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// ID of the order. Null for test messages.
    pub order_id: Option<u64>,
    /// The event's `sequence` in its order's history. Null for test messages.
    pub sequence: Option<u32>,
    /// Number of the attempt for this message, starting at 1.
    pub attempt: u32,
    /// Time at which the attempt started.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub at: String,
    /// Duration of the attempt in milliseconds.
    pub milliseconds: u64,
    /// Whether the receiver accepted the message.
    pub delivered: bool,
    /// HTTP status of the receiver's response. Null if there was no response.
    pub status: Option<u16>,
    /// Error of the attempt. Null after a success.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<AttemptFault>))]
    pub fault: Option<&'static str>,
    /// Time of the next attempt. Null after a success or the last attempt.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub next_at: Option<String>,
}

/// A page of attempts, newest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AttemptList {
    /// The attempts.
    pub attempts: Vec<AttemptView>,
    /// Cursor of the next page: send it as `cursor`. Null on the last page.
    pub next_cursor: Option<String>,
}

/// The body of a webhook request.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WebhookPayload {
    /// Type of the event, or `webhook.test`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Time of the event.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub timestamp: String,
    /// The event and its order.
    pub data: WebhookData,
}

/// The content of a webhook. All fields are null in test messages.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WebhookData {
    /// The event. It never changes.
    pub event: Option<JournalEventView>,
    /// The order as of the time of sending. Each delivery contains its `confirmation`.
    pub order: Option<OrderDetails>,
    /// The recipient of the message to send. Null unless the type is `recipient.notify`.
    pub recipient: Option<NotifiedRecipient>,
}

impl WebhookView {
    /// Builds the API representation of a subscription at `now`.
    pub fn of(webhook: &Webhook, secret: &Secret, now: Timestamp) -> WebhookView {
        let stopped_at = match webhook.state {
            WebhookState::Active => None,
            WebhookState::Disabled { at }
            | WebhookState::Ended { at }
            | WebhookState::Removed { at } => Some(at),
        };
        let previous = webhook
            .secrets
            .iter()
            .filter_map(|secret| secret.until)
            .find(|until| now < *until);
        WebhookView {
            id: webhook.id.get(),
            url: webhook.url.clone(),
            events: webhook.events.iter().map(|kind| kind.name()).collect(),
            status: webhook.state.name(),
            stopped_at: stopped_at.map(|at| at.to_string()),
            failures: webhook.failures,
            previous_secret_until: previous.map(|until| until.to_string()),
            created_at: webhook.created_at.to_string(),
            open_delivery: webhook
                .open_delivery
                .as_ref()
                .map(|merchant| ConnectionView {
                    merchant_id: merchant.clone(),
                    client_id: webhook.id.to_string(),
                    app_id: app_id(secret),
                }),
        }
    }
}

impl AttemptView {
    /// Builds the API representation of an attempt.
    pub fn of(recorded: &RecordedAttempt) -> AttemptView {
        let attempt = &recorded.attempt;
        let event = match &attempt.subject {
            Subject::Event(entry) => Some(&entry.recorded.event),
            Subject::Test => None,
        };
        AttemptView {
            id: recorded.id.get(),
            message_id: attempt.name.clone(),
            kind: event.map_or(TEST_TYPE, |event| event.kind.name()),
            order_id: event.map(|event| event.order.get()),
            sequence: event.map(|event| event.sequence),
            attempt: attempt.number,
            at: attempt.at.to_string(),
            milliseconds: attempt.took_ms,
            delivered: attempt.result.is_success(),
            status: attempt.result.status(),
            fault: attempt.result.error(),
            next_at: attempt.next_at.map(|at| at.to_string()),
        }
    }
}

impl WebhookPayload {
    /// Builds the body of a message from its event, the order and the order's history. `recipient`
    /// is that of the event.
    pub fn of(
        webhook: &Webhook,
        message: &Message,
        order: Option<(&Order, &[RecordedEvent])>,
        recipient: Option<NotifiedRecipient>,
    ) -> WebhookPayload {
        let entry: Option<&JournalEntry> = match &message.subject {
            Subject::Event(entry) => Some(entry),
            Subject::Test => None,
        };
        let event = entry.map(|entry| &entry.recorded.event);
        let order = order.map(|(order, history)| {
            let mut details = OrderDetails::of(order, history, Language::default());
            for (view, delivery) in details.order.deliveries.iter_mut().zip(&order.deliveries) {
                view.confirmation = Some(ConfirmationBody::of(delivery.confirmation.as_ref()));
            }
            details
        });
        let event_view =
            entry.map(|entry| JournalEventView::of(webhook.journal(), entry, Language::default()));
        WebhookPayload {
            kind: event.map_or(TEST_TYPE, |event| event.kind.name()),
            timestamp: event.map_or(message.since, |event| event.at).to_string(),
            data: WebhookData {
                event: event_view,
                order,
                recipient,
            },
        }
    }
}
