//! `GET /delivery/stores`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        paging::{cursor, limit, page_response},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{Host, StoreQuery},
    model::{StoreId, store::Store},
    wire::{StoreList, StoreView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/stores").heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Stores",
    id: "listStores",
    summary: "List stores",
    description: "Returns the calling store and, for a parent store, its branches, oldest first. \
        For the next page, send `nextCursor` as `cursor`, until it is null.",
    responses: &[(200, Some("StoreList"), "A page of stores.")],
    parameters: &["cursor", "limit"],
    codes: &[ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (store, role) = (call.caller()?.store.id, call.caller()?.key.role());
    let (limit, after) = (limit(call)?, cursor(call, StoreId::parse)?);
    let page = call
        .host
        .find_stores(StoreQuery::WithBranches {
            store,
            after,
            limit: limit + 1,
        })
        .await?;
    let cursor = |store: &Store| store.id.to_string();
    let view = |stores: &[Store], next_cursor| StoreList {
        stores: stores
            .iter()
            .map(|store| StoreView::of(store, role))
            .collect(),
        next_cursor,
    };
    Ok(page_response(page, limit, false, cursor, view)?)
}
