//! `GET /courier/trip`

use super::access::{Trip, load_trip};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    wire::{CurrentTrip, TripView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Courier, "GET /courier/trip");

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "courierTrip",
    summary: "Get your trip",
    description: "Returns the orders that the calling courier carries together, without their \
        codes, and their remaining stops in visiting order. Each order is picked up with its own \
        code. A trip can grow until the first pickup, so read it again there. `pay` is what the \
        trip pays if it is delivered as planned, with the lines of each order.",
    responses: &[(
        200,
        Some("CurrentTrip"),
        "The trip, or null if there is none.",
    )],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let Trip { orders, plan } = load_trip(call).await?;
    let trip = (!orders.is_empty()).then(|| TripView::of(&orders, &plan, call.context.now));
    Ok(ApiResponse::json(200, &CurrentTrip { trip })?)
}
