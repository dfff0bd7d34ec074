//! `GET /admin/stores/{storeId}/users`

use super::list::of_store;
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
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Operator, "GET /admin/stores/{storeId}/users").heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "adminListUsers",
    summary: "List the users of any store",
    description: "Returns the users of a store, for example to issue a link that sets the password \
        of one. The store's own login and the users of its branches are not included.",
    responses: &[(200, Some("UserList"), "The users.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = in_path(call).await?.id;
    of_store(call, store).await
}
