//! Decisions of a pass: commitments, and reasons for leaving orders open.

use super::{
    Candidate, Decision, Explained, Parts, Planned, Problem, Reason,
    insert::Plans,
    plan::{Best, Facts, Near, Times, Trips},
    repair::search,
    trip::Pool,
};
use crate::model::Point;

/// Maximum number of couriers in [`Explained::considered`].
const MAX_CONSIDERED: usize = 5;

/// Returns the decision on each open order, in the order of [`Problem::orders`]. With `explain`,
/// orders that stay open have their considered couriers too.
pub fn decide<T: Fn(Point, Point) -> u32>(
    problem: &Problem<'_, T>,
    explain: bool,
) -> Vec<Explained> {
    let (facts, pool) = Facts::new(problem);
    let mut plans = search(&facts, pool);
    let explained = |order| {
        let decision = decision(&mut plans, order);
        let is_wanted = explain || matches!(decision, Decision::Commit { .. });
        let considered = if is_wanted {
            facts.cheapest(order, &mut plans.pool)
        } else {
            Vec::new()
        };
        Explained {
            decision,
            considered,
        }
    };
    (0..facts.open.len()).map(explained).collect()
}

impl<T: Fn(Point, Point) -> u32> Facts<'_, T> {
    /// Returns the cheapest couriers for an order if there were no other open orders, each with its
    /// cost.
    fn cheapest(&self, order: usize, pool: &mut Pool) -> Vec<(usize, Parts)> {
        let mut found = self.singles(order, pool);
        found.sort_by_key(|(courier, parts)| (parts.total(), *courier));
        found.truncate(MAX_CONSIDERED);
        found
    }

    /// Returns the cost of each candidate courier for an order, without other open orders.
    fn singles(&self, order: usize, pool: &mut Pool) -> Vec<(usize, Parts)> {
        let Some(open) = self.open.get(order) else {
            return Vec::new();
        };
        let mut cost = |near: &Near| {
            let candidate = self.problem.couriers.get(near.courier)?;
            let base = self.bases.get(near.courier)?;
            let mut best = Best {
                limit: i64::MAX / 2,
                found: None,
            };
            self.join_trip(open, near, base, pool, &mut best);
            self.add_trip(open, near, base, pool, &mut best);
            let (_, plan) = best.found?;
            Some((
                near.courier,
                self.price(candidate, &plan, pool) - self.price(candidate, base, pool),
            ))
        };
        open.near.iter().filter_map(&mut cost).collect()
    }

    /// Returns the reason for an order without a planned courier.
    fn rejection(&self, order: usize, pool: &mut Pool) -> Reason {
        if self
            .problem
            .orders
            .get(order)
            .is_none_or(|open| open.near.is_empty())
        {
            return Reason::NoCourierInReach;
        }
        let open_cost = self.open.get(order).map_or(0, |open| open.open_cost);
        match self
            .singles(order, pool)
            .iter()
            .map(|(_, parts)| parts.total())
            .min()
        {
            None => Reason::ShiftsEnd,
            Some(cost) if cost >= open_cost => Reason::TooCostly,
            Some(_) => Reason::OutbidByOthers,
        }
    }

    /// Returns the time before which the planned trip of an order must be committed, or `None` if
    /// it cannot be committed in this pass.
    fn deadline(&self, candidate: &Candidate, trips: Trips<'_>, position: usize) -> Option<i64> {
        let (_, first, ride) = trips.first().copied().flatten().filter(|_| position == 0)?;
        let half_pickup = self.half_pickup();
        if let Some(open) = &candidate.trip {
            // The courier picks up at this time, so the trip must grow before.
            let ready = open.orders.iter().map(|order| order.ready_at).max()?;
            return Some((open.arrives_at + half_pickup).max(ready) - 1);
        }
        candidate
            .idle
            .then(|| first.latest_ready - ride - half_pickup)
    }
}

fn decision<T: Fn(Point, Point) -> u32>(plans: &mut Plans<'_, '_, T>, order: usize) -> Decision {
    let (facts, pool) = (plans.facts, &mut plans.pool);
    let courier = plans.assigned.get(order).copied().flatten();
    let planned = courier.and_then(|courier| {
        let candidate = facts.problem.couriers.get(courier)?;
        let plan = plans.plans.get(courier)?;
        // The order's costs are those of the courier's plan with it, less those without it.
        let rest = facts.removal(order, courier, &plans.plans, pool)?;
        let parts = facts.price(candidate, plan, pool) - facts.price(candidate, &rest, pool);
        let trips = plan.trips(pool);
        let position = usize::from(
            !trips
                .first()?
                .as_ref()?
                .1
                .members
                .contains(u32::try_from(order).ok()?),
        );
        let times: Times = facts
            .times(candidate, trips)
            .get(position)
            .copied()
            .flatten()?;
        Some((
            courier,
            candidate,
            facts.deadline(candidate, trips, position),
            times,
            parts,
        ))
    });
    let Some((courier, candidate, deadline, times, parts)) = planned else {
        return Decision::Open {
            best: None,
            reason: facts.rejection(order, pool),
        };
    };
    let config = facts.problem.config;
    let Times {
        starts_at,
        picks_up_at,
    } = times;
    let reason = match deadline {
        None => Reason::CourierBusyUntil { at: starts_at },
        Some(deadline) => {
            let until = deadline - i64::from(config.step_s) - i64::from(config.margin_s);
            // The next pass would be too late.
            if facts.problem.now > until {
                return Decision::Commit {
                    courier,
                    joins: candidate.trip.is_some(),
                    parts,
                };
            }
            Reason::CanWait { until }
        }
    };
    Decision::Open {
        best: Some(Planned {
            courier,
            starts_at,
            picks_up_at,
            parts,
        }),
        reason,
    }
}
