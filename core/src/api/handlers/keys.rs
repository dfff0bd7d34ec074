//! Issues, lists and revokes keys: for a store and its branches, and for any store by the operator.

use std::sync::Arc;

use super::{
    issue::{hand_out, revoked},
    pages,
};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain},
        confirmation,
        problem::{FieldError, Problem, ProblemCode},
        validate,
    },
    changes::Changes,
    host::{Host, KeyQuery},
    model::{
        Duration, KeyId, StoreId, Text,
        store::{Key, KeyHolder, KeyKind, Store},
    },
    rules::stores::{KeyParams, KeyRequest},
    wire::{KeyList, KeyView},
};

/// `POST /delivery/keys`
pub(super) async fn issue_own<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let request = validate::key(call.read()?)?;
    confirmation::confirm(call).await?;
    let caller = call.caller()?.store.clone();
    let store = match request.store.filter(|id| *id != caller.id) {
        None => caller.clone(),
        Some(id) => {
            let store = call
                .host
                .store(id)
                .await?
                .filter(|store| caller.oversees(store));
            store.ok_or_else(|| {
                plain(ProblemCode::StoreNotFound).with_errors(vec![unknown_store()])
            })?
        }
    };
    issue(call, request, &store, caller.id).await
}

/// `POST /admin/keys`
pub(super) async fn issue_any<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let request = validate::key(call.read()?)?;
    let id = request.store.ok_or_else(|| {
        let detail = Text::new("This field is required.", "Este campo é obrigatório.");
        let error = FieldError {
            pointer: "/storeId".to_owned(),
            code: "required",
            detail,
        };
        plain(ProblemCode::ValidationFailed).with_errors(vec![error])
    })?;
    let store = call.host.store(id).await?;
    let store = store
        .ok_or_else(|| plain(ProblemCode::StoreNotFound).with_errors(vec![unknown_store()]))?;
    confirmation::confirm(call).await?;
    issue(call, request, &store, store.id).await
}

async fn issue<H: Host>(
    call: &mut Call<'_, H>,
    request: KeyRequest,
    store: &Store,
    integrator: StoreId,
) -> Result<ApiResponse, HandlerError> {
    let settings = call.settings;
    let max = settings.keys.per_store;
    let counts = |held: &&Arc<KeyHolder>| {
        held.key.kind == KeyKind::Integration && held.key.is_valid(call.context.now)
    };
    if call
        .host
        .find_keys(KeyQuery::Store(store.id))
        .await?
        .iter()
        .filter(counts)
        .count()
        >= max as usize
    {
        return Err(HandlerError::Problem(Problem::new(
            ProblemCode::TooManyKeys,
            format!("A store can have at most {max} valid API keys. Revoke one first."),
            format!("Uma loja pode ter no máximo {max} chaves de API válidas. Revogue uma antes."),
        )));
    }
    let days = request.days.unwrap_or(settings.keys.days);
    let opening = KeyParams {
        store: store.id,
        integrator,
        kind: KeyKind::Integration,
        name: request.name,
        user: None,
        connection: None,
        validity: Duration::minutes(i64::from(days) * 24 * 60),
        secret: &settings.secret,
    };
    hand_out(call, opening, Vec::new(), Changes::default()).await
}

/// `GET /delivery/keys`
pub(super) async fn list_own<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let id = pages::named_store(call).await?.id;
    list(call, id).await
}

/// `GET /admin/keys?storeId=`
pub(super) async fn list_any<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let id = call.query("storeId").as_deref().and_then(StoreId::parse);
    let id = id.ok_or_else(pages::unknown_store)?;
    let store = call
        .host
        .store(id)
        .await?
        .ok_or_else(pages::unknown_store)?;
    list(call, store.id).await
}

async fn list<H: Host>(call: &Call<'_, H>, store: StoreId) -> Result<ApiResponse, HandlerError> {
    let keys = call.host.find_keys(KeyQuery::Store(store)).await?;
    Ok(ApiResponse::json(
        200,
        &KeyList {
            keys: keys.iter().map(|holder| KeyView::of(&holder.key)).collect(),
        },
    )?)
}

/// `DELETE /delivery/keys/{keyId}`
pub(super) async fn revoke_own<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let caller = call.caller()?.store.clone();
    let holder = find(call).await?;
    let store = &holder.store;
    let is_own = store.id == caller.id || (store.deleted_at.is_none() && caller.oversees(store));
    if is_own {
        revoke(call, &holder.key).await
    } else {
        Err(plain(ProblemCode::KeyNotFound).into())
    }
}

/// `DELETE /admin/keys/{keyId}`
pub(super) async fn revoke_any<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let holder = find(call).await?;
    revoke(call, &holder.key).await
}

async fn find<H: Host>(call: &Call<'_, H>) -> Result<Arc<KeyHolder>, HandlerError> {
    let holder = match KeyId::parse(call.id) {
        Some(id) => call.host.find_keys(KeyQuery::Id(id)).await?.pop(),
        None => None,
    };
    holder.ok_or_else(|| plain(ProblemCode::KeyNotFound).into())
}

/// Revokes a key, unless it is already revoked.
async fn revoke<H: Host>(call: &mut Call<'_, H>, key: &Key) -> Result<ApiResponse, HandlerError> {
    let response = ApiResponse::empty(204);
    if key.deleted_at.is_none() {
        let keys = vec![revoked(key.clone(), call.context.now)];
        call.commit(
            Changes {
                at: call.context.now,
                keys,
                ..Changes::default()
            },
            &response,
        )
        .await?;
    }
    Ok(response)
}

fn unknown_store() -> FieldError {
    let code = ProblemCode::StoreNotFound;
    FieldError {
        pointer: "/storeId".to_owned(),
        code: code.name(),
        detail: code.detail(),
    }
}
