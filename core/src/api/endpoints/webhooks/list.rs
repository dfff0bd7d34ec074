//! `GET /delivery/webhooks`

use super::access::webhook_view;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{Host, WebhookQuery},
    wire::WebhookList,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/webhooks").owner();

pub(crate) const DOC: Operation = Operation {
    tag: "Webhooks",
    id: "listWebhooks",
    summary: "List webhooks",
    description: "Returns the calling store's webhooks, oldest first, including stopped ones, \
        without their secrets.",
    responses: &[(200, Some("WebhookList"), "The webhooks.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let webhooks = call
        .host
        .find_webhooks(WebhookQuery::Store(call.caller()?.store.id))
        .await?;
    let webhooks = webhooks
        .iter()
        .map(|webhook| webhook_view(call, webhook))
        .collect();
    Ok(ApiResponse::json(200, &WebhookList { webhooks })?)
}
