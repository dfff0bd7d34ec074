//! Personal data of recipients: what is stored of it, what an erasure removes, and what remains as a record.
//!
//! Names, phones, addresses, observations, reasons and coordinates are erased. Money, codes, situations, times, the municipality and the
//! state stay, so that prices, statements and counts do not change. [`crate::api::erasure`] is the driver.

use serde::{Deserialize, Serialize};

use crate::{
    domain::{
        Address, Located, NotificationId, OrderId, Phone, Point, Precision, StoreId, Timestamp, hex, hmac_sha256,
    },
    geo,
    order::{Delivery, Event, Order, Place, RecordedEvent},
    settings::Secret,
    store::{Claim, Notification},
    webhook::{Message, RecordedAttempt, Subject, Webhook},
};

/// How much of an order's personal data was erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Erasure {
    /// Nothing.
    #[default]
    Nothing,
    /// The courier's positions and the reasons in its events; the data of some recipients, possibly.
    Positions,
    /// That, and the data of every recipient.
    Recipients,
}

impl Erasure {
    /// The number that databases store.
    pub fn number(self) -> u8 {
        match self {
            Erasure::Nothing => 0,
            Erasure::Positions => 1,
            Erasure::Recipients => 2,
        }
    }
}

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
    /// `messages` and `attempts` about an order, of all webhooks of its merchant, and those `webhooks` that have such a message or a
    /// lease.
    Outbound {
        /// The order.
        order: OrderId,
        /// Its store.
        store: StoreId,
    },
    /// `notifications` that contain a phone.
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
    /// Where the next window of orders begins; `None` after the last one.
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
    /// Replaces a stored event.
    Event(RecordedEvent),
    /// Replaces a stored attempt, unless the log has dropped it.
    Attempt(RecordedAttempt),
    /// Replaces a finished claim, unless another request holds it now.
    Claim(Claim),
    /// Removes a finished claim, unless another request holds it now.
    RemoveClaim(Claim),
    /// Removes claims that ended before this, a bounded number of them.
    PurgeClaims(Timestamp),
    /// Removes the last positions of couriers who have reported none since.
    ForgetPositions(Timestamp),
    /// Removes a notification.
    RemoveNotification(StoreId, NotificationId),
    /// Adds to the record of this name, or starts it.
    Record(ErasureRecord),
}

/// What an erasure did. It holds no personal data: of a phone only a keyed hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasureRecord {
    /// Identifies the run: writes of one run add up.
    pub name: String,
    /// What caused it.
    pub cause: ErasureCause,
    /// [`subject`] of the phone, for a request.
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

/// The keyed hash of a phone in records. Phones can be compared with it only with the deployment's secret.
pub fn subject(phone: &Phone, secret: &Secret) -> String {
    hex(&hmac_sha256(&secret.0, &[b"despacho erasure subject", phone.as_str().as_bytes()]))
}

impl Order {
    /// Whether it was created from the content with this fingerprint, also after an erasure.
    pub fn has_content(&self, fingerprint: &str, secret: &Secret) -> bool {
        is_fingerprint(&self.fingerprint, fingerprint, secret)
    }

    /// Whether one of its recipients has this phone.
    pub fn delivers_to(&self, phone: &Phone) -> bool {
        self.deliveries.iter().any(|delivery| delivery.phone.as_ref() == Some(phone))
    }
}

const KEYED: &str = "keyed-";

/// Whether a stored fingerprint is this one, also after an erasure.
pub fn is_fingerprint(stored: &str, fingerprint: &str, secret: &Secret) -> bool {
    stored == fingerprint || stored == keyed(fingerprint, secret)
}

/// The keyed digest that an erasure stores in place of a fingerprint; a keyed one stays.
pub fn keyed(fingerprint: &str, secret: &Secret) -> String {
    if fingerprint.starts_with(KEYED) {
        return fingerprint.to_owned();
    }
    let tag = hmac_sha256(&secret.0, &[b"despacho order content", fingerprint.as_bytes()]);
    format!("{KEYED}{}", hex(&tag))
}

/// Erases the courier's position from an ended order.
pub fn erase_positions(order: &mut Order) {
    if let Some(courier) = &mut order.courier {
        courier.position = None;
    }
    order.erasure = order.erasure.max(Erasure::Positions);
}

/// Erases the matching recipients, and the courier's position, from an ended order. Returns the number of recipients.
pub fn erase_recipients(order: &mut Order, secret: &Secret, matches: impl Fn(&Delivery) -> bool) -> u32 {
    let mut count = 0;
    for delivery in order.deliveries.iter_mut().filter(|delivery| !delivery.erased) {
        if matches(delivery) {
            delivery.name = None;
            delivery.phone = None;
            delivery.observation = None;
            delivery.place = coarse(&delivery.place);
            delivery.erased = true;
            count += 1;
        }
    }
    if count > 0 {
        order.fingerprint = keyed(&order.fingerprint, secret);
    }
    erase_positions(order);
    if order.deliveries.iter().all(|delivery| delivery.erased) {
        order.erasure = Erasure::Recipients;
    }
    count
}

/// The municipality of a place. Where it is not known, the coordinates are 0, 0.
fn coarse(place: &Place) -> Place {
    let Address { city, state, .. } = place.address.clone();
    let address = Address { city, state, ..Address::default() };
    let nowhere =
        Located { point: Point { lat_e7: 0, lon_e7: 0 }, precision: Precision::Municipality, radius_m: 50_000 };
    Place { located: geo::locate(&address).unwrap_or(nowhere), address }
}

/// Erases the coordinates and the reason, which is free text, from an event. Returns whether there was one.
pub fn erase_event(event: &mut Event) -> bool {
    let had = event.point.is_some() || event.reason.is_some();
    event.point = None;
    event.reason = None;
    had
}

/// Does the same in the copy that a message or an attempt holds.
pub fn erase_subject(subject: &mut Subject) -> bool {
    match subject {
        Subject::Event(entry) => erase_event(&mut entry.recorded.event),
        Subject::Test => false,
    }
}

/// Whether a message or an attempt is about this order.
pub fn is_about(subject: &Subject, order: OrderId) -> bool {
    matches!(subject, Subject::Event(entry) if entry.recorded.event.order == order)
}

/// Erases a phone from the texts of a notification: a rejected field's hint repeats it. Returns whether it was there.
pub fn erase_mention(notification: &mut Notification, phone: &Phone) -> bool {
    let Some(reason) = &mut notification.reason else { return false };
    let details = std::iter::once(&mut reason.detail).chain(reason.fields.iter_mut().map(|field| &mut field.detail));
    let mut found = false;
    for text in details.flat_map(|detail| [&mut detail.en, &mut detail.pt]) {
        if text.contains(phone.as_str()) {
            *text = text.replace(phone.as_str(), "+…");
            found = true;
        }
    }
    found
}
