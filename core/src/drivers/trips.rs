//! Reads the orders of a courier's trip, plans it, and keeps the orders' live estimates up to date.

use std::collections::BTreeMap;

use super::clock::BatchCommit;
use crate::{
    changes::Changes,
    host::{Host, HostError, OrderQuery},
    model::{OrderId, Timestamp, courier::Courier, order::Order},
    rules::{
        lifecycle,
        settings::Settings,
        trips::{Durations, TripPlan},
    },
};

/// Returns the orders of a courier's trip, in the order of their assignment. An order that has left
/// the trip since the courier was read is missing.
///
/// # Errors
/// An error of the host.
pub async fn trip_orders<H: Host>(host: &H, courier: &Courier) -> Result<Vec<Order>, HostError> {
    let ids: Vec<OrderId> = courier.trip.iter().map(|one| one.id).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let orders = host.find_orders(OrderQuery::Ids(&ids)).await?;
    Ok(take_trip(courier, &mut orders_by_id(orders)))
}

/// Indexes orders by their ID.
pub(super) fn orders_by_id(orders: Vec<Order>) -> BTreeMap<OrderId, Order> {
    orders.into_iter().map(|order| (order.id, order)).collect()
}

/// Takes a courier's orders out of these, in the order of their assignment.
pub(super) fn take_trip(courier: &Courier, orders: &mut BTreeMap<OrderId, Order>) -> Vec<Order> {
    let own = |order: &Order| {
        order
            .courier
            .as_ref()
            .is_some_and(|assigned| assigned.id == courier.id)
    };
    courier
        .trip
        .iter()
        .filter_map(|one| orders.remove(&one.id).filter(own))
        .collect()
}

/// Plans the rest of a courier's trip by the host's travel times and the courier's own waits.
pub fn plan_trip<H: Host>(
    host: &H,
    settings: &Settings,
    courier: &Courier,
    orders: &[Order],
    now: Timestamp,
) -> TripPlan {
    let durations = Durations::of([courier].into_iter());
    plan_trip_with(host, settings, courier, orders, &durations, now)
}

/// Plans the rest of a courier's trip by the host's travel times and these usual waits.
pub(super) fn plan_trip_with<H: Host>(
    host: &H,
    settings: &Settings,
    courier: &Courier,
    orders: &[Order],
    durations: &Durations,
    now: Timestamp,
) -> TripPlan {
    let orders: Vec<&Order> = orders.iter().collect();
    TripPlan::of(
        courier,
        &orders,
        durations,
        &settings.dispatch,
        &|from, to| host.travel_time(from, to),
        now,
    )
}

/// Stores the estimates of a courier's orders after a new position. A concurrent change of an order
/// wins: the next position estimates again.
///
/// # Errors
/// An error of the host.
pub async fn estimate<H: Host>(
    host: &H,
    settings: &Settings,
    courier: &Courier,
    now: Timestamp,
) -> Result<u32, HostError> {
    let orders = trip_orders(host, courier).await?;
    let plan = plan_trip(host, settings, courier, &orders, now);
    let changed =
        |order: &Order| Some(lifecycle::estimate(order, plan.eta(order.id, now)?, now)?.1);
    let decided: Vec<Changes> = orders
        .iter()
        .filter(|order| order.has_estimate())
        .filter_map(changed)
        .collect();
    let mut committed = BatchCommit::default();
    committed.commit(host, &decided).await?;
    committed.finish()
}
