//! `POST /admin/privacy/export`

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
    wire::RecipientExport,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "POST /admin/privacy/export")
    .leaves(Lasting::Nothing)
    .heavy()
    .stores_no_response();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "exportRecipient",
    summary: "Export a recipient's data",
    description: "Returns the stored data of the recipient with this phone. Repeat with \
        `nextCursor` as `cursor` until it is null. The response is never stored, so an \
        `Idempotency-Key` has no effect.",
    request: RequestBody::Required("NameRecipient"),
    responses: &[(200, Some("RecipientExport"), "The data found.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (phone, cursor) = validate::recipient(call.read()?)?;
    let (started, after) = cursor.unwrap_or((call.context.now, 0));
    let found = erasure::find(call.host, &phone, after).await?;
    let next = found.next.map(|next| validate::run_cursor((started, next)));
    call.log("recipient.exported", None).await?;
    Ok(ApiResponse::json(
        200,
        &RecipientExport::of(phone.as_str(), &found, next),
    )?)
}
