//! Which courier for which order: all that wait and all that are free at once, by time to the pickup.

use super::{Courier, Dispatch};
use crate::{
    domain::{Point, Timestamp, sort},
    geo::{great_circle_m, leg_over},
    order::{Order, OrderSituation, Timing, next_deadline},
    route::{Costs, assign},
};

/// Great-circle metres in one degree of latitude, rounded down, so that a band of latitude never loses anybody.
const DEGREE_M: u64 = 111_000;
/// Pairs of an order and a courier that a round weighs; beyond that each order keeps those nearest to it. Some 32 MB.
const MOST_PAIRS: usize = 1_000_000;
/// Couriers that each order keeps at least, whatever [`MOST_PAIRS`] says.
const FEWEST_KEPT: usize = 64;

/// Pairs of an order and a courier, by their places in the lists, with the order that has waited longest first.
///
/// The sum of the times to the pickups is least, where leaving an order without a courier costs twice the longest ride within the
/// radius and a second for each second that it has waited: hardly an order stays alone that somebody could reach, and where
/// couriers are few those go first that wait longest. A robot carries demonstration orders alone, and nobody else does. A courier
/// that let an order go is asked again only after a while, and dearly, so that anybody else who is free is preferred.
pub fn matches(
    orders: &[Order],
    couriers: &[Courier],
    terms: &Dispatch,
    timing: &Timing,
    now: Timestamp,
) -> Vec<(usize, usize)> {
    let scale = Scale::of(terms);
    let places = by_latitude(couriers);
    let kept = (MOST_PAIRS / orders.len().max(1)).max(FEWEST_KEPT);
    let mut pairs = Vec::new();
    for (row, order) in orders.iter().enumerate() {
        if !waits(order, timing, now) {
            continue;
        }
        let mut near = within_reach(order, couriers, &places, terms, now, &scale);
        // For every order again, of thousands of couriers: here the quicker code is worth what it weighs.
        near.sort_unstable();
        near.truncate(kept);
        // The route engine has one price for everybody that stays alone: what an order's own lacks to it goes onto its pairs.
        let handicap = scale.alone - scale.price(order, now);
        pairs.extend(near.into_iter().map(|(seconds, column)| (row, column, seconds + handicap)));
    }
    let Ok(costs) = Costs::sparse(orders.len(), couriers.len(), pairs) else { return Vec::new() };
    let Ok(assignment) = assign(&costs, Some(scale.alone)) else { return Vec::new() };
    assignment.columns.iter().enumerate().filter_map(|(row, column)| Some((row, (*column)?))).collect()
}

/// What things cost, in seconds.
struct Scale {
    /// The longest ride within the radius.
    ride: u64,
    /// The price of staying alone for whoever has waited longest: the ceiling of all prices.
    alone: u64,
}

/// Waiting counts up to an hour.
const LONGEST_WAIT_S: u64 = 3_600;

impl Scale {
    fn of(terms: &Dispatch) -> Scale {
        let ride = u64::from(leg_over(terms.radius_m()).seconds).max(1);
        Scale { ride, alone: 2 * ride + LONGEST_WAIT_S }
    }

    /// What it costs to leave this order without a courier.
    fn price(&self, order: &Order, now: Timestamp) -> u64 {
        let waited = now.since(order.ready_at).seconds_ceil();
        2 * self.ride + waited.min(LONGEST_WAIT_S)
    }
}

/// Whether the order still looks for a courier: its search has begun and is not over.
fn waits(order: &Order, timing: &Timing, now: Timestamp) -> bool {
    order.situation == OrderSituation::Searching && next_deadline(order, timing).is_none_or(|end| end > now)
}

/// Couriers with a place, from south to north: latitude, and where they stand in the list.
fn by_latitude(couriers: &[Courier]) -> Vec<(i32, usize)> {
    let mut places: Vec<(i32, usize)> = couriers
        .iter()
        .enumerate()
        .filter(|(_, courier)| courier.is_free())
        .filter_map(|(at, courier)| Some((courier.position?.lat_e7, at)))
        .collect();
    sort(&mut places, |a, b| a < b);
    places
}

/// The couriers that could take an order: what each costs, in seconds, and where the courier stands in the list.
fn within_reach(
    order: &Order,
    couriers: &[Courier],
    places: &[(i32, usize)],
    terms: &Dispatch,
    now: Timestamp,
    scale: &Scale,
) -> Vec<(u64, usize)> {
    let (pickup, radius_m) = (order.pickup.located.point, terms.radius_m());
    let field = Field::around(pickup, radius_m);
    let from = places.partition_point(|(latitude, _)| *latitude < pickup.lat_e7.saturating_sub(field.north_e7));
    let until = places.partition_point(|(latitude, _)| *latitude <= pickup.lat_e7.saturating_add(field.north_e7));
    let asked_again = now.since(order.situation_since).as_millis() >= terms.ask_again().as_millis();
    let reach = |&(_, at): &(i32, usize)| {
        let courier = couriers.get(at).filter(|courier| courier.demo == order.demo)?;
        let place = courier.position.filter(|place| place.lon_e7.abs_diff(pickup.lon_e7) <= field.east_e7)?;
        let distance_m = great_circle_m(place, pickup);
        let ride = u64::from(leg_over(distance_m).seconds);
        match order.released.contains(&courier.id) {
            _ if distance_m > radius_m => None,
            false => Some((ride, at)),
            true if asked_again => Some((ride + scale.ride, at)),
            true => None,
        }
    };
    places.get(from..until).unwrap_or_default().iter().filter_map(reach).collect()
}

/// A rectangle of degrees that holds a circle: a cheap first sieve. Brazil is far from the poles and from the 180th meridian.
struct Field {
    north_e7: i32,
    east_e7: u32,
}

impl Field {
    fn around(point: Point, radius_m: u32) -> Field {
        let north = u64::from(radius_m) * 10_000_000 / DEGREE_M + 1;
        let north_e7 = i32::try_from(north).unwrap_or(i32::MAX);
        // Meridians are nearest to each other at the rim that is further from the equator.
        let furthest = (f64::from(point.lat_e7.abs()) + f64::from(north_e7)) / 1e7;
        let narrowing = libm::cos(furthest.min(89.0) * core::f64::consts::PI / 180.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "kept within a half circle")]
        let east_e7 = libm::ceil(f64::from(north_e7) / narrowing).min(1.8e9) as u32;
        Field { north_e7, east_e7 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sieve_loses_nobody_within_the_radius() {
        let mut on_the_rim = 0;
        for latitude in [-33.7, -23.55, -3.1, 0.0, 5.2] {
            let centre = Point::from_degrees(latitude, -46.63).unwrap();
            for (radius_m, degree) in [1_000, 10_000, 200_000].into_iter().flat_map(|m| (0..360).map(move |d| (m, d))) {
                let bearing = f64::from(degree) * core::f64::consts::PI / 180.0;
                let reach = f64::from(radius_m) / 111_195.0 * 0.9999;
                let north = latitude + reach * libm::cos(bearing);
                let east = -46.63 + reach * libm::sin(bearing) / libm::cos(north * core::f64::consts::PI / 180.0);
                let place = Point::from_degrees(north, east).unwrap();
                if great_circle_m(centre, place) > radius_m {
                    continue;
                }
                on_the_rim += 1;
                let field = Field::around(centre, radius_m);
                assert!(place.lat_e7.abs_diff(centre.lat_e7) <= field.north_e7.unsigned_abs(), "{latitude} {degree}");
                assert!(place.lon_e7.abs_diff(centre.lon_e7) <= field.east_e7, "{latitude} {degree}");
            }
        }
        assert!(on_the_rim > 2_000, "{on_the_rim} places were near the rim");
    }
}
