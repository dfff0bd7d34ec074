//! The part of an order that its price depends on.

use serde::Deserialize;

use super::{DeliveryStatus, Order, OrderSchedule};
use crate::model::{
    Address, Distance, Located, Money, Point, Requirements, StoreId, Timestamp, Vehicle,
};

/// The input and the result of an order's pricing. A stop that was cancelled is no longer part of
/// it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "OrderRow")]
pub struct PricedOrder {
    /// The store.
    pub store: StoreId,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The time at which the tariff's windows applied.
    pub priced_at: Timestamp,
    /// City, state and CEP of the pickup, which determine the local time.
    pub locality: Address,
    /// Length of the route, including the way back.
    pub total_distance: Distance,
    /// The way back to the pickup, if the courier returns.
    pub back: Option<Distance>,
    /// Coordinates of the pickup.
    pub pickup: Point,
    /// Coordinates of the stops. `None` if the recipient's data was erased.
    pub stops: Vec<Option<Point>>,
    /// The smallest kind of vehicle that meets the order's requirements.
    pub vehicle: Option<Vehicle>,
    /// The fee.
    pub fee: Money,
}

/// The stored fields of an order that are read. All others are skipped.
#[derive(Deserialize)]
struct OrderRow {
    store: StoreId,
    created_at: Timestamp,
    #[serde(default)]
    schedule: Option<OrderSchedule>,
    pickup: PickupRow,
    deliveries: Vec<DeliveryRow>,
    total_distance: Distance,
    return_leg: Option<Distance>,
    #[serde(default)]
    requirements: Requirements,
    fee: Money,
}

#[derive(Deserialize)]
struct PickupRow {
    address: AddressRow,
    located: Located,
}

#[derive(Deserialize)]
struct AddressRow {
    city: Option<String>,
    state: Option<String>,
    zip_code: Option<String>,
}

#[derive(Deserialize)]
struct DeliveryRow {
    #[serde(rename = "situation")]
    status: DeliveryStatus,
    place: PlaceRow,
    #[serde(default)]
    erased: bool,
}

#[derive(Deserialize)]
struct PlaceRow {
    located: Located,
}

fn stop(status: DeliveryStatus, erased: bool, located: Located) -> Option<Option<Point>> {
    (status != DeliveryStatus::Cancelled).then(|| (!erased).then_some(located.point))
}

impl From<OrderRow> for PricedOrder {
    fn from(row: OrderRow) -> PricedOrder {
        let stops = row
            .deliveries
            .iter()
            .filter_map(|one| stop(one.status, one.erased, one.place.located));
        PricedOrder {
            store: row.store,
            created_at: row.created_at,
            priced_at: row
                .schedule
                .map_or(row.created_at, |schedule| schedule.priced_at),
            locality: Address {
                city: row.pickup.address.city,
                state: row.pickup.address.state,
                zip_code: row.pickup.address.zip_code,
                ..Address::default()
            },
            total_distance: row.total_distance,
            back: row.return_leg,
            pickup: row.pickup.located.point,
            stops: stops.collect(),
            vehicle: row.requirements.smallest_vehicle(),
            fee: row.fee,
        }
    }
}

impl From<&Order> for PricedOrder {
    fn from(order: &Order) -> PricedOrder {
        let stops = order
            .deliveries
            .iter()
            .filter_map(|one| stop(one.status, one.erased, one.place.located));
        PricedOrder {
            store: order.store,
            created_at: order.created_at,
            priced_at: order.priced_at(),
            locality: Address {
                city: order.pickup.address.city.clone(),
                state: order.pickup.address.state.clone(),
                zip_code: order.pickup.address.zip_code.clone(),
                ..Address::default()
            },
            total_distance: order.total_distance,
            back: order.return_leg,
            pickup: order.pickup.located.point,
            stops: stops.collect(),
            vehicle: order.requirements.smallest_vehicle(),
            fee: order.fee,
        }
    }
}
