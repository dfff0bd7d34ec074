//! From located stops to a route with its legs, its fee and its times.

use super::{Priced, Tariff, price, total};
use crate::{
    geo::great_circle_m,
    model::{Distance, DistanceMatrix, Duration, Leg, Located, Money, Precision, Timestamp, Uf, price::PriceLine},
    route,
};

/// What is planned.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Where the courier collects.
    pub pickup: Located,
    /// The stops, in the order sent; at least one.
    pub stops: &'a [Stop],
    /// Legs between the pickup (index 0) and the stops (1 and on).
    pub matrix: &'a DistanceMatrix,
    /// Whether the stops may be visited in the best order.
    pub best_route: bool,
    /// Minutes of preparation.
    pub preparation_minutes: u32,
    /// When it is planned.
    pub now: Timestamp,
    /// The pickup's federative unit, whose local time counts.
    pub uf: Option<Uf>,
}

/// One stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Where it is.
    pub located: Located,
    /// Whether it is paid already; where not, the courier returns to the pickup with the payment.
    pub online_payment: bool,
    /// Where the merchant holds it in the best order.
    pub pin: Option<route::Pin>,
}

/// A route with its price and its times.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The stops' indices in the order sent, laid out in visiting order.
    pub order: Vec<usize>,
    /// The leg that ends at each stop, in visiting order.
    pub legs: Vec<Leg>,
    /// The leg back to the pickup, where a payment comes back.
    pub back: Option<Leg>,
    /// The sum of all legs.
    pub total_distance: Distance,
    /// The fee's lines.
    pub lines: Vec<PriceLine>,
    /// The fee.
    pub fee: Money,
    /// When things should happen.
    pub times: Times,
    /// Whether a leg rests on no more than municipalities, or on the embedded model in place of a road network that was asked.
    pub estimated: bool,
}

/// When the courier should collect, and when the last delivery should be handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// The later of 'ready' and 'a courier can be there'.
    pub pickup: Timestamp,
    /// The last arrival and its handover.
    pub delivery: Timestamp,
}

/// Why there is no such route. Stops are named by their index in the order sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// Stops further from the pickup, in a straight line, than the tariff serves.
    OutOfArea {
        /// Each stop at fault with its distance.
        stops: Vec<(usize, Distance)>,
    },
    /// The route is longer than the tariff allows.
    DistanceExceeded {
        /// How long it is.
        distance: Distance,
    },
    /// No road joins the stops.
    NoRoad,
    /// The stops are more than the route engine takes, or none.
    Stops,
}

/// Plans a route: visits in the order sent or in the best order, then legs, fee and times.
///
/// ```
/// use despacho_core::{
///     geo,
///     model::{Located, Money, Point, Precision, Timestamp, Uf},
///     rules::pricing::{Request, Stop, Tariff, plan, total},
/// };
///
/// let at = |latitude, longitude| Located {
///     point: Point::from_degrees(latitude, longitude).unwrap(),
///     precision: Precision::Coordinates,
///     radius_m: 0,
/// };
/// let places = [at(-23.5558, -46.6582), at(-23.5700, -46.6600), at(-23.5600, -46.6585)];
/// let stops = places[1..].iter().map(|located| Stop { located: *located, online_payment: true, pin: None });
/// let request = Request {
///     pickup: places[0],
///     stops: &stops.collect::<Vec<_>>(),
///     matrix: &geo::matrix(&places),
///     best_route: true,
///     preparation_minutes: 20,
///     now: Timestamp::from_millis(1_795_262_400_000),
///     uf: Uf::parse("SP"),
/// };
/// let plan = plan(&Tariff::default(), &request).unwrap();
/// assert_eq!(plan.order, [1, 0], "the nearer stop is visited first");
/// assert!(plan.fee == total(&plan.lines) && plan.fee > Money::ZERO);
/// ```
pub fn plan(tariff: &Tariff, request: &Request<'_>) -> Result<Plan, PlanError> {
    within_area(tariff, request)?;
    let closed = request.stops.iter().any(|stop| !stop.online_payment);
    let order = visiting_order(request, closed)?;
    let mut at = 0;
    let mut legs = Vec::with_capacity(order.len());
    for stop in &order {
        legs.push(request.matrix.leg(at, stop + 1).ok_or(PlanError::NoRoad)?);
        at = stop + 1;
    }
    let back = if closed { Some(request.matrix.leg(at, 0).ok_or(PlanError::NoRoad)?) } else { None };
    let outward = legs.iter().fold(Distance(0), |sum, leg| sum.plus(Distance(leg.metres)));
    let total_distance = outward.plus(Distance(back.map_or(0, |leg| leg.metres)));
    if total_distance.kilometres() > tariff.max_distance_km {
        return Err(PlanError::DistanceExceeded { distance: total_distance });
    }
    let lines = price(
        tariff,
        &Priced {
            outward,
            back: back.map(|leg| Distance(leg.metres)),
            stops: order.len(),
            at: request.now,
            uf: request.uf,
        },
    );
    Ok(Plan {
        times: times(tariff, request, &legs),
        fee: total(&lines),
        estimated: is_estimated(request, &order, closed),
        order,
        legs,
        back,
        total_distance,
        lines,
    })
}

/// Whether a place of the route is known by its municipality alone, or a leg of it is one that the matrix marks.
fn is_estimated(request: &Request<'_>, order: &[usize], closed: bool) -> bool {
    let rough = |located: &Located| located.precision == Precision::Municipality;
    let visited = std::iter::once(0).chain(order.iter().map(|stop| stop + 1));
    let ends = order.iter().map(|stop| stop + 1).chain(closed.then_some(0));
    rough(&request.pickup)
        || request.stops.iter().any(|stop| rough(&stop.located))
        || visited.zip(ends).any(|(from, to)| request.matrix.is_estimated(from, to))
}

fn within_area(tariff: &Tariff, request: &Request<'_>) -> Result<(), PlanError> {
    let radius = tariff.service_radius_km;
    let distances = request.stops.iter().map(|stop| Distance(great_circle_m(request.pickup.point, stop.located.point)));
    let too_far = |distance: &Distance| distance.kilometres() > radius;
    let stops: Vec<_> = distances.enumerate().filter(|(_, distance)| too_far(distance)).collect();
    if stops.is_empty() { Ok(()) } else { Err(PlanError::OutOfArea { stops }) }
}

/// The stops' indices in visiting order.
fn visiting_order(request: &Request<'_>, closed: bool) -> Result<Vec<usize>, PlanError> {
    let stops = request.stops.len();
    if stops == 0 {
        return Err(PlanError::Stops);
    }
    if !request.best_route || stops == 1 {
        return Ok((0..stops).collect());
    }
    let size = stops + 1;
    let metres = |from, to| request.matrix.leg(from, to).map_or(route::UNREACHABLE, |leg| leg.metres);
    let matrix = (0..size).flat_map(|from| (0..size).map(move |to| (from, to))).map(|(from, to)| metres(from, to));
    let mut problem = route::Problem::new(size, matrix.collect()).map_err(|_| PlanError::Stops)?.closed(closed);
    for (index, stop) in request.stops.iter().enumerate() {
        if let Some(pin) = stop.pin {
            problem = problem.pin(index + 1, pin).map_err(|_| PlanError::Stops)?;
        }
    }
    let visit = route::best_order(&problem, route::Budget::default()).map_err(|error| match error {
        route::RouteError::Infeasible => PlanError::NoRoad,
        _ => PlanError::Stops,
    })?;
    Ok(visit.order.into_iter().map(|index| index - 1).collect())
}

fn times(tariff: &Tariff, request: &Request<'_>, legs: &[Leg]) -> Times {
    // The search starts when the goods are ready, so that is the earliest that a courier sets out for the pickup.
    let ready = request.now.after(Duration::minutes(request.preparation_minutes.into()));
    let pickup = ready.after(Duration::minutes(tariff.approach_minutes.into()));
    let handover = Duration::minutes(tariff.handover_minutes.into());
    let delivery = legs.iter().fold(pickup, |at, leg| at.after(Duration::seconds(leg.seconds.into())).after(handover));
    Times { pickup, delivery }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{geo, model::Point};

    fn place(latitude: f64, longitude: f64) -> Located {
        let point = Point::from_degrees(latitude, longitude).unwrap();
        Located { point, precision: Precision::Coordinates, radius_m: 0 }
    }

    fn planned(stops: &[(f64, f64, bool)], best_route: bool) -> Result<Plan, PlanError> {
        let pickup = place(-23.55, -46.63);
        let stops: Vec<Stop> = stops
            .iter()
            .map(|(lat, lon, online_payment)| Stop {
                located: place(*lat, *lon),
                online_payment: *online_payment,
                pin: None,
            })
            .collect();
        let mut places = vec![pickup];
        places.extend(stops.iter().map(|stop| stop.located));
        let matrix = geo::matrix_located(&places);
        let now = Timestamp::parse("2026-11-21T15:00:00Z").unwrap();
        let request =
            Request { pickup, stops: &stops, matrix: &matrix, best_route, preparation_minutes: 10, now, uf: None };
        plan(&Tariff::default(), &request)
    }

    #[test]
    fn the_parts_add_up() {
        let plan = planned(&[(-23.56, -46.64, true), (-23.57, -46.65, false)], false).unwrap();
        let legs: u32 = plan.legs.iter().chain(&plan.back).map(|leg| leg.metres).sum();
        assert_eq!(plan.total_distance.metres(), legs);
        assert_eq!(plan.fee, total(&plan.lines));
        assert_eq!(plan.times.pickup.to_string(), "2026-11-21T15:18:00.000Z");
        let riding: u32 = plan.legs.iter().map(|leg| leg.seconds).sum();
        assert_eq!(plan.times.delivery.since(plan.times.pickup), Duration::seconds(i64::from(riding) + 2 * 180));
    }

    #[test]
    fn the_best_route_is_not_longer_than_the_one_sent() {
        let zigzag = [(-23.56, -46.63, true), (-23.60, -46.63, true), (-23.57, -46.63, true), (-23.59, -46.63, true)];
        let (sent, best) = (planned(&zigzag, false).unwrap(), planned(&zigzag, true).unwrap());
        assert_eq!(sent.order, [0, 1, 2, 3]);
        assert_eq!(best.order, [0, 2, 3, 1]);
        assert!(best.total_distance < sent.total_distance);
    }

    #[test]
    fn a_stop_too_far_is_named() {
        let error = planned(&[(-23.56, -46.63, true), (-25.0, -46.63, true)], false).unwrap_err();
        assert!(matches!(error, PlanError::OutOfArea { stops } if stops.len() == 1 && stops[0].0 == 1));
    }

    #[test]
    fn a_route_too_long_is_refused() {
        let there_and_back: Vec<_> = (0..6).map(|i| (-23.55 - f64::from(i % 2) * 0.2, -46.63, true)).collect();
        assert!(matches!(planned(&there_and_back, false), Err(PlanError::DistanceExceeded { .. })));
    }

    #[test]
    fn a_leg_that_the_model_stands_in_for_makes_the_plan_an_estimate_where_it_is_ridden() {
        let pickup = place(-23.55, -46.63);
        let stop = |online_payment| Stop { located: place(-23.56, -46.64), online_payment, pin: None };
        let now = Timestamp::parse("2026-11-21T15:00:00Z").unwrap();
        let estimated = |stop: Stop, marks: [bool; 4]| {
            let matrix = geo::matrix_located(&[pickup, stop.located]).with_estimated(marks.to_vec());
            let (stops, best_route) = (&[stop][..], false);
            let request = Request { pickup, stops, matrix: &matrix, best_route, preparation_minutes: 0, now, uf: None };
            plan(&Tariff::default(), &request).unwrap().estimated
        };
        let (out, back) = ([false, true, false, false], [false, false, true, false]);
        assert!(estimated(stop(true), out) && !estimated(stop(true), back) && !estimated(stop(true), [false; 4]));
        assert!(estimated(stop(false), back));
    }
}
