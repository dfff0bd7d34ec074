//! `PUT /delivery/stores/{storeId}/service-area`

use super::access::overseen;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::Host,
    model::store::Store,
    rules::stores,
    wire::StoreAreaBody,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Store, "PUT /delivery/stores/{storeId}/service-area")
        .owner()
        .leaves(Lasting::Nothing)
        .audit("service-area.set", Subject::Store)
        .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Stores",
    id: "setStoreArea",
    summary: "Set the service area",
    description: "Replaces the area of the calling store or of one of its branches; null removes \
        it. Previews and new orders with a delivery outside it are rejected with `out_of_area`; \
        the tariff's service radius also applies. A delivery is outside if every point within \
        `radiusM` of its location is, so an address that is located only roughly is rejected only \
        if it is certainly outside.",
    request: RequestBody::Required("StoreArea"),
    responses: &[(200, Some("StoreArea"), "The new area.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let area = validate::store_area(call.read()?)?;
    let store = overseen(call).await?;
    let (changed, changes) = stores::replace(Store { area, ..store }, call.context.now);
    let response = ApiResponse::json(200, &StoreAreaBody::of(changed.area.as_ref()))?;
    call.commit(changes, &response).await?;
    Ok(response)
}
