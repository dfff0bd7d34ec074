//! `GET /admin/keys`

use super::list::list;
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::stores::access,
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    model::StoreId,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/keys").heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "adminListKeys",
    summary: "List the keys of any store",
    description: "Returns all keys of the store, including revoked and expired ones.",
    responses: &[(200, Some("KeyList"), "The keys.")],
    parameters: &["storeIdOfAnyKeys"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let id = call.query("storeId").as_deref().and_then(StoreId::parse);
    let id = id.ok_or_else(access::unknown_store)?;
    let store = call
        .host
        .store(id)
        .await?
        .ok_or_else(access::unknown_store)?;
    list(call, store.id).await
}
