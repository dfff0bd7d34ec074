//! `POST /delivery/webhooks`

use super::secrets::{connection_key, webhook_response};
use crate::{
    api::{
        call::{Call, HandlerError, too_few},
        confirmation,
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate::{self, NewWebhook},
    },
    changes::{Changes, Write},
    host::{Host, UsageQuery, WebhookQuery},
    model::{
        WebhookId, hex,
        order::Journal,
        webhook::{SigningSecret, Webhook, WebhookState},
    },
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "POST /delivery/webhooks")
    .owner()
    .leaves(Lasting::Access)
    .audit("webhook.created", Subject::Webhook)
    .reads_password();

pub(crate) const DOC: Operation = Operation {
    tag: "Webhooks",
    id: "createWebhook",
    summary: "Subscribe to events",
    description: "Each new event is sent to `url` as a `POST` of a `WebhookPayload`, signed \
        according to the Standard Webhooks specification: `webhook-id`, `webhook-timestamp`, \
        `webhook-signature`. A parent store also receives its branches' events. `secret` is \
        returned only once. The events of an order arrive in order, each at least once: a \
        `webhook-id` that you have already received is a repetition. Only a status from 200 to 299 \
        within 15 seconds is a success; redirects are not followed. A failed message is retried \
        for three days. The status 410 ends the webhook, and 300 failures in a row disable it. A \
        panel session must confirm the request, because the receiver outlives the session: with \
        the password of its login as `currentPassword`, or by `POST \
        /delivery/sessions/confirmation` up to five minutes before.",
    request: RequestBody::Required("CreateWebhook"),
    responses: &[(201, Some("WebhookSecret"), "The webhook and its secret.")],
    codes: &[ProblemCode::TooManyWebhooks],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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
