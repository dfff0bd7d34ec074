//! Access to a store.

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        problem::{FieldError, Problem, ProblemCode},
    },
    host::{Host, StoreQuery},
    model::{StoreId, store::Store},
};

/// Loads the store in the path, if it is the caller or one of its branches.
pub(super) async fn overseen<H: Host>(call: &Call<'_, H>) -> Result<Store, HandlerError> {
    let store = in_path(call).await?;
    if call.caller()?.store.oversees(&store) {
        Ok(store)
    } else {
        Err(plain(ProblemCode::StoreNotFound).into())
    }
}

/// Loads the store in the path, for the operator.
pub(in crate::api) async fn in_path<H: Host>(call: &Call<'_, H>) -> Result<Store, HandlerError> {
    let store = match StoreId::parse(call.id) {
        Some(id) => call.host.store(id).await?,
        None => None,
    };
    store.ok_or_else(|| plain(ProblemCode::StoreNotFound).into())
}

/// Returns the problem of the query parameter `storeId` that names no store of the caller.
pub(in crate::api) fn unknown_store() -> Problem {
    let (problem, code) = (
        plain(ProblemCode::StoreNotFound),
        ProblemCode::StoreNotFound.name(),
    );
    let errors = vec![FieldError {
        pointer: "/storeId".to_owned(),
        code,
        detail: problem.detail.clone(),
    }];
    problem.with_errors(errors).in_query()
}

/// Loads the store in the query: the calling store or one of its branches.
pub(in crate::api) async fn named_store<H: Host>(
    call: &Call<'_, H>,
) -> Result<Store, HandlerError> {
    let store = named_or_removed(call).await?;
    if store.deleted_at.is_none() {
        Ok(store)
    } else {
        Err(unknown_store().into())
    }
}

/// Like [`named_store`], but also returns a removed store.
pub(in crate::api) async fn named_or_removed<H: Host>(
    call: &Call<'_, H>,
) -> Result<Store, HandlerError> {
    let caller = &call.caller()?.store;
    let Some(text) = call.query("storeId") else {
        return Ok(caller.clone());
    };
    let store = with_removed(call, &text).await?;
    store
        .filter(|store| caller.oversees(store))
        .ok_or_else(|| unknown_store().into())
}

/// Returns the store in the operator's query, or `None` for all stores.
pub(in crate::api) async fn any_stores<H: Host>(
    call: &Call<'_, H>,
) -> Result<Option<Store>, HandlerError> {
    let Some(text) = call.query("storeId") else {
        return Ok(None);
    };
    let store = match StoreId::parse(&text) {
        Some(id) => call.host.store(id).await?,
        None => None,
    };
    store.map(Some).ok_or_else(|| unknown_store().into())
}

/// Loads a store by its ID in a text, also a removed one.
pub(in crate::api) async fn with_removed<H: Host>(
    call: &Call<'_, H>,
    id: &str,
) -> Result<Option<Store>, HandlerError> {
    match StoreId::parse(id) {
        Some(id) => Ok(call
            .host
            .find_stores(StoreQuery::IdOrRemoved(id))
            .await?
            .pop()),
        None => Ok(None),
    }
}
