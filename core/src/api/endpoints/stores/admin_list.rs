//! `GET /admin/stores`

use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::orders::listing::search,
        operation::Operation,
        paging,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{Host, StoreQuery},
    model::{SearchWords, StoreId, searchable, store::Store},
    wire::{OperatorStore, OperatorStoreList},
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/stores").heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "adminListStores",
    summary: "List all stores",
    description: "Returns the stores by ID, without removed ones. `q` searches by name, CNPJ, \
        email and ID. One request searches 2,000 stores: a page can have fewer stores than \
        `limit`, or none. For the next page, send `nextCursor` as `cursor`, until it is null.",
    responses: &[(200, Some("OperatorStoreList"), "A page of stores.")],
    parameters: &["storeSearch", "cursor", "limit"],
    codes: &[ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (limit, mut after) = (
        paging::limit(call)? as usize,
        paging::cursor(call, StoreId::parse)?,
    );
    let search = search(call)?;
    let (mut found, mut next_cursor) = (Vec::new(), None);
    for number in 1..=MAX_PAGES {
        let page = call
            .host
            .find_stores(StoreQuery::All { after, limit: PAGE })
            .await?;
        let is_last = page.len() < PAGE as usize;
        for store in page {
            if search
                .as_ref()
                .is_some_and(|search| !is_match(&store, search))
            {
                after = Some(store.id);
                continue;
            }
            if found.len() == limit {
                next_cursor = after;
                break;
            }
            after = Some(store.id);
            found.push(OperatorStore::of(&store));
        }
        if is_last || next_cursor.is_some() {
            break;
        }
        if number == MAX_PAGES {
            next_cursor = after;
        }
    }
    let next_cursor = next_cursor.map(|id| id.to_string());
    Ok(ApiResponse::json(
        200,
        &OperatorStoreList {
            stores: found,
            next_cursor,
        },
    )?)
}

/// Number of stores that one query reads.
pub(super) const PAGE: u32 = 100;

/// Maximum number of queries of one request. A search continues with the cursor.
const MAX_PAGES: u32 = 20;

fn is_match(store: &Store, search: &SearchWords) -> bool {
    let text = format!(
        "{} {} {}",
        store.name,
        store.cnpj.as_str(),
        store.email.as_str()
    );
    search.number() == Some(store.id.get()) || search.match_text(&searchable(&text))
}
