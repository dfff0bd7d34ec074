//! Stored personal data: queries, erasures and their records.

use super::{
    NotificationId, OrderId, Phone, StoreId, Timestamp,
    order::{Erasure, Order, RecordedEvent},
    store::{Claim, Notification},
    webhook::{Message, RecordedAttempt, Webhook},
};

/// The result of one erasure call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErasureSummary {
    /// Number of orders from which personal data was erased.
    pub orders: u32,
    /// Number of recipients in these orders.
    pub deliveries: u32,
    /// Number of messages, attempts, notifications and stored responses.
    pub entries: u32,
    /// Orders to this phone number that have not ended, with their stores. Nothing was erased from
    /// them.
    pub open: Vec<(OrderId, StoreId)>,
    /// Position at which the next call continues. `None` after the last call.
    pub next: Option<u64>,
}

/// One recipient's data in an order, together with the order's events.
#[derive(Clone, Debug)]
pub struct RecipientOrder {
    /// The order without deliveries to other recipients.
    pub order: Order,
    /// Its events, without those of other deliveries.
    pub events: Vec<RecordedEvent>,
}

/// The result of one export call for a phone number.
#[derive(Clone, Debug, Default)]
pub struct RecipientData {
    /// Orders.
    pub orders: Vec<RecipientOrder>,
    /// Notifications that contain the phone number.
    pub notifications: Vec<Notification>,
    /// Number of stored responses that contain the phone number. They expire within a day.
    pub responses: u32,
    /// Position at which the next call continues. `None` after the last call.
    pub next: Option<u64>,
}

/// A query for stored personal data. Each returns only the parts of [`PersonalData`] that it names.
#[derive(Clone, Debug, PartialEq)]
pub enum PersonalQuery {
    /// `orders` with a delivery to this phone, by ID. A host can also return orders whose codes
    /// have the same digits.
    Orders {
        /// The recipient's phone.
        phone: Phone,
        /// Last ID of the previous page; 0 for the first.
        after: u64,
        /// Maximum number of results.
        limit: u32,
    },
    /// `orders` that have ended and were created before `before`, oldest first.
    Expired {
        /// The exact extent to which they were erased.
        erasure: Erasure,
        /// Time before which the orders were created.
        before: Timestamp,
        /// Maximum number of results.
        limit: u32,
    },
    /// `orders` with proofs of their steps, by
    /// [`OrderProof::is_personal`](crate::model::order::OrderProof::is_personal), that have ended
    /// and were created before `before`, oldest first.
    Proofs {
        /// Time before which the orders were created.
        before: Timestamp,
        /// Maximum number of results.
        limit: u32,
    },
    /// `messages` and `attempts` about an order, by [`is_about`](crate::rules::erasure::is_about),
    /// of all webhooks of its merchant, removed ones too; and those `webhooks` that have such a
    /// message or a lease, expired or not.
    Outbound {
        /// The order.
        order: OrderId,
        /// Its store.
        store: StoreId,
    },
    /// `notifications` that contain a phone, by
    /// [`erase_mention`](crate::rules::erasure::erase_mention).
    Mentions(Phone),
    /// The oldest `notifications`.
    OldNotifications {
        /// Maximum number of results.
        limit: u32,
    },
    /// `claims` by scope and key.
    Claims {
        /// Scope and key of the last one of the previous page.
        after: Option<(String, String)>,
        /// Maximum number of results.
        limit: u32,
    },
    /// `records`, newest first.
    Records {
        /// Only records with a lower ID.
        before: Option<u64>,
        /// Maximum number of results.
        limit: u32,
    },
}

/// The result of a [`PersonalQuery`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PersonalData {
    /// Orders.
    pub orders: Vec<Order>,
    /// Queued webhook messages.
    pub messages: Vec<Message>,
    /// Attempts in delivery logs.
    pub attempts: Vec<RecordedAttempt>,
    /// Webhooks.
    pub webhooks: Vec<Webhook>,
    /// Notifications.
    pub notifications: Vec<Notification>,
    /// Claims on idempotency keys.
    pub claims: Vec<Claim>,
    /// Records of erasures.
    pub records: Vec<StoredRecord>,
}

/// A write that erases personal data.
#[derive(Clone, Debug, PartialEq)]
pub enum Redaction {
    /// Replaces a stored event; a conflict if there is none with this ID.
    Event(RecordedEvent),
    /// Replaces a stored attempt, unless the log has dropped it.
    Attempt(RecordedAttempt),
    /// Replaces a claim if the stored one has this holder and a response.
    Claim(Claim),
    /// Removes a claim if the stored one has this holder and a response.
    RemoveClaim(Claim),
    /// Removes a bounded number of claims that expired before this time.
    PurgeClaims(Timestamp),
    /// Removes recipients' links that ended before this time.
    PurgeLinks(Timestamp),
    /// Removes the last positions of couriers that have reported none since this time.
    RemovePositions(Timestamp),
    /// Removes a bounded number of entries of the audit log from before this time.
    PurgeAudit(Timestamp),
    /// Removes users that were removed before this time.
    PurgeUsers(Timestamp),
    /// Removes a notification.
    RemoveNotification(StoreId, NotificationId),
    /// Adds to the record with this name, or creates it.
    Record(ErasureRecord),
}

/// The record of an erasure. It contains no personal data; a phone number is stored only as a keyed
/// hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasureRecord {
    /// Identifies the run. The counts of writes with the same name are added.
    pub name: String,
    /// The cause.
    pub cause: ErasureCause,
    /// The [`subject`](crate::rules::erasure::subject) of the phone number, if the cause is a
    /// request.
    pub subject: Option<String>,
    /// Time of the last write.
    pub at: Timestamp,
    /// Number of orders from which personal data was erased.
    pub orders: u32,
    /// Number of deliveries whose recipient was erased.
    pub deliveries: u32,
    /// Number of messages, attempts, notifications and stored responses that were changed or
    /// removed.
    pub entries: u32,
    /// Number of orders in archive files whose recipient was erased.
    pub archived: u32,
}

/// The cause of an erasure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErasureCause {
    /// A request of the operator for a data subject.
    Request,
    /// The configured retention period.
    Retention,
}

impl ErasureCause {
    /// Returns the name in responses and databases.
    pub fn name(self) -> &'static str {
        match self {
            ErasureCause::Request => "request",
            ErasureCause::Retention => "retention",
        }
    }

    /// Returns the cause with this name.
    pub fn from_name(name: &str) -> Option<ErasureCause> {
        [ErasureCause::Request, ErasureCause::Retention]
            .into_iter()
            .find(|cause| cause.name() == name)
    }
}

/// A record with the ID that the commit assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// The ID.
    pub id: u64,
    /// The record.
    pub record: ErasureRecord,
}
