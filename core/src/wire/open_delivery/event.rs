//! Events of Open Delivery, derived from the history of an order.

use serde::Serialize;

use super::delivery_id;
use crate::{
    model::{
        Money, Timestamp, Vehicle,
        order::{
            AssignedCourier, Delivery, Event, EventKind, OpenDelivery, Order, OrderStatus,
            RecordedEvent,
        },
        webhook::FollowUp,
    },
    wire::Reais,
};

/// The type of an event of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EventType {
    /// The delivery was created.
    Pending,
    /// A courier was assigned.
    Accepted,
    /// No courier was found in time.
    Rejected,
    /// A courier is on the way to the pickup. Sent again with a new estimate, and for another
    /// courier.
    PickupOngoing,
    /// The courier is at the pickup.
    ArrivedAtMerchant,
    /// The courier has the goods.
    OrderPicked,
    /// The courier is on the way to the recipient. Sent again with a new estimate.
    DeliveryOngoing,
    /// The courier is at the door.
    ArrivedAtCustomer,
    /// The goods were handed over.
    OrderDelivered,
    /// Goods or a payment are on the way back.
    ReturningToMerchant,
    /// Goods or a payment were handed back.
    ReturnedToMerchant,
    /// The delivery has ended.
    DeliveryFinished,
    /// The delivery was cancelled, discarded or lost.
    Cancelled,
}

/// An event, as sent to the merchant's system.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LogisticEvent {
    /// ID of the delivery, a UUID.
    pub delivery_id: String,
    /// ID of the order in the ordering application.
    pub order_id: String,
    /// The order's code for the customer.
    pub order_display_id: String,
    /// The merchant.
    pub merchant: MerchantView,
    /// The event.
    pub event: DeliveryEventView,
    /// Problems of the delivery.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problem: Vec<ProblemView>,
    /// Name of the recipient.
    pub customer_name: String,
    /// The vehicle. Absent without a courier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vehicle: Option<ChosenVehicle>,
    /// The price.
    pub delivery_price: PricedView,
    /// The expected times. Absent without a courier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eta: Option<TimesView>,
    /// The courier. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery_person: Option<DeliveryPerson>,
    /// The courier's position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub geo_localization: Option<PositionView>,
    /// URL of the recipient's page. Absent if there is no link.
    #[serde(
        rename = "externalTrackingURL",
        skip_serializing_if = "Option::is_none"
    )]
    pub tracking_url: Option<String>,
}

/// A merchant.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MerchantView {
    /// The merchant's ID.
    pub id: String,
    /// The merchant's public name.
    pub name: String,
}

/// An event of a delivery.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeliveryEventView {
    /// The type.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub kind: EventType,
    /// The reason that was given. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub message: Option<String>,
    /// Time of the event.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub datetime: String,
    /// The reason of a rejection. Absent in all other events.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub rejection_info: Option<RejectionView>,
}

/// The reason of a rejection.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RejectionView {
    /// Always `NO_DELIVERYPERSON_AVAILABLE`. A delivery that is not possible for another reason is
    /// not created.
    pub reason: &'static str,
}

/// A problem of a delivery.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProblemView {
    /// The reason.
    pub reason: &'static str,
    /// What the courier reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Time of the report.
    pub datetime: String,
    /// Whether the delivery can still be finished.
    pub can_finish_deliver: bool,
    /// Whether the merchant must decide.
    pub need_merchant_action: bool,
}

/// The vehicle of a delivery.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChosenVehicle {
    /// The kind.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The container that was requested.
    pub container: String,
}

/// A price.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PricedView {
    /// The amount.
    pub price: PriceView,
    /// Always `NORMAL`: all prices are those of the tariff.
    pub pricing_list: &'static str,
    /// Always 0.
    pub additional_price_percentual: u32,
}

/// An amount.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PriceView {
    /// The amount.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub value: Reais,
    /// Always `BRL`.
    pub currency: &'static str,
}

/// Expected times.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TimesView {
    /// `ONLINE` if later events have new times, else `OFFLINE`.
    pub update_method: &'static str,
    /// Minutes until the pickup.
    pub pickup_eta_in_minutes: i64,
    /// Time of the pickup.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub pickup_eta_datetime: String,
    /// Minutes until the delivery.
    pub delivery_eta_in_minutes: i64,
    /// Time of the delivery.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub delivery_eta_datetime: String,
    /// Latest time of the delivery.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub max_delivery_time: String,
}

/// A courier.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeliveryPerson {
    /// The courier's ID.
    pub id: String,
    /// Full name.
    pub name: String,
    /// Phone number.
    pub phone: String,
}

/// A position.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PositionView {
    /// Latitude in degrees, WGS 84.
    pub latitude: f64,
    /// Longitude in degrees, WGS 84.
    pub longitude: f64,
}

/// Returns the type of an event of the order, or `None` if the standard has none.
fn event_type(event: &Event, history: &[RecordedEvent]) -> Option<EventType> {
    let earlier = |kind| {
        history
            .iter()
            .any(|one| one.event.sequence < event.sequence && one.event.kind == kind)
    };
    let is_carried = event.status >= OrderStatus::OutForDelivery.number();
    Some(match event.kind {
        EventKind::Created => EventType::Pending,
        EventKind::Allocated if earlier(EventKind::Allocated) => EventType::PickupOngoing,
        EventKind::Allocated => EventType::Accepted,
        EventKind::EtaChanged if !is_carried => EventType::PickupOngoing,
        EventKind::EtaChanged | EventKind::EnRoute => EventType::DeliveryOngoing,
        EventKind::CourierArrived => EventType::ArrivedAtMerchant,
        EventKind::PickedUp => EventType::OrderPicked,
        EventKind::Arrived => EventType::ArrivedAtCustomer,
        EventKind::Delivered => EventType::OrderDelivered,
        EventKind::ReturnStarted | EventKind::CourierAtReturn => EventType::ReturningToMerchant,
        EventKind::Returned | EventKind::ReturnWaived => EventType::ReturnedToMerchant,
        EventKind::Expired if !earlier(EventKind::Allocated) => EventType::Rejected,
        EventKind::Expired | EventKind::Cancelled | EventKind::Discarded | EventKind::Lost => {
            EventType::Cancelled
        }
        _ => return None,
    })
}

/// Returns whether an event of an order is sent to a connection, and the message that follows it.
/// It depends only on data that never changes, so a message that is queued is also sent later.
pub fn follow_up(order: &Order, event: &Event) -> Option<FollowUp> {
    let own = order.open_delivery.as_deref()?;
    event_type(event, &[])?;
    let returns = order.deliveries.iter().any(Delivery::returns);
    let is_last = match event.kind {
        EventKind::Delivered => !returns,
        EventKind::Returned | EventKind::ReturnWaived => true,
        _ => false,
    };
    Some(if is_last && !own.awaits_conclusion {
        FollowUp::End
    } else {
        FollowUp::Nothing
    })
}

/// Returns the history of an order in terms of the standard, with the time and the reason of each
/// event.
pub fn event_types(
    order: &Order,
    history: &[RecordedEvent],
) -> Vec<(EventType, Timestamp, Option<String>)> {
    let mut all = Vec::new();
    for RecordedEvent { event, .. } in history {
        if let Some(kind) = event_type(event, history) {
            all.push((kind, event.at, event.reason.clone()));
        }
        if follow_up(order, event) == Some(FollowUp::End) {
            all.push((EventType::DeliveryFinished, event.at, None));
        }
    }
    let confirmed = order
        .open_delivery
        .as_deref()
        .and_then(|own| own.finished_at);
    all.extend(confirmed.map(|at| (EventType::DeliveryFinished, at, None)));
    all
}

impl LogisticEvent {
    /// Builds the message of an event of an order, or of the end of its delivery. `merchant` is the
    /// merchant's ID, and `vehicle` that of the courier. `None` if the standard has no such event.
    pub fn of(
        order: &Order,
        history: &[RecordedEvent],
        event: &Event,
        is_end: bool,
        merchant: &str,
        vehicle: Option<Vehicle>,
        tracking_url: Option<String>,
    ) -> Option<LogisticEvent> {
        let own = order.open_delivery.as_deref()?;
        let kind = if is_end {
            EventType::DeliveryFinished
        } else {
            event_type(event, history)?
        };
        let at = own.finished_at.filter(|_| is_end).unwrap_or(event.at);
        let has_courier = !matches!(
            kind,
            EventType::Pending | EventType::Rejected | EventType::Cancelled
        );
        let courier = order.courier.as_ref().filter(|_| has_courier);
        let point = event.point.filter(|_| courier.is_some());
        Some(LogisticEvent {
            delivery_id: delivery_id(order.id),
            order_id: order.code.clone(),
            order_display_id: own.display_id.clone(),
            merchant: MerchantView::of(own, merchant),
            event: DeliveryEventView::of(kind, at, event.reason.clone().filter(|_| !is_end)),
            problem: ProblemView::of(event)
                .into_iter()
                .filter(|_| !is_end)
                .collect(),
            customer_name: order
                .deliveries
                .iter()
                .find_map(|one| one.name.clone())
                .unwrap_or_default(),
            vehicle: courier
                .and(vehicle)
                .map(|vehicle| ChosenVehicle::of(own, vehicle)),
            delivery_price: PricedView::of(order.fee),
            eta: courier.and_then(|_| TimesView::of_order(order, own, at)),
            delivery_person: courier.map(DeliveryPerson::of),
            geo_localization: point.map(|point| PositionView {
                latitude: point.latitude(),
                longitude: point.longitude(),
            }),
            tracking_url,
        })
    }
}

impl MerchantView {
    /// Builds the representation of an order's merchant.
    pub fn of(own: &OpenDelivery, id: &str) -> MerchantView {
        MerchantView {
            id: id.to_owned(),
            name: own.merchant_name.clone(),
        }
    }
}

impl DeliveryEventView {
    /// Builds the representation of an event.
    pub fn of(kind: EventType, at: Timestamp, message: Option<String>) -> DeliveryEventView {
        let rejection = RejectionView {
            reason: "NO_DELIVERYPERSON_AVAILABLE",
        };
        let rejection_info = (kind == EventType::Rejected).then_some(rejection);
        DeliveryEventView {
            kind,
            message,
            datetime: at.to_string(),
            rejection_info,
        }
    }
}

impl ProblemView {
    /// Builds the problem of an event: the goods are on the way back, or were discarded or lost.
    pub fn of(event: &Event) -> Option<ProblemView> {
        let reason = match event.kind {
            EventKind::Lost => "FRAUD_OR_THEFT",
            EventKind::ReturnStarted | EventKind::Discarded => "OTHER",
            _ => return None,
        };
        Some(ProblemView {
            reason,
            message: event.reason.clone(),
            datetime: event.at.to_string(),
            can_finish_deliver: false,
            need_merchant_action: false,
        })
    }
}

impl ChosenVehicle {
    /// Builds the representation of a courier's vehicle.
    pub fn of(own: &OpenDelivery, vehicle: Vehicle) -> ChosenVehicle {
        ChosenVehicle {
            kind: vehicle.name(),
            container: own.container.clone(),
        }
    }
}

impl PricedView {
    /// Builds the representation of a fee.
    pub fn of(fee: Money) -> PricedView {
        let price = PriceView {
            value: Reais(fee),
            currency: "BRL",
        };
        PricedView {
            price,
            pricing_list: "NORMAL",
            additional_price_percentual: 0,
        }
    }
}

impl TimesView {
    /// Builds the representation of expected times at `now`.
    pub fn of(
        pickup: Timestamp,
        delivery: Timestamp,
        until: Option<Timestamp>,
        is_live: bool,
        now: Timestamp,
    ) -> TimesView {
        const MINUTE: i64 = 60_000;
        let minutes = |at: Timestamp| (at.since(now).as_millis() + MINUTE - 1) / MINUTE;
        TimesView {
            update_method: if is_live { "ONLINE" } else { "OFFLINE" },
            pickup_eta_in_minutes: minutes(pickup),
            pickup_eta_datetime: pickup.to_string(),
            delivery_eta_in_minutes: minutes(delivery),
            delivery_eta_datetime: delivery.to_string(),
            max_delivery_time: until.unwrap_or(delivery).to_string(),
        }
    }

    /// Builds the representation of an order's times at the time of an event.
    fn of_order(order: &Order, own: &OpenDelivery, now: Timestamp) -> Option<TimesView> {
        let delivery = order
            .delivered_at
            .or(order.eta.map(|eta| eta.delivery))
            .or(order.expected_delivery)?;
        let pickup = order
            .eta
            .and_then(|eta| eta.pickup)
            .or(order.expected_pickup)
            .unwrap_or(delivery);
        Some(TimesView::of(
            pickup,
            delivery,
            own.deliver_until,
            order.has_estimate(),
            now,
        ))
    }
}

impl DeliveryPerson {
    /// Builds the representation of a courier.
    pub fn of(courier: &AssignedCourier) -> DeliveryPerson {
        DeliveryPerson {
            id: courier.id.to_string(),
            name: courier.name.clone(),
            phone: courier.phone.as_str().to_owned(),
        }
    }
}
