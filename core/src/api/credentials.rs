//! Verifies the passwords of logins, and issues keys.

use super::{
    bounds,
    call::{Call, HandlerError, plain, too_few},
    caller::CallerAddress,
    problem::{FieldError, Problem, ProblemCode},
    response::{ApiResponse, OneTimeSecret},
};
use crate::{
    changes::{Changes, Write},
    host::{Host, UserQuery},
    model::{
        Duration, Text, Timestamp, fingerprint,
        store::{Key, KeyHolder, KeyKind},
    },
    rules::{
        accounts::{self, Account},
        limits::{Bucket, Usage},
        stores::{self, KeyParams},
    },
    wire::StoreCreated,
};

/// Verifies the password of the calling login if the caller is a panel session: a session ends
/// within hours, and a stolen one must not issue a key that is valid for years. An integration key
/// needs no password. Attempts count as logins.
pub(super) async fn confirm_password<H: Host>(
    call: &Call<'_, H>,
    password: Option<&str>,
) -> Result<(), HandlerError> {
    if call.caller()?.key.kind != KeyKind::Panel {
        return Ok(());
    }
    let Some(password) = password.filter(|password| !password.is_empty()) else {
        return Err(password_required(
            "required",
            "A panel session must confirm this request. Send the password of your login as currentPassword.",
            "Uma sessão do painel precisa confirmar esta requisição. Envie a senha do seu login em currentPassword.",
        ));
    };
    verify(call, &calling_account(call).await?, password).await
}

/// Loads the login of the calling session.
pub(super) async fn calling_account<H: Host>(call: &Call<'_, H>) -> Result<Account, HandlerError> {
    let KeyHolder { key, store, .. } = call.caller()?;
    let Some(user) = &key.user else {
        return Ok(Account::Store(Box::new(store.clone())));
    };
    let user = call.host.find_users(UserQuery::Id(user.id)).await?.pop();
    user.map(|user| Account::User(Box::new(user)))
        .ok_or_else(|| plain(ProblemCode::ApiKeyRevoked).into())
}

/// Verifies the password of the calling session's login. Attempts count as logins.
pub(super) async fn verify<H: Host>(
    call: &Call<'_, H>,
    login: &Account,
    password: &str,
) -> Result<(), HandlerError> {
    throttle_address(call).await?;
    throttle_login(
        call,
        login.email(),
        &format!("/session/{}", call.caller()?.key.id),
    )
    .await?;
    if is_password(call, login.password_hash(), password).await? {
        return Ok(());
    }
    Err(password_required(
        ProblemCode::PasswordRequired.name(),
        "Incorrect password. Send the password of your login as currentPassword.",
        "Senha incorreta. Envie a senha do seu login em currentPassword.",
    ))
}

/// Compares a password with a hash. It costs the same without a hash, because the response time
/// must not reveal which emails are registered.
pub(super) async fn is_password<H: Host>(
    call: &Call<'_, H>,
    hash: Option<&str>,
    password: &str,
) -> Result<bool, HandlerError> {
    let hash = hash.unwrap_or(ABSENT_PASSWORD_HASH);
    Ok(password.len() <= 4 * bounds::PASSWORD.end()
        && call.host.verify_password(password, hash).await?)
}

/// A hash that no password matches.
const ABSENT_PASSWORD_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn password_required(code: &'static str, en: &str, pt: &str) -> HandlerError {
    let error = FieldError {
        pointer: "/currentPassword".to_owned(),
        code,
        detail: Text::new(en, pt),
    };
    HandlerError::Problem(
        Problem::new(ProblemCode::PasswordRequired, en, pt).with_errors(vec![error]),
    )
}

/// Issues a key, returns it once, revokes the keys in `past`, and commits `changes` with it.
pub(super) async fn hand_out<H: Host>(
    call: &mut Call<'_, H>,
    opening: KeyParams<'_>,
    past: Vec<Key>,
    changes: Changes,
) -> Result<ApiResponse, HandlerError> {
    let mut ids = call.ids(1).await?;
    let (key, nonce) = stores::issue(opening, &mut ids, &mut call.context).ok_or_else(too_few)?;
    let response = key_response(call, &key, nonce)?;
    let mut keys: Vec<Write<Key>> = past
        .into_iter()
        .map(|key| revoked(key, call.context.now))
        .collect();
    keys.push(Write::insert(key));
    call.commit(
        Changes {
            at: call.context.now,
            keys,
            ..changes
        },
        &response,
    )
    .await?;
    Ok(response)
}

pub(super) fn revoked(key: Key, at: Timestamp) -> Write<Key> {
    Write {
        expected: key.version,
        value: Key {
            deleted_at: Some(at),
            version: key.version + 1,
            ..key
        },
    }
}

/// Returns the response with the value of a new key.
pub(super) fn key_response<H: Host>(
    call: &Call<'_, H>,
    key: &Key,
    nonce: [u8; 32],
) -> Result<ApiResponse, Problem> {
    let secret = OneTimeSecret::of_key(call.settings, nonce);
    let response = ApiResponse::json(201, &StoreCreated::of(key, secret.text.clone()))?;
    Ok(ApiResponse {
        secret: Some(secret),
        ..response
    })
}

/// Counts a login attempt of the IP address, if known, which slows attacks on many logins.
pub(super) async fn throttle_address<H: Host>(call: &Call<'_, H>) -> Result<(), HandlerError> {
    let Some(address) = call.parts.extensions.get::<CallerAddress>() else {
        return Ok(());
    };
    attempt(
        call,
        format!("login-from/{}", address.name()),
        call.settings.limits.logins_per_address,
    )
    .await
}

/// Counts an attempt at one login, which slows attacks on it. Attempts from an address with which
/// the login is usual, and the confirmations of a session, are counted separately: strangers who
/// guess a password must not keep its owner out.
pub(super) async fn throttle_login<H: Host>(
    call: &Call<'_, H>,
    email: &str,
    own: &str,
) -> Result<(), HandlerError> {
    let login = fingerprint(&[b"login", email.to_lowercase().as_bytes()]);
    attempt(
        call,
        format!("login/{login}{own}"),
        call.settings.limits.logins_per_15_minutes,
    )
    .await
}

async fn attempt<H: Host>(
    call: &Call<'_, H>,
    name: String,
    quota: u32,
) -> Result<(), HandlerError> {
    let bucket = Bucket {
        name,
        usage: Usage::Login,
        quota,
        window: Duration::minutes(15),
    };
    let admission = call.host.admit(&bucket, call.context.now).await?;
    if admission.admitted {
        return Ok(());
    }
    let problem = Problem::new(
        ProblemCode::RateLimited,
        "Too many login attempts. Retry after the time in Retry-After.",
        "Tentativas de login demais. Aguarde o tempo indicado em Retry-After.",
    );
    Err(HandlerError::Problem(problem.retry_after(admission.reset)))
}

/// Returns the fingerprint of the client's address as a login stores it; `None` without an address.
pub(super) fn origin<H: Host>(call: &Call<'_, H>) -> Option<String> {
    let address = call.parts.extensions.get::<CallerAddress>()?;
    Some(accounts::origin(&call.settings.secret, &address.name()))
}
