//! Passwords of logins.

use super::issue::{revoked, verify};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError},
        problem::{Problem, ProblemCode},
        read::read,
        validate,
    },
    changes::Changes,
    host::{Host, KeyQuery},
    model::store::{Key, KeyHolder, KeyKind, Store},
    rules::stores,
};

/// `POST /delivery/password`
pub(super) async fn change_password<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (current, new) = validate::password_change(read(call.body)?)?;
    let KeyHolder { key, store } = call.caller()?.clone();
    if key.kind != KeyKind::Panel {
        return Err(HandlerError::Problem(Problem::new(
            ProblemCode::SessionRequired,
            "An API key has no password. Log in with POST /delivery/sessions, and send this request with the session.",
            "Uma chave de API não tem senha. Faça login com POST /delivery/sessions e envie esta requisição com a sessão.",
        )));
    }
    verify(call, &store, &current).await?;
    let password_hash = call.host.hash_password(&new, call.context.entropy.bytes()).await?;
    let now = call.context.now;
    let sessions = call.host.find_keys(KeyQuery::Store(store.id)).await?;
    let is_other = |other: &Key| other.kind == KeyKind::Panel && other.is_valid(now) && other.id != key.id;
    let ended = sessions.iter().map(|holder| &holder.key).filter(|other| is_other(other));
    let keys = ended.map(|session| revoked(session.clone(), now)).collect();
    let (_, changes) = stores::replace(Store { password_hash, ..store }, now);
    let response = ApiResponse::empty(204);
    call.commit(Changes { keys, ..changes }, &response).await?;
    Ok(response)
}
