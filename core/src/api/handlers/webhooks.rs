//! Webhooks.

use super::pages;
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, OneTimeSecret, plain, too_few},
        confirmation,
        idempotency::placeholder,
        problem::{Problem, ProblemCode},
        validate::{self, NewWebhook},
    },
    changes::{Changes, Write},
    host::{AttemptQuery, Host, KeyQuery, UsageQuery, WebhookQuery},
    model::{
        AttemptId, Duration, Timestamp, WebhookId, hex,
        order::Journal,
        store::{Key, KeyHash, KeyKind},
        webhook::{Message, MessageChange, SECRET_OVERLAP, SigningSecret, Webhook, WebhookState},
    },
    rules::{
        open_delivery::client_secret,
        stores::{self, KeyParams},
        webhooks::secret_text,
    },
    wire::{AttemptList, AttemptView, QueuedMessage, WebhookList, WebhookSecret, WebhookView},
};

/// `POST /delivery/webhooks`
pub(super) async fn create<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let terms = &call.settings.webhooks;
    let caller = call.caller()?.store.clone();
    // Anyone may have the key of a sandbox store, and mail reaches real people.
    let mail = call.settings.mail && !caller.sandbox;
    let NewWebhook {
        url,
        events,
        merchant,
    } = validate::webhook(call.read()?, terms.loopback, mail)?;
    confirmation::confirm(call).await?;
    let (journal, store) = (Journal::of(&caller), caller.id);
    let max = terms.per_store;
    if call
        .host
        .find_webhooks(WebhookQuery::Store(store))
        .await?
        .len()
        >= max as usize
    {
        return Err(HandlerError::Problem(Problem::new(
            ProblemCode::TooManyWebhooks,
            format!("A store can have at most {max} webhooks. Remove one first."),
            format!("Uma loja pode ter no máximo {max} webhooks. Remova um antes."),
        )));
    }
    let max = terms.per_merchant;
    if call
        .host
        .usage(UsageQuery::Webhooks(journal.merchant))
        .await?
        .records
        >= u64::from(max)
    {
        return Err(HandlerError::Problem(Problem::new(
            ProblemCode::TooManyWebhooks,
            format!(
                "A parent store and its branches can have at most {max} webhooks in total. Remove one first."
            ),
            format!(
                "Uma loja matriz e suas filiais podem ter no máximo {max} webhooks no total. Remova um antes."
            ),
        )));
    }
    // The webhook receives only future events.
    let position = call.host.journal_span(journal).await?.end;
    let id = call
        .ids(1)
        .await?
        .take(WebhookId::new)
        .ok_or_else(too_few)?;
    let nonce = call.context.entropy.bytes::<32>();
    let webhook = Webhook {
        id,
        version: 1,
        store,
        merchant: journal.merchant,
        url,
        events,
        secrets: vec![SigningSecret {
            nonce: hex(&nonce),
            until: None,
        }],
        state: WebhookState::Active,
        created_at: call.context.now,
        position,
        failures: 0,
        due_at: None,
        seen_at: call.context.now,
        lease: None,
        open_delivery: merchant,
    };
    let response = webhook_response(call, 201, &webhook, nonce)?;
    let keys = connection_key(call, &webhook, nonce).await?;
    let webhooks = vec![Write::insert(webhook)];
    call.commit(
        Changes {
            at: call.context.now,
            webhooks,
            keys,
            ..Changes::default()
        },
        &response,
    )
    .await?;
    Ok(response)
}

/// Returns the key of a connection's new secret.
async fn connection_key<H: Host>(
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
async fn ended_keys<H: Host>(
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
fn webhook_response<H: Host>(
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

fn webhook_view<H: Host>(call: &Call<'_, H>, webhook: &Webhook) -> WebhookView {
    WebhookView::of(webhook, &call.settings.secret, call.context.now)
}

/// `GET /delivery/webhooks`
pub(super) async fn list<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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

/// `DELETE /delivery/webhooks/{webhookId}`
pub(super) async fn remove<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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

/// `POST /delivery/webhooks/{webhookId}/rotate`
pub(super) async fn rotate<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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

/// `POST /delivery/webhooks/{webhookId}/enable`: delivery resumes where it stopped.
pub(super) async fn enable<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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

/// `POST /delivery/webhooks/{webhookId}/test`
pub(super) async fn test<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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

/// `GET /delivery/webhooks/{webhookId}/attempts?cursor=&limit=`
pub(super) async fn attempts<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let webhook = find(call).await?;
    let limit = pages::limit(call)?;
    let before = match call.query("cursor") {
        None => None,
        Some(text) => Some(AttemptId::parse(&text).ok_or_else(|| pages::invalid_cursor("cursor"))?),
    };
    let mut attempts = call
        .host
        .find_attempts(AttemptQuery::Webhook {
            webhook: webhook.id,
            before,
            limit: limit + 1,
        })
        .await?;
    let more = attempts.len() > limit as usize;
    attempts.truncate(limit as usize);
    let next_cursor = attempts
        .last()
        .filter(|_| more)
        .map(|last| last.id.to_string());
    Ok(ApiResponse::json(
        200,
        &AttemptList {
            attempts: attempts.iter().map(AttemptView::of).collect(),
            next_cursor,
        },
    )?)
}

/// `POST /delivery/webhooks/attempts/{attemptId}/retry`: sends the attempt's message again at once.
pub(super) async fn retry<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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

async fn queue<H: Host>(
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

/// Loads the webhook in the path if it belongs to the caller.
async fn find<H: Host>(call: &Call<'_, H>) -> Result<Webhook, HandlerError> {
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

fn update(webhook: Webhook) -> Write<Webhook> {
    Write {
        expected: webhook.version,
        value: webhook,
    }
}

fn inactive(webhook: &Webhook) -> Problem {
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
