//! `GET /admin/stores/{storeId}/statement`

use super::statement::statement_response;
use crate::{
    api::{
        call::{Call, HandlerError, plain},
        endpoints::stores::access::with_removed,
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Operator, "GET /admin/stores/{storeId}/statement")
        .media(&["text/csv", "application/json"])
        .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "getStoreStatement",
    summary: "Read a store's statement",
    description: "Like `GET /delivery/statement`, for any store, including removed ones.",
    responses: &[(200, Some("StatementPage"), "The statement.")],
    parameters: &["storeId", "from", "to", "statementCursor", "limit"],
    codes: &[
        ProblemCode::StoreNotFound,
        ProblemCode::ValidationFailed,
        ProblemCode::CursorInvalid,
        ProblemCode::StatementTooLong,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = with_removed(call, call.id).await?;
    let store = store.ok_or_else(|| plain(ProblemCode::StoreNotFound))?;
    statement_response(call, &store).await
}
