//! `POST /delivery/orders/preview`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        planning::{acting_store, planned, preview_view},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    rules::{limits::Usage, pricing::Quote},
    wire::{CreateOrder, QuoteView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "POST /delivery/orders/preview")
    .quota(Usage::Preview)
    .leaves(Lasting::Nothing)
    .computes();

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "previewOrder",
    summary: "Calculate route, fee and times",
    description: "Calculates the order's cost and creates nothing. Addresses only have to be \
        located. An order that a preview accepts can be created with the additional fields that \
        creation requires. To lock in the fee for 15 minutes, send `quote.id` as `quoteId` when \
        you create the order. `orderRoute` in the response is the position in the route; its value \
        in the request is ignored.",
    request: RequestBody::Required("PreviewOrder"),
    responses: &[(200, Some("Preview"), "The calculation.")],
    codes: &[
        ProblemCode::StoreNotAllowed,
        ProblemCode::AddressNotFound,
        ProblemCode::AddressImprecise,
        ProblemCode::CoordinatesMismatch,
        ProblemCode::OutOfArea,
        ProblemCode::StoreClosed,
        ProblemCode::WindowUnreachable,
        ProblemCode::FeeAboveMaximum,
        ProblemCode::DistanceExceeded,
        ProblemCode::TooManyDeliveries,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let inquiry = validate::preview(call.read_with::<_, CreateOrder>()?, &call.settings.limits)?;
    let store = acting_store(call, &inquiry).await?;
    let planned = planned(call, &store, &inquiry).await?;
    let (lines, version) = (planned.plan.lines.clone(), planned.tariff_version.clone());
    let quote = Quote::new(
        store.id,
        planned.basis.clone(),
        version,
        lines,
        call.context.now,
    );
    let quote = QuoteView {
        id: quote.seal(&call.settings.secret),
        expires_at: quote.expires_at.to_string(),
        tariff_version: quote.tariff_version,
    };
    let response = ApiResponse::json(
        200,
        &preview_view(&inquiry, &planned, Some(quote), call.language)?,
    )?;
    Ok(ApiResponse {
        recomputable: true,
        ..response
    })
}
