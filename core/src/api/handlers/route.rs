//! The route of an order on a map.

use super::life::{any_order, visible};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError},
        routes::Endpoint,
    },
    host::Host,
    model::{OrderId, Point, order::DeliveryStatus},
    wire::{RouteLegView, RouteView},
};

/// The maximum number of points of all legs.
const MAX_POINTS: usize = 2_000;

/// `GET /delivery/orders/{platformOrderId}/route` and `GET /admin/orders/{platformOrderId}/route`
pub(super) async fn route<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let is_operator = endpoint == Endpoint::AdminGetRoute;
    let order = if is_operator {
        any_order(call).await?
    } else {
        visible(call, OrderId::parse(call.id)).await?
    };
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
