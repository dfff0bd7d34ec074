//! Plans of couriers, and the facts of a pass that they are computed from.

use core::cell::Cell;

use super::{
    Candidate, Parts, Problem,
    trip::{Item, Members, Pool, Trip, TripId},
};
use crate::model::Point;

/// Maximum number of open orders whose trips an order tries to join.
const MAX_PEERS: usize = 50;

/// Maximum time until ready by which leaving an order open becomes cheaper, in seconds.
const MAX_LEAD_S: i64 = 3_600;
/// Number of cached rides for each open order.
const RIDES_PER_ORDER: usize = 64;
/// Maximum number of cached rides, about 1.5 MB.
const MAX_RIDES: usize = 65_536;

/// The cheapest insertion of an order.
pub(super) struct Best {
    /// Cost that it adds, or initially the limit of that cost.
    pub(super) limit: i64,
    /// The courier and its new plan.
    pub(super) found: Option<(usize, Plan)>,
}

/// A trip in a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedTrip {
    pub(super) trip: TripId,
    /// Ride to the pickup in seconds.
    pub(super) ride: i64,
}

/// The plan of a courier: up to two trips. If the courier has a committed trip, it is the first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plan {
    pub(super) first: Option<PlannedTrip>,
    pub(super) second: Option<PlannedTrip>,
    /// Number of open orders.
    pub(super) open_orders: u32,
    /// Additional cost of all pairs, in hundredths of a second.
    pub(super) extra: i64,
    /// Cost of the plan, in hundredths of a second.
    pub(super) cost: i64,
}

/// Trips in sequence, each with the ride to its pickup in seconds.
pub(super) type Trips<'t> = [Option<(TripId, &'t Trip, i64)>; 2];

/// Times of a planned trip.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub(super) starts_at: i64,
    pub(super) picks_up_at: i64,
}

/// A candidate courier for an order.
#[derive(Clone, Copy)]
pub(super) struct Near {
    pub(super) courier: usize,
    /// Additional cost of the pair, in hundredths of a second.
    pub(super) extra: i64,
    /// Ride from the courier's position to the pickup in seconds.
    pub(super) ride: i64,
    /// Cost that the order adds in a trip of its own if there are no other open orders, or the
    /// maximum if it is too late.
    pub(super) single_cost: i64,
}

impl Plan {
    /// Returns the trips of the plan.
    pub(super) fn trips<'t>(&self, pool: &'t Pool) -> Trips<'t> {
        [self.first, self.second]
            .map(|slot| slot.and_then(|slot| Some((slot.trip, pool.get(slot.trip)?, slot.ride))))
    }
}

/// An open order with its trip and couriers.
pub(super) struct Open {
    /// Index of the order and of its trip.
    pub(super) id: TripId,
    /// The trip with this order only.
    pub(super) trip: Trip,
    /// Candidate couriers by their cost.
    pub(super) near: Vec<Near>,
    /// Courier and index in `near`, sorted.
    by_courier: Vec<(usize, usize)>,
    /// Couriers with a committed trip that the order can join.
    pub(super) growable: Vec<usize>,
    /// Other open orders that can share its trip.
    pub(super) peers: Vec<usize>,
    /// Cost of leaving the order open.
    pub(super) open_cost: i64,
}

impl Open {
    /// Returns an upper bound of the difference between leaving the order open and planning it.
    pub(super) fn max_saving(&self) -> i64 {
        if !self.peers.is_empty() || !self.growable.is_empty() {
            return self.open_cost;
        }
        self.near.first().map_or(0, |near| {
            self.open_cost.saturating_sub(near.single_cost).max(0)
        })
    }

    /// Returns a candidate courier.
    pub(super) fn near_courier(&self, courier: usize) -> Option<&Near> {
        let at = self
            .by_courier
            .binary_search_by_key(&courier, |&(courier, _)| courier)
            .ok()?;
        self.near.get(self.by_courier.get(at)?.1)
    }
}

/// The facts of a pass.
pub(super) struct Facts<'a, T: Fn(Point, Point) -> u32> {
    pub(super) problem: &'a Problem<'a, T>,
    /// Open orders, then committed orders.
    pub(super) items: Vec<Item<'a>>,
    /// The open orders.
    pub(super) open: Vec<Open>,
    /// Plan of each courier without any open order: its committed trip, if any.
    pub(super) bases: Vec<Plan>,
    /// Recent rides by a hash of their points.
    rides: Vec<Cell<(Point, Point, i64)>>,
}

impl<'a, T: Fn(Point, Point) -> u32> Facts<'a, T> {
    /// Returns the facts of a pass and the trips of single orders and of couriers.
    pub(super) fn new(problem: &'a Problem<'a, T>) -> (Facts<'a, T>, Pool) {
        let orders = problem.orders.iter();
        let items = orders
            .map(|open| Item {
                store: open.store,
                pickup: open.pickup,
                order: &open.order,
            })
            .collect();
        let unused = Point {
            lat_e7: 0,
            lon_e7: 0,
        };
        let cells = (problem.orders.len() * RIDES_PER_ORDER)
            .clamp(1, MAX_RIDES)
            .next_power_of_two();
        let rides = vec![Cell::new((unused, unused, 0)); cells];
        let mut facts = Facts {
            problem,
            items,
            open: Vec::new(),
            bases: Vec::new(),
            rides,
        };
        let mut pool = Pool::default();
        for order in 0..problem.orders.len() {
            let members = Members::one(u32::try_from(order).unwrap_or(u32::MAX));
            if let Some(trip) =
                Trip::new(&facts.items, members, true, problem.config, &problem.travel)
            {
                pool.add(trip);
            }
        }
        let bases = problem
            .couriers
            .iter()
            .map(|courier| facts.base(courier, &mut pool))
            .collect();
        facts.bases = bases;
        facts.open = (0..problem.orders.len())
            .filter_map(|order| facts.open_order(order, &pool))
            .collect();
        facts.set_peers();
        (facts, pool)
    }

    /// Returns the plan of a courier without open orders.
    fn base(&mut self, courier: &'a Candidate, pool: &mut Pool) -> Plan {
        let mut plan = Plan::default();
        let Some(committed) = &courier.trip else {
            return plan;
        };
        let mut members = Members::EMPTY;
        for order in &committed.orders {
            let item = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
            self.items.push(Item {
                store: committed.store,
                pickup: committed.pickup,
                order,
            });
            members.push(item);
        }
        let trip = Trip::new(
            &self.items,
            members,
            true,
            self.problem.config,
            &self.problem.travel,
        );
        plan.first = trip
            .and_then(|trip| pool.add(trip))
            .map(|trip| PlannedTrip { trip, ride: 0 });
        plan.cost = self.price(courier, &plan, pool).total();
        plan
    }

    fn open_order(&self, order: usize, pool: &Pool) -> Option<Open> {
        let open = self.problem.orders.get(order)?;
        let config = self.problem.config;
        let weights = &config.weights;
        let id = TripId::try_from(order).ok()?;
        let trip = *pool.get(id)?;
        let age =
            (self.problem.now - open.order.ready_at).max(-MAX_LEAD_S) * i64::from(weights.open_age);
        let own = trip.length * i64::from(weights.length);
        let open_cost = i64::from(weights.open_s) * 100 + age + own;
        let (near, by_courier, growable, peers) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut result = Open {
            id,
            trip,
            near,
            by_courier,
            growable,
            peers,
            open_cost,
        };
        result.near = open
            .near
            .iter()
            .filter_map(|&(courier, extra)| self.near(&result, courier, extra, pool))
            .collect();
        let key = |near: &Near| (near.single_cost, near.ride, near.courier);
        result.near.sort_unstable_by_key(key);
        result.by_courier = result
            .near
            .iter()
            .enumerate()
            .map(|(at, near)| (near.courier, at))
            .collect();
        result.by_courier.sort_unstable();
        let growable = |courier: &usize| {
            let base = self.bases.get(*courier).and_then(|base| base.first);
            base.and_then(|base| pool.get(base.trip))
                .is_some_and(|base| base.can_join(&trip, config))
        };
        result.growable = result
            .near
            .iter()
            .map(|near| near.courier)
            .filter(growable)
            .collect();
        Some(result)
    }

    /// Sets the peers of all open orders.
    fn set_peers(&mut self) {
        let mut by_store: Vec<(u64, usize)> = self
            .open
            .iter()
            .enumerate()
            .map(|(order, open)| (open.trip.store, order))
            .collect();
        by_store.sort_unstable();
        let trips: Vec<Trip> = self.open.iter().map(|open| open.trip).collect();
        for group in by_store.chunk_by(|a, b| a.0 == b.0) {
            for &(_, order) in group {
                let Some(open) = self.open.get_mut(order) else {
                    continue;
                };
                let can_join = |other: usize| {
                    trips
                        .get(other)
                        .is_some_and(|trip| trip.can_join(&open.trip, self.problem.config))
                };
                let others = group.iter().map(|&(_, other)| other);
                open.peers = others
                    .filter(|&other| other != order && can_join(other))
                    .take(MAX_PEERS)
                    .collect();
            }
        }
    }

    /// Returns a candidate courier of an order.
    fn near(&self, open: &Open, courier: usize, extra_s: u32, pool: &Pool) -> Option<Near> {
        let candidate = self.problem.couriers.get(courier)?;
        let ride = self.ride(candidate.point, open.trip.pickup);
        let extra = i64::from(extra_s) * 100;
        let mut near = Near {
            courier,
            extra,
            ride,
            single_cost: i64::MAX,
        };
        let mut best = Best {
            limit: i64::MAX / 2,
            found: None,
        };
        self.add_trip(open, &near, self.bases.get(courier)?, pool, &mut best);
        if best.found.is_some() {
            near.single_cost = best.limit;
        }
        Some(near)
    }

    pub(super) fn half_pickup(&self) -> i64 {
        i64::from(self.problem.config.pickup_service_s / 2)
    }

    /// Returns the start of a courier's next ride.
    pub(super) fn start(&self, candidate: &Candidate) -> i64 {
        candidate.free_at.max(self.problem.now)
    }

    /// Returns the ride between two points in seconds. Recent rides are cached.
    pub(super) fn ride(&self, from: Point, to: Point) -> i64 {
        if from == to {
            return 0;
        }
        let hash = [from.lat_e7, from.lon_e7, to.lat_e7, to.lon_e7]
            .into_iter()
            .fold(0_u32, |hash, value| {
                (hash.rotate_left(5) ^ value.cast_unsigned()).wrapping_mul(0x9E37_79B9)
            });
        let travel = || i64::from((self.problem.travel)(from, to));
        let mask = self.rides.len().saturating_sub(1);
        let at = usize::try_from(hash >> 8).unwrap_or(0) & mask;
        let Some(cell) = self.rides.get(at) else {
            return travel();
        };
        let (start, end, ride) = cell.get();
        if (start, end) == (from, to) {
            return ride;
        }
        let ride = travel();
        cell.set((from, to, ride));
        ride
    }

    /// Returns the times of a plan's trips.
    pub(super) fn times(&self, courier: &Candidate, trips: Trips<'_>) -> [Option<Times>; 2] {
        let mut starts_at = self.start(courier);
        let mut times = [None; 2];
        for (slot, (position, planned)) in times.iter_mut().zip(trips.into_iter().enumerate()) {
            let Some((_, trip, ride)) = planned else {
                break;
            };
            let picks_up_at = self.pickup_time(courier, position, starts_at, trip, ride);
            *slot = Some(Times {
                starts_at,
                picks_up_at,
            });
            starts_at = picks_up_at + trip.length;
        }
        times
    }

    /// Returns the pickup time of a trip.
    fn pickup_time(
        &self,
        courier: &Candidate,
        position: usize,
        starts_at: i64,
        trip: &Trip,
        ride: i64,
    ) -> i64 {
        let arrival = match &courier.trip {
            Some(open) if position == 0 => {
                (open.arrives_at + self.half_pickup()).max(self.problem.now)
            }
            _ => starts_at + ride + self.half_pickup(),
        };
        arrival.max(trip.latest_ready)
    }

    /// Returns the cost of a plan by its parts, or `None` if a pickup is after the end of the
    /// shift.
    pub(super) fn parts(&self, courier: &Candidate, trips: Trips<'_>, extra: i64) -> Option<Parts> {
        let (parts, feasible) = self.price_trips(courier, trips, extra);
        feasible.then_some(parts)
    }

    /// Returns the cost of a plan by its parts.
    pub(super) fn price(&self, courier: &Candidate, plan: &Plan, pool: &Pool) -> Parts {
        self.price_trips(courier, plan.trips(pool), plan.extra).0
    }

    /// Returns the cost of trips by its parts, and whether all pickups are before the end of the
    /// shift.
    fn price_trips(&self, courier: &Candidate, trips: Trips<'_>, extra: i64) -> (Parts, bool) {
        let weights = &self.problem.config.weights;
        let mut starts_at = self.start(courier);
        let mut parts = Parts {
            reoffer: extra,
            ..Parts::default()
        };
        let (mut orders, mut feasible) = (0, true);
        for (position, slot) in trips.into_iter().enumerate() {
            let Some((_, trip, ride)) = slot else { break };
            let committed = position == 0 && courier.trip.is_some();
            let pick = self.pickup_time(courier, position, starts_at, trip, ride);
            let too_late = courier.until.is_some_and(|until| pick > until);
            feasible &= !too_late || (committed && self.is_unavoidable(courier, pick));
            let wait = pick * trip.count - trip.ready_sum;
            parts.lateness += (wait + trip.detour) * i64::from(weights.lateness);
            parts.wait += wait * i64::from(weights.wait);
            if !committed {
                parts.start += (starts_at - self.problem.now) * i64::from(weights.start);
                if position == 0 {
                    parts.remoteness -=
                        i64::from(courier.remoteness_s) * i64::from(weights.remoteness);
                }
                parts.ride += ride * i64::from(weights.ride);
            }
            parts.length += trip.length * i64::from(weights.length);
            orders += trip.count;
            starts_at = pick + trip.length;
        }
        let committed = courier.trip.as_ref().map_or(0, |trip| trip.orders.len());
        let paid = i64::from(courier.guaranteed) + i64::try_from(committed).unwrap_or(0);
        parts.guarantee = (orders - paid).max(0) * i64::from(weights.guarantee_s) * 100;
        (parts, feasible)
    }

    /// Returns whether a committed trip's pickup is not later than without further orders.
    fn is_unavoidable(&self, courier: &Candidate, pick: i64) -> bool {
        let Some(open) = &courier.trip else {
            return false;
        };
        let ready = open
            .orders
            .iter()
            .map(|order| order.ready_at)
            .max()
            .unwrap_or(0);
        pick <= (open.arrives_at + self.half_pickup())
            .max(self.problem.now)
            .max(ready)
    }
}
