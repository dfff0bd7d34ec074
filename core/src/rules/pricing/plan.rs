//! Planning of a route with its legs, fee and times.

use super::{
    FeeInput, FeeRange, Tariff, price,
    range::{Uncertainty, fee_range},
    request::{PlanError, Request},
    schedule::{Times, times},
    total,
};
use crate::{
    geo::great_circle_m,
    model::{
        Distance, Leg, Located, Money, Precision,
        price::{EstimatePolicy, PriceLine},
    },
    route,
};

/// A route with its price and times.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Indices of the stops, in visiting order.
    pub order: Vec<usize>,
    /// The leg to each stop, in visiting order.
    pub legs: Vec<Leg>,
    /// The leg back to the pickup, if the courier brings something back.
    pub back: Option<Leg>,
    /// Length of all legs.
    pub total_distance: Distance,
    /// The price lines.
    pub lines: Vec<PriceLine>,
    /// The fee.
    pub fee: Money,
    /// The range of the fee, if the distances are uncertain.
    pub fee_range: Option<FeeRange>,
    /// The expected times.
    pub times: Times,
    /// Whether an address was located only by its municipality, or the embedded distance model
    /// replaced the unavailable road network.
    pub estimated: bool,
    /// The places on whose rough location the fee depends: 0 is the pickup, and the stops follow in
    /// the order sent. Empty if the fee does not depend on them.
    pub rough_places: Vec<usize>,
    /// Whether a leg follows from the texts of two addresses.
    pub has_near_leg: bool,
    /// Whether the fee is the lower end of its range because of them.
    pub lowered: bool,
}

/// Plans a route: the visiting order, then the legs, the fee and the expected times.
///
/// ```
/// use despacho_core::{
///     geo,
///     model::{Located, Money, Point, Precision, Timestamp, Zone, price::EstimatePolicy},
///     rules::pricing::{Request, Stop, Tariff, plan, total},
/// };
///
/// let at = |latitude, longitude| Located {
///     point: Point::from_degrees(latitude, longitude).unwrap(),
///     precision: Precision::Coordinates,
///     radius_m: 0,
/// };
/// let places = [at(-23.5558, -46.6582), at(-23.5700, -46.6600), at(-23.5600, -46.6585)];
/// let stops = places[1..].iter().map(|located| Stop { located: *located, returns: false, pin: None, window: None });
/// let request = Request {
///     pickup: places[0],
///     stops: &stops.collect::<Vec<_>>(),
///     matrix: &geo::matrix(&places),
///     best_route: true,
///     preparation_minutes: 20,
///     lead_minutes: 0,
///     deliver_at: None,
///     now: Timestamp::from_millis(1_795_262_400_000),
///     zone: Zone::Brasilia,
///     vehicle: None,
///     estimates: EstimatePolicy::Accept,
/// };
/// let plan = plan(&Tariff::default(), &request).unwrap();
/// assert_eq!(plan.order, [1, 0], "the nearer stop is visited first");
/// assert!(plan.fee == total(&plan.lines) && plan.fee > Money::ZERO);
/// ```
pub fn plan(tariff: &Tariff, request: &Request<'_>) -> Result<Plan, PlanError> {
    within_area(tariff, request)?;
    let closed = request.stops.iter().any(|stop| stop.returns);
    let order = visiting_order(request, closed)?;
    let mut at = 0;
    let mut legs = Vec::with_capacity(order.len());
    for stop in &order {
        legs.push(request.matrix.leg(at, stop + 1).ok_or(PlanError::NoRoad)?);
        at = stop + 1;
    }
    let back = if closed {
        Some(request.matrix.leg(at, 0).ok_or(PlanError::NoRoad)?)
    } else {
        None
    };
    let outward = legs
        .iter()
        .fold(Distance(0), |sum, leg| sum.plus(Distance(leg.metres)));
    let total_distance = outward.plus(Distance(back.map_or(0, |leg| leg.metres)));
    if total_distance.kilometres() > tariff.max_distance_km {
        return Err(PlanError::DistanceExceeded {
            distance: total_distance,
        });
    }
    let times = times(tariff, request, &order, &legs)?;
    let priced = FeeInput {
        outward,
        back: back.map(|leg| Distance(leg.metres)),
        stops: order.len(),
        // A surcharge by the time of day applies to the drive, not to the time of the request.
        at: if request.is_scheduled() {
            times.pickup
        } else {
            request.now
        },
        zone: request.zone,
        vehicle: request.vehicle,
    };
    let uncertainty = uncertainty(request, &order, &legs, back);
    let range = fee_range(tariff, &priced, &uncertainty);
    // A price is an estimate only if both ends of the range differ: a minimum fee can hide the error.
    let is_uncertain = range.is_some_and(|(range, _)| range.min < range.max);
    let rough_places = if is_uncertain {
        request.rough_places()
    } else {
        Vec::new()
    };
    let policy = if rough_places.is_empty() {
        EstimatePolicy::Accept
    } else {
        request.estimates
    };
    if policy == EstimatePolicy::Reject {
        return Err(PlanError::Estimated {
            places: rough_places,
        });
    }
    let lower = range
        .map(|(_, lower)| lower)
        .filter(|_| policy == EstimatePolicy::Lower);
    let lines = price(tariff, lower.as_ref().unwrap_or(&priced));
    Ok(Plan {
        times,
        fee: total(&lines),
        fee_range: range.map(|(range, _)| range),
        rough_places,
        has_near_leg: uncertainty.near.iter().any(Option::is_some),
        lowered: lower.is_some(),
        estimated: is_estimated(request, &order, closed),
        order,
        legs,
        back,
        total_distance,
        lines,
    })
}

fn uncertainty(
    request: &Request<'_>,
    order: &[usize],
    legs: &[Leg],
    back: Option<Leg>,
) -> Uncertainty {
    let stops = order.iter().filter_map(|stop| request.stops.get(*stop));
    let from = std::iter::once(0).chain(order.iter().map(|stop| stop + 1));
    let pairs = from.zip(order.iter().map(|stop| stop + 1)).zip(legs);
    let estimated = pairs.filter(|((from, to), _)| request.matrix.is_estimated(*from, *to));
    let last = order.last().map_or(0, |stop| stop + 1);
    let visited = || std::iter::once(0).chain(order.iter().map(|stop| stop + 1));
    let near = visited()
        .zip(visited().skip(1).chain([0]))
        .zip(legs.iter().chain(back.as_ref()));
    let near = near.map(|((from, to), leg)| request.matrix.is_near(from, to).then_some(leg.metres));
    Uncertainty {
        near: near.collect(),
        places: std::iter::once(request.pickup)
            .chain(stops.map(|stop| stop.located))
            .collect(),
        estimated: estimated.map(|(_, leg)| leg.metres).collect(),
        estimated_back: back
            .filter(|_| request.matrix.is_estimated(last, 0))
            .map(|leg| leg.metres),
    }
}

/// Returns whether an address was located only by its municipality, or a leg of the route is marked
/// as estimated.
fn is_estimated(request: &Request<'_>, order: &[usize], closed: bool) -> bool {
    let is_rough = |located: &Located| located.precision == Precision::Municipality;
    let visited = std::iter::once(0).chain(order.iter().map(|stop| stop + 1));
    let ends = order.iter().map(|stop| stop + 1).chain(closed.then_some(0));
    is_rough(&request.pickup)
        || request.stops.iter().any(|stop| is_rough(&stop.located))
        || visited
            .zip(ends)
            .any(|(from, to)| request.matrix.is_estimated(from, to))
}

fn within_area(tariff: &Tariff, request: &Request<'_>) -> Result<(), PlanError> {
    let radius = tariff.service_radius_km;
    let distances = request
        .stops
        .iter()
        .map(|stop| Distance(great_circle_m(request.pickup.point, stop.located.point)));
    // A stop that is near by its text is not as far away as its rough location.
    let is_too_far = |(stop, distance): &(usize, Distance)| {
        distance.kilometres() > radius && !request.matrix.is_near(0, stop + 1)
    };
    let stops: Vec<_> = distances.enumerate().filter(is_too_far).collect();
    if stops.is_empty() {
        Ok(())
    } else {
        Err(PlanError::OutOfArea { stops })
    }
}

/// Returns the indices of the stops in visiting order.
fn visiting_order(request: &Request<'_>, closed: bool) -> Result<Vec<usize>, PlanError> {
    let stops = request.stops.len();
    if stops == 0 {
        return Err(PlanError::Stops);
    }
    if !request.best_route || stops == 1 {
        return Ok((0..stops).collect());
    }
    let size = stops + 1;
    let metres = |from, to| {
        request
            .matrix
            .leg(from, to)
            .map_or(route::UNREACHABLE, |leg| leg.metres)
    };
    let matrix = (0..size)
        .flat_map(|from| (0..size).map(move |to| (from, to)))
        .map(|(from, to)| metres(from, to));
    let mut problem = route::Problem::new(size, matrix.collect())
        .map_err(|_| PlanError::Stops)?
        .closed(closed);
    for (index, stop) in request.stops.iter().enumerate() {
        if let Some(pin) = stop.pin {
            problem = problem.pin(index + 1, pin).map_err(|_| PlanError::Stops)?;
        }
    }
    let visit =
        route::best_order(&problem, route::Budget::default()).map_err(|error| match error {
            route::RouteError::Infeasible => PlanError::NoRoad,
            _ => PlanError::Stops,
        })?;
    Ok(visit.order.into_iter().map(|index| index - 1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{geo, model::Point};
    use crate::{
        model::{Duration, Timestamp, Zone},
        rules::pricing::Stop,
    };

    fn place(latitude: f64, longitude: f64) -> Located {
        let point = Point::from_degrees(latitude, longitude).unwrap();
        Located {
            point,
            precision: Precision::Coordinates,
            radius_m: 0,
        }
    }

    fn plan_route(stops: &[(f64, f64, bool)], best_route: bool) -> Result<Plan, PlanError> {
        let pickup = place(-23.55, -46.63);
        let stops: Vec<Stop> = stops
            .iter()
            .map(|(lat, lon, is_paid)| Stop {
                located: place(*lat, *lon),
                returns: !*is_paid,
                pin: None,
                window: None,
            })
            .collect();
        let mut places = vec![pickup];
        places.extend(stops.iter().map(|stop| stop.located));
        let matrix = geo::matrix_located(&places);
        let now = Timestamp::parse("2026-11-21T15:00:00Z").unwrap();
        let request = Request {
            pickup,
            stops: &stops,
            matrix: &matrix,
            best_route,
            preparation_minutes: 10,
            lead_minutes: 0,
            deliver_at: None,
            now,
            zone: Zone::Brasilia,
            vehicle: None,
            estimates: EstimatePolicy::Accept,
        };
        plan(&Tariff::default(), &request)
    }

    #[test]
    fn plan_parts_add_up_to_its_totals() {
        let plan = plan_route(&[(-23.56, -46.64, true), (-23.57, -46.65, false)], false).unwrap();
        let legs: u32 = plan
            .legs
            .iter()
            .chain(&plan.back)
            .map(|leg| leg.metres)
            .sum();
        assert_eq!(plan.total_distance.metres(), legs);
        assert_eq!(plan.fee, total(&plan.lines));
        assert_eq!(plan.times.pickup.to_string(), "2026-11-21T15:18:00.000Z");
        let travel: u32 = plan.legs.iter().map(|leg| leg.seconds).sum();
        assert_eq!(
            plan.times.delivery.since(plan.times.pickup),
            Duration::seconds(i64::from(travel) + 2 * 180)
        );
    }

    #[test]
    fn best_route_is_shorter_than_the_order_sent() {
        let zigzag = [
            (-23.56, -46.63, true),
            (-23.60, -46.63, true),
            (-23.57, -46.63, true),
            (-23.59, -46.63, true),
        ];
        let (sent, best) = (
            plan_route(&zigzag, false).unwrap(),
            plan_route(&zigzag, true).unwrap(),
        );
        assert_eq!(sent.order, [0, 1, 2, 3]);
        assert_eq!(best.order, [0, 2, 3, 1]);
        assert!(best.total_distance < sent.total_distance);
    }

    #[test]
    fn stop_outside_the_service_radius_is_reported() {
        let error =
            plan_route(&[(-23.56, -46.63, true), (-25.0, -46.63, true)], false).unwrap_err();
        assert!(
            matches!(error, PlanError::OutOfArea { stops } if stops.len() == 1 && stops[0].0 == 1)
        );
    }

    #[test]
    fn route_above_maximum_distance_is_rejected() {
        let there_and_back: Vec<_> = (0..6)
            .map(|i| (-23.55 - f64::from(i % 2) * 0.2, -46.63, true))
            .collect();
        assert!(matches!(
            plan_route(&there_and_back, false),
            Err(PlanError::DistanceExceeded { .. })
        ));
    }

    #[test]
    fn plan_is_estimated_only_if_an_estimated_leg_is_travelled() {
        let pickup = place(-23.55, -46.63);
        let stop = |returns| Stop {
            located: place(-23.56, -46.64),
            returns,
            pin: None,
            window: None,
        };
        let now = Timestamp::parse("2026-11-21T15:00:00Z").unwrap();
        let estimated = |stop: Stop, marks: [bool; 4]| {
            let matrix =
                geo::matrix_located(&[pickup, stop.located]).with_estimated(marks.to_vec());
            let (stops, best_route) = (&[stop][..], false);
            let request = Request {
                pickup,
                stops,
                matrix: &matrix,
                best_route,
                preparation_minutes: 0,
                lead_minutes: 0,
                deliver_at: None,
                now,
                zone: Zone::Brasilia,
                vehicle: None,
                estimates: EstimatePolicy::Accept,
            };
            plan(&Tariff::default(), &request).unwrap().estimated
        };
        let (out, back) = ([false, true, false, false], [false, false, true, false]);
        assert!(
            estimated(stop(false), out)
                && !estimated(stop(false), back)
                && !estimated(stop(false), [false; 4])
        );
        assert!(estimated(stop(true), back));
    }
}
