//! `GET /t/{token}/events`: the current content, and the continuation.

use super::delivery::load;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        response::ApiResponse,
        route::{Access, Route},
    },
    drivers::stream::{self, DeliverySubscription, Subscription},
    host::Host,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Recipient, "GET /t/{token}/events").media(&["text/event-stream"]);

pub(crate) const DOC: Operation = Operation {
    tag: "Recipients",
    id: "streamRecipientStatus",
    summary: "Follow a delivery",
    description: "Server-sent events: `status` with the content of the page as JSON, first the \
        current one, then each change. A host that cannot hold connections open ends the response \
        after the first event.",
    responses: &[(200, Some("Document"), "The stream.")],
    parameters: &["token"],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let ((order, _), status) = load(call).await?;
    let mut subscription =
        DeliverySubscription::new(call.link()?.clone(), order.store, call.language);
    let text = stream::first_status(&mut subscription, &status)?;
    call.stream = Some(Subscription::Delivery(subscription));
    Ok(ApiResponse {
        media: "text/event-stream",
        ..ApiResponse::of(200, text)
    })
}
