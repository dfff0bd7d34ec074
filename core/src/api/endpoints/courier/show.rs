//! `GET /courier/me`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    wire::CourierSelf,
};

pub(crate) const ROUTE: Route = Route::new(Access::Courier, "GET /courier/me");

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "showCourier",
    summary: "Get your state",
    description: "Returns the calling courier. While you are available, poll every few seconds: \
        `orderId` is the only notice of a new order.",
    responses: &[(200, Some("CourierSelf"), "The courier.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    Ok(ApiResponse::json(200, &CourierSelf::of(call.courier()?))?)
}
