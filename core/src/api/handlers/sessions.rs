//! Logs in, and lists and ends panel sessions.

use super::issue::{hand_out, is_password, revoked, throttled};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain, retry},
        guards,
        problem::{Problem, ProblemCode},
        routes::Endpoint,
        validate,
    },
    changes::Changes,
    host::{Host, KeyQuery, StoreQuery, UserQuery},
    model::{
        Duration, Email, KeyId, StoreId,
        store::{Key, KeyKind, Role},
    },
    rules::{accounts::Account, stores::KeyParams},
    wire::{SessionList, SessionView},
};

/// `POST /delivery/sessions`
pub(super) async fn log_in<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (email, password) = validate::session(call.read()?)?;
    throttled(call, Some(&email)).await?;
    let wrong = || {
        HandlerError::Problem(Problem::new(
            ProblemCode::CredentialsInvalid,
            "Incorrect email or password. Check both.",
            "E-mail ou senha incorretos. Confira os dois.",
        ))
    };
    let email = Email::parse(&email).ok();
    let found = match &email {
        Some(email) => account(call, email).await?,
        None => None,
    };
    let verified = found.as_ref().and_then(Account::password_hash);
    let right = is_password(call, verified, &password).await?;
    let verified = verified.filter(|_| right).map(str::to_owned);
    let (email, verified) = email.zip(verified).ok_or_else(wrong)?;
    let settings = call.settings;
    retry!(call, async {
        // The login is written with the session, so a concurrent change of its password or role conflicts.
        let account = account(call, &email).await?.filter(|found| found.password_hash() == Some(&verified));
        let account = account.ok_or_else(wrong)?;
        let store = call.host.store(account.store()).await?.ok_or_else(wrong)?;
        guards::check_enabled(&store)?;
        let store = store.id;
        let opening = KeyParams {
            store,
            integrator: store,
            kind: KeyKind::Panel,
            name: None,
            user: account.session_user(),
            validity: Duration::minutes(i64::from(settings.keys.session_hours) * 60),
            secret: &settings.secret,
        };
        let past = past_sessions(call, store).await?;
        hand_out(call, opening, past, account.write(call.context.now)).await
    })
}

/// Finds a login by its email, with the same queries whether or not it exists.
async fn account<H: Host>(call: &Call<'_, H>, email: &Email) -> Result<Option<Account>, HandlerError> {
    let store = call.host.find_stores(StoreQuery::Email(email)).await?.pop();
    let user = call.host.find_users(UserQuery::Email(email)).await?.pop();
    let user = user.map(|user| Account::User(Box::new(user)));
    Ok(store.map(|store| Account::Store(Box::new(store))).or(user))
}

/// Returns the oldest sessions to revoke at a new login, which keeps the number of sessions within its limit.
async fn past_sessions<H: Host>(call: &Call<'_, H>, store: StoreId) -> Result<Vec<Key>, HandlerError> {
    let max = call.settings.keys.sessions_per_store.max(1) as usize;
    let keys = call.host.find_keys(KeyQuery::Store(store)).await?;
    // The keys are newest first. One of the allowed sessions is the new one.
    let keys = keys.iter().map(|holder| &holder.key);
    let sessions = keys.filter(|key| key.kind == KeyKind::Panel && key.is_valid(call.context.now));
    Ok(sessions.skip(max - 1).cloned().collect())
}

/// `GET /delivery/sessions` and `DELETE /delivery/sessions/{sessionId}`
pub(super) async fn run<H: Host>(call: &mut Call<'_, H>, endpoint: Endpoint) -> Result<ApiResponse, HandlerError> {
    let (calling, now) = (call.caller()?.key.clone(), call.context.now);
    let user = |key: &Key| key.user.as_ref().map(|user| user.id);
    // A clerk has access only to the own sessions.
    let is_visible = |key: &Key| {
        key.kind == KeyKind::Panel
            && key.store == calling.store
            && (calling.role() == Role::Owner || user(key) == user(&calling))
    };
    if endpoint == Endpoint::ListSessions {
        let keys = call.host.find_keys(KeyQuery::Store(calling.store)).await?;
        let keys = keys.iter().map(|holder| &holder.key).filter(|key| is_visible(key) && key.is_valid(now));
        let sessions = keys.map(|key| SessionView::of(key, &calling)).collect();
        return Ok(ApiResponse::json(200, &SessionList { sessions })?);
    }
    let found = match KeyId::parse(call.id) {
        Some(id) => call.host.find_keys(KeyQuery::Id(id)).await?.pop(),
        None => None,
    };
    let key = found.map(|holder| holder.key.clone()).filter(is_visible);
    let key = key.ok_or_else(|| plain(ProblemCode::SessionNotFound))?;
    let response = ApiResponse::empty(204);
    if key.deleted_at.is_none() {
        let keys = vec![revoked(key, now)];
        call.commit(Changes { at: now, keys, ..Changes::default() }, &response).await?;
    }
    Ok(response)
}
