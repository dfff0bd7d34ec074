//! `GET /delivery/users`

use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::stores::access,
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{Host, UserQuery},
    model::StoreId,
    wire::{UserList, UserView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/users")
    .owner()
    .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Users",
    id: "listUsers",
    summary: "List users",
    description: "Returns the users of the calling store or, with `storeId`, of one of its \
        branches.",
    responses: &[(200, Some("UserList"), "The users.")],
    parameters: &["storeIdOfUsers"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = access::named_store(call).await?.id;
    of_store(call, store).await
}

/// Returns the users of a store.
pub(super) async fn of_store<H: Host>(
    call: &Call<'_, H>,
    store: StoreId,
) -> Result<ApiResponse, HandlerError> {
    let users = call.host.find_users(UserQuery::Store(store)).await?;
    Ok(ApiResponse::json(
        200,
        &UserList {
            users: users.iter().map(UserView::of).collect(),
        },
    )?)
}
