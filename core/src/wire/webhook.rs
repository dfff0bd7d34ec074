//! Webhooks: subscriptions, their log, and what they send.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openapi")]
use super::schema::{AttemptFault, WebhookStatus};
use super::{ConfirmationBody, JournalEventView, MarketplaceOrder, MarketplaceWebhookOrder, OrderDetails};
#[cfg(feature = "openapi")]
use crate::model::order::EventKind;
use crate::model::{
    Language, Timestamp,
    order::{Confirmation, JournalEntry, Order, RecordedEvent},
    webhook::{Message, RecordedAttempt, Subject, Webhook, WebhookState},
};

/// What a test message is of type.
pub const TEST_TYPE: &str = "webhook.test";

/// A subscription to create.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CreateWebhook {
    /// Where to send: HTTPS, no user, no fragment, at most 2,048 characters.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            max_length = 2048,
            format = "https-url",
            example = "https://loja.example/despacho"
        )
    )]
    pub url: Option<String>,
    /// Which types of events; all where it is absent or empty.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<EventKind>>, max_items = 100))]
    pub events: Option<Vec<String>>,
}

/// A subscription.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Webhook))]
#[serde(rename_all = "camelCase")]
pub struct WebhookView {
    /// The subscription's number.
    pub id: u64,
    /// Where it sends.
    pub url: String,
    /// Which types of events; empty is all.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<EventKind>))]
    pub events: Vec<&'static str>,
    /// Whether it sends.
    #[cfg_attr(feature = "openapi", schema(value_type = WebhookStatus))]
    pub status: &'static str,
    /// Since when it does not; null while it does.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub stopped_at: Option<String>,
    /// Attempts that failed since the last one that did not.
    pub failures: u32,
    /// Until when the secret before the newest signs too; null where there is none.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub previous_secret_until: Option<String>,
    /// When it was created.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
}

/// A subscription and its newest secret, which is told this once.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WebhookSecret {
    /// The subscription.
    #[serde(flatten)]
    pub webhook: WebhookView,
    /// What signatures are made with: `whsec_` and base64.
    pub secret: String,
}

/// The subscriptions of a store, oldest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WebhookList {
    /// The subscriptions.
    pub webhooks: Vec<WebhookView>,
}

/// A message that will be sent; its attempts are in the log by its `messageId`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QueuedMessage {
    /// The subscription.
    pub webhook_id: u64,
    /// The `webhook-id` header.
    pub message_id: String,
}

/// An attempt to deliver a message.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Attempt))]
#[serde(rename_all = "camelCase")]
pub struct AttemptView {
    /// The attempt's number.
    pub id: u64,
    /// The message's `webhook-id` header.
    pub message_id: String,
    /// The type of the event, or `webhook.test`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The order; null for a test.
    pub order_id: Option<u64>,
    /// The event's place in its order's history; null for a test.
    pub sequence: Option<u32>,
    /// Which attempt of the message it is, from 1.
    pub attempt: u32,
    /// When it began.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub at: String,
    /// How long it took.
    pub milliseconds: u64,
    /// Whether the receiver took the message.
    pub delivered: bool,
    /// The receiver's HTTP status; null where there was no answer.
    pub status: Option<u16>,
    /// What went wrong; null where nothing did.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<AttemptFault>))]
    pub fault: Option<&'static str>,
    /// When it is tried again; null after a success, and where it was given up.
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
    /// Send it as `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// What a webhook sends.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WebhookPayload {
    /// The type of the event, or `webhook.test`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// When the event happened.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub timestamp: String,
    /// The event and its order.
    pub data: WebhookData,
}

/// The content of a webhook; both are null in a test.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WebhookData {
    /// The event, which never changes.
    pub event: Option<JournalEventView>,
    /// The order as it stands when it is sent, each delivery with its `confirmation`.
    pub order: Option<OrderDetails>,
}

impl WebhookView {
    /// The subscription as the API shows it at `now`.
    pub fn of(webhook: &Webhook, now: Timestamp) -> WebhookView {
        let stopped_at = match webhook.state {
            WebhookState::Active => None,
            WebhookState::Disabled { at } | WebhookState::Ended { at } | WebhookState::Removed { at } => Some(at),
        };
        let previous = webhook.secrets.iter().filter_map(|secret| secret.until).find(|until| now < *until);
        WebhookView {
            id: webhook.id.get(),
            url: webhook.url.clone(),
            events: webhook.events.iter().map(|kind| kind.name()).collect(),
            status: webhook.state.name(),
            stopped_at: stopped_at.map(|at| at.to_string()),
            failures: webhook.failures,
            previous_secret_until: previous.map(|until| until.to_string()),
            created_at: webhook.created_at.to_string(),
        }
    }
}

impl AttemptView {
    /// The attempt as the API shows it.
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
    /// What a message says: of an event, with its order and that order's history.
    pub fn of(webhook: &Webhook, message: &Message, order: Option<(&Order, &[RecordedEvent])>) -> WebhookPayload {
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
        let event_view = entry.map(|entry| JournalEventView::of(webhook.journal(), entry, Language::default()));
        WebhookPayload {
            kind: event.map_or(TEST_TYPE, |event| event.kind.name()),
            timestamp: event.map_or(message.since, |event| event.at).to_string(),
            data: WebhookData { event: event_view, order },
        }
    }
}

impl ConfirmationBody {
    /// What the merchant sent, every field there.
    fn of(confirmation: Option<&Confirmation>) -> ConfirmationBody {
        let Some(sent) = confirmation else {
            return ConfirmationBody { platform: Some(false), ..ConfirmationBody::default() };
        };
        let by_webhook = |id: &Option<String>| id.clone().map(|id| MarketplaceWebhookOrder { order_id: Some(id) });
        ConfirmationBody {
            marketplace_a: sent.marketplace_a.clone().map(|id| MarketplaceOrder { order_id: Some(id) }),
            marketplace_a_webhook: by_webhook(&sent.marketplace_a_webhook),
            marketplace_b: by_webhook(&sent.marketplace_b),
            platform: Some(sent.platform),
        }
    }
}
