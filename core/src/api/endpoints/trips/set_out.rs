//! `POST /courier/orders/{platformOrderId}/en-route`

use super::step::{read_stop, take};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
    },
    host::Host,
    rules::lifecycle::Carry,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Courier,
    "POST /courier/orders/{platformOrderId}/en-route",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "courierSetOut",
    summary: "Start travelling to a delivery",
    description: "From 310 to 320, if no other delivery is current. In a trip with several orders, \
        all must be picked up, and the order must be the one of the next stop in `GET \
        /courier/trip`.",
    request: RequestBody::Step("NameDelivery"),
    responses: &[(200, Some("CourierOrder"), "The updated order.")],
    parameters: &["platformOrderId"],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::InvalidTransition,
        ProblemCode::ValidationFailed,
        ProblemCode::NotNextInTrip,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    take(call, |call| read_stop(call, Carry::SetOut)).await
}
