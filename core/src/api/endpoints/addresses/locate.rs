//! `POST /delivery/location`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        places,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    model::Precision,
    rules::limits::Usage,
    wire::LocationView,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "POST /delivery/location")
    .quota(Usage::Preview)
    .leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "locateAddress",
    summary: "Locate an address",
    description: "Returns the coordinates at which a preview or an order would locate the address, \
        and their precision. With gazetteer packs or a geocoder, an address is located by its \
        street and number. Nothing is stored.",
    request: RequestBody::Required("LocateAddress"),
    responses: &[(200, Some("Location"), "The location.")],
    codes: &[
        ProblemCode::AddressNotFound,
        ProblemCode::CoordinatesMismatch,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let address = [&validate::address(call.read()?)?];
    let results = call.host.locate(call.merchant(), &address).await?;
    // The caller sees the precision, so the deployment's minimum for orders does not apply.
    let located = places::every_place(
        &address,
        results,
        Precision::Municipality,
        |_| String::new(),
        None,
    )?;
    let view = located.first().map(|located| LocationView::from(*located));
    Ok(ApiResponse {
        recomputable: true,
        ..ApiResponse::json(200, &view)?
    })
}
