//! `POST /delivery/webhooks/{webhookId}/rotate`

use super::{
    access::{find, update},
    secrets::{connection_key, ended_keys, webhook_response},
};
use crate::{
    api::{
        call::{Call, HandlerError},
        confirmation,
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    changes::Changes,
    host::Host,
    model::{hex, webhook::SECRET_OVERLAP},
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Store, "POST /delivery/webhooks/{webhookId}/rotate")
        .owner()
        .leaves(Lasting::Access)
        .audit("webhook.rotated", Subject::Webhook)
        .reads_password();

pub(crate) const DOC: Operation = Operation {
    tag: "Webhooks",
    id: "rotateWebhook",
    summary: "Rotate a webhook's secret",
    description: "The new secret is returned only once. For 24 hours every message has two \
        signatures, one with each secret, so the receiver can switch at any time. A panel session \
        must confirm the request, as for a new webhook; other requests need no body.",
    request: RequestBody::Optional("ConfirmPassword"),
    responses: &[(
        200,
        Some("WebhookSecret"),
        "The webhook and its new secret.",
    )],
    parameters: &["webhookId"],
    codes: &[ProblemCode::WebhookNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    if !call.body.is_empty() {
        validate::confirmation(call.read()?)?;
    }
    let webhook = find(call).await?;
    confirmation::confirm(call).await?;
    let (nonce, at) = (call.context.entropy.bytes::<32>(), call.context.now);
    let rotated = webhook.rotated(hex(&nonce), at);
    let response = webhook_response(call, 200, &rotated, nonce)?;
    let mut keys = ended_keys(call, &webhook, at.after(SECRET_OVERLAP)).await?;
    keys.extend(connection_key(call, &rotated, nonce).await?);
    call.commit(
        Changes {
            at,
            webhooks: vec![update(rotated)],
            keys,
            ..Changes::default()
        },
        &response,
    )
    .await?;
    Ok(response)
}
