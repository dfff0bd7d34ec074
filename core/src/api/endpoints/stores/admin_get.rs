//! `GET /admin/stores/{storeId}`

use super::access::in_path;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    wire::OperatorStore,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/stores/{storeId}");

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "adminGetStore",
    summary: "Get any store",
    description: "Returns the store with its balance and its billing.",
    responses: &[(200, Some("OperatorStore"), "The store.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = in_path(call).await?;
    Ok(ApiResponse::json(200, &OperatorStore::of(&store))?)
}
