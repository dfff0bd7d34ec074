//! `GET /courier/push`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    wire::PushKeyView,
};

pub(crate) const ROUTE: Route = Route::new(Access::Courier, "GET /courier/push");

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "getPushKey",
    summary: "Read the push key",
    description: "Returns the key with which the courier's browser subscribes to Web Push.",
    responses: &[(200, Some("PushKey"), "The key.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let public_key = call.settings.push.public_key();
    Ok(ApiResponse::json(200, &PushKeyView { public_key })?)
}
