//! `PUT /delivery/stores/{storeId}/tracking`

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
    wire::StoreTrackingView,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Store, "PUT /delivery/stores/{storeId}/tracking")
        .owner()
        .leaves(Lasting::Nothing)
        .audit("tracking.set", Subject::Store);

pub(crate) const DOC: Operation = Operation {
    tag: "Recipients",
    id: "setStoreTracking",
    summary: "Set the settings of recipients' pages",
    description: "Replaces the settings of the calling store or of one of its branches. `enabled` \
        and `notifyAt` apply to orders that are created from now on, `contact` and `choices` to \
        all pages.",
    request: RequestBody::Required("SetStoreTracking"),
    responses: &[(200, Some("StoreTracking"), "The new settings.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let tracking = validate::store_tracking(call.read()?)?;
    let store = overseen(call).await?;
    let (changed, changes) = stores::replace(Store { tracking, ..store }, call.context.now);
    let response = ApiResponse::json(200, &StoreTrackingView::of(&changed.tracking))?;
    call.commit(changes, &response).await?;
    Ok(response)
}
