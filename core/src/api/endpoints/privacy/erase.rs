//! `POST /admin/privacy/erase`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    drivers::erasure,
    host::Host,
    rules::erasure::subject,
    wire::ErasureResult,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "POST /admin/privacy/erase")
    .leaves(Lasting::Nothing)
    .heavy()
    .stores_no_response();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "eraseRecipient",
    summary: "Erase a recipient's data",
    description: "Erases name, phone, address, observation, coordinates and reasons from ended \
        orders with a delivery to this phone, and from their events, webhook logs and stored \
        responses. Money, codes, situations, times, the municipality and the state are kept. \
        Orders that have not ended are listed in `openOrders` and do not change. Repeat with \
        `nextCursor` as `cursor` until it is null. Repeating a run is harmless; an \
        `Idempotency-Key` has no effect.",
    request: RequestBody::Required("NameRecipient"),
    responses: &[(200, Some("ErasureResult"), "The result of the erasure.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (phone, cursor) = validate::recipient(call.read()?)?;
    let from = cursor.unwrap_or((call.context.now, 0));
    let erased = erasure::erase(call.host, call.settings, &phone, from, call.context.now).await?;
    let next = erased.next.map(|next| validate::run_cursor((from.0, next)));
    Ok(ApiResponse::json(
        200,
        &ErasureResult::of(subject(&phone, &call.settings.secret), erased, next),
    )?)
}
