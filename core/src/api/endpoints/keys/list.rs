//! `GET /delivery/keys`

use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::stores::access,
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{Host, KeyQuery},
    model::StoreId,
    wire::{KeyList, KeyView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/keys")
    .owner()
    .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Keys",
    id: "listKeys",
    summary: "List keys",
    description: "Returns the keys of the calling store or, with `storeId`, of one of its \
        branches, including revoked and expired ones. The values of keys are not stored.",
    responses: &[(200, Some("KeyList"), "The keys.")],
    parameters: &["storeIdOfKeys"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let id = access::named_store(call).await?.id;
    list(call, id).await
}

pub(super) async fn list<H: Host>(
    call: &Call<'_, H>,
    store: StoreId,
) -> Result<ApiResponse, HandlerError> {
    let keys = call.host.find_keys(KeyQuery::Store(store)).await?;
    Ok(ApiResponse::json(
        200,
        &KeyList {
            keys: keys.iter().map(|holder| KeyView::of(&holder.key)).collect(),
        },
    )?)
}
