//! The plan of a courier's trip: its stops in visiting order, with their estimated times.
//!
//! The plan is derived from the orders and the courier's last position whenever it is needed.
//! Nothing of it is stored.

mod step;

use self::step::{is_current, is_open, needs_return};
use crate::{
    model::{
        DeliveryId, Duration, OrderId, Point, Timestamp,
        courier::Courier,
        order::{Delivery, DeliveryStatus, Eta, Order, OrderStatus},
    },
    route,
    rules::matching::Dispatch,
};

pub use step::{Activity, CurrentStep, Durations};

/// The purpose of a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopKind {
    /// The courier picks up an order.
    Pickup,
    /// The courier delivers.
    Delivery(DeliveryId),
    /// The courier returns goods or a payment to the pickup.
    Return,
}

/// A stop of a trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TripStop {
    /// The order.
    pub order: OrderId,
    /// The purpose.
    pub kind: StopKind,
    /// The coordinates.
    pub point: Point,
    /// Estimated time of the pickup, the delivery or the return. It is never in the past.
    pub at: Timestamp,
}

/// The remaining stops of a trip, in visiting order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TripPlan {
    /// The stops.
    pub stops: Vec<TripStop>,
    /// Estimated time at which the courier is free again.
    pub free_at: Timestamp,
    /// The place where the courier is then.
    pub end: Point,
    /// Estimated or actual time of the arrival at the pickup. `None` after the last pickup.
    pub arrives_at: Option<Timestamp>,
    /// The step that the trip waits for. `None` without orders.
    pub step: Option<CurrentStep>,
}

/// The order of a courier's trip that comes next, and the trip's other orders.
#[derive(Clone, Copy, Debug, Default)]
pub struct TripContext<'a> {
    /// The orders besides the one of the step.
    pub others: &'a [Order],
    /// The order of the next delivery or return. `None` before all orders are picked up.
    pub next: Option<OrderId>,
}

impl TripPlan {
    /// Plans the remaining stops of a courier's orders. `travel` returns the travel time between
    /// two points in seconds.
    ///
    /// The visiting order is the shortest by the route engine; the stop that the courier is on the
    /// way to stays first, and the stops of one order keep their order. Times start at the last
    /// known position, or at the last change of the trip's progress if that is later. A step that
    /// is overdue is expected the later, the longer it is overdue.
    pub fn of(
        courier: &Courier,
        orders: &[&Order],
        durations: &Durations,
        config: &Dispatch,
        travel: &impl Fn(Point, Point) -> u32,
        now: Timestamp,
    ) -> TripPlan {
        let pickup = orders.first().map(|order| order.pickup.located.point);
        let at = courier.position.or(pickup).unwrap_or(Point {
            lat_e7: 0,
            lon_e7: 0,
        });
        let since = last_change(orders)
            .into_iter()
            .chain(courier.position_at)
            .max()
            .unwrap_or(now);
        let step = CurrentStep::of(courier, orders, durations, config, travel, now);
        let delay = step.map_or(Duration::seconds(0), |step| step.delay);
        let mut clock = Clock {
            at,
            time: since.min(now),
            now,
            delay,
            travel,
            stops: Vec::new(),
            arrives_at: None,
        };
        clock.pick_up(orders, config);
        clock.deliver(orders, config);
        clock.bring_back(orders, config);
        let Clock {
            at: end,
            time,
            stops,
            arrives_at,
            ..
        } = clock;
        TripPlan {
            free_at: time.max(now),
            end,
            stops,
            arrives_at,
            step,
        }
    }

    /// Returns the estimate for an order, or `None` if nothing of it is left to deliver.
    pub fn eta(&self, order: OrderId, now: Timestamp) -> Option<Eta> {
        let of_order = || self.stops.iter().filter(move |stop| stop.order == order);
        let pickup = of_order()
            .find(|stop| stop.kind == StopKind::Pickup)
            .map(|stop| stop.at);
        let deliveries = of_order().filter(|stop| matches!(stop.kind, StopKind::Delivery(_)));
        Some(Eta {
            pickup,
            delivery: deliveries.map(|stop| stop.at).max()?,
            at: now,
        })
    }

    /// Returns the order of the next stop. While orders wait at the pickup, it is one of them.
    pub fn next_order(&self) -> Option<OrderId> {
        self.stops.first().map(|stop| stop.order)
    }
}

/// The progress of a simulated trip.
struct Clock<'a, T> {
    at: Point,
    time: Timestamp,
    now: Timestamp,
    /// The delay of the current step, until it is added.
    delay: Duration,
    travel: &'a T,
    stops: Vec<TripStop>,
    arrives_at: Option<Timestamp>,
}

impl<T: Fn(Point, Point) -> u32> Clock<'_, T> {
    fn travel_to(&mut self, point: Point) {
        self.time = self
            .time
            .after(Duration::seconds((self.travel)(self.at, point).into()));
        self.at = point;
    }

    /// Adds the delay of the current step, which ends this long after the present time of the plan.
    fn add_delay(&mut self, after: Duration) {
        let delay = core::mem::replace(&mut self.delay, Duration::seconds(0));
        if delay > Duration::seconds(0) {
            self.time = self
                .time
                .after(after)
                .max(self.now)
                .after(delay)
                .before(after);
        }
    }

    /// Adds a stop at the current point. Half of the service time is before the event and half
    /// after it.
    fn serve(&mut self, order: OrderId, kind: StopKind, service: Duration) {
        let half = Duration::millis(service.as_millis() / 2);
        let at = self.time.after(half).max(self.now);
        self.stops.push(TripStop {
            order,
            kind,
            point: self.at,
            at,
        });
        self.time = at.after(half);
    }

    fn pick_up(&mut self, orders: &[&Order], config: &Dispatch) {
        let waiting: Vec<&&Order> = orders
            .iter()
            .filter(|order| order.status.is_before_pickup())
            .collect();
        let service = Duration::seconds(config.pickup_service_seconds.into());
        let half = Duration::millis(service.as_millis() / 2);
        let Some(first) = waiting.first() else { return };
        let arrived = orders
            .iter()
            .filter(|order| order.status != OrderStatus::Allocated)
            .map(|order| order.status_since);
        match arrived.min() {
            // Positions at the pickup do not move the arrival.
            Some(arrived) => self.time = arrived.min(self.now),
            None => {
                self.travel_to(first.pickup.located.point);
                self.add_delay(Duration::seconds(0));
            }
        }
        self.at = first.pickup.located.point;
        self.arrives_at = Some(self.time);
        let ready = waiting
            .iter()
            .map(|order| order.ready_at)
            .max()
            .unwrap_or(self.now);
        self.time = self.time.after(half).max(ready).before(half);
        self.add_delay(half);
        self.time = self.time.after(half).max(self.now).before(half);
        let from = self.time;
        for order in waiting {
            self.time = from;
            self.serve(order.id, StopKind::Pickup, service);
        }
    }

    fn deliver(&mut self, orders: &[&Order], config: &Dispatch) {
        let service = Duration::seconds(config.delivery_service_seconds.into());
        let stops = orders
            .iter()
            .flat_map(|order| order.deliveries.iter().map(|delivery| (order.id, delivery)));
        let mut left: Vec<(OrderId, &Delivery)> =
            stops.filter(|(_, delivery)| is_open(delivery)).collect();
        if let Some(current) = left.iter().position(|(_, delivery)| is_current(delivery)) {
            let (order, delivery) = left.remove(current);
            match delivery.status {
                DeliveryStatus::Arrived => {
                    self.at = delivery.place.located.point;
                    self.add_delay(Duration::millis(service.as_millis() / 2));
                }
                _ => {
                    self.travel_to(delivery.place.located.point);
                    self.add_delay(Duration::seconds(0));
                }
            }
            self.serve(order, StopKind::Delivery(delivery.id), service);
        } else if self.stops.is_empty() && !left.is_empty() {
            // The courier has not set out yet: the second half of the last pickup or delivery is
            // left.
            let has_visited = orders
                .iter()
                .any(|order| order.deliveries.iter().any(is_visited));
            let last = if has_visited {
                config.delivery_service_seconds
            } else {
                config.pickup_service_seconds
            };
            let half = Duration::millis(i64::from(last) * 500);
            self.add_delay(half);
            self.time = self.time.after(half).max(self.now);
        }
        for (order, delivery) in self.visiting_order(left) {
            self.travel_to(delivery.place.located.point);
            self.serve(order, StopKind::Delivery(delivery.id), service);
        }
    }

    fn bring_back(&mut self, orders: &[&Order], config: &Dispatch) {
        let service = Duration::seconds(config.pickup_service_seconds.into());
        for order in orders
            .iter()
            .filter(|order| order.deliveries.iter().any(needs_return))
        {
            let pickup = order.pickup.located.point;
            match order.status {
                OrderStatus::CourierAtReturn => {
                    self.at = pickup;
                    self.add_delay(Duration::millis(service.as_millis() / 2));
                }
                _ if self.at != pickup => {
                    self.travel_to(pickup);
                    self.add_delay(Duration::seconds(0));
                }
                _ => self.add_delay(Duration::seconds(0)),
            }
            self.serve(order.id, StopKind::Return, service);
        }
    }

    /// Sorts the stops of several orders by the shortest route. The stops of one order keep their
    /// order.
    fn visiting_order<'d>(
        &self,
        stops: Vec<(OrderId, &'d Delivery)>,
    ) -> Vec<(OrderId, &'d Delivery)> {
        let first = stops.first().map(|(order, _)| *order);
        if stops.iter().all(|(order, _)| Some(*order) == first) {
            return stops;
        }
        let points: Vec<Point> = [self.at]
            .into_iter()
            .chain(stops.iter().map(|(_, one)| one.place.located.point))
            .collect();
        let seconds = points
            .iter()
            .flat_map(|from| points.iter().map(|to| (self.travel)(*from, *to)))
            .collect();
        let best = route::Problem::new(points.len(), seconds).and_then(|problem| {
            route::best_order(&problem.closed(false), route::Budget::default())
        });
        // Without a route, the orders are visited one after the other.
        let Ok(best) = best else { return stops };
        let mut sorted: Vec<(OrderId, &Delivery)> = Vec::with_capacity(stops.len());
        for at in best.order {
            let Some((order, _)) = at.checked_sub(1).and_then(|at| stops.get(at)) else {
                continue;
            };
            let used = sorted.iter().filter(|(other, _)| other == order).count();
            sorted.extend(stops.iter().filter(|(other, _)| other == order).nth(used));
        }
        sorted
    }
}

/// Returns the time of the trip's last change: of its first assignment, of the arrival at the
/// pickup, or after that of any order. An order that joins later does not change the progress of
/// the others.
fn last_change(orders: &[&Order]) -> Option<Timestamp> {
    let since = |status| {
        orders
            .iter()
            .filter(move |order| order.status == status)
            .map(|order| order.status_since)
            .min()
    };
    let last = || orders.iter().map(|order| order.status_since).max();
    since(OrderStatus::CourierAtPickup)
        .or_else(|| since(OrderStatus::Allocated))
        .or_else(last)
}

/// Returns whether the courier has been at the door.
fn is_visited(delivery: &Delivery) -> bool {
    delivery.status > DeliveryStatus::Arrived && delivery.status != DeliveryStatus::Cancelled
}

#[cfg(test)]
pub(crate) mod tests;
