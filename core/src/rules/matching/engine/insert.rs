//! Insertion of orders into plans and their removal.

use super::{
    Candidate,
    plan::{Best, Facts, Near, Open, Plan, PlannedTrip, Trips},
    trip::{Pool, TripId},
};
use crate::model::Point;

/// A previous value, for undoing changes.
enum Previous {
    Plan(usize, Plan),
    Assigned(usize, Option<usize>),
}

/// The plans of all couriers during the search.
pub(super) struct Plans<'f, 'a, T: Fn(Point, Point) -> u32> {
    pub(super) facts: &'f Facts<'a, T>,
    pub(super) plans: Vec<Plan>,
    /// Planned courier of each open order.
    pub(super) assigned: Vec<Option<usize>>,
    /// Cost of all plans and of the orders without a courier.
    pub(super) total: i64,
    /// Number of tried pairs of an order and a courier.
    pub(super) trials: u64,
    pub(super) pool: Pool,
    undo_log: Vec<Previous>,
}

impl<'f, 'a, T: Fn(Point, Point) -> u32> Plans<'f, 'a, T> {
    /// Creates plans without open orders.
    pub(super) fn new(facts: &'f Facts<'a, T>, pool: Pool) -> Plans<'f, 'a, T> {
        let plans = facts.bases.clone();
        let total = plans.iter().map(|plan| plan.cost).sum::<i64>()
            + facts.open.iter().map(|open| open.open_cost).sum::<i64>();
        let assigned = vec![None; facts.open.len()];
        Plans {
            facts,
            plans,
            assigned,
            total,
            trials: 0,
            pool,
            undo_log: Vec::new(),
        }
    }

    /// Inserts an order at the lowest additional cost, or leaves it open if that costs less.
    pub(super) fn insert(&mut self, order: usize) {
        let Some(open) = self.facts.open.get(order) else {
            return;
        };
        if self.assigned.get(order).is_some_and(Option::is_some) {
            return;
        }
        let mut best = Best {
            limit: open.open_cost,
            found: None,
        };
        self.try_joining(open, &mut best);
        for near in &open.near {
            // Other orders in a plan never make the trip cheaper, so the search ends at a plan
            // without open orders.
            if near.single_cost >= best.limit {
                break;
            }
            self.trials += 1;
            let Some(before) = self.plans.get(near.courier) else {
                continue;
            };
            self.facts
                .add_trip(open, near, before, &self.pool, &mut best);
            if before.open_orders == 0 {
                break;
            }
        }
        let (limit, Some((courier, plan))) = (best.limit, best.found) else {
            return;
        };
        self.total += limit - open.open_cost;
        self.replace(courier, plan);
        self.assign(order, Some(courier));
    }

    /// Tries to add an order to the planned and committed trips of its store.
    fn try_joining(&mut self, open: &Open, best: &mut Best) {
        let mut previous = None;
        for index in 0..open.growable.len() + open.peers.len() {
            let peer = || {
                self.assigned
                    .get(*open.peers.get(index - open.growable.len())?)
                    .copied()
                    .flatten()
            };
            let Some(courier) = open.growable.get(index).copied().or_else(peer) else {
                continue;
            };
            if previous == Some(courier) {
                continue;
            }
            previous = Some(courier);
            self.trials += 1;
            let Some(near) = open.near_courier(courier) else {
                continue;
            };
            let Some(before) = self.plans.get(courier) else {
                continue;
            };
            self.facts
                .join_trip(open, near, before, &mut self.pool, best);
        }
    }

    /// Removes an order from its plan.
    pub(super) fn remove(&mut self, order: usize) {
        let Some(courier) = self.assigned.get(order).copied().flatten() else {
            return;
        };
        let Some(plan) = self
            .facts
            .removal(order, courier, &self.plans, &mut self.pool)
        else {
            return;
        };
        let before = self.plans.get(courier).map_or(0, |plan| plan.cost);
        let open_cost = self.facts.open.get(order).map_or(0, |open| open.open_cost);
        self.total += plan.cost - before + open_cost;
        self.replace(courier, plan);
        self.assign(order, None);
    }

    fn replace(&mut self, courier: usize, plan: Plan) {
        if let Some(slot) = self.plans.get_mut(courier) {
            self.undo_log.push(Previous::Plan(courier, *slot));
            *slot = plan;
        }
    }

    fn assign(&mut self, order: usize, courier: Option<usize>) {
        if let Some(slot) = self.assigned.get_mut(order) {
            self.undo_log.push(Previous::Assigned(order, *slot));
            *slot = courier;
        }
    }

    /// Makes all changes final.
    pub(super) fn accept(&mut self) {
        self.undo_log.clear();
    }

    /// Reverts all changes since the last call of [`Plans::accept`] or of this function.
    pub(super) fn revert(&mut self, total: i64) {
        while let Some(previous) = self.undo_log.pop() {
            match previous {
                Previous::Plan(courier, plan) => {
                    if let Some(slot) = self.plans.get_mut(courier) {
                        *slot = plan;
                    }
                }
                Previous::Assigned(order, courier) => {
                    if let Some(slot) = self.assigned.get_mut(order) {
                        *slot = courier;
                    }
                }
            }
        }
        self.total = total;
    }
}

impl<T: Fn(Point, Point) -> u32> Facts<'_, T> {
    /// Tries a plan with one more order.
    fn offer(&self, near: &Near, before: &Plan, trips: Trips<'_>, best: &mut Best) {
        let Some(candidate) = self.problem.couriers.get(near.courier) else {
            return;
        };
        if trips
            .iter()
            .flatten()
            .any(|(_, trip, _)| candidate.max_load.exceeded_by(trip.load).is_some())
        {
            return;
        }
        let extra = before.extra + near.extra;
        let Some(parts) = self.parts(candidate, trips, extra) else {
            return;
        };
        let cost = parts.total();
        if cost - before.cost < best.limit {
            let [first, second] =
                trips.map(|slot| slot.map(|(trip, _, ride)| PlannedTrip { trip, ride }));
            let plan = Plan {
                first,
                second,
                open_orders: before.open_orders + 1,
                extra,
                cost,
            };
            *best = Best {
                limit: cost - before.cost,
                found: Some((near.courier, plan)),
            };
        }
    }

    /// Tries an order in a trip of its own, before or after the courier's trip.
    pub(super) fn add_trip(
        &self,
        open: &Open,
        near: &Near,
        before: &Plan,
        pool: &Pool,
        best: &mut Best,
    ) {
        let single = |ride: i64| Some((open.id, &open.trip, ride));
        let [first, second] = before.trips(pool);
        let Some((id, trip, _)) = first else {
            return self.offer(near, before, [single(near.ride), None], best);
        };
        if second.is_some() {
            return;
        }
        let ride = self.ride(trip.end, open.trip.pickup);
        self.offer(near, before, [first, single(ride)], best);
        if self
            .problem
            .couriers
            .get(near.courier)
            .is_some_and(|candidate| candidate.trip.is_none())
        {
            let ride = self.ride(open.trip.end, trip.pickup);
            self.offer(
                near,
                before,
                [single(near.ride), Some((id, trip, ride))],
                best,
            );
        }
    }

    /// Tries an order in each trip of a courier.
    pub(super) fn join_trip(
        &self,
        open: &Open,
        near: &Near,
        before: &Plan,
        pool: &mut Pool,
        best: &mut Best,
    ) {
        let Some(first) = before.first else { return };
        let join = |id: TripId, pool: &mut Pool| {
            pool.join(
                id,
                open.id,
                &self.items,
                self.problem.config,
                &self.problem.travel,
            )
        };
        if let Some(id) = join(first.trip, pool)
            && let Some(trip) = pool.get(id)
        {
            let [_, second] = before.trips(pool);
            let second =
                second.map(|(id, second, _)| (id, second, self.ride(trip.end, second.pickup)));
            self.offer(near, before, [Some((id, trip, first.ride)), second], best);
        }
        let Some(second) = before.second else { return };
        if let Some(id) = join(second.trip, pool)
            && let Some(trip) = pool.get(id)
        {
            let [first, _] = before.trips(pool);
            self.offer(near, before, [first, Some((id, trip, second.ride))], best);
        }
    }

    /// Returns a courier's plan without an order.
    pub(super) fn removal(
        &self,
        order: usize,
        courier: usize,
        plans: &[Plan],
        pool: &mut Pool,
    ) -> Option<Plan> {
        let candidate = self.problem.couriers.get(courier)?;
        let open = self.open.get(order)?;
        let mut plan = self.without(open.id, candidate, plans.get(courier)?, pool)?;
        plan.open_orders = plan.open_orders.saturating_sub(1);
        plan.extra -= open.near_courier(courier).map_or(0, |near| near.extra);
        plan.cost = self.price(candidate, &plan, pool).total();
        Some(plan)
    }

    /// Returns a plan without an order. Its costs are not updated.
    fn without(
        &self,
        order: u32,
        candidate: &Candidate,
        plan: &Plan,
        pool: &mut Pool,
    ) -> Option<Plan> {
        let reduce = |id: TripId, pool: &mut Pool| {
            pool.reduce(
                id,
                order,
                &self.items,
                self.problem.config,
                &self.problem.travel,
            )
        };
        let first = plan.first?;
        // The order is in the second trip, so the first one stays as it is.
        if !pool.get(first.trip)?.members.contains(order) {
            let second = plan.second?;
            let trip = reduce(second.trip, pool);
            return Some(Plan {
                second: trip.map(|trip| PlannedTrip {
                    trip,
                    ride: second.ride,
                }),
                ..*plan
            });
        }
        let (from, trip) = match reduce(first.trip, pool) {
            Some(trip) => (
                pool.get(trip)?.end,
                Some(PlannedTrip {
                    trip,
                    ride: first.ride,
                }),
            ),
            None => (candidate.point, None),
        };
        // The second trip begins where the first one now ends, and replaces it if it is empty.
        let mut second = plan.second;
        if let Some(second) = &mut second {
            second.ride = self.ride(from, pool.get(second.trip)?.pickup);
        }
        if trip.is_none() {
            return Some(Plan {
                first: second,
                second: None,
                ..*plan
            });
        }
        Some(Plan {
            first: trip,
            second,
            ..*plan
        })
    }
}
