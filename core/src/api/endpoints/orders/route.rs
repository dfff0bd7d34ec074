//! `GET /delivery/orders/{platformOrderId}/route`

use super::access::visible;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    model::{
        OrderId, Point,
        order::{DeliveryStatus, Order},
    },
    wire::{RouteLegView, RouteView},
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Store,
    "GET /delivery/orders/{platformOrderId}/route",
)
.heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "getRoute",
    summary: "Get the path of the route",
    description: "Returns the legs of the route for a map: from the pickup to each delivery that \
        is not cancelled, and back if the route returns. A leg follows the roads if the deployment \
        has road data of the area; otherwise it is a straight line. All legs together have at most \
        2000 points.",
    responses: &[(200, Some("OrderRoute"), "The legs, in route order.")],
    parameters: &["platformOrderId"],
    codes: &[ProblemCode::OrderNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = visible(call, OrderId::parse(call.id)).await?;
    route_response(call, &order).await
}

/// The maximum number of points of all legs.
const MAX_POINTS: usize = 2_000;

/// Responds with the route of an order on a map.
pub(super) async fn route_response<H: Host>(
    call: &Call<'_, H>,
    order: &Order,
) -> Result<ApiResponse, HandlerError> {
    let open = order
        .deliveries
        .iter()
        .filter(|delivery| delivery.status != DeliveryStatus::Cancelled);
    let pickup = order.pickup.located.point;
    let mut points: Vec<Point> = [pickup]
        .into_iter()
        .chain(open.map(|delivery| delivery.place.located.point))
        .collect();
    if order.return_leg.is_some() && points.len() > 1 {
        points.push(pickup);
    }
    let max_points = MAX_POINTS / points.len();
    let paths = call.host.road_paths(&points, max_points).await?;
    let legs = points
        .iter()
        .zip(points.iter().skip(1))
        .enumerate()
        .map(|(leg, (from, to))| {
            let path = paths.get(leg).and_then(Option::as_deref);
            let fitting = path.filter(|path| (2..=max_points).contains(&path.len()));
            fitting.map_or_else(|| RouteLegView::straight(*from, *to), RouteLegView::roads)
        });
    Ok(ApiResponse::json(
        200,
        &RouteView {
            legs: legs.collect(),
        },
    )?)
}
