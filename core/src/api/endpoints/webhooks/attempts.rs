//! `GET /delivery/webhooks/{webhookId}/attempts`

use super::access::find;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        paging,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{AttemptQuery, Host},
    model::AttemptId,
    wire::{AttemptList, AttemptView},
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Store, "GET /delivery/webhooks/{webhookId}/attempts")
        .owner()
        .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Webhooks",
    id: "listAttempts",
    summary: "Read a webhook's log",
    description: "Returns the newest 200 attempts, newest first. For the next page, send \
        `nextCursor` as `cursor`, until it is null.",
    responses: &[(200, Some("AttemptList"), "A page of attempts.")],
    parameters: &["webhookId", "cursor", "limit"],
    codes: &[
        ProblemCode::WebhookNotFound,
        ProblemCode::ValidationFailed,
        ProblemCode::CursorInvalid,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let webhook = find(call).await?;
    let limit = paging::limit(call)?;
    let before = match call.query("cursor") {
        None => None,
        Some(text) => {
            Some(AttemptId::parse(&text).ok_or_else(|| paging::invalid_cursor("cursor"))?)
        }
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
