//! What a recipient may see of a delivery.

use super::lifecycle::{Progress, table::Step};
use crate::geo;
use crate::model::{
    DeliveryId, Duration, Money, Point, Text, Timestamp, Zone,
    order::{Delivery, DeliveryStatus, Order, OrderStatus, PaymentMethod, Rating, ReceivedPayment},
    store::{RecipientChoice, Store, TrackingContact},
};

/// Length of the grid to which positions are rounded, in 10⁻⁷ degrees: about 100 m.
const GRID_E7: i32 = 10_000;
/// Length of the grid to which times are rounded, in milliseconds.
const GRID_MILLIS: i64 = 5 * 60_000;

macro_rules! states {
    ($($(#[$doc:meta])* $variant:ident $name:literal $en:literal $pt:literal,)*) => {
        /// The state of a delivery for its recipient.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum TrackingState { $($(#[$doc])* $variant,)* }

        impl TrackingState {
            /// All states, in their order.
            pub const ALL: &'static [TrackingState] = &[$(TrackingState::$variant,)*];

            /// Returns the name in the API.
            pub fn name(self) -> &'static str {
                match self { $(TrackingState::$variant => $name,)* }
            }

            /// Returns the text for the recipient.
            pub fn text(self) -> Text {
                match self { $(TrackingState::$variant => Text::new($en, $pt),)* }
            }
        }
    };
}

states! {
    /// The preparation starts later.
    Scheduled "SCHEDULED" "Your order is scheduled" "Seu pedido está agendado",
    /// The goods are not ready.
    Preparing "PREPARING" "Your order is being prepared" "Seu pedido está sendo preparado",
    /// The goods are ready, and no courier is assigned.
    Waiting "WAITING" "Your order is waiting for a courier" "Seu pedido está aguardando um entregador",
    /// A courier is on the way to the store, or there.
    Collecting "COLLECTING" "The courier is picking up your order" "O entregador está buscando seu pedido",
    /// The courier has the goods.
    PickedUp "PICKED_UP" "The courier has your order" "O entregador está com seu pedido",
    /// The courier is on the way to the recipient.
    EnRoute "EN_ROUTE" "Your order is on its way" "Seu pedido está a caminho",
    /// The courier is at the door.
    Arrived "ARRIVED" "The courier has arrived" "O entregador chegou",
    /// The goods were handed over.
    Delivered "DELIVERED" "Your order was delivered" "Seu pedido foi entregue",
    /// The goods were not handed over.
    NotDelivered "NOT_DELIVERED" "Your order was not delivered" "Seu pedido não foi entregue",
    /// The delivery was cancelled before the pickup.
    Cancelled "CANCELLED" "The delivery was cancelled" "A entrega foi cancelada",
}

impl TrackingState {
    /// Returns the state of a delivery.
    pub fn of(order: &Order, delivery: &Delivery) -> TrackingState {
        match delivery.status {
            DeliveryStatus::AwaitingPickup => match order.status {
                OrderStatus::Scheduled => TrackingState::Scheduled,
                OrderStatus::Preparing => TrackingState::Preparing,
                OrderStatus::Allocated | OrderStatus::CourierAtPickup => TrackingState::Collecting,
                _ => TrackingState::Waiting,
            },
            DeliveryStatus::OnBoard => TrackingState::PickedUp,
            DeliveryStatus::EnRoute => TrackingState::EnRoute,
            DeliveryStatus::Arrived => TrackingState::Arrived,
            DeliveryStatus::Delivered => TrackingState::Delivered,
            DeliveryStatus::Cancelled => TrackingState::Cancelled,
            _ => TrackingState::NotDelivered,
        }
    }
}

/// What a recipient may see of a delivery.
#[derive(Clone, Debug, PartialEq)]
pub struct RecipientStatus {
    /// The state of the delivery.
    pub state: TrackingState,
    /// Status of the delivery.
    pub situation: DeliveryStatus,
    /// Name of the store.
    pub store_name: String,
    /// The contact that the store set.
    pub contact: TrackingContact,
    /// The period in which the delivery is expected.
    pub estimate: Option<(Timestamp, Timestamp)>,
    /// First name of the courier.
    pub courier: Option<String>,
    /// The courier's position, rounded.
    pub position: Option<Point>,
    /// Position of the courier relative to the recipient's address, in units of 100 m to the east
    /// and to the north.
    pub offset: Option<(i32, i32)>,
    /// What the recipient can pay by Pix, until a payment by Pix is recorded.
    pub pix: Option<RecipientPix>,
    /// The code that the recipient gives to the courier.
    pub delivery_code: Option<String>,
    /// What the recipient can choose now.
    pub choices: Vec<RecipientChoice>,
    /// What the recipient chose.
    pub choice: Option<RecipientChoice>,
    /// Whether the recipient can rate the delivery now.
    pub can_rate: bool,
    /// The recipient's rating.
    pub rating: Option<Rating>,
    /// Time at which the link ends.
    pub ends_at: Option<Timestamp>,
    /// The recipient's time zone.
    pub zone: Zone,
}

/// A Pix that is due at the door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipientPix {
    /// The BR Code.
    pub br_code: String,
    /// The reference in the code.
    pub txid: String,
    /// The amount.
    pub amount: Money,
    /// The name of who receives it.
    pub name: String,
}

impl RecipientPix {
    fn of(delivery: &Delivery) -> Option<RecipientPix> {
        let is_recorded = |one: &ReceivedPayment| one.method == PaymentMethod::Pix;
        let is_due = delivery.status.number() < DeliveryStatus::Returning.number()
            && !delivery.received.iter().any(is_recorded);
        let charge = delivery.pix().filter(|_| is_due)?;
        Some(RecipientPix {
            name: charge.recipient.name.clone(),
            br_code: charge.br_code,
            txid: charge.txid,
            amount: charge.amount,
        })
    }
}

impl RecipientStatus {
    /// Returns what the recipient of a delivery may see. `estimate` is the delivery's own estimate
    /// by the courier's trip, and `position` is the courier's last position. `None` if the delivery
    /// has no link.
    pub fn of(
        order: &Order,
        stop: DeliveryId,
        store: &Store,
        estimate: Option<Timestamp>,
        position: Option<Point>,
        now: Timestamp,
    ) -> Option<RecipientStatus> {
        let delivery = order
            .deliveries
            .iter()
            .find(|delivery| delivery.id == stop)?;
        let tracking = delivery.tracking.as_ref()?;
        let progress = Progress::of(order);
        let possible = |step| progress.take(step, Some(stop)).is_some();
        let is_ahead = delivery.status < DeliveryStatus::Arrived;
        let expected = estimate.map(|at| window(at, now)).or_else(|| {
            // Before a courier is assigned, only the times of the whole order are known.
            Some((
                window(order.expected_pickup?, now).0,
                window(order.expected_delivery?, now).1,
            ))
        });
        let position = position.filter(|_| shows_position(delivery)).map(rounded);
        let (choice, rating) = (tracking.choice, tracking.rating.clone());
        Some(RecipientStatus {
            state: TrackingState::of(order, delivery),
            situation: delivery.status,
            store_name: store.name.clone(),
            contact: store.tracking.contact.clone(),
            estimate: expected.filter(|(_, until)| is_ahead && now < *until),
            courier: order
                .courier
                .as_ref()
                .and_then(|courier| first_name(&courier.name)),
            offset: position.map(|at| offset(delivery.place.located.point, at)),
            position,
            pix: RecipientPix::of(delivery),
            delivery_code: (delivery.requires_code()
                && !delivery.status.is_final()
                && !is_failed(delivery))
            .then(|| delivery.delivery_code.clone())
            .filter(|code| !code.is_empty()),
            choices: if possible(Step::Choose) {
                store.tracking.choices.clone()
            } else {
                Vec::new()
            },
            choice,
            can_rate: rating.is_none() && possible(Step::Rate),
            rating,
            ends_at: tracking.ends_at(),
            zone: geo::zone(&delivery.place.address).unwrap_or_default(),
        })
    }
}

/// Returns whether the delivery is on the way back.
fn is_failed(delivery: &Delivery) -> bool {
    matches!(
        delivery.status,
        DeliveryStatus::Returning | DeliveryStatus::AtReturn
    )
}

fn first_name(name: &str) -> Option<String> {
    name.split_whitespace().next().map(str::to_owned)
}

/// Returns the distances from `home` to `at` in units of 100 m, to the east and to the north.
fn offset(home: Point, at: Point) -> (i32, i32) {
    // 100 m are about 8,983 units of 10⁻⁷ degrees of latitude. A degree of longitude is shorter by
    // the cosine of the latitude.
    let north = f64::from(at.lat_e7 - home.lat_e7) / 8_983.0;
    let east =
        f64::from(at.lon_e7 - home.lon_e7) / 8_983.0 * libm::cos(home.latitude().to_radians());
    #[expect(
        clippy::cast_possible_truncation,
        reason = "at most half of the Earth's circumference in units of 100 m"
    )]
    let whole = |units: f64| libm::round(units) as i32;
    (whole(east), whole(north))
}

/// Rounds a position to about 100 m.
pub fn rounded(point: Point) -> Point {
    let round = |e7: i32| {
        (e7 + GRID_E7 / 2)
            .div_euclid(GRID_E7)
            .saturating_mul(GRID_E7)
    };
    Point {
        lat_e7: round(point.lat_e7),
        lon_e7: round(point.lon_e7),
    }
}

/// Returns whether a recipient sees the courier's position: only on the way to this very delivery.
pub fn shows_position(delivery: &Delivery) -> bool {
    delivery.status == DeliveryStatus::EnRoute
}

/// Returns an estimate as a window: it starts with the estimate, and is longer the farther away the
/// estimate is. Both ends are rounded to five minutes.
pub fn window(estimate: Timestamp, now: Timestamp) -> (Timestamp, Timestamp) {
    let left = estimate.since(now).as_millis().max(0);
    let before = Duration::millis(left / 10);
    let after = Duration::millis((left / 5).max(GRID_MILLIS));
    let floor =
        |at: Timestamp| Timestamp::from_millis(at.millis().div_euclid(GRID_MILLIS) * GRID_MILLIS);
    let ceil = |at: Timestamp| floor(at.after(Duration::millis(GRID_MILLIS - 1)));
    (floor(estimate.before(before)), ceil(estimate.after(after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_is_rounded_to_a_thousandth_of_a_degree() {
        let round = |lat_e7, lon_e7| {
            let point = rounded(Point { lat_e7, lon_e7 });
            (point.lat_e7, point.lon_e7)
        };
        assert_eq!(
            round(-235_557_149, -466_396_001),
            (-235_560_000, -466_400_000)
        );
        assert_eq!(round(4_999, 5_000), (0, 10_000));
        assert_eq!(
            round(-900_000_000, 1_800_000_000),
            (-900_000_000, 1_800_000_000)
        );
    }

    #[test]
    fn window_contains_the_estimate_and_grows_with_distance() {
        let now = Timestamp::from_millis(1_795_262_400_000);
        let minutes = |from: Timestamp, to: Timestamp| to.since(from).as_millis() / 60_000;
        let mut last = 0;
        for ahead in [0, 3, 20, 60, 180] {
            let estimate = now.after(Duration::minutes(ahead));
            let (from, to) = window(estimate, now);
            assert!(from <= estimate && estimate < to, "{ahead}");
            assert!(
                from.millis() % GRID_MILLIS == 0 && to.millis() % GRID_MILLIS == 0,
                "{ahead}"
            );
            assert!(
                minutes(from, to) >= last && minutes(from, to) >= 5,
                "{ahead}: {}",
                minutes(from, to)
            );
            last = minutes(from, to);
        }
        assert!(last <= 65, "{last}");
    }
}
