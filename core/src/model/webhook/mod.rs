//! Webhook subscriptions to a store's events, following the Standard Webhooks specification.
//!
//! A subscription is a cursor in its merchant's journal plus a queue of messages that failed, or
//! wait for a failed message of the same order. Writing an event therefore costs nothing extra, and
//! a crash loses no event. The events of each order are delivered in order; a failure delays only
//! its own order.

use serde::{Deserialize, Serialize};

use super::{
    AttemptId, Duration, Entropy, OrderId, StoreId, Text, Timestamp, WebhookId,
    order::{EventKind, Journal, JournalEntry},
};

/// How long the previous secret still signs after a rotation.
pub const SECRET_OVERLAP: Duration = Duration::minutes(24 * 60);
/// How long a pass may start new requests. The last request can then take up to
/// [`timeout_seconds`](crate::rules::webhooks::WebhookConfig::timeout_seconds) longer.
pub const PASS_DURATION: Duration = Duration::seconds(10);
/// Maximum number of subscriptions of one merchant that are processed concurrently by all instances
/// together. Receivers that hang therefore delay only their own merchant.
pub const MAX_PASSES_PER_MERCHANT: u32 = 8;
/// Maximum number of subscriptions with one receiver, identified by the host of the URL, that are
/// processed concurrently. It is higher than the limit per merchant, so one merchant cannot block a
/// shared receiver for others.
pub const MAX_PASSES_PER_RECEIVER: u32 = 16;
/// Maximum number of queued messages of a subscription, give or take a page. When it is reached, no
/// more of the journal is read.
pub const MAX_QUEUED: u32 = 500;
/// Maximum number of attempts in a delivery log. Older ones are removed.
pub const MAX_STORED_ATTEMPTS: usize = 200;
/// The problem code of notifications about disabled webhooks.
pub const DISABLED_CODE: &str = "webhook_disabled";

/// The problem code of notifications about withheld mails.
pub const WITHHELD_CODE: &str = "mail_withheld";

/// Suffix of the names of messages about the end of a delivery. It sorts after the event's own
/// message.
const END_SUFFIX: &str = "_end";
/// URL of subscriptions whose messages are sent as mail.
pub const MAIL_URL: &str = "smtp:";

/// A webhook subscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Webhook {
    /// The ID.
    pub id: WebhookId,
    /// Number of times the subscription was written, starting at 1.
    pub version: u32,
    /// The store.
    pub store: StoreId,
    /// The store's parent store, or the store itself. It owns the journal.
    #[serde(rename = "matrix")]
    pub merchant: StoreId,
    /// URL of the receiver.
    pub url: String,
    /// Types of events to send. Empty means all.
    pub events: Vec<EventKind>,
    /// The signing secrets, newest first: one, or two after a rotation.
    pub secrets: Vec<SigningSecret>,
    /// Whether messages are sent.
    pub state: WebhookState,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The journal position up to which every event was delivered, skipped or queued.
    pub position: u64,
    /// Number of consecutive failed attempts.
    pub failures: u32,
    /// Time at which the first queued message is due.
    pub due_at: Option<Timestamp>,
    /// Time at which the last pass ended. Subscriptions are processed in this order.
    pub seen_at: Timestamp,
    /// The instance that is currently sending.
    pub lease: Option<Lease>,
    /// The merchant's ID in Open Delivery if the messages are events of that standard. The
    /// subscription is then a connection of a merchant's system, and a key that is limited to it
    /// has the value of its newest secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_delivery: Option<String>,
}

/// A signing secret. Only its nonce is stored; the deployment's secret derives the value, which is
/// returned only once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SigningSecret {
    /// The nonce: 64 hexadecimal digits.
    pub nonce: String,
    /// Time until which it signs. `None` for the newest.
    pub until: Option<Timestamp>,
}

/// Whether a subscription is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum WebhookState {
    /// Messages are sent.
    Active,
    /// Disabled after too many consecutive failed attempts. It resumes where it stopped when the
    /// store enables it.
    Disabled {
        /// Time of the change.
        at: Timestamp,
    },
    /// The receiver returned 410.
    Ended {
        /// Time of the change.
        at: Timestamp,
    },
    /// The store removed it.
    Removed {
        /// Time of the change.
        at: Timestamp,
    },
}

/// The message that follows the message of an event at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowUp {
    /// None.
    Nothing,
    /// The end of the delivery, for a connection of Open Delivery.
    End,
}

/// A temporary exclusive right to send for a subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// Random string that identifies the holder.
    pub holder: String,
    /// Time at which another instance may take over.
    pub until: Timestamp,
}

/// The subject of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "entry")]
pub enum Subject {
    /// An event of the journal.
    Event(Box<JournalEntry>),
    /// A test of the receiver.
    Test,
}

/// A queued message, which waits for its first or a repeated attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The subscription.
    pub webhook: WebhookId,
    /// Value of the `webhook-id` header, equal for all attempts.
    pub name: String,
    /// The subject.
    pub subject: Subject,
    /// Number of attempts so far.
    pub tries: u32,
    /// Time at which it could first be sent. The retry period starts at this time.
    pub since: Timestamp,
    /// Time of the next attempt, unless an earlier message of its order is still queued.
    pub due_at: Timestamp,
}

/// An attempt in the delivery log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// The subscription.
    pub webhook: WebhookId,
    /// Value of the message's `webhook-id` header.
    pub name: String,
    /// The subject of the message.
    pub subject: Subject,
    /// Number of the attempt for this message, starting at 1.
    pub number: u32,
    /// Time at which the attempt started.
    pub at: Timestamp,
    /// Duration in milliseconds.
    pub took_ms: u64,
    /// The result.
    #[serde(rename = "answer")]
    pub result: AttemptResult,
    /// Time of the next attempt. `None` after a success or the last attempt.
    pub next_at: Option<Timestamp>,
}

/// An attempt with the ID that the commit assigned.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedAttempt {
    /// The ID.
    pub id: AttemptId,
    /// The attempt.
    pub attempt: Attempt,
}

/// The result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptResult {
    /// The receiver returned this status.
    Status(u16),
    /// There was no response.
    #[serde(rename = "fault")]
    Failed(SendError),
}

/// The reason a request got no response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum SendError {
    /// The host name could not be resolved.
    #[error("the host name could not be resolved")]
    Name,
    /// The host name resolves to a private network, to which no requests are sent.
    #[error("the host name resolves to a private network")]
    Address,
    /// The connection failed.
    #[error("the connection failed")]
    Connect,
    /// The receiver's certificate is invalid, or the TLS handshake failed.
    #[error("the certificate is invalid, or the TLS handshake failed")]
    Tls,
    /// The receiver did not respond in time.
    #[error("the receiver did not respond in time")]
    Timeout,
    /// The connection was closed early, or the response was not valid HTTP.
    #[error("the connection was closed early, or the response was not valid HTTP")]
    Broken,
    /// It was not sent, because the quota of mails is used up.
    #[error("the quota of mails is used up")]
    Quota,
}

/// A change to a queued message.
#[derive(Clone, Debug, PartialEq)]
pub enum MessageChange {
    /// Inserts or replaces a message.
    Put(Message),
    /// Removes a message.
    Remove {
        /// The subscription.
        webhook: WebhookId,
        /// The message's name.
        name: String,
    },
    /// Removes all messages of a subscription.
    Clear(WebhookId),
}

impl Webhook {
    /// Returns the journal view that the subscription reads.
    pub fn journal(&self) -> Journal {
        Journal {
            merchant: self.merchant,
            branch: (self.store != self.merchant).then_some(self.store),
        }
    }

    /// Returns the host of the URL in lower case.
    pub fn receiver(&self) -> String {
        let uri = self.url.parse::<http::Uri>();
        uri.ok()
            .and_then(|uri| uri.host().map(str::to_ascii_lowercase))
            .unwrap_or_default()
    }

    /// Returns whether messages are sent as mail.
    pub fn is_mail(&self) -> bool {
        self.url == MAIL_URL
    }

    /// Returns whether events of this kind are sent.
    pub fn is_subscribed_to(&self, kind: EventKind) -> bool {
        self.events.is_empty() || self.events.contains(&kind)
    }

    /// Returns whether the subscription is active.
    pub fn is_active(&self) -> bool {
        self.state == WebhookState::Active
    }

    /// Whether the store removed it.
    pub fn is_removed(&self) -> bool {
        matches!(self.state, WebhookState::Removed { .. })
    }

    /// Returns the subscription with a new secret first. The previous one also signs for
    /// [`SECRET_OVERLAP`]; older ones no longer do.
    #[must_use]
    pub fn rotated(&self, nonce: String, now: Timestamp) -> Webhook {
        let until = Some(now.after(SECRET_OVERLAP));
        let previous = self.secrets.first().map(|previous| SigningSecret {
            until,
            ..previous.clone()
        });
        let secrets = std::iter::once(SigningSecret { nonce, until: None })
            .chain(previous)
            .collect();
        Webhook {
            secrets,
            ..self.clone()
        }
    }

    /// Creates a test message.
    pub fn test(&self, entropy: &mut Entropy, now: Timestamp) -> Message {
        let name = format!("test_{}", entropy.hex());
        Message {
            webhook: self.id,
            name,
            subject: Subject::Test,
            tries: 0,
            since: now,
            due_at: now,
        }
    }

    /// Creates the message of the end of a delivery, which follows that of its last event.
    pub fn end_message(&self, entry: &JournalEntry, now: Timestamp) -> Message {
        let message = self.message(entry, now);
        Message {
            name: format!("{}{END_SUFFIX}", message.name),
            ..message
        }
    }

    /// Creates the message of an event, due immediately.
    pub fn message(&self, entry: &JournalEntry, now: Timestamp) -> Message {
        let name = format!("evt_{}_{}", entry.recorded.id, self.id);
        let subject = Subject::Event(Box::new(entry.clone()));
        Message {
            webhook: self.id,
            name,
            subject,
            tries: 0,
            since: now,
            due_at: now,
        }
    }
}

impl WebhookState {
    /// Returns the name in responses.
    pub fn name(self) -> &'static str {
        match self {
            WebhookState::Active => "active",
            WebhookState::Disabled { .. } => "disabled",
            WebhookState::Ended { .. } => "ended",
            WebhookState::Removed { .. } => "removed",
        }
    }
}

impl Message {
    /// Returns whether the message is the end of a delivery.
    pub fn is_end(&self) -> bool {
        self.name.ends_with(END_SUFFIX)
    }

    /// Returns the order. Its later messages wait for this one.
    pub fn order(&self) -> Option<OrderId> {
        match &self.subject {
            Subject::Event(entry) => Some(entry.recorded.event.order),
            Subject::Test => None,
        }
    }

    /// Returns the journal position, which determines the order of messages; 0 for a test.
    pub fn position(&self) -> u64 {
        match &self.subject {
            Subject::Event(entry) => entry.position,
            Subject::Test => 0,
        }
    }
}

impl AttemptResult {
    /// Returns whether the receiver accepted the message: status 200 to 299.
    pub fn is_success(self) -> bool {
        matches!(self, AttemptResult::Status(200..=299))
    }

    /// Returns whether the receiver ended the subscription: status 410.
    pub fn is_gone(self) -> bool {
        self == AttemptResult::Status(410)
    }

    /// Returns whether the message was not sent because of a quota. The receiver is not to blame,
    /// and a later mail would be out of date.
    pub fn is_withheld(self) -> bool {
        self == AttemptResult::Failed(SendError::Quota)
    }

    /// Returns the receiver's status, if there was a response.
    pub fn status(self) -> Option<u16> {
        match self {
            AttemptResult::Status(status) => Some(status),
            AttemptResult::Failed(_) => None,
        }
    }

    /// Returns the error's name in responses. `None` for a success.
    pub fn error(self) -> Option<&'static str> {
        match self {
            AttemptResult::Status(200..=299) => None,
            AttemptResult::Status(300..=399) => Some("redirect"),
            AttemptResult::Status(_) => Some("status"),
            AttemptResult::Failed(error) => Some(error.name()),
        }
    }

    /// All names that [`AttemptResult::error`] returns, with their descriptions.
    pub const ERRORS: [(&'static str, &'static str); 9] = [
        (
            "status",
            "The receiver returned a status other than 200 to 299.",
        ),
        (
            "redirect",
            "The receiver returned a redirect. Redirects are not followed.",
        ),
        ("name", "The host name could not be resolved."),
        (
            "address",
            "The host name resolves to a private network, to which no requests are sent.",
        ),
        ("connect", "The connection failed."),
        (
            "tls",
            "The receiver's certificate is invalid, or the TLS handshake failed.",
        ),
        ("timeout", "The receiver did not respond in time."),
        (
            "broken",
            "The connection was closed early, or the response was not valid HTTP.",
        ),
        (
            "quota",
            "It was not sent, because the merchant's or the recipient's quota of mails for the day is used up.",
        ),
    ];
}

impl SendError {
    /// Returns the name in responses.
    pub fn name(self) -> &'static str {
        match self {
            SendError::Name => "name",
            SendError::Address => "address",
            SendError::Connect => "connect",
            SendError::Tls => "tls",
            SendError::Timeout => "timeout",
            SendError::Broken => "broken",
            SendError::Quota => "quota",
        }
    }
}

/// Returns the text of a notification about withheld mails.
pub fn withheld_notice(quota: u32) -> Text {
    Text::new(
        format!(
            "Mails to recipients were not sent: the quota of {quota} mails per day, or of 20 to one address, is used up. It recovers during the next 24 hours. If you need more, contact the operator."
        ),
        format!(
            "E-mails para destinatários não foram enviados: a cota de {quota} e-mails por dia, ou de 20 para um mesmo endereço, acabou. Ela se recompõe ao longo das próximas 24 horas. Se precisar de mais, fale com o operador."
        ),
    )
}

/// Returns the text of the notification about a subscription that was disabled or has ended.
pub fn stop_notice(webhook: &Webhook) -> Text {
    let (id, url, failures) = (webhook.id, &webhook.url, webhook.failures);
    match webhook.state {
        WebhookState::Ended { .. } => Text::new(
            format!(
                "The receiver {url} returned 410, so subscription {id} has ended. If this was a mistake, create a new subscription."
            ),
            format!(
                "O endpoint {url} respondeu 410, e a assinatura {id} foi encerrada. Se foi um engano, crie outra."
            ),
        ),
        _ => Text::new(
            format!(
                "{failures} consecutive attempts to reach {url} failed, so subscription {id} is disabled. Enable it once the receiver works: it resumes where it stopped."
            ),
            format!(
                "{failures} tentativas seguidas de enviar para {url} falharam, e a assinatura {id} foi desativada. Quando o endpoint voltar a funcionar, ative-a: os envios são retomados de onde pararam."
            ),
        ),
    }
}
