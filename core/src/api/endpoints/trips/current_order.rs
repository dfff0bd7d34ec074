//! `GET /courier/order`

use super::access::{Trip, load_trip};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    wire::{CourierOrderView, CurrentOrder},
};

pub(crate) const ROUTE: Route = Route::new(Access::Courier, "GET /courier/order");

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "courierOrder",
    summary: "Get your current order",
    description: "Returns the calling courier's current order without its codes, which the \
        merchant and the recipients give. In a trip with several orders it is the one of the next \
        stop.",
    responses: &[(
        200,
        Some("CurrentOrder"),
        "The order, or null if there is none.",
    )],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let Trip { orders, plan } = load_trip(call).await?;
    let next = plan.next_order();
    let order = orders
        .iter()
        .find(|(order, _)| Some(order.id) == next)
        .or(orders.first());
    let order = order.map(|(order, store)| CourierOrderView::of(order, store));
    Ok(ApiResponse::json(200, &CurrentOrder { order })?)
}
