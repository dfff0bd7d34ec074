//! The price of an order without some of its stops.

use crate::{
    api::{
        call::{Call, HandlerError},
        planning,
    },
    geo,
    host::Host,
    model::{
        DistanceMatrix, Located,
        order::{NoticeCode, Order},
        price::EstimatePolicy,
    },
    rules::pricing::{Plan, Request, Stop, Tariff, plan},
};

/// The locations that the last attempt measured, and the legs between them.
pub(super) type Measured = Option<(Vec<Located>, DistanceMatrix)>;

/// The route of the remaining stops in their current order, priced as when the order was created.
pub(super) async fn replanned<H: Host>(
    call: &Call<'_, H>,
    tariff: &Tariff,
    order: &Order,
    left: &[usize],
    measured: &mut Measured,
) -> Result<Plan, HandlerError> {
    let stops: Vec<Stop> = left
        .iter()
        .filter_map(|at| order.deliveries.get(*at))
        .map(|one| Stop {
            located: one.place.located,
            returns: one.returns(),
            pin: None,
            window: None,
        })
        .collect();
    let mut places = vec![order.pickup.located];
    places.extend(stops.iter().map(|stop| stop.located));
    let matrix = match measured {
        Some((before, matrix)) if *before == places => matrix,
        _ => {
            let matrix = call.host.distance_matrix(&places).await?;
            let visited = left.iter().filter_map(|at| order.deliveries.get(*at));
            let addresses = std::iter::once(&order.pickup).chain(visited.map(|one| &one.place));
            let texts = addresses
                .map(|place| geo::WrittenPlace::of(geo::Gazetteer::embedded(), &place.address));
            let matrix = geo::with_texts(matrix, &places, &texts.collect::<Vec<_>>());
            &mut measured.insert((places, matrix)).1
        }
    };
    let is_lowered = order
        .notices
        .iter()
        .any(|notice| notice.code == NoticeCode::PriceLowered);
    let request = Request {
        pickup: order.pickup.located,
        stops: &stops,
        matrix,
        best_route: false,
        preparation_minutes: order.preparation_minutes,
        lead_minutes: order.dispatch.lead_minutes,
        deliver_at: None,
        now: order.priced_at(),
        zone: geo::zone(&order.pickup.address).unwrap_or_default(),
        vehicle: order.requirements.smallest_vehicle(),
        // An order whose price was lowered stays lowered; an accepted order is not rejected.
        estimates: if is_lowered {
            EstimatePolicy::Lower
        } else {
            EstimatePolicy::Accept
        },
    };
    // The order was accepted: a tariff with a smaller service area must not prevent the
    // cancellation of a stop.
    let farthest = rust_decimal::Decimal::from(u32::MAX);
    let wide = Tariff {
        max_distance_km: farthest,
        service_radius_km: farthest,
        ..tariff.clone()
    };
    Ok(plan(&wide, &request)
        .map_err(|error| planning::plan_problem(tariff, &error, request.zone))?)
}
