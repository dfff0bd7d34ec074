//! Messages that are sent at once.

use super::access::{inactive, update};
use crate::{
    api::{
        call::{Call, HandlerError},
        response::ApiResponse,
    },
    changes::Changes,
    host::Host,
    model::webhook::{Message, MessageChange, Webhook},
    wire::QueuedMessage,
};

pub(super) async fn queue<H: Host>(
    call: &mut Call<'_, H>,
    webhook: Webhook,
    message: Message,
) -> Result<ApiResponse, HandlerError> {
    if !webhook.is_active() {
        return Err(inactive(&webhook).into());
    }
    let queued = QueuedMessage {
        webhook_id: webhook.id.get(),
        message_id: message.name.clone(),
    };
    let response = ApiResponse::json(202, &queued)?;
    let now = call.context.now;
    let webhooks = vec![update(Webhook {
        due_at: Some(now),
        ..webhook
    })];
    let messages = vec![MessageChange::Put(message)];
    call.commit(
        Changes {
            at: now,
            webhooks,
            messages,
            ..Changes::default()
        },
        &response,
    )
    .await?;
    Ok(response)
}
