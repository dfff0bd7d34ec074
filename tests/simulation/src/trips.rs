//! The trips in the reference model: the orders that each courier carries together.

use std::collections::BTreeMap;

use despacho_core::model::{
    CourierId, OrderId, Vehicle,
    courier::{Courier, TripOrder},
    order::Order,
};
use serde_json::Value;

use crate::{model::CheckResult, tracked_order::TrackedOrder};

/// The maximum number of orders in a trip without a limit of the store, as published.
const DEFAULT_LIMIT: usize = 3;

/// The trips after the last step, by courier.
#[derive(Debug, Default)]
pub(crate) struct Trips {
    known: BTreeMap<CourierId, Vec<TripOrder>>,
    /// The number of assignments after which a trip had each number of orders.
    pub(crate) sizes: BTreeMap<usize, u64>,
}

type Orders = BTreeMap<OrderId, TrackedOrder>;

impl Trips {
    /// Checks that each order with a courier is in exactly this courier's trip, and each trip by
    /// itself.
    pub(crate) fn check(&mut self, orders: &Orders, couriers: &[Courier]) -> CheckResult {
        let mut has: BTreeMap<CourierId, Vec<OrderId>> = BTreeMap::new();
        for tracked in orders.values().filter(|tracked| tracked.status < 500) {
            let (id, courier) = (
                tracked.row.id,
                tracked.row.courier.as_ref().map(|courier| courier.id),
            );
            if courier.is_some() != (tracked.status >= 210) {
                return Err(format!(
                    "order {id} has status {} with courier {courier:?}",
                    tracked.status
                ));
            }
            if let Some(courier) = courier {
                has.entry(courier).or_default().push(id);
            }
        }
        for courier in couriers {
            let assigned = has.remove(&courier.id).unwrap_or_default();
            let mut carried: Vec<OrderId> = courier.trip.iter().map(|one| one.id).collect();
            carried.sort_unstable();
            if carried != assigned {
                let id = courier.id;
                return Err(format!(
                    "courier {id} has the orders {carried:?}, but the orders assign {assigned:?}"
                ));
            }
            let trip: Vec<&TrackedOrder> =
                assigned.iter().filter_map(|id| orders.get(id)).collect();
            check_trip(courier, &trip)?;
            if self.check_growth(courier)? {
                check_load(courier, &trip)?;
            }
        }
        has.keys().next().map_or(Ok(()), |id| {
            Err(format!("courier {id} has orders, but is not stored"))
        })
    }

    /// Checks that a trip takes no order after the first was picked up. Returns whether it has a
    /// new order.
    fn check_growth(&mut self, courier: &Courier) -> Result<bool, String> {
        let before = self
            .known
            .insert(courier.id, courier.trip.clone())
            .unwrap_or_default();
        let is_new = |one: &&TripOrder| !before.iter().any(|known| known.id == one.id);
        let Some(joined) = courier.trip.iter().find(is_new) else {
            return Ok(false);
        };
        *self.sizes.entry(courier.trip.len()).or_default() += 1;
        let left = before
            .iter()
            .find(|known| known.picked_up && courier.carries(known.id));
        match left {
            Some(left) => Err(format!(
                "order {} joined the trip of order {} after its pickup",
                joined.id, left.id
            )),
            None => Ok(true),
        }
    }
}

/// Returns the maximum number of orders in an order's trip, by its terms at its creation.
fn limit(order: &Order) -> usize {
    let own = order
        .dispatch
        .orders_per_trip
        .map_or(DEFAULT_LIMIT, |limit| limit as usize);
    if order.dispatch.combinable { own } else { 1 }
}

fn check_trip(courier: &Courier, trip: &[&TrackedOrder]) -> CheckResult {
    let id = courier.id;
    let limit = trip
        .iter()
        .map(|tracked| limit(&tracked.first))
        .min()
        .unwrap_or(1);
    if trip.len() > limit.max(1) {
        return Err(format!(
            "the trip of courier {id} has {} orders, but its limit is {limit}",
            trip.len()
        ));
    }
    if let Some(mixed) = trip
        .iter()
        .find(|tracked| tracked.row.sandbox != courier.sandbox)
    {
        return Err(format!(
            "courier {id}, sandbox {}, has order {}",
            courier.sandbox, mixed.row.id
        ));
    }
    let origin = |tracked: &TrackedOrder| (tracked.row.store, tracked.row.pickup.located.point);
    if trip
        .first()
        .is_some_and(|first| trip.iter().any(|other| origin(other) != origin(first)))
    {
        return Err(format!(
            "the trip of courier {id} has orders of different stores or pickups"
        ));
    }
    for tracked in trip {
        let picked_up = courier
            .trip
            .iter()
            .any(|one| one.id == tracked.row.id && one.picked_up);
        if picked_up != (tracked.status >= 300) {
            return Err(format!(
                "courier {id}: order {} has status {}, picked up: {picked_up}",
                tracked.row.id, tracked.status
            ));
        }
    }
    let is_current =
        |tracked: &&&TrackedOrder| tracked.stops.iter().any(|stop| matches!(stop.1, 320 | 330));
    let current = trip.iter().filter(is_current).count();
    let waits = trip.iter().any(|tracked| tracked.status < 300);
    if current > 1 || (current == 1 && waits) {
        return Err(format!(
            "courier {id} visits {current} orders of the trip at once, and others wait: {waits}"
        ));
    }
    Ok(())
}

/// Returns the maximum weight in grams and volume in millilitres of a courier's vehicle, as
/// published.
fn max_load(courier: &Courier) -> (u32, u32) {
    let (kilograms, litres) = match courier.vehicle {
        Vehicle::Bicycle => (12, 45),
        Vehicle::Scooter | Vehicle::MotorbikeBag => (20, 80),
        Vehicle::MotorbikeBox => (30, 252),
        Vehicle::Car => (300, 1_000),
        Vehicle::Vuc => (1_000, 20_000),
    };
    let own = |limit: Option<u32>, kind: u32| limit.map_or(kind, |limit| limit.min(kind));
    (
        own(courier.max_weight_g, kilograms * 1_000),
        own(courier.max_volume_ml, litres * 1_000),
    )
}

/// Returns whether a courier's vehicle is permitted by all orders and carries them together.
pub(crate) fn can_carry<'a>(
    courier: &Courier,
    orders: impl Iterator<Item = &'a Order> + Clone,
) -> bool {
    let required = orders.map(|order| &order.requirements);
    let permits = |vehicles: &[Vehicle]| vehicles.is_empty() || vehicles.contains(&courier.vehicle);
    let weight_g: u32 = required.clone().filter_map(|one| one.weight_g).sum();
    let volume_ml: u32 = required.clone().filter_map(|one| one.volume_ml).sum();
    let max = max_load(courier);
    required.clone().all(|one| permits(&one.vehicles)) && weight_g <= max.0 && volume_ml <= max.1
}

/// Checks, after an assignment, that the courier's vehicle is permitted and carries all orders of
/// the trip together. The operator can change the vehicle later.
fn check_load(courier: &Courier, trip: &[&TrackedOrder]) -> CheckResult {
    let (id, vehicle) = (courier.id, courier.vehicle);
    let required = || trip.iter().map(|tracked| &tracked.first.requirements);
    if required().any(|one| !one.vehicles.is_empty() && !one.vehicles.contains(&vehicle)) {
        return Err(format!(
            "the trip of courier {id} has an order that does not permit a {vehicle:?}"
        ));
    }
    let weight_g: u32 = required().filter_map(|one| one.weight_g).sum();
    let volume_ml: u32 = required().filter_map(|one| one.volume_ml).sum();
    let max = max_load(courier);
    if weight_g > max.0 || volume_ml > max.1 {
        return Err(format!(
            "courier {id} carries {weight_g} g and {volume_ml} ml, but at most {max:?}"
        ));
    }
    Ok(())
}

/// Checks that a returned trip has its stops only for its orders, and the pickups first.
pub(crate) fn check_view(courier: CourierId, body: &Value) -> CheckResult {
    let trip = &body["trip"];
    let list = |name: &str| trip[name].as_array().cloned().unwrap_or_default();
    let ids: Vec<u64> = list("orders")
        .iter()
        .filter_map(|order| order["id"].as_u64())
        .collect();
    let stops = list("stops");
    let of_other = stops
        .iter()
        .find(|stop| !stop["orderId"].as_u64().is_some_and(|id| ids.contains(&id)));
    if let Some(stop) = of_other {
        return Err(format!(
            "the trip of courier {courier} with the orders {ids:?} has the stop {stop}"
        ));
    }
    let is_pickup = |stop: &Value| stop["type"] == "PICKUP";
    if !stops.is_sorted_by_key(|stop| !is_pickup(stop)) || (!trip.is_null() && ids.is_empty()) {
        return Err(format!("the trip of courier {courier} is {trip}"));
    }
    Ok(())
}
