//! What happened in a day, and the check that it follows the rules of the instances.

use std::collections::BTreeSet;

use despacho_bench::BoxError;

use super::{
    day::Order,
    instance::{Instance, MINUTE, Place},
};

/// Everything that the measures and the solution files need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(crate) orders: Vec<Order>,
    /// Completed trips.
    pub(crate) trips: Vec<Trip>,
    /// CPU time of each pass in nanoseconds.
    pub(crate) passes: Vec<u64>,
    /// Pickups after the end of a shift, which only deviating travel or ready times can cause.
    pub(crate) late_pickups: usize,
}

/// A trip of a courier.
#[derive(Clone, Debug)]
pub(crate) struct Trip {
    pub(crate) courier: usize,
    /// Time of the last change of the trip's orders.
    pub(crate) assigned_at: i64,
    pub(crate) picked_at: i64,
    /// Indices of the orders in the sequence of their deliveries.
    pub(crate) orders: Vec<usize>,
    pub(crate) movements: Vec<Movement>,
}

/// A movement of a courier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Movement {
    pub(crate) departed_at: i64,
    pub(crate) arrived_at: i64,
    pub(crate) from: Site,
    pub(crate) to: Site,
}

/// A place with its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    ShiftStart,
    Restaurant(usize),
    Order(usize),
}

impl Site {
    /// Returns the place. The start of a shift depends on the courier.
    pub(crate) fn place(self, instance: &Instance, courier: usize) -> Place {
        match self {
            Site::ShiftStart => instance.couriers[courier].at,
            Site::Restaurant(index) => instance.restaurants[index].at,
            Site::Order(index) => instance.orders[index].at,
        }
    }
}

/// Checks the rules that the public evaluator checks. `is_exact` states that travel times do not
/// deviate.
pub(crate) fn check(instance: &Instance, record: &Record, is_exact: bool) -> Result<(), BoxError> {
    let mut seen = BTreeSet::new();
    for courier in 0..instance.couriers.len() {
        let mut free_at = instance.couriers[courier].on;
        let mut site = Site::ShiftStart;
        let mut trips: Vec<&Trip> = record
            .trips
            .iter()
            .filter(|trip| trip.courier == courier)
            .collect();
        trips.sort_by_key(|trip| trip.picked_at);
        for trip in trips {
            let error = check_trip(instance, record, trip, (free_at, site), is_exact).err();
            let repeated = trip.orders.iter().find(|order| !seen.insert(**order));
            let repeated = repeated
                .map(|order| format!("{} has two trips", instance.orders[*order].name).into());
            if let Some(error) = error.or(repeated) {
                let (courier, minute) = (&instance.couriers[courier].name, trip.picked_at / MINUTE);
                return Err(format!(
                    "{}: trip of {courier} picked up at {minute}: {error}",
                    instance.name
                )
                .into());
            }
            let last = trip.movements.last().ok_or("a trip has no movement")?;
            (free_at, site) = (last.arrived_at + 2 * instance.half_delivery, last.to);
        }
    }
    let delivered = record
        .orders
        .iter()
        .filter(|order| order.dropped_at.is_some())
        .count();
    if delivered != seen.len() {
        let trips = seen.len();
        return Err(format!(
            "{}: {delivered} orders were delivered, {trips} are in trips",
            instance.name
        )
        .into());
    }
    Ok(())
}

fn check_trip(
    instance: &Instance,
    record: &Record,
    trip: &Trip,
    (free_at, site): (i64, Site),
    is_exact: bool,
) -> Result<(), BoxError> {
    let require = |holds: bool, rule: &str| {
        if holds {
            Ok(())
        } else {
            Err(BoxError::from(rule))
        }
    };
    let travel = super::area::Travel {
        metres_per_minute: instance.metres_per_minute,
    };
    let placed = trip
        .orders
        .iter()
        .map(|order| instance.orders[*order].placed)
        .max()
        .unwrap_or(i64::MAX);
    let ready = trip
        .orders
        .iter()
        .map(|order| record.orders[*order].ready)
        .max()
        .unwrap_or(i64::MAX);
    require(
        trip.assigned_at >= placed,
        "it was assigned before an order was placed",
    )?;
    require(
        trip.assigned_at <= trip.picked_at,
        "it was assigned after the pickup",
    )?;
    require(
        trip.picked_at >= ready,
        "it was picked up before an order was ready",
    )?;
    let off = instance.couriers[trip.courier].off;
    require(
        !is_exact || trip.picked_at <= off,
        "it was picked up after the shift",
    )?;
    require(
        trip.movements.len() == trip.orders.len() + 1,
        "it has another number of movements than stops",
    )?;
    let (mut site, mut free_at) = (site, free_at);
    for (movement, order) in trip
        .movements
        .iter()
        .zip(std::iter::once(None).chain(trip.orders.iter().map(Some)))
    {
        require(
            movement.from == site,
            "it does not start where the last movement ended",
        )?;
        require(
            movement.departed_at >= free_at,
            "it departs before the courier is free",
        )?;
        let from = movement.from.place(instance, trip.courier);
        let seconds = i64::from(travel.seconds(from, movement.to.place(instance, trip.courier)));
        let took = movement.arrived_at - movement.departed_at;
        require(
            !is_exact || took == seconds,
            "a movement does not take the travel time",
        )?;
        match order {
            None => {
                let is_from_one = trip.orders.iter().all(|order| {
                    movement.to == Site::Restaurant(instance.orders[*order].restaurant)
                });
                require(is_from_one, "its orders are from several restaurants")?;
                let arrived = movement.arrived_at + instance.half_pickup;
                require(
                    trip.picked_at >= arrived,
                    "it was picked up before the courier arrived",
                )?;
                free_at = trip.picked_at + instance.half_pickup;
            }
            Some(order) => {
                require(
                    movement.to == Site::Order(*order),
                    "it was delivered in another sequence",
                )?;
                let state = &record.orders[*order];
                let dropped_at = movement.arrived_at + instance.half_delivery;
                require(
                    state.dropped_at == Some(dropped_at),
                    "the drop-off does not follow from the arrival",
                )?;
                require(
                    state.picked_at == Some(trip.picked_at),
                    "an order has another pickup time",
                )?;
                free_at = dropped_at + instance.half_delivery;
            }
        }
        site = movement.to;
    }
    Ok(())
}
