//! `POST /delivery/webhooks/{webhookId}/test`

use super::{access::find, queue::queue};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route},
    },
    host::Host,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Store, "POST /delivery/webhooks/{webhookId}/test")
        .owner()
        .leaves(Lasting::Nothing)
        .without_body();

pub(crate) const DOC: Operation = Operation {
    tag: "Webhooks",
    id: "testWebhook",
    summary: "Send a test message",
    description: "Has no request body. Sends a message of type `webhook.test`. The webhook's log \
        shows the result. A connection by Open Delivery has no test message.",
    responses: &[(202, Some("QueuedMessage"), "The message will be sent.")],
    parameters: &["webhookId"],
    codes: &[
        ProblemCode::WebhookNotFound,
        ProblemCode::WebhookDisabled,
        ProblemCode::ValidationFailed,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let webhook = find(call).await?;
    if webhook.open_delivery.is_some() {
        return Err(HandlerError::Problem(Problem::new(
            ProblemCode::ValidationFailed,
            "Open Delivery has no test message. Create a delivery in a sandbox store: simulated couriers deliver it.",
            "O Open Delivery não tem mensagem de teste. Crie uma entrega em uma loja sandbox: entregadores simulados a fazem.",
        )));
    }
    let message = webhook.test(&mut call.context.entropy, call.context.now);
    queue(call, webhook, message).await
}
