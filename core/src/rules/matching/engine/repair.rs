//! Construction of the plans and their improvement by repairs.

use super::{insert::Plans, plan::Facts, random::Rng, trip::Pool};
use crate::model::Point;

/// Repairs in each pass.
const REPAIRS: u32 = 20;
/// Additional repairs in each pass for each open order.
const REPAIRS_PER_ORDER: u32 = 16;
/// A pass ends its repairs after [`REPAIRS`] and this number for each open order have not lowered
/// the cost in sequence.
const FAILURES_PER_ORDER: u32 = 2;
/// Maximum number of candidate couriers that the repairs of a pass try. It bounds the duration of a
/// pass.
const MAX_TRIALS: u64 = 25_000;
/// Maximum number of orders that a repair takes out besides the first one.
const MAX_RELATED: usize = 8;
/// Units of a [`Point`] that a courier rides in about one second.
const UNITS_PER_SECOND: u64 = 750;
/// Number of open orders above which a repair does not compare its first order with all others.
const MAX_COMPARED: usize = 300;
/// Percentage of the couriers that a repair skips when it takes orders from the couriers nearest to
/// an order.
const SKIPPED: u32 = 30;

/// Plans all orders.
pub(super) fn search<'f, 'a, T: Fn(Point, Point) -> u32>(
    facts: &'f Facts<'a, T>,
    pool: Pool,
) -> Plans<'f, 'a, T> {
    let mut plans = Plans::new(facts, pool);
    let mut orders: Vec<usize> = (0..facts.open.len()).collect();
    orders.sort_by_key(|&order| facts.open.get(order).map(|open| open.trip.latest_ready));
    orders.iter().for_each(|&order| plans.insert(order));
    plans.accept();
    if orders.len() > 1 {
        improve(&mut plans);
    }
    plans
}

/// Repairs the plans until a limit is reached.
fn improve<T: Fn(Point, Point) -> u32>(plans: &mut Plans<'_, '_, T>) {
    let count = u32::try_from(plans.assigned.len()).unwrap_or(u32::MAX);
    let limit = |per_order: u32| REPAIRS.saturating_add(per_order.saturating_mul(count));
    let (repairs, failures) = (limit(REPAIRS_PER_ORDER), limit(FAILURES_PER_ORDER));
    let mut rng = Rng::new(plans.facts.problem.now.unsigned_abs());
    let mut repair = Repair {
        taken: Vec::new(),
        scores: Vec::new(),
    };
    let mut failed = 0;
    plans.trials = 0;
    for _ in 0..repairs {
        if failed >= failures || plans.trials >= MAX_TRIALS {
            break;
        }
        failed = if repair.run(plans, &mut rng) {
            0
        } else {
            failed + 1
        };
    }
}

/// Buffers of the repairs.
struct Repair {
    taken: Vec<usize>,
    /// Distance of each order from the first one, and the order.
    scores: Vec<(u64, usize)>,
}

impl Repair {
    /// Takes out a few related orders and inserts them in random sequence. The change is reverted
    /// unless the total cost falls. Returns whether it falls.
    fn run<T: Fn(Point, Point) -> u32>(
        &mut self,
        plans: &mut Plans<'_, '_, T>,
        rng: &mut Rng,
    ) -> bool {
        let before = plans.total;
        let count = plans.assigned.len();
        let first = rng.index(count);
        let related = 1 + rng.index(MAX_RELATED.min(count.saturating_sub(1)));
        self.taken.clear();
        self.taken.push(first);
        if count > MAX_COMPARED || rng.below(2) == 0 {
            self.take_from_couriers(plans, first, related, rng);
        } else {
            self.take_nearest(plans, first, related, rng);
        }
        self.taken.iter().for_each(|&order| plans.remove(order));
        for last in (1..self.taken.len()).rev() {
            self.taken.swap(last, rng.index(last + 1));
        }
        let saving = |&order: &usize| {
            plans
                .facts
                .open
                .get(order)
                .map_or(0, |open| open.max_saving())
        };
        let mut savings: i64 = self.taken.iter().map(saving).sum();
        for order in &self.taken {
            if plans.total - savings >= before {
                break;
            }
            savings -= plans
                .facts
                .open
                .get(*order)
                .map_or(0, |open| open.max_saving());
            plans.insert(*order);
        }
        let improved = plans.total < before;
        if improved {
            plans.accept()
        } else {
            plans.revert(before)
        }
        improved
    }

    /// Takes the orders planned for the cheapest couriers of an order.
    fn take_from_couriers<T: Fn(Point, Point) -> u32>(
        &mut self,
        plans: &Plans<'_, '_, T>,
        first: usize,
        related: usize,
        rng: &mut Rng,
    ) {
        let Some(open) = plans.facts.open.get(first) else {
            return;
        };
        let own = plans.assigned.get(first).copied().flatten();
        for courier in own
            .into_iter()
            .chain(open.near.iter().map(|near| near.courier))
        {
            if self.taken.len() > related {
                return;
            }
            let Some(plan) = plans.plans.get(courier) else {
                continue;
            };
            if plan.open_orders == 0 || rng.below(100) < SKIPPED {
                continue;
            }
            for (_, trip, _) in plan.trips(&plans.pool).into_iter().flatten() {
                let orders = trip
                    .members
                    .list()
                    .iter()
                    .filter_map(|&item| usize::try_from(item).ok());
                for order in orders.filter(|&order| order < plans.assigned.len()) {
                    if !self.taken.contains(&order) {
                        self.taken.push(order);
                    }
                }
            }
        }
    }

    /// Takes the orders of the same courier, then those nearest in place and ready time, both with
    /// random deviations.
    fn take_nearest<T: Fn(Point, Point) -> u32>(
        &mut self,
        plans: &Plans<'_, '_, T>,
        first: usize,
        related: usize,
        rng: &mut Rng,
    ) {
        let Some(from) = plans.facts.open.get(first) else {
            return;
        };
        let courier = plans.assigned.get(first).copied().flatten();
        self.scores.clear();
        for (order, (to, other)) in plans.facts.open.iter().zip(&plans.assigned).enumerate() {
            if order == first {
                continue;
            }
            let (a, b) = (from.trip.pickup, to.trip.pickup);
            let distance =
                u64::from(a.lat_e7.abs_diff(b.lat_e7)) + u64::from(a.lon_e7.abs_diff(b.lon_e7));
            let ready = from.trip.latest_ready.abs_diff(to.trip.latest_ready);
            let shared = courier.is_some() && courier == *other;
            let score = if shared {
                0
            } else {
                distance / UNITS_PER_SECOND + ready
            };
            self.scores
                .push((score * u64::from(50 + rng.below(101)), order));
        }
        if related < self.scores.len() {
            self.scores.select_nth_unstable(related);
            self.scores.truncate(related);
            self.scores.sort_unstable();
        }
        self.taken
            .extend(self.scores.iter().map(|&(_, order)| order));
    }
}
