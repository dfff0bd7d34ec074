//! `GET /delivery/top-ups`

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    wire::TopUpList,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/top-ups").owner();

pub(crate) const DOC: Operation = Operation {
    tag: "Money",
    id: "listTopUps",
    summary: "List requests for top-ups",
    description: "Returns the pending requests of the calling store and the last ones that ended, newest first.",
    responses: &[(200, Some("TopUpList"), "The requests.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let id = call.caller()?.store.id;
    let store = call.host.store(id).await?;
    let store = store.ok_or_else(|| plain(ProblemCode::StoreNotFound))?;
    let list = TopUpList::of(&store, &call.settings.pix, call.context.now);
    Ok(ApiResponse::json(200, &list)?)
}
