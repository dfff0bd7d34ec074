//! Secrets of webhooks, and the keys of connections that are derived from them.

use super::access::webhook_view;
use crate::{
    api::{
        call::{Call, HandlerError, too_few},
        idempotency::placeholder,
        problem::Problem,
        response::{ApiResponse, OneTimeSecret},
    },
    changes::Write,
    host::{Host, KeyQuery},
    model::{
        Duration, Timestamp, hex,
        store::{Key, KeyHash, KeyKind},
        webhook::Webhook,
    },
    rules::{
        open_delivery::client_secret,
        stores::{self, KeyParams},
        webhooks::secret_text,
    },
    wire::WebhookSecret,
};

/// Returns the key of a connection's new secret.
pub(super) async fn connection_key<H: Host>(
    call: &Call<'_, H>,
    webhook: &Webhook,
    nonce: [u8; 32],
) -> Result<Vec<Write<Key>>, HandlerError> {
    if webhook.open_delivery.is_none() {
        return Ok(Vec::new());
    }
    let days = i64::from(call.settings.keys.days);
    let params = KeyParams {
        store: webhook.store,
        integrator: webhook.store,
        kind: KeyKind::Integration,
        name: Some("Open Delivery".to_owned()),
        user: None,
        connection: Some(webhook.id),
        validity: Duration::minutes(days * 24 * 60),
        secret: &call.settings.secret,
    };
    let key = stores::key(params, nonce, &mut call.ids(1).await?, call.context.now)
        .ok_or_else(too_few)?;
    Ok(vec![Write::insert(key)])
}

/// Returns the keys of a connection's secrets, which end at `until`.
pub(super) async fn ended_keys<H: Host>(
    call: &Call<'_, H>,
    webhook: &Webhook,
    until: Timestamp,
) -> Result<Vec<Write<Key>>, HandlerError> {
    let mut keys = Vec::new();
    for secret in webhook
        .secrets
        .iter()
        .filter(|_| webhook.open_delivery.is_some())
    {
        let Some(text) = client_secret(&call.settings.secret, secret) else {
            continue;
        };
        let found = call
            .host
            .find_keys(KeyQuery::Hash(&KeyHash::of(&text)))
            .await?
            .pop();
        let valid = found
            .map(|holder| holder.key.clone())
            .filter(|key| key.is_valid(until));
        keys.extend(valid.map(|key| Write {
            expected: key.version,
            value: Key {
                expires_at: until,
                version: key.version + 1,
                ..key
            },
        }));
    }
    Ok(keys)
}

/// Returns the response with a new secret.
pub(super) fn webhook_response<H: Host>(
    call: &Call<'_, H>,
    status: u16,
    webhook: &Webhook,
    nonce: [u8; 32],
) -> Result<ApiResponse, Problem> {
    let secret = match &webhook.open_delivery {
        Some(_) => OneTimeSecret::of_key(call.settings, nonce),
        None => {
            let nonce = hex(&nonce);
            let text = secret_text(&call.settings.secret.0, &nonce);
            OneTimeSecret {
                text,
                placeholder: placeholder(&nonce),
                nonce,
            }
        }
    };
    let body = WebhookSecret {
        webhook: webhook_view(call, webhook),
        secret: secret.text.clone(),
    };
    Ok(ApiResponse {
        secret: Some(secret),
        ..ApiResponse::json(status, &body)?
    })
}
