//! Subscriptions to a store's events by webhook, as the Standard Webhooks specification has it.
//!
//! A subscription is a cursor over its merchant's journal, and a few messages beside it that failed or wait behind one that
//! failed. So an event costs nothing extra when it is written, nothing is lost in a crash, and each order's events arrive in
//! their order: what fails holds up its own order alone.

use serde::{Deserialize, Serialize};

use super::{
    AttemptId, Duration, Entropy, OrderId, StoreId, Text, Timestamp, WebhookId,
    order::{EventKind, Journal, JournalEntry},
};

/// How long the secret before the newest one still signs.
pub const BOTH_SECRETS: Duration = Duration::minutes(24 * 60);
/// How long a round may start new requests; the last one may then take [`timeout_seconds`](crate::rules::webhooks::WebhookTerms::timeout_seconds) more.
pub const ROUND: Duration = Duration::seconds(10);
/// Subscriptions of one merchant that are sent for at once, by all instances together: receivers that hang delay their own merchant only.
pub const ROUNDS_PER_MERCHANT: u32 = 8;
/// The same of one receiver, by the host of its URL: more than of a merchant, so that no single merchant keeps others from a receiver that they
/// share.
pub const ROUNDS_PER_RECEIVER: u32 = 16;
/// Messages of a subscription that wait at most, give or take a page; past that the journal waits.
pub const WAITING: u32 = 500;
/// Attempts that a subscription's log keeps, the newest ones.
pub const ATTEMPTS_KEPT: usize = 200;
/// The code of a notification that a webhook was disabled: the API's problem code.
pub const DISABLED: &str = "webhook_disabled";

/// A subscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Webhook {
    /// The number.
    pub id: WebhookId,
    /// How often it was written; 1 after the first time.
    pub version: u32,
    /// Whose it is.
    pub store: StoreId,
    /// The matrix of that store, or the store itself: whose journal it reads.
    pub matrix: StoreId,
    /// Where to send.
    pub url: String,
    /// What to send; empty is everything.
    pub events: Vec<EventKind>,
    /// What requests are signed with, the newest first; one, or two after a rotation.
    pub secrets: Vec<SigningSecret>,
    /// Whether anything is sent.
    pub state: WebhookState,
    /// When it was created.
    pub created_at: Timestamp,
    /// The place in the journal up to which every event was delivered, left out, or stands among the messages.
    pub position: u64,
    /// Attempts that failed since the last one that did not.
    pub failures: u32,
    /// When the first of its messages is due.
    pub due_at: Option<Timestamp>,
    /// When a round last ended; those that wait longest go first.
    pub seen_at: Timestamp,
    /// Who sends for it now.
    pub lease: Option<Lease>,
}

/// A secret, of which only the nonce is kept: the deployment's secret turns it into the text that was told once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SigningSecret {
    /// 64 hexadecimal digits.
    pub nonce: String,
    /// Until when it signs; `None` for the newest.
    pub until: Option<Timestamp>,
}

/// Whether a subscription sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum WebhookState {
    /// It sends.
    Active,
    /// Too many attempts failed in a row; it goes on where it stopped once the store enables it.
    Disabled {
        /// Since when.
        at: Timestamp,
    },
    /// Its receiver answered 410.
    Ended {
        /// Since when.
        at: Timestamp,
    },
    /// The store removed it.
    Removed {
        /// Since when.
        at: Timestamp,
    },
}

/// A subscription's sender, for a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// A fresh random text.
    pub holder: String,
    /// When another one may take over.
    pub until: Timestamp,
}

/// What a message is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "entry", try_from = "SubjectParts")]
pub enum Subject {
    /// An event of the journal.
    Event(Box<JournalEntry>),
    /// Nothing: the store tests its receiver.
    Test,
}

/// A subject as it is read. A derived reader would read a journal entry from a second format too: see `core/SIZE.md`.
#[derive(Deserialize)]
struct SubjectParts {
    kind: SubjectKind,
    entry: Option<Box<JournalEntry>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum SubjectKind {
    Event,
    Test,
}

impl TryFrom<SubjectParts> for Subject {
    type Error = &'static str;

    fn try_from(parts: SubjectParts) -> Result<Subject, Self::Error> {
        match (parts.kind, parts.entry) {
            (SubjectKind::Event, Some(entry)) => Ok(Subject::Event(entry)),
            (SubjectKind::Event, None) => Err("missing field `entry`"),
            (SubjectKind::Test, _) => Ok(Subject::Test),
        }
    }
}

/// A message that waits to be sent, for the first time or again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The subscription.
    pub webhook: WebhookId,
    /// The `webhook-id` header, the same in every attempt.
    pub name: String,
    /// What it is about.
    pub subject: Subject,
    /// Attempts so far.
    pub tries: u32,
    /// When it first could be sent: it is given up so long after.
    pub since: Timestamp,
    /// When it is sent next, unless an earlier message of its order still waits.
    pub due_at: Timestamp,
}

/// One attempt, as the log shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// The subscription.
    pub webhook: WebhookId,
    /// The message's `webhook-id`.
    pub name: String,
    /// What the message is about.
    pub subject: Subject,
    /// Which attempt of the message it is, from 1.
    pub number: u32,
    /// When it began.
    pub at: Timestamp,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// What came of it.
    #[serde(rename = "answer")]
    pub result: AttemptResult,
    /// When the next one is due; `None` after a success and where the message was given up.
    pub next_at: Option<Timestamp>,
}

/// An attempt with the number that the commit gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedAttempt {
    /// The number.
    pub id: AttemptId,
    /// The attempt.
    pub attempt: Attempt,
}

/// What came of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptResult {
    /// The receiver answered with this status.
    Status(u16),
    /// It did not.
    HostError(SendError),
}

/// Why a request got no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SendError {
    /// The name has no address.
    Name,
    /// The name leads into a private network, which is never called.
    Address,
    /// The receiver took no connection.
    Connect,
    /// The receiver's certificate is not good, or it speaks no TLS.
    Tls,
    /// The answer did not come in time.
    Timeout,
    /// The connection broke, or what came was no HTTP.
    Broken,
}

/// What happens to a message.
#[derive(Clone, Debug, PartialEq)]
pub enum MessageChange {
    /// It waits from now on, or goes on waiting.
    Put(Message),
    /// It is done with.
    Remove {
        /// The subscription.
        webhook: WebhookId,
        /// The message's name.
        name: String,
    },
    /// All messages of a subscription are done with.
    Clear(WebhookId),
}

impl Webhook {
    /// What it reads.
    pub fn journal(&self) -> Journal {
        Journal { matrix: self.matrix, branch: (self.store != self.matrix).then_some(self.store) }
    }

    /// The host of its URL, in lower case.
    pub fn receiver(&self) -> String {
        let uri = self.url.parse::<http::Uri>();
        uri.ok().and_then(|uri| uri.host().map(str::to_ascii_lowercase)).unwrap_or_default()
    }

    /// Whether it wants events of this kind.
    pub fn is_subscribed_to(&self, kind: EventKind) -> bool {
        self.events.is_empty() || self.events.contains(&kind)
    }

    /// Whether it sends.
    pub fn is_active(&self) -> bool {
        self.state == WebhookState::Active
    }

    /// Whether the store removed it.
    pub fn is_removed(&self) -> bool {
        matches!(self.state, WebhookState::Removed { .. })
    }

    /// A subscription with a new secret in front; the one before signs for [`BOTH_SECRETS`] more, older ones no longer.
    #[must_use]
    pub fn rotated(&self, nonce: String, now: Timestamp) -> Webhook {
        let before =
            self.secrets.first().map(|before| SigningSecret { until: Some(now.after(BOTH_SECRETS)), ..before.clone() });
        let secrets = std::iter::once(SigningSecret { nonce, until: None }).chain(before).collect();
        Webhook { secrets, ..self.clone() }
    }

    /// A message that only tests the receiver.
    pub fn test(&self, entropy: &mut Entropy, now: Timestamp) -> Message {
        let name = format!("test_{}", entropy.hex());
        Message { webhook: self.id, name, subject: Subject::Test, tries: 0, since: now, due_at: now }
    }

    /// The message of an event, to be sent at once.
    pub fn message(&self, entry: &JournalEntry, now: Timestamp) -> Message {
        let name = format!("evt_{}_{}", entry.recorded.id, self.id);
        let subject = Subject::Event(Box::new(entry.clone()));
        Message { webhook: self.id, name, subject, tries: 0, since: now, due_at: now }
    }
}

impl WebhookState {
    /// The state's name in answers.
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
    /// The order whose other messages wait for this one.
    pub fn order(&self) -> Option<OrderId> {
        match &self.subject {
            Subject::Event(entry) => Some(entry.recorded.event.order),
            Subject::Test => None,
        }
    }

    /// The place in the journal, by which messages of one order follow each other; 0 for a test.
    pub fn place(&self) -> u64 {
        match &self.subject {
            Subject::Event(entry) => entry.place,
            Subject::Test => 0,
        }
    }
}

impl AttemptResult {
    /// Whether the message was taken: 200 to 299 alone.
    pub fn is_success(self) -> bool {
        matches!(self, AttemptResult::Status(200..=299))
    }

    /// Whether the receiver wants no more of this subscription: 410.
    pub fn is_gone(self) -> bool {
        self == AttemptResult::Status(410)
    }

    /// The receiver's status, where it answered.
    pub fn status(self) -> Option<u16> {
        match self {
            AttemptResult::Status(status) => Some(status),
            AttemptResult::HostError(_) => None,
        }
    }

    /// What a failure was, by the name that answers have; `None` for a success.
    pub fn error(self) -> Option<&'static str> {
        match self {
            AttemptResult::Status(200..=299) => None,
            AttemptResult::Status(300..=399) => Some("redirect"),
            AttemptResult::Status(_) => Some("status"),
            AttemptResult::HostError(error) => Some(error.name()),
        }
    }

    /// Every name that [`AttemptResult::fault`] gives, with what it means.
    pub const FAULTS: [(&'static str, &'static str); 8] = [
        ("status", "The receiver answered with another status than 200 to 299."),
        ("redirect", "The receiver answered with a redirect, which is never followed."),
        ("name", "The host's name has no address."),
        ("address", "The host's name leads into a private network, which is never called."),
        ("connect", "The receiver took no connection."),
        ("tls", "The receiver's certificate is not good, or it speaks no TLS."),
        ("timeout", "The answer did not come in time."),
        ("broken", "The connection broke, or what came was no HTTP."),
    ];
}

impl SendError {
    /// The fault's name in answers.
    pub fn name(self) -> &'static str {
        match self {
            SendError::Name => "name",
            SendError::Address => "address",
            SendError::Connect => "connect",
            SendError::Tls => "tls",
            SendError::Timeout => "timeout",
            SendError::Broken => "broken",
        }
    }
}

/// What a store is told when a subscription stops by itself.
pub fn stopped(webhook: &Webhook) -> Text {
    let (id, url, failures) = (webhook.id, &webhook.url, webhook.failures);
    match webhook.state {
        WebhookState::Ended { .. } => Text::new(
            format!(
                "The receiver {url} answered 410, so subscription {id} has ended. Create a new one where that was wrong."
            ),
            format!("O destino {url} respondeu 410, e a assinatura {id} terminou. Crie outra se isso foi um engano."),
        ),
        _ => Text::new(
            format!(
                "{failures} attempts in a row failed at {url}, so subscription {id} is disabled. Enable it once the receiver works: it goes on where it stopped."
            ),
            format!(
                "{failures} tentativas seguidas falharam em {url}, e a assinatura {id} foi desativada. Ative-a quando o destino funcionar: ela continua de onde parou."
            ),
        ),
    }
}
