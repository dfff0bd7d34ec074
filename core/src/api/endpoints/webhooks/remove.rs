//! `DELETE /delivery/webhooks/{webhookId}`

use super::{
    access::{find, update},
    secrets::ended_keys,
};
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
    model::webhook::{MessageChange, Webhook, WebhookState},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "DELETE /delivery/webhooks/{webhookId}")
    .owner()
    .leaves(Lasting::Nothing)
    .audit("webhook.removed", Subject::Webhook);

pub(crate) const DOC: Operation = Operation {
    tag: "Webhooks",
    id: "removeWebhook",
    summary: "Remove a webhook",
    description: "Nothing more is sent, and queued messages are deleted.",
    responses: &[(204, None, "The webhook is removed.")],
    parameters: &["webhookId"],
    codes: &[ProblemCode::WebhookNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let webhook = find(call).await?;
    let response = ApiResponse::empty(204);
    let at = call.context.now;
    let messages = vec![MessageChange::Clear(webhook.id)];
    let keys = ended_keys(call, &webhook, at).await?;
    let removed = Webhook {
        state: WebhookState::Removed { at },
        due_at: None,
        ..webhook
    };
    call.commit(
        Changes {
            at,
            webhooks: vec![update(removed)],
            messages,
            keys,
            ..Changes::default()
        },
        &response,
    )
    .await?;
    Ok(response)
}
