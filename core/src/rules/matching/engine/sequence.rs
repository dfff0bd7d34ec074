//! The visiting order of a trip's stops.

use super::{Config, MAX_SHARED_STOPS, TripOrder};
use crate::model::Point;

/// Maximum number of stops whose visiting orders are all compared. Above it, stops are inserted one
/// by one.
const MAX_EXHAUSTIVE_STOPS: usize = 4;
/// Number of stops whose path fits in a [`Path`].
const MAX_PATH: usize = MAX_SHARED_STOPS;

/// Durations of a trip in seconds, from the pickup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// Sum over all orders: last drop-off minus that of the same trip carrying the order first.
    pub(super) detour: i64,
    /// Largest detour of an order.
    pub(super) max_detour: i64,
    /// Duration until the courier is free again.
    pub(super) length: i64,
    /// The place where the trip ends.
    pub(super) end: Point,
}

/// Returns the durations of the best visiting order, or `None` if several orders have too many
/// stops.
pub(super) fn best_route<T: Fn(Point, Point) -> u32>(
    pickup: Point,
    orders: &[&TripOrder],
    config: &Config,
    travel: &T,
) -> Option<Route> {
    if let [order] = orders {
        return Some(single_route(pickup, order, config, travel));
    }
    let sequencer = Sequencer::new(pickup, orders, config, travel);
    sequencer.best().map(|(_, route)| route)
}

/// Returns the durations of a trip with one order.
fn single_route<T: Fn(Point, Point) -> u32>(
    pickup: Point,
    order: &TripOrder,
    config: &Config,
    travel: &T,
) -> Route {
    let mut end = pickup;
    let mut length = i64::from(config.pickup_service_s.div_ceil(2));
    for &stop in &order.stops {
        length += i64::from(travel(end, stop)) + i64::from(config.dropoff_service_s);
        end = stop;
    }
    if order.returns {
        length += i64::from(travel(end, pickup));
        end = pickup;
    }
    Route {
        detour: 0,
        max_detour: 0,
        length,
        end,
    }
}

struct Stop {
    /// Index of the order.
    order: usize,
    point: Point,
    /// Duration from the pickup to this drop-off if the trip carried its order first. `None` before
    /// the last stop.
    direct: Option<i64>,
}

/// Indices of stops in visiting order.
#[derive(Clone, Copy)]
struct Path {
    stops: [u8; MAX_PATH],
    len: usize,
}

impl Path {
    const EMPTY: Path = Path {
        stops: [0; MAX_PATH],
        len: 0,
    };

    fn stops(&self) -> &[u8] {
        self.stops.get(..self.len).unwrap_or_default()
    }

    /// Returns the path with a stop inserted at a position.
    fn with(&self, position: usize, stop: usize) -> Path {
        let mut longer = Path::EMPTY;
        let (before, after) = self.stops().split_at_checked(position).unwrap_or_default();
        let stop = u8::try_from(stop).unwrap_or(0);
        let all = before.iter().chain(core::iter::once(&stop)).chain(after);
        for (slot, &element) in longer.stops.iter_mut().zip(all) {
            *slot = element;
            longer.len += 1;
        }
        longer
    }
}

struct Sequencer<'a> {
    config: &'a Config,
    pickup: Point,
    /// All stops, grouped by order, in the order's sequence.
    stops: Vec<Stop>,
    /// Rides to each stop: a row for the pickup, then one for each stop.
    legs: Vec<i64>,
    /// Ride from each stop to the pickup.
    back: Vec<i64>,
    /// Whether the trip ends at the pickup.
    returns: bool,
}

impl<'a> Sequencer<'a> {
    fn new<T: Fn(Point, Point) -> u32>(
        pickup: Point,
        orders: &[&TripOrder],
        config: &'a Config,
        travel: &T,
    ) -> Sequencer<'a> {
        let mut stops: Vec<Stop> = Vec::with_capacity(MAX_PATH);
        for (index, order) in orders.iter().enumerate() {
            stops.extend(order.stops.iter().map(|&point| Stop {
                order: index,
                point,
                direct: None,
            }));
        }
        let returns = orders.iter().any(|order| order.returns);
        let mut sequencer = Sequencer {
            config,
            pickup,
            stops,
            legs: Vec::new(),
            back: Vec::new(),
            returns,
        };
        if sequencer.stops.len() > MAX_PATH {
            return sequencer;
        }
        let points = || sequencer.stops.iter().map(|stop| stop.point);
        let ride = |from: Point, to: Point| i64::from(travel(from, to));
        let mut legs = Vec::with_capacity(sequencer.stops.len() * (sequencer.stops.len() + 1));
        legs.extend(points().map(|point| ride(pickup, point)));
        for from in points() {
            legs.extend(points().map(|to| ride(from, to)));
        }
        sequencer.back = points().map(|point| ride(point, pickup)).collect();
        sequencer.legs = legs;
        sequencer.set_direct();
        sequencer
    }

    /// Sets the direct duration of each order's last stop.
    fn set_direct(&mut self) {
        let orders: Vec<usize> = self.stops.iter().map(|stop| stop.order).collect();
        let mut left = self.leave_pickup();
        for at in 0..orders.len() {
            let first = at == 0 || orders.get(at - 1) != orders.get(at);
            let drop = if first {
                self.leave_pickup() + self.leg(None, at) + self.half_dropoff()
            } else {
                left + self.leg(Some(at - 1), at) + self.half_dropoff()
            };
            left = drop + self.rest_dropoff();
            let last = orders.get(at + 1) != orders.get(at);
            if let Some(stop) = self.stops.get_mut(at) {
                stop.direct = last.then_some(drop);
            }
        }
    }

    fn leave_pickup(&self) -> i64 {
        i64::from(self.config.pickup_service_s.div_ceil(2))
    }

    fn half_dropoff(&self) -> i64 {
        i64::from(self.config.dropoff_service_s / 2)
    }

    fn rest_dropoff(&self) -> i64 {
        i64::from(self.config.dropoff_service_s.div_ceil(2))
    }

    /// Returns the ride from a stop, or from the pickup, to a stop.
    fn leg(&self, from: Option<usize>, to: usize) -> i64 {
        let row = from.map_or(0, |from| from + 1);
        self.legs
            .get(row * self.stops.len() + to)
            .copied()
            .unwrap_or(0)
    }

    /// Returns the best path and its durations.
    fn best(&self) -> Option<(Path, Route)> {
        let path = if self.stops.len() <= MAX_EXHAUSTIVE_STOPS {
            self.exhaustive()
        } else {
            self.inserted()?
        };
        Some((path, self.measure(&path)))
    }

    /// Compares all paths that visit each order's stops in sequence.
    fn exhaustive(&self) -> Path {
        let mut best = (i64::MAX, Path::EMPTY);
        self.extend(Path::EMPTY, &mut best);
        best.1
    }

    fn extend(&self, path: Path, best: &mut (i64, Path)) {
        if path.len == self.stops.len() {
            let cost = self.cost(&path);
            if cost < best.0 {
                *best = (cost, path);
            }
            return;
        }
        let visited = |at: usize| path.stops().iter().any(|&one| usize::from(one) == at);
        let mut previous = None;
        for (at, stop) in self.stops.iter().enumerate() {
            // The first unvisited stop of each order comes next.
            if !visited(at) && previous != Some(stop.order) {
                previous = Some(stop.order);
                self.extend(path.with(path.len, at), best);
            }
        }
    }

    /// Inserts the stops one by one at their best position.
    fn inserted(&self) -> Option<Path> {
        if self.stops.len() > MAX_PATH {
            return None;
        }
        let mut path = Path::EMPTY;
        let mut first_position = 0;
        for (at, stop) in self.stops.iter().enumerate() {
            if at == 0
                || self
                    .stops
                    .get(at - 1)
                    .is_some_and(|before| before.order != stop.order)
            {
                first_position = 0;
            }
            let positions = first_position..=path.len;
            let (_, position) = positions
                .map(|position| (self.cost(&path.with(position, at)), position))
                .min()?;
            path = path.with(position, at);
            first_position = position + 1;
        }
        Some(path)
    }

    /// Returns the cost of a path, without the parts that are equal for all paths.
    fn cost(&self, path: &Path) -> i64 {
        let route = self.measure(path);
        let weights = &self.config.weights;
        // A path whose detour is too long is chosen only if all are.
        let excess = (route.max_detour - i64::from(self.config.detour_s)).max(0) * 10_000;
        route.detour * i64::from(weights.lateness)
            + route.length * i64::from(weights.length)
            + excess
    }

    fn measure(&self, path: &Path) -> Route {
        let (mut detour, mut max_detour) = (0, 0);
        let (mut left, mut from) = (self.leave_pickup(), None);
        let (mut back, mut end) = (0, self.pickup);
        for &at in path.stops() {
            let at = usize::from(at);
            let drop = left + self.leg(from, at) + self.half_dropoff();
            (left, from) = (drop + self.rest_dropoff(), Some(at));
            let Some(stop) = self.stops.get(at) else {
                continue;
            };
            (end, back) = (stop.point, self.back.get(at).copied().unwrap_or(0));
            if let Some(direct) = stop.direct {
                detour += drop - direct;
                max_detour = max_detour.max(drop - direct);
            }
        }
        if self.returns {
            return Route {
                detour,
                max_detour,
                length: left + back,
                end: self.pickup,
            };
        }
        Route {
            detour,
            max_detour,
            length: left,
            end,
        }
    }
}
