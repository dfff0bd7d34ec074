//! `POST /delivery/webhooks/attempts/{attemptId}/retry`: sends the attempt's message again at
//! once.

use super::queue::queue;
use crate::{
    api::{
        call::{Call, HandlerError, plain},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
    },
    host::{AttemptQuery, Host},
    model::{AttemptId, webhook::Message},
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Store,
    "POST /delivery/webhooks/attempts/{attemptId}/retry",
)
.owner()
.leaves(Lasting::Nothing)
.without_body();

pub(crate) const DOC: Operation = Operation {
    tag: "Webhooks",
    id: "retryAttempt",
    summary: "Send a message again",
    description: "Has no request body. Sends the attempt's message again with the same \
        `webhook-id`, even if it was delivered.",
    responses: &[(202, Some("QueuedMessage"), "The message will be sent.")],
    parameters: &["attemptId"],
    codes: &[ProblemCode::AttemptNotFound, ProblemCode::WebhookDisabled],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let missing = || HandlerError::from(plain(ProblemCode::AttemptNotFound));
    let id = AttemptId::parse(call.id).ok_or_else(missing)?;
    let attempt = call
        .host
        .find_attempts(AttemptQuery::Id(id))
        .await?
        .pop()
        .ok_or_else(missing)?
        .attempt;
    let webhook = call.host.webhook(attempt.webhook).await?;
    let store = call.caller()?.store.id;
    let webhook = webhook
        .filter(|webhook| webhook.store == store)
        .ok_or_else(missing)?;
    let now = call.context.now;
    let (name, subject) = (attempt.name, attempt.subject);
    let message = Message {
        webhook: webhook.id,
        name,
        subject,
        tries: 0,
        since: now,
        due_at: now,
    };
    queue(call, webhook, message).await
}
