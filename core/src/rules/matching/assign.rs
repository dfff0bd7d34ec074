//! Matching of searching orders and couriers: the facts that the engine needs, and its decisions
//! about orders.

use std::collections::BTreeMap;

use super::{
    Dispatch,
    engine::{
        self, Candidate as EngineCourier, OpenOrder, OpenTrip, Parts, Problem, Reason,
        TripOrder as EngineOrder,
    },
    nearby::CourierIndex,
};
use crate::{
    geo::leg_over,
    model::{
        CourierId, Duration, Load, Misfit, Point, Timestamp,
        courier::{Candidate, Courier, Shift},
        order::{AssignmentCost, ConsideredCourier, DeliveryStatus, Order, OrderStatus},
    },
    rules::{
        cash,
        lifecycle::{Timing, next_deadline},
        trips::{Durations, TripPlan},
    },
};

/// Number of idle couriers that an order is matched with: the nearest ones.
const NEAR_IDLE: usize = 40;
/// Number of couriers who will be free soon that an order is matched with. They are searched
/// separately, so that they never hide idle ones.
const NEAR_BUSY: usize = 20;
/// Maximum number of couriers in an explanation that were left out.
const MAX_EXCLUDED: usize = 5;
/// Maximum number of pickups to which a courier's remoteness is measured.
const MAX_DEMAND: usize = 30;
/// Number of orders that a courier's hourly guarantee pays per 100 hours.
const GUARANTEED_PER_100_H: i64 = 150;

/// What a pass knows about a courier with a shift or a trip.
#[derive(Clone, Debug)]
pub enum Assessed {
    /// The courier is free within the horizon.
    Available(Available),
    /// The courier is stuck, at this place.
    Stuck(Candidate),
    /// The courier is not free within the horizon, or off duty.
    NotSoon,
}

/// The reason why a courier in reach is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclusion {
    /// The courier cannot carry the order.
    Misfit(Misfit),
    /// The order is paid in cash, and the courier would have more in hand than the limit.
    CashLimit,
    /// The courier is stuck on a trip.
    Stuck,
}

/// A courier who is free, or will be free soon.
#[derive(Clone, Debug)]
pub struct Available {
    /// The courier, at the place where the next trip can start.
    candidate: Candidate,
    /// The facts for the engine.
    facts: EngineCourier,
    /// The pickup of the current trip.
    pickup: Option<Point>,
}

/// A decision about a searching order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Why the order stays open. `None` if a courier is assigned now.
    pub open: Option<OpenReason>,
    /// The assigned or planned courier.
    pub assignment: Option<PlannedAssignment>,
    /// The couriers with the lowest costs for the order by itself, cheapest first.
    pub considered: Vec<ConsideredCourier>,
    /// The nearest couriers in reach that were left out, at most `MAX_EXCLUDED`. Empty without an
    /// explanation.
    pub excluded: Vec<(CourierId, Exclusion)>,
}

/// The planned courier of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedAssignment {
    /// The courier.
    pub courier: CourierId,
    /// Number of orders in the trip, with this one.
    pub orders: u32,
    /// The cost that the order adds.
    pub cost: AssignmentCost,
}

/// The reason why an order stays open until a later pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenReason {
    /// The planned courier can still be sent in a later pass without loss.
    CanWait,
    /// The planned courier is not free yet.
    CourierBusy,
    /// The couriers in reach are planned for other orders.
    OthersFirst,
    /// No courier is in reach.
    NoCourier,
}

/// The facts of a pass besides its orders and couriers.
#[derive(Debug)]
pub struct Pass<'a, T> {
    /// The configuration.
    pub config: &'a Dispatch,
    /// The timeouts of orders.
    pub timing: &'a Timing,
    /// The usual durations of couriers' waits.
    pub durations: &'a Durations,
    /// Returns the travel time between two points in seconds.
    pub travel: &'a T,
    /// The current time.
    pub now: Timestamp,
}

impl Available {
    /// Returns a courier who is free at any time.
    pub fn free(candidate: Candidate, now: Timestamp) -> Available {
        let facts = EngineCourier {
            point: candidate.point,
            free_at: seconds(now),
            idle: true,
            until: None,
            guaranteed: u32::MAX,
            remoteness_s: 0,
            max_load: candidate.capacity.max,
            trip: None,
        };
        Available {
            candidate,
            facts,
            pickup: None,
        }
    }

    /// Assesses a courier with a shift or a trip.
    pub fn of<T: Fn(Point, Point) -> u32>(
        candidate: Candidate,
        courier: &Courier,
        orders: &[Order],
        pass: &Pass<'_, T>,
    ) -> Assessed {
        let until = courier.shift.and_then(|shift| shift.until);
        if !courier.is_candidate()
            || until.is_some_and(|until| until < pass.now)
            || orders.len() != courier.trip.len()
        {
            return Assessed::NotSoon;
        }
        let candidate = Candidate {
            capacity: courier.capacity(),
            ..candidate
        };
        let mut available = Available::free(candidate, pass.now);
        let facts = &mut available.facts;
        facts.until = until.map(seconds);
        facts.guaranteed = courier.shift.map_or(u32::MAX, |shift| guaranteed(&shift));
        let mut free_at = courier
            .shift
            .map_or(pass.now, |shift| shift.from.max(pass.now));
        if !orders.is_empty() {
            let refs: Vec<&Order> = orders.iter().collect();
            let plan = TripPlan::of(
                courier,
                &refs,
                pass.durations,
                pass.config,
                pass.travel,
                pass.now,
            );
            if plan.step.is_some_and(|step| step.is_stuck(pass.config)) {
                return Assessed::Stuck(candidate);
            }
            match plan
                .arrives_at
                .filter(|_| orders.iter().all(|order| order.status.is_before_pickup()))
            {
                Some(arrives_at) => facts.trip = open_trip(orders, arrives_at, pass.config),
                None => {
                    free_at = free_at.max(plan.free_at);
                    facts.point = plan.end;
                }
            }
        }
        available.pickup = orders.first().map(|order| order.pickup.located.point);
        facts.free_at = seconds(free_at);
        facts.idle = orders.is_empty() && free_at <= pass.now;
        (available.candidate.point, available.candidate.is_free) = (facts.point, facts.idle);
        if free_at > pass.now.after(pass.config.horizon()) {
            return Assessed::NotSoon;
        }
        Assessed::Available(available)
    }
}

/// Returns the searching orders' decisions, in their sequence. Orders that are not searching have
/// none.
///
/// An order is matched with the nearest couriers within the radius, at the place where they will be
/// free, and with couriers on the way to its pickup. Sandbox couriers carry only the orders of
/// sandbox stores. An order is offered to a released courier again only after a while and at a
/// higher cost, so any other courier is preferred.
///
/// Orders that have waited to their limit come first: they are matched by themselves with the
/// couriers who can leave at once, until no such courier is left for them.
///
/// With `stuck`, the stuck couriers, the decisions have an explanation.
pub fn decide<T: Fn(Point, Point) -> u32>(
    orders: &[Order],
    couriers: &[Available],
    pass: &Pass<'_, T>,
    stuck: Option<&[Candidate]>,
) -> Vec<Option<Decision>> {
    let places = places(couriers);
    let index = Couriers::new(couriers, &places);
    let demand = demand(orders, couriers);
    let with_remoteness = |courier: &Available| EngineCourier {
        remoteness_s: mean_travel(courier.facts.point, &demand, pass.travel),
        ..courier.facts.clone()
    };
    let facts: Vec<EngineCourier> = couriers.iter().map(with_remoteness).collect();
    let searching: Vec<usize> = (0..orders.len())
        .filter(|at| {
            orders
                .get(*at)
                .is_some_and(|order| is_searching(order, pass))
        })
        .collect();
    let open = searching
        .iter()
        .filter_map(|at| orders.get(*at))
        .map(|order| OpenOrder {
            store: order.store.get(),
            pickup: order.pickup.located.point,
            order: engine_order(order, pass.config),
            near: near(order, &index, pass),
        });
    let matching = Matching {
        facts: &facts,
        open: open.collect(),
        pass,
        explain: stuck.is_some(),
    };
    let stuck = stuck.map(CourierIndex::new);
    let decided = matching.decide(|at| searching.get(at).and_then(|at| orders.get(*at)));
    let mut decisions: Vec<Option<Decision>> = orders.iter().map(|_| None).collect();
    for (
        at,
        engine::Explained {
            decision,
            considered,
        },
    ) in searching.iter().zip(&decided)
    {
        let view = |(at, parts): &(usize, Parts)| {
            Some(ConsideredCourier {
                courier: places.get(*at)?.id,
                cost: (*parts).into(),
            })
        };
        let considered = considered.iter().filter_map(view).collect();
        let (open, planned) = match decision {
            engine::Decision::Commit { courier, parts, .. } => (None, Some((*courier, *parts))),
            engine::Decision::Open { best, reason } => (
                Some(open_reason(reason)),
                best.as_ref().map(|best| (best.courier, best.parts)),
            ),
        };
        let assignment = planned.and_then(|(courier, parts)| {
            let carried = facts
                .get(courier)
                .and_then(|facts| Some(facts.trip.as_ref()?.orders.len()));
            let joined = decided
                .iter()
                .filter(|other| committed(other) == Some(courier))
                .count()
                .max(1);
            // The reason is given only if the order does not join the trip under way.
            let count = if open == Some(OpenReason::CourierBusy) {
                1
            } else {
                carried.unwrap_or(0) + joined
            };
            let orders = u32::try_from(count).unwrap_or(u32::MAX);
            Some(PlannedAssignment {
                courier: places.get(courier)?.id,
                orders,
                cost: parts.into(),
            })
        });
        if let Some(slot) = decisions.get_mut(*at) {
            let excluded = orders
                .get(*at)
                .zip(stuck.as_ref())
                .map(|(order, stuck)| excluded(order, &index, stuck, pass))
                .unwrap_or_default();
            *slot = Some(Decision {
                open,
                assignment,
                considered,
                excluded,
            });
        }
    }
    decisions
}

/// Maximum number of rounds in which the orders at their limit are matched. Each round but the last
/// assigns an order.
const MAX_ROUNDS: usize = 16;

/// The orders of a pass with the couriers that are near to each.
struct Matching<'a, 'p, T> {
    facts: &'a [EngineCourier],
    open: Vec<OpenOrder>,
    pass: &'a Pass<'p, T>,
    explain: bool,
}

impl<T: Fn(Point, Point) -> u32> Matching<'_, '_, T> {
    /// Returns the decisions about the open orders. `order` returns an order by its index.
    fn decide<'o>(mut self, order: impl Fn(usize) -> Option<&'o Order>) -> Vec<engine::Explained> {
        let at_limit =
            |(at, open): (usize, &OpenOrder)| self.has_waited(order(at)?, open).then_some(at);
        let mut waiting: Vec<usize> = self.open.iter().enumerate().filter_map(at_limit).collect();
        let mut decided: BTreeMap<usize, engine::Explained> = BTreeMap::new();
        // Orders at their limit choose first, among the couriers who can leave at once. An assigned
        // courier is lost to the others, whose best courier can then be another: hence the rounds.
        for _ in 0..MAX_ROUNDS {
            let leaving = |open: &OpenOrder| {
                let can_leave = |near: &&(usize, u32)| {
                    self.facts
                        .get(near.0)
                        .is_some_and(|courier| courier.idle || courier.trip.is_some())
                };
                OpenOrder {
                    near: open.near.iter().filter(can_leave).copied().collect(),
                    ..open.clone()
                }
            };
            let open: Vec<OpenOrder> = waiting
                .iter()
                .filter_map(|at| self.open.get(*at))
                .map(leaving)
                .collect();
            if open.iter().all(|open| open.near.is_empty()) {
                break;
            }
            let found = self
                .match_orders(&open)
                .into_iter()
                .map(|one| self.at_once(one));
            let assigned: Vec<(usize, engine::Explained)> = waiting
                .iter()
                .copied()
                .zip(found)
                .filter(|(_, one)| committed(one).is_some())
                .collect();
            if assigned.is_empty() {
                break;
            }
            let taken: Vec<usize> = assigned
                .iter()
                .filter_map(|(_, one)| committed(one))
                .collect();
            self.open
                .iter_mut()
                .for_each(|open| open.near.retain(|(courier, _)| !taken.contains(courier)));
            decided.extend(assigned);
            waiting.retain(|at| !decided.contains_key(at));
        }
        // All other orders are matched together, with the couriers that are left.
        let rest: Vec<usize> = (0..self.open.len())
            .filter(|at| !decided.contains_key(at))
            .collect();
        let open: Vec<OpenOrder> = rest
            .iter()
            .filter_map(|at| self.open.get(*at))
            .cloned()
            .collect();
        decided.extend(rest.into_iter().zip(self.match_orders(&open)));
        decided.into_values().collect()
    }

    /// Returns whether an order has waited as long as an idle courier in reach would have taken to
    /// its pickup, or as long as the setting allows. It then takes the best courier who can leave
    /// at once.
    fn has_waited(&self, order: &Order, open: &OpenOrder) -> bool {
        let idle = open
            .near
            .iter()
            .filter_map(|(courier, _)| self.facts.get(*courier))
            .filter(|one| one.idle);
        let travel = idle
            .map(|courier| (self.pass.travel)(courier.point, open.pickup))
            .min();
        let since = order.status_received().max(order.ready_at);
        travel.is_some_and(|seconds| {
            let limit = Duration::seconds(seconds.into()).min(self.pass.config.wait_limit());
            self.pass.now.since(since) > limit
        })
    }

    fn match_orders(&self, orders: &[OpenOrder]) -> Vec<engine::Explained> {
        let (now, config) = (seconds(self.pass.now), self.pass.config.engine());
        let problem = Problem {
            now,
            couriers: self.facts,
            orders,
            config: &config,
            travel: self.pass.travel,
        };
        engine::decide(&problem, self.explain)
    }

    /// Assigns an order now if its courier can leave at once, instead of in a later pass.
    fn at_once(&self, explained: engine::Explained) -> engine::Explained {
        let engine::Decision::Open {
            best: Some(best),
            reason: Reason::CanWait { .. },
        } = &explained.decision
        else {
            return explained;
        };
        let joins = self
            .facts
            .get(best.courier)
            .is_some_and(|courier| courier.trip.is_some());
        let decision = engine::Decision::Commit {
            courier: best.courier,
            joins,
            parts: best.parts,
        };
        engine::Explained {
            decision,
            ..explained
        }
    }
}

/// Returns the courier to whom an order is assigned now.
fn committed(explained: &engine::Explained) -> Option<usize> {
    match explained.decision {
        engine::Decision::Commit { courier, .. } => Some(courier),
        engine::Decision::Open { .. } => None,
    }
}

/// Returns where orders come from now: the pickups of the searching orders and of the trips.
fn demand(orders: &[Order], couriers: &[Available]) -> Vec<Point> {
    let key = |point: Point| (point.lat_e7, point.lon_e7);
    let pickups = orders
        .iter()
        .map(|order| order.pickup.located.point)
        .chain(couriers.iter().filter_map(|one| one.pickup));
    let mut distinct: BTreeMap<(i32, i32), Point> = BTreeMap::new();
    distinct.extend(pickups.map(|point| (key(point), point)));
    // Evenly spread over the sorted pickups, so that the sample covers the area.
    let step = distinct.len().div_ceil(MAX_DEMAND).max(1);
    distinct.into_values().step_by(step).collect()
}

/// Returns the mean travel time from a place to others in seconds, or 0 without any.
fn mean_travel(from: Point, to: &[Point], travel: &impl Fn(Point, Point) -> u32) -> u32 {
    let sum: u64 = to.iter().map(|point| u64::from(travel(from, *point))).sum();
    u32::try_from(sum / to.len().max(1) as u64).unwrap_or(u32::MAX)
}

/// The couriers of a pass, by place and by the pickup of their trip.
pub(crate) struct Couriers<'a> {
    list: &'a [Available],
    places: &'a [Candidate],
    idle: CourierIndex<'a>,
    busy: CourierIndex<'a>,
    /// Couriers whose trip can take more orders, by the coordinates of its pickup.
    joinable: BTreeMap<(i32, i32), Vec<usize>>,
}

/// Returns the place of each courier.
pub(crate) fn places(couriers: &[Available]) -> Vec<Candidate> {
    couriers.iter().map(|courier| courier.candidate).collect()
}

impl<'a> Couriers<'a> {
    /// Indexes couriers. `places` are their places.
    pub(crate) fn new(list: &'a [Available], places: &'a [Candidate]) -> Couriers<'a> {
        let mut joinable: BTreeMap<(i32, i32), Vec<usize>> = BTreeMap::new();
        for (at, courier) in list.iter().enumerate() {
            if let Some(trip) = &courier.facts.trip {
                joinable
                    .entry((trip.pickup.lat_e7, trip.pickup.lon_e7))
                    .or_default()
                    .push(at);
            }
        }
        let idle = CourierIndex::of(places, |courier| courier.is_free);
        let busy = CourierIndex::of(places, |courier| !courier.is_free);
        Couriers {
            list,
            places,
            idle,
            busy,
            joinable,
        }
    }

    /// Returns the couriers whose trip from this pickup can take more orders.
    fn joinable(&self, pickup: Point) -> impl Iterator<Item = (usize, &Available)> {
        let found = self.joinable.get(&(pickup.lat_e7, pickup.lon_e7));
        found
            .into_iter()
            .flatten()
            .filter_map(|at| Some((*at, self.list.get(*at)?)))
    }

    /// Returns whether a courier is within the radius or on the way to the pickup.
    pub(crate) fn reaches(&self, pickup: Point, sandbox: bool, config: &Dispatch) -> bool {
        let is_near = |index: &CourierIndex<'_>| {
            index.has_within(pickup, config.radius_m(), |courier| {
                courier.sandbox == sandbox
            })
        };
        is_near(&self.idle)
            || is_near(&self.busy)
            || self
                .joinable(pickup)
                .any(|(_, courier)| courier.candidate.sandbox == sandbox)
    }
}

fn seconds(at: Timestamp) -> i64 {
    at.millis().div_euclid(1_000)
}

/// Returns the number of further orders of a shift that its hourly guarantee pays.
fn guaranteed(shift: &Shift) -> u32 {
    let Some(until) = shift.until else {
        return u32::MAX;
    };
    let paid = until.since(shift.from).as_millis() * GUARANTEED_PER_100_H / (3_600_000 * 100);
    u32::try_from(paid)
        .unwrap_or(0)
        .saturating_sub(shift.orders)
}

fn open_trip(orders: &[Order], arrives_at: Timestamp, config: &Dispatch) -> Option<OpenTrip> {
    let first = orders.first()?;
    Some(OpenTrip {
        store: first.store.get(),
        pickup: first.pickup.located.point,
        arrives_at: seconds(arrives_at),
        orders: orders
            .iter()
            .map(|order| engine_order(order, config))
            .collect(),
    })
}

fn engine_order(order: &Order, config: &Dispatch) -> EngineOrder {
    let open = order
        .deliveries
        .iter()
        .filter(|delivery| delivery.status == DeliveryStatus::AwaitingPickup);
    EngineOrder {
        ready_at: seconds(order.ready_at),
        stops: open.map(|delivery| delivery.place.located.point).collect(),
        returns: order.return_leg.is_some(),
        combinable: order.dispatch.combinable,
        max_orders: order.max_orders(config.orders_per_trip),
        load: order.requirements.load(),
    }
}

/// Returns whether the order is searching and its search has not timed out.
fn is_searching<T>(order: &Order, pass: &Pass<'_, T>) -> bool {
    order.status == OrderStatus::Searching
        && next_deadline(order, pass.timing).is_none_or(|end| end > pass.now)
}

/// Returns the couriers for an order, each by index and with its additional cost in seconds.
fn near<T>(order: &Order, couriers: &Couriers<'_>, pass: &Pass<'_, T>) -> Vec<(usize, u32)> {
    let (pickup, radius_m) = (order.pickup.located.point, pass.config.radius_m());
    let waited = pass.now.since(order.status_received().max(order.ready_at));
    let reoffer =
        (waited >= pass.config.reoffer_after()).then(|| leg_over(radius_m).seconds.max(1));
    let extra = |courier: &Candidate| {
        if order.released.contains(&courier.id) {
            reoffer
        } else {
            Some(0)
        }
    };
    let fits = |courier: &Candidate| {
        courier.sandbox == order.sandbox
            && obstacle(courier, order).is_none()
            && extra(courier).is_some()
    };
    let nearest = |index: &CourierIndex<'_>, count: usize| {
        let mut nearest = index.nearest(pickup, radius_m, count, fits);
        nearest.sort_unstable();
        nearest.truncate(count);
        nearest
    };
    let joined = couriers
        .joinable(pickup)
        .filter(|(_, courier)| fits(&courier.candidate))
        .map(|(at, _)| at);
    let nearest = nearest(&couriers.idle, NEAR_IDLE)
        .into_iter()
        .chain(nearest(&couriers.busy, NEAR_BUSY));
    let mut found: Vec<usize> = nearest.map(|(_, at)| at).chain(joined).collect();
    found.sort_unstable();
    found.dedup();
    found
        .into_iter()
        .filter_map(|at| Some((at, couriers.places.get(at).and_then(extra)?)))
        .collect()
}

/// Returns why a courier without a load cannot carry an order.
fn obstacle(courier: &Candidate, order: &Order) -> Option<Exclusion> {
    let misfit = courier
        .capacity
        .misfit(&order.requirements, Load::default());
    let is_above = || cash::exceeds(order, courier.cash_room).then_some(Exclusion::CashLimit);
    misfit.map(Exclusion::Misfit).or_else(is_above)
}

/// Returns the nearest couriers in reach that cannot carry the order, or are stuck.
fn excluded<T>(
    order: &Order,
    couriers: &Couriers<'_>,
    stuck: &CourierIndex<'_>,
    pass: &Pass<'_, T>,
) -> Vec<(CourierId, Exclusion)> {
    let misfit = |courier: &Candidate| obstacle(courier, order);
    let (pickup, radius_m) = (order.pickup.located.point, pass.config.radius_m());
    let nearest = |index: &CourierIndex<'_>, why: &dyn Fn(&Candidate) -> Option<Exclusion>| {
        let is_out =
            |courier: &Candidate| courier.sandbox == order.sandbox && why(courier).is_some();
        index
            .nearest(pickup, radius_m, MAX_EXCLUDED, is_out)
            .into_iter()
            .filter_map(|(distance_m, at)| {
                let courier = index.get(at)?;
                Some((distance_m, courier.id, why(courier)?))
            })
            .collect::<Vec<_>>()
    };
    let mut found = nearest(&couriers.idle, &misfit);
    found.extend(nearest(&couriers.busy, &misfit));
    found.extend(nearest(stuck, &|courier| {
        Some(misfit(courier).unwrap_or(Exclusion::Stuck))
    }));
    found.sort_unstable_by_key(|(distance_m, id, _)| (*distance_m, *id));
    found.truncate(MAX_EXCLUDED);
    found.into_iter().map(|(_, id, why)| (id, why)).collect()
}

impl Exclusion {
    /// Returns the name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Exclusion::Misfit(misfit) => misfit.name(),
            Exclusion::CashLimit => "CASH_LIMIT",
            Exclusion::Stuck => "STUCK",
        }
    }
}

fn open_reason(reason: &Reason) -> OpenReason {
    match reason {
        Reason::CanWait { .. } => OpenReason::CanWait,
        Reason::CourierBusyUntil { .. } => OpenReason::CourierBusy,
        Reason::NoCourierInReach | Reason::ShiftsEnd | Reason::TooCostly => OpenReason::NoCourier,
        Reason::OutbidByOthers => OpenReason::OthersFirst,
    }
}

impl From<Parts> for AssignmentCost {
    fn from(parts: Parts) -> AssignmentCost {
        let Parts {
            lateness,
            wait,
            start,
            ride,
            length,
            remoteness,
            guarantee,
            reoffer,
        } = parts;
        AssignmentCost {
            lateness,
            wait,
            start,
            travel: ride,
            length,
            remoteness,
            guarantee,
            reoffer,
        }
    }
}
