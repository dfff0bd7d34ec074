//! Orders: an aggregate with deliveries, a courier and a history.

mod dispatch;
mod erasure;
mod event;
mod filter;
mod journal;
mod notice;
mod open_delivery;
mod priced;
mod proof;
mod reported;
mod schedule;
mod status;
mod tracking;
mod tries;

use serde::{Deserialize, Serialize};

pub use dispatch::{Assignment, AssignmentCost, ConsideredCourier, Eta, LastStep, OrderDispatch};
pub use erasure::Erasure;
pub use event::{Event, EventKind, RecordedEvent};
pub use filter::OrderFilter;
pub use journal::{Journal, JournalEntry};
pub use notice::{Notice, NoticeCode};
pub use open_delivery::OpenDelivery;
pub use priced::PricedOrder;
pub use proof::{
    Blob, OrderProof, Photo, PhotoFormat, Proof, ProofPart, ProofParts, ProofRule, ProofStep,
};
pub use reported::ReportedOrder;
pub use schedule::{
    DeliveryWindow, OrderSchedule, Payment, PaymentMethod, PaymentPart, ReceivedPayment,
};
pub use status::{DeliveryStatus, OrderStatus};
pub use tracking::{LinkKey, Rating, Tracking, TrackingLink};
pub use tries::CodeTries;

use super::{
    Address, CourierId, DeliveryId, Distance, Duration, Email, Located, Money, OrderId, Person,
    Phone, PixRecipient, Point, Requirements, StoreId, Timestamp, cash::DeliveryCash,
    pay::OrderPay, price::PriceLine,
};

/// An order, stored as one database row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The ID.
    pub id: OrderId,
    /// Number of times the order was written, starting at 1.
    pub version: u32,
    /// The order's store.
    pub store: StoreId,
    /// The merchant's code, unique among the store's orders that hold their code.
    pub code: String,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// SHA-256 of the request's content, in hexadecimal, which detects repeated requests. A fast
    /// hash of personal data is personal data, so an erasure replaces it by a keyed digest.
    /// [`Order::has_content`] compares both.
    pub fingerprint: String,
    /// `INTEGRATION` or `PANEL`.
    pub origin: String,
    /// The current status.
    #[serde(rename = "situation")]
    pub status: OrderStatus,
    /// Time of the last change of status.
    #[serde(rename = "situation_since")]
    pub status_since: Timestamp,
    /// Time at which the service received the step to the current status, if the courier sent it
    /// late. Timeouts start then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_received_at: Option<Timestamp>,
    /// The last step that changed a status. `None` in rows of schema version 20 and earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_step: Option<LastStep>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Preparation time in minutes.
    pub preparation_minutes: u32,
    /// Time at which the goods are or were ready.
    pub ready_at: Timestamp,
    /// The times for which the order was scheduled. `None` if it was created for the earliest
    /// possible time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<OrderSchedule>,
    /// The pickup.
    pub pickup: Place,
    /// Instructions for the courier at the pickup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pickup_instructions: Option<String>,
    /// The code that the merchant gives to the courier at the pickup.
    pub pickup_code: String,
    /// Whether the merchant set the pickup code. If not, a new one is generated for each courier.
    #[serde(default)]
    pub own_pickup_code: bool,
    /// The code that the merchant gives to the courier when goods or a payment are returned.
    pub return_code: Option<String>,
    /// The deliveries, in route order.
    pub deliveries: Vec<Delivery>,
    /// Length of the route, including the way back.
    pub total_distance: Distance,
    /// The leg back to the pickup, if the route returns there.
    pub return_leg: Option<Distance>,
    /// Fee of the whole route.
    pub fee: Money,
    /// Cost of late cancellations so far, in addition to the fee. A cancelled order costs only this
    /// amount.
    #[serde(default)]
    pub cancellation_fee: Money,
    /// The amount by which late cancellations of stops reduced the fee. `cancellation_fee` is a
    /// share of it.
    #[serde(default)]
    pub cancelled_late: Money,
    /// The price lines, whose sum is the fee.
    pub price_breakdown: Vec<PriceLine>,
    /// Version of the tariff that was applied.
    pub tariff_version: String,
    /// Whether an address was located only by its municipality, or a leg is estimated.
    pub estimated: bool,
    /// Expected time of the pickup. `None` if the client did not request expected times.
    pub expected_pickup: Option<Timestamp>,
    /// Expected time of the last delivery.
    pub expected_delivery: Option<Timestamp>,
    /// Time of the last completed delivery. `None` in rows of schema version 15 and earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered_at: Option<Timestamp>,
    /// The live estimate, from the assignment of a courier to the last delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eta: Option<Eta>,
    /// The current courier.
    pub courier: Option<AssignedCourier>,
    /// The terms of the current courier's pay. `None` if the courier has no terms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pay: Option<Box<OrderPay>>,
    /// Number of couriers assigned so far.
    pub attempt: u32,
    /// Couriers that were released before the pickup, newest last, at most [`Order::MAX_RELEASED`].
    /// They get the order again only if no other courier is free.
    #[serde(default)]
    pub released: Vec<CourierId>,
    /// Time at which the first courier was assigned. The cancellation fee depends on it.
    #[serde(default)]
    pub first_allocated_at: Option<Timestamp>,
    /// The terms on which the order takes part in dispatch.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dispatch: OrderDispatch,
    /// What the order requires of its courier's vehicle.
    #[serde(default, skip_serializing_if = "is_default")]
    pub requirements: Requirements,
    /// What the merchant should know about the accepted request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// The data of an order that was created by Open Delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_delivery: Option<Box<OpenDelivery>>,
    /// The reasons of the last assignments, oldest first, at most [`Order::MAX_ASSIGNMENTS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assignments: Vec<Assignment>,
    /// Copy of [`crate::model::store::Store::sandbox`], which spares dispatch reading stores.
    /// Neither value ever changes. Rows of schema version 12 call it `demo`.
    #[serde(default, alias = "demo")]
    pub sandbox: bool,
    /// Photos and other proofs of the steps, and the store's rules for them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub proof: OrderProof,
    /// Wrong codes that the courier sent.
    #[serde(default)]
    pub tries: CodeTries,
    /// Sequence of the last event. The first is 1.
    pub last_sequence: u32,
    /// Time of the last event. `None` in rows of schema version 14 and earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_event_at: Option<Timestamp>,
    /// The extent to which personal data was erased.
    #[serde(default)]
    pub erasure: Erasure,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// An address and its coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The address as sent.
    pub address: Address,
    /// The coordinates.
    pub located: Located,
}

/// A delivery stop of an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// The ID.
    pub id: DeliveryId,
    /// The merchant's code.
    pub code: Option<String>,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// The recipient's name.
    pub name: Option<String>,
    /// The recipient's phone number.
    pub phone: Option<Phone>,
    /// The recipient's email address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<Email>,
    /// Instructions for the courier.
    pub observation: Option<String>,
    /// Whether the delivery is already paid.
    pub online_payment: bool,
    /// Value of the goods.
    pub product_value: Option<Money>,
    /// How the recipient pays at the door. The amount due is `product_value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment: Option<Payment>,
    /// The payments that the courier or the counter recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub received: Vec<ReceivedPayment>,
    /// The cash that was paid. `None` before the handover, and if nothing was paid in cash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cash: Option<DeliveryCash>,
    /// The period in which the courier must arrive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<DeliveryWindow>,
    /// The current status.
    #[serde(rename = "situation")]
    pub status: DeliveryStatus,
    /// The recipient's address.
    pub place: Place,
    /// Length of the leg to this stop.
    pub distance: Distance,
    /// The code that the recipient gives to the courier.
    pub delivery_code: String,
    /// How the receipt is confirmed.
    pub confirmation: Option<Confirmation>,
    /// Whether the recipient's data was erased.
    #[serde(default)]
    pub erased: bool,
    /// The recipient's link and messages. `None` if the delivery never had a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracking: Option<Tracking>,
}

/// The static code of an amount that is due by Pix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PixCharge<'a> {
    /// The BR Code.
    pub br_code: String,
    /// The reference in the code.
    pub txid: String,
    /// The amount.
    pub amount: Money,
    /// The recipient.
    pub recipient: &'a PixRecipient,
}

/// How the receipt of a delivery is confirmed. Stored as sent and returned in webhooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Confirmation {
    /// The order ID in the API of the first marketplace.
    pub marketplace_a: Option<String>,
    /// The order ID in the webhooks of the first marketplace.
    pub marketplace_a_webhook: Option<String>,
    /// The order ID in the second marketplace.
    pub marketplace_b: Option<String>,
    /// Whether the courier must send the recipient's code to complete the delivery.
    pub platform: bool,
}

/// An order's copy of its courier's data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssignedCourier {
    /// The ID.
    pub id: CourierId,
    /// ID of the courier's profile in the operator's records.
    pub profile_id: u64,
    /// Full name.
    pub name: String,
    /// Phone number.
    pub phone: Phone,
    /// The last position known to the order.
    pub position: Option<Point>,
}

impl Delivery {
    /// Returns whether the courier brings something back to the pickup after the delivery: the
    /// payment or the card machine.
    pub fn returns(&self) -> bool {
        let sent = self.payment.as_ref().and_then(|payment| payment.returns);
        !self.online_payment && sent.unwrap_or(true)
    }

    /// Returns the code for the part of the payment by Pix. `None` if nothing is due by Pix, or the
    /// store had no Pix key when the order was created.
    pub fn pix(&self) -> Option<PixCharge<'_>> {
        let payment = self.payment.as_ref()?;
        let recipient = payment.pix.as_deref()?;
        let due = self.product_value.unwrap_or_default();
        let amount = payment.amount_by(PaymentMethod::Pix, due);
        // A line of an account's statement names the delivery.
        let txid = format!("D{}", self.id);
        Some(PixCharge {
            br_code: recipient.br_code(amount, &txid)?,
            txid,
            amount,
            recipient,
        })
    }

    /// Whether the courier must send the recipient's code to complete the delivery.
    pub fn requires_code(&self) -> bool {
        self.confirmation
            .as_ref()
            .is_some_and(|confirmation| confirmation.platform)
    }
}

impl AssignedCourier {
    /// Returns the courier as a person with a phone number.
    pub fn person(&self) -> Person {
        Person {
            name: self.name.clone(),
            phone: Some(self.phone.clone()),
        }
    }

    /// Returns the area code of a Brazilian phone number.
    pub fn ddd(&self) -> Option<&str> {
        self.phone.as_str().strip_prefix("+55")?.get(..2)
    }
}

impl Order {
    /// The statuses from the search for a courier to the end of the return.
    pub const ACTIVE_STATUSES: core::ops::RangeInclusive<OrderStatus> =
        OrderStatus::Searching..=OrderStatus::CourierAtReturn;
    /// Maximum number of released couriers that an order stores.
    pub const MAX_RELEASED: usize = 20;

    /// Returns what the deliveries that are not handed over pay in cash.
    pub fn cash_due(&self) -> Money {
        let open = self.deliveries.iter().filter(|one| !one.status.is_final());
        let due = open.filter_map(|delivery| {
            let payment = delivery.payment.as_ref()?;
            let due = delivery
                .product_value
                .filter(|_| !delivery.online_payment)?;
            let received: Money = delivery.received.iter().map(|one| one.amount).sum();
            let rest = due.plus(received.negated()).max(Money::ZERO);
            Some(payment.amount_by(PaymentMethod::Cash, due).min(rest))
        });
        due.sum()
    }

    /// Returns whether the stop was cancelled.
    pub fn is_cancelled(&self, stop: DeliveryId) -> bool {
        let is_cancelled =
            |one: &Delivery| one.id == stop && one.status == DeliveryStatus::Cancelled;
        self.deliveries.iter().any(is_cancelled)
    }

    /// Creates the order's next event.
    pub fn record(&mut self, kind: EventKind, by: Person, at: Timestamp) -> Event {
        self.last_sequence += 1;
        self.last_event_at = Some(at);
        Event {
            order: self.id,
            store: self.store,
            sequence: self.last_sequence,
            at,
            received_at: None,
            kind,
            status: self.status.number(),
            delivery: None,
            courier: self.courier.as_ref().map(AssignedCourier::person),
            by,
            point: self.courier.as_ref().and_then(|courier| courier.position),
            reason: None,
        }
    }

    /// Returns the time at which the service received the current status.
    pub fn status_received(&self) -> Timestamp {
        self.status_received_at.unwrap_or(self.status_since)
    }

    /// Maximum number of assignments whose reasons an order stores.
    pub const MAX_ASSIGNMENTS: usize = 5;

    /// Returns whether the order has a live estimate: it has a lead time, or the client requested
    /// expected times.
    pub fn has_estimate(&self) -> bool {
        self.dispatch.lead_minutes > 0 || self.expected_delivery.is_some()
    }

    /// Returns the time at which the tariff's windows applied: the creation, or the expected pickup
    /// of a scheduled order.
    pub fn priced_at(&self) -> Timestamp {
        self.schedule
            .map_or(self.created_at, |schedule| schedule.priced_at)
    }

    /// Returns the time at which the preparation of a scheduled order starts, or the search if the
    /// lead time is longer.
    pub fn starts_at(&self) -> Timestamp {
        self.preparation_start().min(self.search_from())
    }

    /// Returns the time at which the preparation starts.
    pub fn preparation_start(&self) -> Timestamp {
        self.ready_at
            .before(Duration::minutes(self.preparation_minutes.into()))
    }

    /// Returns the time from which a courier is searched.
    pub fn search_from(&self) -> Timestamp {
        self.ready_at
            .before(Duration::minutes(self.dispatch.lead_minutes.into()))
    }
}
