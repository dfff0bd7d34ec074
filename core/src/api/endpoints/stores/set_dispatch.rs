//! `PUT /admin/stores/{storeId}/dispatch`

use super::access::in_path;
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
    wire::StoreDispatchView,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Operator, "PUT /admin/stores/{storeId}/dispatch")
        .leaves(Lasting::Nothing)
        .audit("dispatch-terms.set", Subject::Store);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "setStoreDispatch",
    summary: "Set the dispatch terms of a store",
    description: "Replaces the store's own terms; absent and null terms are those of the \
        deployment. They apply to orders that are created from now on.",
    request: RequestBody::Required("SetStoreDispatch"),
    responses: &[(200, Some("StoreDispatch"), "The new terms.")],
    parameters: &["storeId"],
    codes: &[
        ProblemCode::StoreNotFound,
        ProblemCode::LeadOutOfRange,
        ProblemCode::TripLimitOutOfRange,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let dispatch = validate::store_dispatch(call.read()?)?;
    let store = in_path(call).await?;
    let (changed, changes) = stores::replace(Store { dispatch, ..store }, call.context.now);
    let view = StoreDispatchView::of(&changed, &call.settings.dispatch);
    let response = ApiResponse::json(200, &view)?;
    call.commit(changes, &response).await?;
    Ok(response)
}
