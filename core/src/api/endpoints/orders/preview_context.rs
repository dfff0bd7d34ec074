//! `GET /delivery/preview-context`

use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::stores::access,
        operation::Operation,
        page,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
        tariff,
    },
    host::Host,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/preview-context");

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "previewContext",
    summary: "Get the context for previews in a page",
    description: "Returns the tariff, the store's location, hours and service area, and the \
        limits. With them the browser package calculates previews in the page, with the same \
        result as the service except `quote`, which only the service can sign. The context can be \
        saved and used offline; request a new one at `validUntil`, or if the tariff or the store \
        may have changed. Its only confidential part is the tariff.",
    responses: &[(200, Some("PreviewContext"), "The context.")],
    parameters: &["storeIdOfContext"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = access::named_store(call).await?;
    let exact = call.host.is_embedded();
    let tariff = tariff::effective(call).await?;
    Ok(ApiResponse::json(
        200,
        &page::context(&store, call.settings, &tariff, exact, call.context.now),
    )?)
}
