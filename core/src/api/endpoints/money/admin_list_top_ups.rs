//! `GET /admin/stores/{storeId}/top-ups`

use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::stores::access::in_path,
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    wire::TopUpList,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/stores/{storeId}/top-ups");

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "listStoreTopUps",
    summary: "List requests for top-ups of a store",
    description: "Returns the pending requests and the last ones that ended, newest first. `POST` books a payment.",
    responses: &[(200, Some("TopUpList"), "The requests.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = in_path(call).await?;
    let list = TopUpList::of(&store, &call.settings.pix, call.context.now);
    Ok(ApiResponse::json(200, &list)?)
}
