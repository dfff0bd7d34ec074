//! An order: one aggregate with its deliveries, its courier and its history.

mod erasure;
mod event;
mod filter;
mod journal;
mod status;
mod tries;

use serde::{Deserialize, Serialize};

pub use erasure::Erasure;
pub use event::{Event, EventKind, RecordedEvent};
pub use filter::OrderFilter;
pub use journal::{Journal, JournalEntry};
pub use status::{DeliveryStatus, OrderStatus};
pub use tries::CodeTries;

use super::{
    Address, CourierId, DeliveryId, Distance, Located, Money, OrderId, Person, Phone, Point, StoreId, Timestamp,
    price::PriceLine,
};

/// A merchant's order, as one row of a database holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The number.
    pub id: OrderId,
    /// How often the order was written; 1 after the first time.
    pub version: u32,
    /// Whose order it is.
    pub store: StoreId,
    /// The merchant's code, unique among the store's orders that hold theirs.
    pub code: String,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// SHA-256 of what the merchant sent, in hexadecimal: the same content again is the same order. A fast hash of personal data is
    /// personal data, so an erasure replaces it by a keyed digest; [`Order::has_content`] compares both.
    pub fingerprint: String,
    /// `INTEGRATION` or `PANEL`.
    pub origin: String,
    /// Where it stands.
    #[serde(rename = "situation")]
    pub status: OrderStatus,
    /// When it came to stand there.
    pub status_since: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
    /// Minutes of preparation.
    pub preparation_minutes: u32,
    /// When the goods are, or were, ready.
    pub ready_at: Timestamp,
    /// Where the courier collects.
    pub pickup: Place,
    /// What the merchant tells the courier at the pickup.
    pub pickup_code: String,
    /// Whether the merchant set that code; another one is drawn for each courier where not.
    #[serde(default)]
    pub own_pickup_code: bool,
    /// What the merchant tells the courier when goods or payment come back.
    pub return_code: Option<String>,
    /// The deliveries, in route order.
    pub deliveries: Vec<Delivery>,
    /// The sum of the legs, the way back included.
    pub total_distance: Distance,
    /// The leg back to the pickup, where the route closes.
    pub return_leg: Option<Distance>,
    /// The whole route's price.
    pub fee: Money,
    /// What late cancellations have cost so far, in addition to the fee; a cancelled order costs this only.
    #[serde(default)]
    pub cancellation_fee: Money,
    /// The part of the fee that late cancellations of stops took off: `cancellation_fee` is a share of it.
    #[serde(default)]
    pub cancelled_late: Money,
    /// The lines that make up the fee.
    pub price_breakdown: Vec<PriceLine>,
    /// The tariff that priced it.
    pub tariff_version: String,
    /// Whether a leg rests on no more than municipalities.
    pub estimated: bool,
    /// When the courier should collect; `None` where the times were not asked for.
    pub expected_pickup: Option<Timestamp>,
    /// When the last delivery should be handed over.
    pub expected_delivery: Option<Timestamp>,
    /// The courier that has it now.
    pub courier: Option<AssignedCourier>,
    /// How many couriers were assigned so far.
    pub attempt: u32,
    /// Couriers that had the order and let it go before pickup, newest last, at most [`Order::RELEASED_KEPT`]: they are not asked
    /// again while others are free.
    #[serde(default)]
    pub released: Vec<CourierId>,
    /// When the first courier was assigned: what a cancellation costs depends on it.
    #[serde(default)]
    pub first_allocated_at: Option<Timestamp>,
    /// A copy of [`crate::model::store::Store::sandbox`], so that dispatch reads no stores; neither ever changes. Rows of schema version 12 name
    /// it `demo`.
    #[serde(default, alias = "demo")]
    pub sandbox: bool,
    /// Wrong codes that its courier gave.
    #[serde(default)]
    pub tries: CodeTries,
    /// The sequence of its last event; the first is 1.
    pub last_sequence: u32,
    /// How much of its personal data was erased.
    #[serde(default)]
    pub erasure: Erasure,
}

/// An address and where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// As sent.
    pub address: Address,
    /// Where that is.
    pub located: Located,
}

/// One stop of an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// The number.
    pub id: DeliveryId,
    /// The merchant's code.
    pub code: Option<String>,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// Who receives it.
    pub name: Option<String>,
    /// Whom to call there.
    pub phone: Option<Phone>,
    /// What the courier should know.
    pub observation: Option<String>,
    /// Whether it is paid already; where not, the courier brings the payment back.
    pub online_payment: bool,
    /// What the goods are worth.
    pub product_value: Option<Money>,
    /// Where it stands.
    #[serde(rename = "situation")]
    pub status: DeliveryStatus,
    /// Where it goes.
    pub place: Place,
    /// The leg that ends here.
    pub distance: Distance,
    /// What the recipient tells the courier.
    pub delivery_code: String,
    /// How its receipt is confirmed.
    pub confirmation: Option<Confirmation>,
    /// Whether the recipient's data was erased.
    #[serde(default)]
    pub erased: bool,
}

/// How the receipt of a delivery is confirmed: kept as sent, given back in webhooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Confirmation {
    /// The order in the first marketplace, by its programming interface.
    pub marketplace_a: Option<String>,
    /// The order in the first marketplace, by its webhooks.
    pub marketplace_a_webhook: Option<String>,
    /// The order in the second marketplace.
    pub marketplace_b: Option<String>,
    /// Whether the courier asks for the delivery code at the door.
    pub platform: bool,
}

/// The courier of an order, as the order remembers it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssignedCourier {
    /// The number.
    pub id: CourierId,
    /// The courier's profile in the operator's records.
    pub profile_id: u64,
    /// Full name.
    pub name: String,
    /// Where to call.
    pub phone: Phone,
    /// The last place the order knows of.
    pub position: Option<Point>,
}

impl Delivery {
    /// Whether the courier asks for the delivery code at the door.
    pub fn requires_code(&self) -> bool {
        self.confirmation.as_ref().is_some_and(|confirmation| confirmation.platform)
    }
}

impl AssignedCourier {
    /// Whom to call.
    pub fn person(&self) -> Person {
        Person { name: self.name.clone(), phone: Some(self.phone.clone()) }
    }

    /// The area code of a Brazilian number.
    pub fn ddd(&self) -> Option<&str> {
        self.phone.as_str().strip_prefix("+55")?.get(..2)
    }
}

impl Order {
    /// The statuses in which a courier is searched for, or has the order.
    pub const AT_WORK: core::ops::RangeInclusive<OrderStatus> = OrderStatus::Searching..=OrderStatus::CourierAtReturn;
    /// How many couriers that let it go an order remembers.
    pub const RELEASED_KEPT: usize = 20;

    /// Whether one of its stops was cancelled.
    pub fn is_cancelled(&self, stop: DeliveryId) -> bool {
        let gone = |one: &Delivery| one.id == stop && one.status == DeliveryStatus::Cancelled;
        self.deliveries.iter().any(gone)
    }

    /// Writes down the order's next event.
    pub fn record(&mut self, kind: EventKind, by: Person, at: Timestamp) -> Event {
        self.last_sequence += 1;
        Event {
            order: self.id,
            store: self.store,
            sequence: self.last_sequence,
            at,
            kind,
            status: self.status.number(),
            delivery: None,
            courier: self.courier.as_ref().map(AssignedCourier::person),
            by,
            point: self.courier.as_ref().and_then(|courier| courier.position),
            reason: None,
        }
    }
}
