//! The step that a courier's trip waits for, and by how much it is overdue.
//!
//! A step has an expected duration: the travel time, or how long this courier and this store
//! usually need, at least the configured service. An overdue step is expected to take as long again
//! as it is overdue, so a courier who waits for somebody is not expected to be free at any moment.

use std::collections::BTreeMap;

use crate::{
    model::{
        Duration, Point, StoreId, Timestamp,
        courier::{Courier, Handover, HandoverKind},
        order::{Delivery, DeliveryStatus, Order, OrderStatus},
    },
    rules::matching::Dispatch,
};

/// Travel time to a place up to which a courier counts as being there, in seconds.
const AT_PLACE_S: i64 = 60;
/// Number of past waits from which a usual duration is known.
const MIN_WAITS: usize = 3;
/// Maximum usual duration in seconds. Longer waits are exceptions.
const MAX_USUAL_S: u32 = 3_600;

/// What a courier with a trip does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// On the way to the pickup.
    ToPickup,
    /// At the pickup, until the goods are handed over.
    AtPickup,
    /// After a handover, before setting out.
    SettingOut,
    /// On the way to a recipient.
    ToDoor,
    /// At the door.
    AtDoor,
    /// On the way back to the pickup.
    ToReturn,
    /// Back at the pickup, until goods or payment are handed back.
    AtReturn,
}

/// The step that a courier's trip waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurrentStep {
    /// What the courier does until the step.
    pub activity: Activity,
    /// Time from which the step is expected: the previous step, or the ready time of the goods if
    /// that is later.
    pub since: Timestamp,
    /// Time of the last step of the trip, or of its assignment.
    pub reported_at: Timestamp,
    /// How much later than otherwise the step is expected because it is overdue. It grows with the
    /// delay.
    pub delay: Duration,
    /// For how long the positions of a courier on the way show no progress. Zero for all others.
    pub motionless: Duration,
}

/// The usual durations of waits.
#[derive(Clone, Debug, Default)]
pub struct Durations(BTreeMap<(HandoverKind, StoreId), Vec<u32>>);

impl Durations {
    /// Returns the usual durations at the stores at which these couriers have waited.
    pub fn of<'a>(couriers: impl Iterator<Item = &'a Courier>) -> Durations {
        let mut known: BTreeMap<(HandoverKind, StoreId), Vec<u32>> = BTreeMap::new();
        for Handover {
            kind,
            store,
            seconds,
        } in couriers.flat_map(|courier| &courier.handovers)
        {
            known.entry((*kind, *store)).or_default().push(*seconds);
        }
        Durations(known)
    }

    /// Returns how long a wait usually takes in seconds: at this store, or otherwise of this
    /// courier. A door is not a matter of the store.
    fn usual(&self, kind: HandoverKind, courier: &Courier, store: StoreId) -> Option<u32> {
        let at_store = self
            .0
            .get(&(kind, store))
            .filter(|_| kind != HandoverKind::Door);
        let own = courier
            .handovers
            .iter()
            .filter(|one| one.kind == kind)
            .map(|one| one.seconds)
            .collect();
        at_store
            .cloned()
            .and_then(median)
            .or_else(|| median(own))
            .map(|seconds| seconds.min(MAX_USUAL_S))
    }
}

/// Returns the median, or `None` of too few values.
fn median(mut values: Vec<u32>) -> Option<u32> {
    values.sort_unstable();
    values
        .get(values.len() / 2)
        .copied()
        .filter(|_| values.len() >= MIN_WAITS)
}

impl CurrentStep {
    /// Returns the step that a courier's orders wait for, or `None` without orders. `travel`
    /// returns the travel time between two points in seconds.
    pub fn of(
        courier: &Courier,
        orders: &[&Order],
        durations: &Durations,
        config: &Dispatch,
        travel: &impl Fn(Point, Point) -> u32,
        now: Timestamp,
    ) -> Option<CurrentStep> {
        let first = orders.first()?;
        let clock = StepClock {
            courier,
            store: first.store,
            durations,
            config,
            travel,
            now,
        };
        let reported_at = orders.iter().map(|order| last_step(order)).max()?;
        let step = clock
            .before_pickup(orders)
            .or_else(|| clock.at_stops(orders))
            .or_else(|| clock.back(orders))?;
        Some(CurrentStep {
            reported_at,
            ..step
        })
    }

    /// Returns whether the courier is stuck: the step is so overdue that dispatch does not count on
    /// the courier.
    pub fn is_stuck(&self, config: &Dispatch) -> bool {
        self.delay > config.stuck_after()
    }

    /// Returns whether the courier's positions show for too long that the courier does not move to
    /// the pickup.
    pub fn is_motionless(&self, config: &Dispatch) -> bool {
        self.activity == Activity::ToPickup && self.motionless > config.stuck_after()
    }
}

/// The facts from which delays follow.
struct StepClock<'a, T> {
    courier: &'a Courier,
    store: StoreId,
    durations: &'a Durations,
    config: &'a Dispatch,
    travel: &'a T,
    now: Timestamp,
}

impl<T: Fn(Point, Point) -> u32> StepClock<'_, T> {
    /// Returns the step until the last pickup.
    fn before_pickup(&self, orders: &[&Order]) -> Option<CurrentStep> {
        let waiting = || {
            orders
                .iter()
                .filter(|order| order.status.is_before_pickup())
        };
        let ready = waiting().map(|order| order.ready_at).max()?;
        // An order that joins later does not change the progress of the others.
        let there = orders
            .iter()
            .filter(|order| order.status != OrderStatus::Allocated);
        if let Some(last) = there.map(|order| last_step(order)).max() {
            return Some(self.waiting(
                Activity::AtPickup,
                last.max(ready),
                Some(HandoverKind::Pickup),
            ));
        }
        let first = waiting().min_by_key(|order| last_step(order))?;
        Some(self.travelling(Activity::ToPickup, first, first.pickup.located.point, ready))
    }

    /// Returns the step until the next delivery.
    fn at_stops(&self, orders: &[&Order]) -> Option<CurrentStep> {
        let stops = || {
            orders
                .iter()
                .flat_map(|order| order.deliveries.iter().map(move |stop| (order, stop)))
        };
        if let Some((order, stop)) = stops().find(|(_, stop)| is_current(stop)) {
            let place = stop.place.located.point;
            return Some(match stop.status {
                DeliveryStatus::Arrived => {
                    self.waiting(Activity::AtDoor, last_step(order), Some(HandoverKind::Door))
                }
                _ => self.travelling(Activity::ToDoor, order, place, last_step(order)),
            });
        }
        let last = orders.iter().map(|order| last_step(order)).max()?;
        stops()
            .any(|(_, stop)| is_open(stop))
            .then(|| self.waiting(Activity::SettingOut, last, None))
    }

    /// Returns the step until the end of the return.
    fn back(&self, orders: &[&Order]) -> Option<CurrentStep> {
        let returns = || {
            orders
                .iter()
                .filter(|order| order.deliveries.iter().any(needs_return))
        };
        let arrived = returns().filter(|order| order.status == OrderStatus::CourierAtReturn);
        if let Some(last) = arrived.map(|order| last_step(order)).max() {
            return Some(self.waiting(Activity::AtReturn, last, Some(HandoverKind::Return)));
        }
        let last = returns().max_by_key(|order| last_step(order))?;
        Some(self.travelling(
            Activity::ToReturn,
            last,
            last.pickup.located.point,
            last_step(last),
        ))
    }

    /// Returns the end of a service that begins at this time.
    fn service(&self, activity: Activity, kind: Option<HandoverKind>) -> Duration {
        let configured = match activity {
            Activity::ToDoor | Activity::AtDoor => self.config.delivery_service_seconds,
            _ => self.config.pickup_service_seconds,
        };
        let usual = kind.and_then(|kind| self.durations.usual(kind, self.courier, self.store));
        Duration::seconds(usual.unwrap_or(0).max(configured).into())
    }

    fn waiting(
        &self,
        activity: Activity,
        since: Timestamp,
        kind: Option<HandoverKind>,
    ) -> CurrentStep {
        let delay = late(self.now, since.after(self.service(activity, kind)));
        CurrentStep {
            activity,
            since,
            reported_at: since,
            delay,
            motionless: Duration::seconds(0),
        }
    }

    /// Returns the step of a courier on the way from the place of an order's last step. The courier
    /// leaves at once, and waits at the place until `ready`.
    fn travelling(
        &self,
        activity: Activity,
        order: &Order,
        to: Point,
        ready: Timestamp,
    ) -> CurrentStep {
        let since = last_step(order);
        let step = |delay, motionless| CurrentStep {
            activity,
            since,
            reported_at: since,
            delay,
            motionless,
        };
        let (from, here) = (
            order.last_step.and_then(|step| step.from),
            self.courier.position,
        );
        let total_s = from
            .or(here)
            .map_or(0, |from| i64::from((self.travel)(from, to)));
        let left_s = here.map_or(total_s, |here| i64::from((self.travel)(here, to)));
        let due = since.after(Duration::seconds(total_s));
        if left_s <= AT_PLACE_S {
            // The courier is there, and has not said so.
            let served = due.max(ready).after(self.service(activity, None));
            return step(late(self.now, served), Duration::seconds(0));
        }
        let seen = self
            .courier
            .position_at
            .unwrap_or(since)
            .max(since)
            .min(self.now);
        let arrival = seen.after(Duration::seconds(left_s));
        if arrival < self.now {
            return step(late(self.now, due.max(arrival)), Duration::seconds(0));
        }
        let (made_s, riding_s) = (
            (total_s - left_s).max(0),
            seen.since(since).as_millis() / 1_000,
        );
        // Half of the estimated speed is slow, and less is a delay.
        let behind = Duration::seconds((riding_s - 2 * made_s).max(0)).max(late(self.now, due));
        let at_own_pace = match made_s {
            0 => behind,
            made_s => Duration::seconds((left_s * (riding_s - made_s) / made_s).max(0)),
        };
        step(
            behind.min(at_own_pace),
            Duration::seconds((riding_s - 4 * made_s).max(0)),
        )
    }
}

/// Returns the time since a step was due.
fn late(now: Timestamp, due: Timestamp) -> Duration {
    now.since(due).max(Duration::seconds(0))
}

/// Returns the time of the last step that changed an order's status.
fn last_step(order: &Order) -> Timestamp {
    order
        .last_step
        .map_or_else(|| order.status_received(), |step| step.at)
}

/// Returns whether the delivery is not handed over yet.
pub(super) fn is_open(delivery: &Delivery) -> bool {
    use DeliveryStatus as D;
    matches!(
        delivery.status,
        D::AwaitingPickup | D::OnBoard | D::EnRoute | D::Arrived
    )
}

/// Returns whether the courier is on the way to the delivery or at its door.
pub(super) fn is_current(delivery: &Delivery) -> bool {
    matches!(
        delivery.status,
        DeliveryStatus::EnRoute | DeliveryStatus::Arrived
    )
}

/// Returns whether the courier will bring back the goods or the payment.
pub(super) fn needs_return(delivery: &Delivery) -> bool {
    use DeliveryStatus as D;
    let pays = delivery.returns() && (is_open(delivery) || delivery.status == D::Delivered);
    pays || matches!(delivery.status, D::Returning | D::AtReturn)
}
