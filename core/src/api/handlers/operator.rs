//! The operator's access to stores.

use super::{listing::search, pages, stores::in_path, users};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain},
        problem::{FieldError, ProblemCode},
        routes::Endpoint,
        validate,
    },
    changes::{Changes, Write},
    host::{Host, StoreQuery},
    model::{SearchWords, StoreId, Text, searchable, store::Store},
    rules::stores,
    wire::{OperatorStore, OperatorStoreList},
};

/// Number of stores that one query reads.
const PAGE: u32 = 100;
/// Maximum number of queries of one request. A search continues with the cursor.
const MAX_PAGES: u32 = 20;

/// Handles `GET /admin/stores`, `GET` and `PATCH /admin/stores/{storeId}`, and
/// `GET /admin/stores/{storeId}/users`.
pub(super) async fn run<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    if endpoint == Endpoint::AdminListStores {
        return list(call).await;
    }
    let store = in_path(call).await?;
    match endpoint {
        Endpoint::AlterStore => alter(call, &store).await,
        Endpoint::AdminListUsers => users::of_store(call, store.id).await,
        _ => Ok(view(&store)?),
    }
}

/// Lists stores by ID. A store is found by its name, CNPJ, email or ID.
async fn list<H: Host>(call: &Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (limit, mut after) = (
        pages::limit(call)? as usize,
        pages::cursor(call, StoreId::parse)?,
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

fn is_match(store: &Store, search: &SearchWords) -> bool {
    let text = format!(
        "{} {} {}",
        store.name,
        store.cnpj.as_str(),
        store.email.as_str()
    );
    search.number() == Some(store.id.get()) || search.match_text(&searchable(&text))
}

/// Changes a store. The branches of a parent store follow in commits of their own, before the
/// store, so that a repetition completes them after a failure.
async fn alter<H: Host>(
    call: &mut Call<'_, H>,
    store: &Store,
) -> Result<ApiResponse, HandlerError> {
    let change = validate::altered_store(call.read()?)?;
    let now = call.context.now;
    let Some(changed) = stores::alter(store, change, now) else {
        let error = FieldError {
            pointer: "/prepaidFloor".to_owned(),
            code: "out_of_range",
            detail: Text::new(
                "Only a prepaid parent store has a minimum balance. Omit prepaidFloor.",
                "Somente uma loja matriz pré-paga tem saldo mínimo. Não envie prepaidFloor.",
            ),
        };
        return Err(plain(ProblemCode::ValidationFailed)
            .with_errors(vec![error])
            .into());
    };
    let mut after = None;
    while store.is_parent() {
        let query = StoreQuery::WithBranches {
            store: store.id,
            after,
            limit: PAGE,
        };
        let page = call.host.find_stores(query).await?;
        let stores: Vec<Write<Store>> = page
            .iter()
            .filter_map(|branch| stores::follow_parent(branch, &changed))
            .collect();
        if !stores.is_empty() {
            call.host
                .commit(&Changes {
                    at: now,
                    stores,
                    ..Changes::default()
                })
                .await?;
        }
        after = page.last().map(|last| last.id);
        if page.len() < PAGE as usize {
            break;
        }
    }
    let (changed, changes) = stores::replace(changed, now);
    let response = view(&changed)?;
    call.commit(changes, &response).await?;
    Ok(response)
}

fn view(store: &Store) -> Result<ApiResponse, crate::api::problem::Problem> {
    ApiResponse::json(200, &OperatorStore::of(store))
}
