//! Changes of a password and the sessions that end with it.

use crate::{
    api::{
        call::{Call, HandlerError},
        credentials::revoked,
        problem::{Problem, ProblemCode},
        response::ApiResponse,
    },
    changes::{Changes, Write},
    host::{Host, KeyQuery},
    model::store::{Key, KeyKind},
    rules::accounts::Account,
};

/// Returns the calling session, which has a password.
pub(in crate::api) fn calling_session<'a, H: Host>(
    call: &'a Call<'_, H>,
) -> Result<&'a Key, Problem> {
    let key = &call.caller()?.key;
    if key.kind == KeyKind::Panel {
        return Ok(key);
    }
    Err(Problem::new(
        ProblemCode::SessionRequired,
        "An API key has no password. Log in with POST /delivery/sessions, and send this request with the session.",
        "Uma chave de API não tem senha. Faça login com POST /delivery/sessions e envie esta requisição com a sessão.",
    ))
}

/// Sets a login's password and ends its sessions except `own`.
pub(super) async fn set_password<H: Host>(
    call: &mut Call<'_, H>,
    mut account: Account,
    password: &str,
    own: Option<&Key>,
) -> Result<ApiResponse, HandlerError> {
    let now = call.context.now;
    let mut keys = ended_sessions(call, &account).await?;
    keys.retain(|write| own.is_none_or(|own| write.value.id != own.id));
    account.set_password(
        call.host
            .hash_password(password, call.context.entropy.bytes())
            .await?,
    );
    let response = ApiResponse::empty(204);
    call.commit(
        Changes {
            keys,
            ..account.write(now)
        },
        &response,
    )
    .await?;
    Ok(response)
}

/// Returns the writes that end all sessions of a login.
pub(in crate::api) async fn ended_sessions<H: Host>(
    call: &Call<'_, H>,
    account: &Account,
) -> Result<Vec<Write<Key>>, HandlerError> {
    let now = call.context.now;
    let keys = call
        .host
        .find_keys(KeyQuery::Store(account.store()))
        .await?;
    let sessions = keys
        .iter()
        .map(|holder| &holder.key)
        .filter(|key| account.has_session(key, now));
    Ok(sessions
        .map(|session| revoked(session.clone(), now))
        .collect())
}
