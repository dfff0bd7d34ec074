//! `DELETE /delivery/keys/{keyId}`

use std::sync::Arc;

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        credentials::revoked,
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
    },
    changes::Changes,
    host::{Host, KeyQuery},
    model::{
        KeyId,
        store::{Key, KeyHolder, KeyKind},
    },
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "DELETE /delivery/keys/{keyId}")
    .owner()
    .or_own_key()
    .counted_per_key()
    .leaves(Lasting::Nothing)
    .audit_by(revocation, Subject::Key);

pub(crate) const DOC: Operation = Operation {
    tag: "Keys",
    id: "revokeKey",
    summary: "Revoke a key",
    description: "Requests with a revoked key return `api_key_revoked`. A key can revoke itself. \
        Revoking a key again has no effect.",
    responses: &[(204, None, "The key is revoked.")],
    parameters: &["keyId"],
    codes: &[ProblemCode::KeyNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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

/// Returns the action of a revocation in the audit log.
pub(super) fn revocation(changes: &Changes) -> &'static str {
    match changes.keys.last() {
        Some(write) if write.value.kind == KeyKind::Panel => "session.ended",
        _ => "key.revoked",
    }
}

pub(super) async fn find<H: Host>(call: &Call<'_, H>) -> Result<Arc<KeyHolder>, HandlerError> {
    let holder = match KeyId::parse(call.id) {
        Some(id) => call.host.find_keys(KeyQuery::Id(id)).await?.pop(),
        None => None,
    };
    holder.ok_or_else(|| plain(ProblemCode::KeyNotFound).into())
}

/// Revokes a key, unless it is already revoked.
pub(super) async fn revoke<H: Host>(
    call: &mut Call<'_, H>,
    key: &Key,
) -> Result<ApiResponse, HandlerError> {
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
