//! Trips: sets of orders of one store that a courier carries together.

use std::collections::BTreeMap;

use super::{Config, MAX_SHARED_STOPS, MAX_TRIP_ORDERS, TripOrder, sequence::best_route};
use crate::model::{Load, Point};

/// An open or committed order.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    pub(super) store: u64,
    pub(super) pickup: Point,
    pub(super) order: &'a TripOrder,
}

/// Indices of a trip's orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Members {
    items: [u32; MAX_TRIP_ORDERS],
    len: usize,
}

impl Members {
    pub(super) const EMPTY: Members = Members {
        items: [0; MAX_TRIP_ORDERS],
        len: 0,
    };

    pub(super) fn one(item: u32) -> Members {
        let mut members = Members::EMPTY;
        members.push(item);
        members
    }

    pub(super) fn list(&self) -> &[u32] {
        self.items.get(..self.len).unwrap_or_default()
    }

    pub(super) fn contains(&self, item: u32) -> bool {
        self.list().contains(&item)
    }

    /// Adds an order. A full list stays unchanged.
    pub(super) fn push(&mut self, item: u32) {
        if let Some(slot) = self.items.get_mut(self.len) {
            *slot = item;
            self.len += 1;
        }
    }

    /// Returns the orders except one.
    pub(super) fn without(&self, item: u32) -> Members {
        let mut rest = Members::EMPTY;
        self.list()
            .iter()
            .filter(|&&one| one != item)
            .for_each(|&one| rest.push(one));
        rest
    }
}

/// A trip, independent of its courier. Durations are in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trip {
    pub(super) members: Members,
    pub(super) store: u64,
    pub(super) pickup: Point,
    /// The place where the trip ends.
    pub(super) end: Point,
    pub(super) latest_ready: i64,
    earliest_ready: i64,
    pub(super) ready_sum: i64,
    /// Number of orders.
    pub(super) count: i64,
    /// Sum of the orders' detours.
    pub(super) detour: i64,
    /// Duration from the pickup to the end of the trip.
    pub(super) length: i64,
    /// Sum of the orders' loads.
    pub(super) load: Load,
    combinable: bool,
    max_orders: i64,
    stops: usize,
}

impl Trip {
    /// Returns the trip of some orders, or `None` if they cannot share one. A committed trip is
    /// never rejected: `fixed` is true for it.
    pub(super) fn new<T: Fn(Point, Point) -> u32>(
        items: &[Item<'_>],
        members: Members,
        fixed: bool,
        config: &Config,
        travel: &T,
    ) -> Option<Trip> {
        let get = |&item: &u32| {
            usize::try_from(item)
                .ok()
                .and_then(|item| items.get(item))
                .copied()
        };
        let list: Vec<Item<'_>> = members.list().iter().filter_map(get).collect();
        let first = list.first()?;
        let orders: Vec<&TripOrder> = list.iter().map(|item| item.order).collect();
        let ready = || orders.iter().map(|order| order.ready_at);
        let route = best_route(first.pickup, &orders, config, travel)?;
        if !fixed && route.max_detour > i64::from(config.detour_s) {
            return None;
        }
        let max_orders = orders
            .iter()
            .map(|order| i64::from(order.max_orders))
            .min()?;
        Some(Trip {
            members,
            store: first.store,
            pickup: first.pickup,
            end: route.end,
            latest_ready: ready().max()?,
            earliest_ready: ready().min()?,
            ready_sum: ready().sum(),
            count: i64::try_from(orders.len()).ok()?,
            detour: route.detour,
            length: route.length,
            load: orders
                .iter()
                .fold(Load::default(), |sum, order| sum.plus(order.load)),
            combinable: orders.iter().all(|order| order.combinable),
            max_orders: max_orders.clamp(1, i64::try_from(MAX_TRIP_ORDERS).ok()?),
            stops: orders.iter().map(|order| order.stops.len()).sum(),
        })
    }

    /// Returns whether two trips satisfy the limits of a shared trip, except for the detours.
    pub(super) fn can_join(&self, other: &Trip, config: &Config) -> bool {
        let earliest = self.earliest_ready.min(other.earliest_ready);
        let latest = self.latest_ready.max(other.latest_ready);
        self.store == other.store
            && self.pickup == other.pickup
            && self.combinable
            && other.combinable
            && self.count + other.count <= self.max_orders.min(other.max_orders)
            && latest - earliest <= i64::from(config.ready_spread_s)
            && self.stops + other.stops <= MAX_SHARED_STOPS
    }
}

/// Index of a trip in a [`Pool`]. The trip with a single open order has the index of that order.
pub(super) type TripId = u32;

/// All trips of a pass. Each shared trip is computed only once.
#[derive(Default)]
pub(super) struct Pool {
    trips: Vec<Trip>,
    joined: BTreeMap<(TripId, u32), Option<TripId>>,
    reduced: BTreeMap<(TripId, u32), Option<TripId>>,
}

impl Pool {
    pub(super) fn get(&self, id: TripId) -> Option<&Trip> {
        self.trips.get(usize::try_from(id).ok()?)
    }

    pub(super) fn add(&mut self, trip: Trip) -> Option<TripId> {
        let id = TripId::try_from(self.trips.len()).ok()?;
        self.trips.push(trip);
        Some(id)
    }

    /// Returns a trip with one more order, or `None` if the order cannot join it.
    pub(super) fn join<T: Fn(Point, Point) -> u32>(
        &mut self,
        id: TripId,
        order: u32,
        items: &[Item<'_>],
        config: &Config,
        travel: &T,
    ) -> Option<TripId> {
        let (trip, single) = (self.get(id)?, self.get(order)?);
        if !trip.can_join(single, config) {
            return None;
        }
        if let Some(joined) = self.joined.get(&(id, order)) {
            return *joined;
        }
        let mut members = trip.members;
        members.push(order);
        let joined =
            Trip::new(items, members, false, config, travel).and_then(|trip| self.add(trip));
        self.joined.insert((id, order), joined);
        joined
    }

    /// Returns a trip without one of its orders, or `None` if no other order is in it.
    pub(super) fn reduce<T: Fn(Point, Point) -> u32>(
        &mut self,
        id: TripId,
        order: u32,
        items: &[Item<'_>],
        config: &Config,
        travel: &T,
    ) -> Option<TripId> {
        if let Some(reduced) = self.reduced.get(&(id, order)) {
            return *reduced;
        }
        let members = self.get(id)?.members.without(order);
        if members.len == 0 {
            return None;
        }
        let reduced =
            Trip::new(items, members, true, config, travel).and_then(|trip| self.add(trip));
        self.reduced.insert((id, order), reduced);
        reduced
    }
}
