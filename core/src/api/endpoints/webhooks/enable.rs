//! `POST /delivery/webhooks/{webhookId}/enable`: delivery resumes where it stopped.

use super::access::{find, inactive, update, webhook_view};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
    },
    changes::Changes,
    host::Host,
    model::webhook::{Message, MessageChange, Webhook, WebhookState},
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Store, "POST /delivery/webhooks/{webhookId}/enable")
        .owner()
        .leaves(Lasting::Nothing)
        .audit("webhook.enabled", Subject::Webhook)
        .without_body();

pub(crate) const DOC: Operation = Operation {
    tag: "Webhooks",
    id: "enableWebhook",
    summary: "Enable a disabled webhook",
    description: "Has no request body. The webhook resumes where it stopped; no event is lost.",
    responses: &[(200, Some("Webhook"), "The active webhook.")],
    parameters: &["webhookId"],
    codes: &[ProblemCode::WebhookNotFound, ProblemCode::WebhookDisabled],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let webhook = find(call).await?;
    let now = call.context.now;
    match webhook.state {
        WebhookState::Disabled { .. } => {}
        WebhookState::Active => return Ok(ApiResponse::json(200, &webhook_view(call, &webhook))?),
        WebhookState::Ended { .. } | WebhookState::Removed { .. } => {
            return Err(inactive(&webhook).into());
        }
    }
    let enabled = Webhook {
        state: WebhookState::Active,
        failures: 0,
        due_at: Some(now),
        ..webhook
    };
    // Queued messages are due at once: by enabling the webhook the store confirms that the receiver
    // works.
    let waiting = call.host.messages(enabled.id).await?;
    let messages = waiting.into_iter().map(|message| {
        MessageChange::Put(Message {
            due_at: now,
            since: now,
            ..message
        })
    });
    let messages = messages.collect();
    let response = ApiResponse::json(200, &webhook_view(call, &enabled))?;
    call.commit(
        Changes {
            at: now,
            webhooks: vec![update(enabled)],
            messages,
            ..Changes::default()
        },
        &response,
    )
    .await?;
    Ok(response)
}
