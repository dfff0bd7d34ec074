//! Assignment of free couriers to searching orders. All orders and couriers are matched together, by travel time to the
//! pickup.

use super::{Dispatch, nearby::CourierIndex};
use crate::{
    geo::{great_circle_m, leg_over},
    model::{
        Timestamp,
        courier::FreeCourier,
        order::{Order, OrderStatus},
    },
    route::{Costs, MAX_SIDE, assign},
    rules::lifecycle::{Timing, next_deadline},
};

/// Maximum number of pairs of an order and a courier that are matched at once, about 32 MB. Above it, each order keeps
/// only its nearest couriers.
const MAX_PAIRS: usize = 1_000_000;
/// Minimum number of couriers that each order keeps, regardless of [`MAX_PAIRS`].
const MIN_KEPT: usize = 64;

/// Returns pairs of an order and a courier, by their indices in the lists. The couriers must be sorted by ID.
///
/// The matching minimises the sum of the travel times to the pickups. Leaving an order without a courier costs twice
/// the longest trip within the radius plus its waiting time in seconds. Orders with a courier in reach are therefore
/// almost always served, and if couriers are scarce, the orders that have waited longest come first. Sandbox couriers
/// carry only the orders of sandbox stores. An order is offered to a released courier again only after a while and at a
/// higher cost, so any other free courier is preferred.
pub fn matches(
    orders: &[Order],
    couriers: &[FreeCourier],
    terms: &Dispatch,
    timing: &Timing,
    now: Timestamp,
) -> Vec<(usize, usize)> {
    let index = CourierIndex::new(couriers);
    assigned(orders, couriers, &index, terms, timing, now)
}

/// Returns the same as [`matches`], with an index of the couriers.
pub(crate) fn assigned(
    orders: &[Order],
    couriers: &[FreeCourier],
    index: &CourierIndex<'_>,
    terms: &Dispatch,
    timing: &Timing,
    now: Timestamp,
) -> Vec<(usize, usize)> {
    let scale = Scale::of(terms);
    let waiting = orders.iter().enumerate().filter(|(_, order)| is_searching(order, timing, now));
    let waiting: Vec<(usize, &Order)> = waiting.collect();
    // With n orders, the others can take at most n - 1 couriers, so an order never needs more than its n cheapest.
    let kept = (MAX_PAIRS / waiting.len().max(1)).max(MIN_KEPT).min(waiting.len());
    let mut nearby: Vec<Vec<(u64, usize)>> =
        waiting.iter().map(|(_, order)| within_reach(order, index, couriers, kept, terms, now, &scale)).collect();
    let columns = columns(&mut nearby, kept);
    let mut pairs = Vec::new();
    for (row, ((_, order), near)) in waiting.iter().zip(nearby).enumerate() {
        // The route engine has one cost for all unassigned rows. The difference to an order's own cost is added to its
        // pairs.
        let surcharge = scale.single - scale.price(order, now);
        let column = |at: usize| columns.binary_search(&at).ok();
        pairs.extend(near.into_iter().filter_map(|(seconds, at)| Some((row, column(at)?, seconds + surcharge))));
    }
    let Ok(costs) = Costs::sparse(waiting.len(), columns.len(), pairs) else { return Vec::new() };
    let Ok(assignment) = assign(&costs, Some(scale.single)) else { return Vec::new() };
    let pair = |(row, column): (usize, &Option<usize>)| Some((waiting.get(row)?.0, *columns.get((*column)?)?));
    assignment.columns.iter().enumerate().filter_map(pair).collect()
}

/// Returns the indices of the couriers in the lists, at most [`MAX_SIDE`]. If there are more, the most expensive
/// couriers of each list are removed.
fn columns(nearby: &mut [Vec<(u64, usize)>], mut kept: usize) -> Vec<usize> {
    loop {
        let mut columns: Vec<usize> = nearby.iter().flatten().map(|(_, at)| *at).collect();
        columns.sort_unstable();
        columns.dedup();
        if columns.len() <= MAX_SIDE || kept <= 1 {
            columns.truncate(MAX_SIDE);
            return columns;
        }
        kept /= 2;
        nearby.iter_mut().for_each(|near| near.truncate(kept));
    }
}

/// The costs of the matching, in seconds.
struct Scale {
    /// Travel time of the longest trip within the radius.
    max_trip: u64,
    /// Cost of leaving the longest-waiting order without a courier, which is the highest cost.
    single: u64,
}

/// Maximum waiting time that is counted: one hour.
const MAX_WAIT_S: u64 = 3_600;

impl Scale {
    fn of(terms: &Dispatch) -> Scale {
        let max_trip = u64::from(leg_over(terms.radius_m()).seconds).max(1);
        Scale { max_trip, single: 2 * max_trip + MAX_WAIT_S }
    }

    /// Returns the cost of leaving an order without a courier.
    fn price(&self, order: &Order, now: Timestamp) -> u64 {
        let waited = now.since(order.ready_at).seconds_ceil();
        2 * self.max_trip + waited.min(MAX_WAIT_S)
    }
}

/// Returns whether the order is searching and its search has not timed out.
fn is_searching(order: &Order, timing: &Timing, now: Timestamp) -> bool {
    order.status == OrderStatus::Searching && next_deadline(order, timing).is_none_or(|end| end > now)
}

/// Returns the `kept` cheapest couriers for an order, each with its cost in seconds and its index.
fn within_reach(
    order: &Order,
    index: &CourierIndex<'_>,
    couriers: &[FreeCourier],
    kept: usize,
    terms: &Dispatch,
    now: Timestamp,
    scale: &Scale,
) -> Vec<(u64, usize)> {
    let (pickup, radius_m) = (order.pickup.located.point, terms.radius_m());
    let fits = |courier: &FreeCourier| courier.sandbox == order.sandbox && !order.released.contains(&courier.id);
    let travel = |distance_m: u32| u64::from(leg_over(distance_m).seconds);
    let nearest = index.nearest(pickup, radius_m, kept, fits);
    let mut near: Vec<(u64, usize)> = nearest.into_iter().map(|(distance_m, at)| (travel(distance_m), at)).collect();
    if now.since(order.status_since) >= terms.reoffer_after() {
        for released in &order.released {
            let at = couriers.binary_search_by_key(released, |courier| courier.id).ok();
            let found =
                at.and_then(|at| Some((at, couriers.get(at).filter(|courier| courier.sandbox == order.sandbox)?)));
            let Some((at, courier)) = found else { continue };
            let distance_m = great_circle_m(courier.point, pickup);
            if distance_m <= radius_m {
                near.push((travel(distance_m) + scale.max_trip, at));
            }
        }
    }
    // `sort_unstable` is larger but faster, which matters for thousands of lists with thousands of couriers.
    near.sort_unstable();
    near.dedup();
    near.truncate(kept);
    near
}

#[cfg(test)]
mod tests {
    use std::{
        future::Future,
        pin::pin,
        task::{Context, Poll, Waker},
    };

    use bytes::Bytes;
    use http::Request;
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        api,
        memory::MemoryHost,
        model::{CourierId, Duration, OrderId, Point, store::KeyHash},
        rules::settings::Settings,
    };
    use crate::{model::courier::Cell, rules::matching::nearby::cells_around};

    /// An order whose pickup, ID and times are replaced by tests.
    fn template() -> Order {
        let host = MemoryHost::seeded(1);
        let settings = Settings { operator: Some(KeyHash::of("operator")), ..Settings::default() };
        let address = json!({ "street": "Rua Augusta", "number": "900", "city": "São Paulo", "state": "SP",
            "latitude": -23.5530, "longitude": -46.6560 });
        let post = |path: &str, key: &str, body: Value| -> Value {
            let request = Request::post(path).header("x-api-token", key).header("content-type", "application/json");
            let request = request.body(Bytes::from(body.to_string())).unwrap();
            let sent = pin!(api::handle(&host, &settings, request)).poll(&mut Context::from_waker(Waker::noop()));
            let Poll::Ready(response) = sent else { panic!("the in-memory host returned pending") };
            serde_json::from_slice(response.body()).unwrap()
        };
        let store = json!({ "cnpj": "11.222.333/0001-81", "name": "Cantina", "email": "loja@exemplo.com.br",
            "password": "a long password", "responsible": { "name": "Rui", "phone": "+5511999990002" },
            "address": address, "marketplaceBranchId": 1 });
        let created = post("/admin/matrices", "operator", store);
        let delivery = json!({ "address": address, "onlinePayment": true, "name": "Maria", "phone": "+5511999990000" });
        post(
            "/delivery/orders",
            created["value"].as_str().unwrap(),
            json!({ "code": "A-1", "deliveries": [delivery] }),
        );
        Order { status: OrderStatus::Searching, ..host.orders().remove(0) }
    }

    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % end
        }

        /// Returns a point in a rectangle of about 70 km, or on the border of two cells in its middle.
        fn point(&mut self) -> Point {
            let mut degree = |from: i32| from + i32::try_from(self.below(6_000_000)).unwrap();
            let (lat_e7, lon_e7) = (degree(-236_000_000), degree(-468_000_000));
            match self.below(4) {
                0 => Point { lat_e7: -233_000_000 - i32::from(self.below(2) == 0), lon_e7 },
                _ => Point { lat_e7, lon_e7 },
            }
        }
    }

    /// The reference: the minimum cost over all pairs within the radius, without cells, an index or a limit.
    fn global(orders: &[Order], couriers: &[FreeCourier], terms: &Dispatch, now: Timestamp) -> Vec<(usize, usize)> {
        let scale = Scale::of(terms);
        let again = |order: &Order| now.since(order.status_since) >= terms.reoffer_after();
        let cost = |order: &Order, courier: &FreeCourier| {
            let distance_m = great_circle_m(courier.point, order.pickup.located.point);
            let travel = u64::from(leg_over(distance_m).seconds) + scale.single - scale.price(order, now);
            let released = order.released.contains(&courier.id);
            let fits =
                distance_m <= terms.radius_m() && courier.sandbox == order.sandbox && (!released || again(order));
            fits.then_some(travel + if released { scale.max_trip } else { 0 })
        };
        let pairs = orders.iter().enumerate().flat_map(|(row, order)| {
            let costs = couriers.iter().enumerate().map(move |(column, courier)| (row, column, cost(order, courier)));
            costs.filter_map(|(row, column, cost)| Some((row, column, cost?)))
        });
        let costs = Costs::sparse(orders.len(), couriers.len(), pairs).unwrap();
        let assignment = assign(&costs, Some(scale.single)).unwrap();
        assignment.columns.iter().enumerate().filter_map(|(row, column)| Some((row, (*column)?))).collect()
    }

    #[test]
    fn matching_by_areas_equals_global_matching() {
        let (template, timing, terms) = (template(), Timing::default(), Dispatch::default());
        let now = template.created_at.after(Duration::minutes(30));
        let mut matched = 0;
        for seed in 0..400 {
            let mut random = Random(seed);
            let couriers: Vec<FreeCourier> = (1..=10 + random.below(30))
                .map(|id| FreeCourier {
                    id: CourierId::new(id).unwrap(),
                    point: random.point(),
                    sandbox: random.below(6) == 0,
                })
                .collect();
            let orders: Vec<Order> = (1..=1 + random.below(25))
                .map(|id| {
                    let mut order = template.clone();
                    order.id = OrderId::new(id).unwrap();
                    order.pickup.located.point = random.point();
                    order.sandbox = random.below(6) == 0;
                    let waited = i64::try_from(random.below(19 * 60)).unwrap();
                    order.status_since = now.before(Duration::seconds(waited));
                    order.ready_at = order.status_since;
                    order.released =
                        (0..random.below(4)).filter_map(|_| CourierId::new(1 + random.below(40))).collect();
                    order
                })
                .collect();
            let pickups = orders.iter().map(|order| order.pickup.located.point);
            let cells = cells_around(pickups, terms.radius_m(), 1 + usize::try_from(random.below(32)).unwrap());
            let in_cells = |one: &FreeCourier| cells.iter().any(|range| range.contains(&Cell::of(one.point)));
            let read: Vec<FreeCourier> = couriers.iter().copied().filter(in_cells).collect();
            let by_id = |pairs: Vec<(usize, usize)>, couriers: &[FreeCourier]| -> Vec<(usize, CourierId)> {
                pairs.into_iter().map(|(row, at)| (row, couriers[at].id)).collect()
            };
            let pairs = by_id(matches(&orders, &read, &terms, &timing, now), &read);
            matched += pairs.len();
            assert_eq!(pairs, by_id(global(&orders, &couriers, &terms, now), &couriers), "seed {seed}");
        }
        assert!(matched > 1_000, "{matched} pairs");
    }

    #[test]
    fn nearest_courier_is_found_among_thirty_thousand() {
        let (template, timing, terms) = (template(), Timing::default(), Dispatch::default());
        let now = template.created_at.after(Duration::minutes(1));
        let centre = Point { lat_e7: -235_505_000, lon_e7: -466_333_000 };
        let mut order = Order { status_since: now, ..template };
        order.pickup.located.point = centre;
        // 30,000 couriers 1 to 9 km away, and the nearest one has the highest ID.
        let mut couriers: Vec<FreeCourier> = (1..=30_000)
            .map(|id| {
                let away = 90_000 + i32::try_from(id).unwrap() * 24;
                let point = Point { lat_e7: centre.lat_e7 + away, lon_e7: centre.lon_e7 };
                FreeCourier { id: CourierId::new(id).unwrap(), point, sandbox: false }
            })
            .collect();
        couriers.push(FreeCourier { id: CourierId::new(30_001).unwrap(), point: centre, sandbox: false });
        assert_eq!(matches(&[order.clone()], &couriers, &terms, &timing, now), [(0, 30_000)]);
        let orders: Vec<Order> = (1..=600).map(|id| Order { id: OrderId::new(id).unwrap(), ..order.clone() }).collect();
        let taken: Vec<usize> = matches(&orders, &couriers, &terms, &timing, now).iter().map(|pair| pair.1).collect();
        assert_eq!(taken.len(), 600);
        assert!(taken.iter().all(|at| *at < 640 || *at == 30_000), "the nearest 600, up to ties");
    }
}
