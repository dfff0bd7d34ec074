//! Stored personal data: queries, what is erased, and the record of it.

use super::{
    NotificationId, OrderId, Phone, StoreId, Timestamp,
    order::{Erasure, Order, RecordedEvent},
    store::{Claim, Notification},
    webhook::{Message, RecordedAttempt, Webhook},
};

/// What one call erased.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// Orders that lost personal data.
    pub orders: u32,
    /// Recipients in them.
    pub deliveries: u32,
    /// Messages, attempts, notifications and stored responses.
    pub entries: u32,
    /// Orders to this phone that have not ended, with their stores: nothing of them was erased.
    pub open: Vec<(OrderId, StoreId)>,
    /// Where the next call continues; `None` after the last one.
    pub next: Option<u64>,
}

/// One recipient's data in an order, together with the order's events.
#[derive(Clone, Debug)]
pub struct FoundOrder {
    /// The order; its deliveries to others are left out.
    pub order: Order,
    /// Its events, without those of other deliveries.
    pub events: Vec<RecordedEvent>,
}

/// What one call found of a phone.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Orders.
    pub orders: Vec<FoundOrder>,
    /// Notifications that repeat the phone, each as JSON.
    pub notifications: Vec<Notification>,
    /// Stored responses that contain the phone; they end within a day.
    pub responses: u32,
    /// Where the next call continues; `None` after the last one.
    pub next: Option<u64>,
}

/// A query for stored personal data. Each returns only the parts of [`PersonalData`] that it names.
#[derive(Clone, Debug, PartialEq)]
pub enum PersonalQuery {
    /// `orders` with a delivery to this phone among the next `window` orders above the ID `after`, and `next`.
    Orders {
        /// The recipient's phone.
        phone: Phone,
        /// The last ID of the previous window; 0 at first.
        after: u64,
        /// Orders to look at.
        window: u32,
    },
    /// `orders` that have ended and were created before `before`, oldest first.
    Expired {
        /// Exactly how much of them was erased.
        erasure: Erasure,
        /// Created before this.
        before: Timestamp,
        /// How many.
        limit: u32,
    },
    /// `messages` and `attempts` about an order, by [`is_about`](crate::rules::erasure::is_about), of all webhooks of its merchant, removed
    /// ones too; and those `webhooks` that have such a message or a lease, expired or not.
    Outbound {
        /// The order.
        order: OrderId,
        /// Its store.
        store: StoreId,
    },
    /// `notifications` that contain a phone, by [`erase_mention`](crate::rules::erasure::erase_mention).
    Mentions(Phone),
    /// The oldest `notifications`.
    OldNotifications {
        /// How many.
        limit: u32,
    },
    /// `claims` by scope and key.
    Claims {
        /// Scope and key of the last one of the previous page.
        after: Option<(String, String)>,
        /// How many.
        limit: u32,
    },
    /// `records`, newest first.
    Records {
        /// Only those with a smaller number.
        before: Option<u64>,
        /// How many.
        limit: u32,
    },
}

/// The result of a [`PersonalQuery`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PersonalData {
    /// Orders.
    pub orders: Vec<Order>,
    /// The value of `after` for the next window: the last ID of this one. `None` if this one is not full.
    pub next: Option<u64>,
    /// Messages that wait to be sent.
    pub messages: Vec<Message>,
    /// Attempts in the logs of webhooks.
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

/// A write that erases.
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
    /// Removes claims whose `expires_at` is not after this. A host may bound the number; the next pass continues.
    PurgeClaims(Timestamp),
    /// Removes the last positions of couriers who have reported none since.
    ForgetPositions(Timestamp),
    /// Removes a notification.
    RemoveNotification(StoreId, NotificationId),
    /// Adds the counts to the record of this name and replaces its time, or inserts it. The commit assigns the ID.
    Record(ErasureRecord),
}

/// What an erasure did. It holds no personal data: of a phone only a keyed hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasureRecord {
    /// Identifies the run: writes of one run add up.
    pub name: String,
    /// What caused it.
    pub cause: ErasureCause,
    /// [`subject`](crate::rules::erasure::subject) of the phone, for a request.
    pub subject: Option<String>,
    /// When it last did something.
    pub at: Timestamp,
    /// Orders that lost personal data.
    pub orders: u32,
    /// Deliveries whose recipient was erased.
    pub deliveries: u32,
    /// Messages, attempts, notifications and stored responses that were changed or removed.
    pub entries: u32,
    /// Orders in archive files whose recipient was erased.
    pub archived: u32,
}

/// What caused an erasure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErasureCause {
    /// The operator, for a data subject.
    Request,
    /// The configured retention.
    Retention,
}

impl ErasureCause {
    /// The name in responses and databases.
    pub fn name(self) -> &'static str {
        match self {
            ErasureCause::Request => "request",
            ErasureCause::Retention => "retention",
        }
    }

    /// The cause with this name.
    pub fn from_name(name: &str) -> Option<ErasureCause> {
        [ErasureCause::Request, ErasureCause::Retention].into_iter().find(|cause| cause.name() == name)
    }
}

/// A record with the number that the commit gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// The number.
    pub id: u64,
    /// The record.
    pub record: ErasureRecord,
}
