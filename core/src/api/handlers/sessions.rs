//! Logs in, and lists and ends panel sessions.

use super::{
    accounts::calling_session,
    issue::{
        calling_account, hand_out, is_password, origin, revoked, throttle_address, throttle_login,
        verify,
    },
};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain, retry},
        confirmation::CONFIRMED,
        guards,
        problem::{Problem, ProblemCode},
        routes::Endpoint,
        validate,
    },
    changes::{Changes, Write},
    host::{Host, KeyQuery, StoreQuery},
    model::{
        Duration, Email, KeyId, StoreId,
        store::{Key, KeyKind, Role},
    },
    rules::{accounts::Account, stores::KeyParams},
    wire::{SessionConfirmation, SessionList, SessionView},
};

/// `POST /delivery/sessions`
pub(super) async fn log_in<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (email, password) = validate::session(call.read()?)?;
    throttle_address(call).await?;
    let wrong = || {
        HandlerError::Problem(Problem::new(
            ProblemCode::CredentialsInvalid,
            "Incorrect email or password. Check both.",
            "E-mail ou senha incorretos. Confira os dois.",
        ))
    };
    let sent = email;
    let email = Email::parse(&sent).ok();
    let found = match &email {
        Some(email) => account(call, email).await?,
        None => None,
    };
    let origin = origin(call);
    let usual = origin
        .clone()
        .filter(|origin| found.as_ref().is_some_and(|found| found.is_usual(origin)));
    throttle_login(
        call,
        &sent,
        &usual
            .as_ref()
            .map_or_else(String::new, |origin| format!("/from/{origin}")),
    )
    .await?;
    let verified = found.as_ref().and_then(Account::password_hash);
    let right = is_password(call, verified, &password).await?;
    let verified = verified.filter(|_| right).map(str::to_owned);
    let (email, verified) = email.zip(verified).ok_or_else(wrong)?;
    if let (Some(origin), None) = (&origin, &usual) {
        // This login counts for its address too, so that the next ones from there have no fresh
        // quota.
        throttle_login(call, &sent, &format!("/from/{origin}")).await?;
    }
    let settings = call.settings;
    retry!(call, async {
        // The login is written with the session, so a concurrent change of its password or role
        // conflicts.
        let account = account(call, &email)
            .await?
            .filter(|found| found.password_hash() == Some(&verified));
        let mut account = account.ok_or_else(wrong)?;
        if let Some(origin) = &origin {
            account.remember(origin);
        }
        let store = call.host.store(account.store()).await?.ok_or_else(wrong)?;
        guards::check_enabled(&store)?;
        let store = store.id;
        let opening = KeyParams {
            store,
            integrator: store,
            kind: KeyKind::Panel,
            name: None,
            user: account.session_user(),
            connection: None,
            validity: Duration::minutes(i64::from(settings.keys.session_hours) * 60),
            secret: &settings.secret,
        };
        let past = past_sessions(call, store).await?;
        hand_out(call, opening, past, account.write(call.context.now)).await
    })
}

/// Finds a login by its email, with the same queries whether or not it exists.
async fn account<H: Host>(
    call: &Call<'_, H>,
    email: &Email,
) -> Result<Option<Account>, HandlerError> {
    let store = call.host.find_stores(StoreQuery::Email(email)).await?.pop();
    let user = call.host.user(email).await?;
    let user = user.map(|user| Account::User(Box::new(user)));
    Ok(store.map(|store| Account::Store(Box::new(store))).or(user))
}

/// Returns the oldest sessions to revoke at a new login, which keeps the number of sessions within
/// its limit.
async fn past_sessions<H: Host>(
    call: &Call<'_, H>,
    store: StoreId,
) -> Result<Vec<Key>, HandlerError> {
    let max = call.settings.keys.sessions_per_store.max(1) as usize;
    let keys = call.host.find_keys(KeyQuery::Store(store)).await?;
    // The keys are newest first. One of the allowed sessions is the new one.
    let keys = keys.iter().map(|holder| &holder.key);
    let sessions = keys.filter(|key| key.kind == KeyKind::Panel && key.is_valid(call.context.now));
    Ok(sessions.skip(max - 1).cloned().collect())
}

/// `POST /delivery/sessions/confirmation`
pub(super) async fn confirm<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let password = validate::session_confirmation(call.read()?)?;
    let id = calling_session(call)?.id;
    let account = calling_account(call).await?;
    verify(call, &account, &password).await?;
    // Another request may have written the session since it was authenticated.
    let holder = call
        .host
        .find_keys(KeyQuery::Id(id))
        .await?
        .pop()
        .filter(|held| held.key.deleted_at.is_none());
    let key = holder
        .ok_or_else(|| plain(ProblemCode::ApiKeyRevoked))?
        .key
        .clone();
    let (at, until) = (call.context.now, call.context.now.after(CONFIRMED));
    let response = ApiResponse::json(
        200,
        &SessionConfirmation {
            confirmed_until: until.to_string(),
        },
    )?;
    let value = Key {
        confirmed_until: Some(until),
        version: key.version + 1,
        ..key
    };
    let keys = vec![Write {
        expected: value.version - 1,
        value,
    }];
    call.commit(
        Changes {
            at,
            keys,
            ..Changes::default()
        },
        &response,
    )
    .await?;
    Ok(response)
}

/// `GET /delivery/sessions` and `DELETE /delivery/sessions/{sessionId}`
pub(super) async fn run<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
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
        let keys = keys
            .iter()
            .map(|holder| &holder.key)
            .filter(|key| is_visible(key) && key.is_valid(now));
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
        call.commit(
            Changes {
                at: now,
                keys,
                ..Changes::default()
            },
            &response,
        )
        .await?;
    }
    Ok(response)
}
