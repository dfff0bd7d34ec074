//! `POST /v1/logistics/finishDelivery/{orderId}`

use super::{
    access::find,
    standard::standard_error,
    steps::{empty_response, invalid_step, rewrite},
};
use crate::{
    api::{
        call::{Call, HandlerError, plain},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        read::read,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    changes::{Changes, Write},
    host::Host,
    model::{
        order::{JournalEntry, Order, OrderStatus},
        webhook::{MessageChange, Webhook},
    },
    rules::webhooks::PAGE,
    wire::open_delivery::follow_up,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Connection,
    "POST /v1/logistics/finishDelivery/{orderId}",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Open Delivery",
    id: "finishDelivery",
    summary: "The delivery is finished",
    description: "Confirms the end of a delivery with `notifyConclusion`, after which \
        `DELIVERY_FINISHED` is sent. Sending it again has no effect.",
    request: RequestBody::Required("FinishDelivery"),
    responses: &[(200, None, "The end is confirmed.")],
    parameters: &["openDeliveryOrderId"],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::ValidationFailed,
        ProblemCode::DeliveryRejected,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = find(call).await?;
    finish(call, order).await.map_err(standard_error)
}

async fn finish<H: Host>(
    call: &mut Call<'_, H>,
    order: Order,
) -> Result<ApiResponse, HandlerError> {
    let at = validate::finish_date(read(call.body)?)?;
    let own = order.open_delivery.as_deref();
    let has_ended = order.status.is_final() && order.status <= OrderStatus::NotDelivered;
    if !has_ended {
        return Err(invalid_step(&order).into());
    }
    if own.is_none_or(|own| !own.awaits_conclusion || own.finished_at.is_some()) {
        return Ok(empty_response(&order, call.language)?);
    }
    let history = call.host.events(order.id).await?;
    let last = history
        .into_iter()
        .rfind(|recorded| follow_up(&order, &recorded.event).is_some());
    let at = at.max(order.status_since).min(call.context.now);
    // A pass may have written the connection since the request was authenticated.
    let (id, now) = (call.connection()?.0.id, call.context.now);
    let webhook = call
        .host
        .webhook(id)
        .await?
        .ok_or_else(|| plain(ProblemCode::ApiKeyRevoked))?;
    let mut changes = Changes::default();
    if let Some(recorded) = last.filter(|_| webhook.is_active()) {
        // The message follows that of the last event, which may not be read yet.
        let unread = call
            .host
            .journal(webhook.journal(), webhook.position, PAGE)
            .await?;
        let entry = unread.iter().find(|entry| entry.recorded.id == recorded.id);
        let position = entry.map_or(webhook.position, |entry| entry.position);
        changes.messages = vec![MessageChange::Put(
            webhook.end_message(&JournalEntry { position, recorded }, now),
        )];
        changes.webhooks = vec![Write {
            expected: webhook.version,
            value: Webhook {
                due_at: Some(now),
                ..webhook
            },
        }];
    }
    rewrite(call, order, |own| own.finished_at = Some(at), changes).await
}
