//! The states of couriers, from their trips.

use super::trips;
use crate::{
    host::{CourierQuery, Host, HostError, OrderQuery},
    model::{Fleet, OrderId, Timestamp, courier::Courier},
    rules::{
        couriers::{CourierState, CourierStatus},
        settings::Settings,
        trips::Durations,
    },
};

/// Couriers per read.
const PAGE: u32 = 500;
/// Maximum number of reads: 50,000 couriers at work.
const MAX_PAGES: usize = 100;
/// Maximum number of orders per read.
const MAX_READ: usize = 2_000;

/// Returns the states of couriers, in their sequence. How long a step usually takes at a store
/// follows from the waits of all of them.
///
/// # Errors
/// An error of the host.
pub async fn states<H: Host>(
    host: &H,
    settings: &Settings,
    couriers: &[Courier],
    now: Timestamp,
) -> Result<Vec<CourierStatus>, HostError> {
    let carried: Vec<OrderId> = couriers
        .iter()
        .flat_map(|courier| courier.trip.iter().map(|one| one.id))
        .collect();
    let mut orders = Vec::new();
    for ids in carried.chunks(MAX_READ) {
        orders.extend(host.find_orders(OrderQuery::Ids(ids)).await?);
    }
    let mut orders = trips::orders_by_id(orders);
    let durations = Durations::of(couriers.iter());
    let status = |courier: &Courier| {
        let trip = trips::take_trip(courier, &mut orders);
        let plan = trips::plan_trip_with(host, settings, courier, &trip, &durations, now);
        CourierStatus::of(courier, plan.step, &settings.dispatch, now)
    };
    Ok(couriers.iter().map(status).collect())
}

/// Counts the couriers at work by their state.
///
/// # Errors
/// An error of the host.
pub async fn count<H: Host>(
    host: &H,
    settings: &Settings,
    now: Timestamp,
) -> Result<Fleet, HostError> {
    let (mut working, mut after) = (Vec::new(), None);
    for _ in 0..MAX_PAGES {
        let couriers = host
            .find_couriers(CourierQuery::Working { after, limit: PAGE })
            .await?;
        let is_last = couriers.len() < PAGE as usize;
        after = couriers.last().map(|last| last.id);
        working.extend(couriers);
        if is_last {
            break;
        }
    }
    let mut fleet = Fleet::default();
    for status in states(host, settings, &working, now).await? {
        match status.state {
            CourierState::Available => fleet.available += 1,
            CourierState::OnTrip => fleet.on_trip += 1,
            CourierState::Stuck => fleet.stuck += 1,
            CourierState::Unresponsive => fleet.unresponsive += 1,
            CourierState::Off | CourierState::Suspended | CourierState::Removed => {}
        }
    }
    Ok(fleet)
}

/// Counts the orders that have searched for longer than the limit although their goods are ready.
/// They are the first of the index by which passes read searching orders.
///
/// # Errors
/// An error of the host.
pub async fn waiting_orders<H: Host>(
    host: &H,
    settings: &Settings,
    now: Timestamp,
) -> Result<u64, HostError> {
    let (mut count, mut after) = (0, None);
    for _ in 0..MAX_PAGES {
        let orders = host.searching_orders(after, PAGE).await?;
        let waits = |until: Timestamp| {
            let since = until.before(settings.timing.search());
            now.since(since) > settings.dispatch.wait_limit()
        };
        let found = orders.iter().take_while(|order| waits(order.until)).count();
        count += found as u64;
        after = orders.last().map(|last| (last.until, last.id));
        if found < PAGE as usize {
            break;
        }
    }
    Ok(count)
}
