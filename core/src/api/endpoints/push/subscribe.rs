//! `POST /courier/push`

use crate::{
    api::{
        call::{Call, HandlerError},
        cookie, guards,
        operation::{Operation, RequestBody},
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    rules::push,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Courier, "POST /courier/push").leaves(Lasting::WithSession);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "subscribePush",
    summary: "Subscribe to pushes",
    description: "Stores the browser's subscription. Each order that is assigned to the courier \
        then sends a push without content, after which the app reads `GET /courier/trip`. Sending \
        a stored `endpoint` again has no effect. A courier has at most 5 subscriptions; one more \
        replaces the oldest. Subscriptions end with the courier's key, and when the push service \
        reports that the browser has ended them.",
    request: RequestBody::Required("PushEndpoint"),
    responses: &[(204, None, "The subscription is stored.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (settings, now) = (call.settings, call.context.now);
    let is_available = settings.push.public_key().is_some();
    let loopback = settings.webhooks.loopback;
    let url = validate::push_endpoint(call.read()?, is_available, loopback)?;
    let session = guards::session(call.parts, &cookie::COURIER);
    let changes = push::subscribe(call.courier()?, url, session, now);
    let response = ApiResponse::empty(204);
    if let Some(changes) = changes {
        call.commit(changes, &response).await?;
    }
    Ok(response)
}
