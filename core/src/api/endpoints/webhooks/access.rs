//! Access to a webhook.

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        problem::{Problem, ProblemCode},
    },
    changes::Write,
    host::Host,
    model::{
        WebhookId,
        webhook::{Webhook, WebhookState},
    },
    wire::WebhookView,
};

/// Loads the webhook in the path if it belongs to the caller.
pub(super) async fn find<H: Host>(call: &Call<'_, H>) -> Result<Webhook, HandlerError> {
    let store = call.caller()?.store.id;
    let webhook = match WebhookId::parse(call.id) {
        Some(id) => call
            .host
            .webhook(id)
            .await?
            .filter(|webhook| webhook.store == store),
        None => None,
    };
    webhook.ok_or_else(|| plain(ProblemCode::WebhookNotFound).into())
}

pub(super) fn update(webhook: Webhook) -> Write<Webhook> {
    Write {
        expected: webhook.version,
        value: webhook,
    }
}

pub(super) fn inactive(webhook: &Webhook) -> Problem {
    match webhook.state {
        WebhookState::Disabled { .. } => Problem::new(
            ProblemCode::WebhookDisabled,
            "The webhook was disabled after too many failed attempts. Enable it first.",
            "O webhook foi desativado após muitas tentativas com falha. Ative-o antes.",
        ),
        _ => Problem::new(
            ProblemCode::WebhookDisabled,
            "The webhook has ended because its receiver returned 410. Create a new one.",
            "O webhook terminou porque o destino respondeu 410. Crie um novo.",
        ),
    }
}

pub(super) fn webhook_view<H: Host>(call: &Call<'_, H>, webhook: &Webhook) -> WebhookView {
    WebhookView::of(webhook, &call.settings.secret, call.context.now)
}
