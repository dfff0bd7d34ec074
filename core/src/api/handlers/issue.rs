//! Issuing a key, and confirming the password before one is issued.

use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, OneTimeSecret, plain, too_few},
        caller::CallerAddress,
        problem::{FieldError, Problem, ProblemCode},
    },
    changes::{Changes, Write},
    host::Host,
    model::{
        Duration, Text, Timestamp, fingerprint, hex,
        store::{Key, KeyHolder, KeyKind},
    },
    rules::{
        limits::{Bucket, Usage},
        password,
        stores::{self, KeyParams},
    },
    wire::StoreCreated,
};

/// Verifies the calling store's password where the caller is a panel session: a session ends within hours, and must not turn itself into a
/// key that lives for years. An integration key needs none. Attempts count as logins.
pub(super) async fn confirm_password<H: Host>(call: &Call<'_, H>, password: Option<&str>) -> Result<(), HandlerError> {
    let KeyHolder { key, store } = call.caller()?;
    if key.kind != KeyKind::Panel {
        return Ok(());
    }
    let Some(password) = password.filter(|password| !password.is_empty()) else {
        return Err(password_required(
            "required",
            "A panel session needs the store's password here. Send it as currentPassword.",
            "Uma sessão do painel precisa da senha da loja aqui. Envie-a em currentPassword.",
        ));
    };
    throttled(call, store.email.as_str()).await?;
    if password.len() <= 4 * password::MAX_LENGTH && call.host.verify_password(password, &store.password_hash).await? {
        return Ok(());
    }
    Err(password_required(
        ProblemCode::PasswordRequired.name(),
        "This is not the store's password.",
        "Esta não é a senha da loja.",
    ))
}

fn password_required(code: &'static str, en: &str, pt: &str) -> HandlerError {
    let error = FieldError { pointer: "/currentPassword".to_owned(), code, detail: Text::new(en, pt) };
    HandlerError::Problem(Problem::new(ProblemCode::PasswordRequired, en, pt).with_errors(vec![error]))
}

/// Issues a key, and tells it once. Those that are `past` end with it.
pub(super) async fn hand_out<H: Host>(
    call: &mut Call<'_, H>,
    opening: KeyParams<'_>,
    past: Vec<Key>,
) -> Result<ApiResponse, HandlerError> {
    let mut ids = call.ids(1).await?;
    let (key, nonce) = stores::issue(opening, &mut ids, &mut call.context).ok_or_else(too_few)?;
    let response = key_response(call, &key, nonce)?;
    let mut keys: Vec<Write<Key>> = past.into_iter().map(|key| revoked(key, call.context.now)).collect();
    keys.push(Write::insert(key));
    call.commit(Changes { at: call.context.now, keys, ..Changes::default() }, &response).await?;
    Ok(response)
}

pub(super) fn revoked(key: Key, at: Timestamp) -> Write<Key> {
    Write { expected: key.version, value: Key { deleted_at: Some(at), version: key.version + 1, ..key } }
}

/// The answer that tells a new key.
pub(super) fn key_response<H: Host>(call: &Call<'_, H>, key: &Key, nonce: [u8; 32]) -> Result<ApiResponse, Problem> {
    let text = Key::text(&call.settings.secret.0, &nonce);
    let response = ApiResponse::json(201, &StoreCreated::of(key, text.clone()))?;
    let nonce = hex(&nonce);
    Ok(ApiResponse { secret: Some(OneTimeSecret { text, placeholder: nonce.clone(), nonce }), ..response })
}

/// Counts a login for its address, where the host knows it, and then for its email: who tries one password on many emails, and who
/// tries many on one.
pub(super) async fn throttled<H: Host>(call: &Call<'_, H>, email: &str) -> Result<(), HandlerError> {
    let limits = &call.settings.limits;
    let address = call.parts.extensions.get::<CallerAddress>();
    let by_address = address.map(|address| (format!("login-from/{}", address.name()), limits.logins_per_address));
    for (name, quota) in by_address.into_iter().chain([(login_name(email), limits.logins_per_15_minutes)]) {
        let bucket = Bucket { name, usage: Usage::Login, quota, window: Duration::minutes(15) };
        let admission = call.host.admit(&bucket, call.context.now).await?;
        if !admission.admitted {
            return Err(HandlerError::Problem(plain(ProblemCode::RateLimited).retry_after(admission.reset)));
        }
    }
    Ok(())
}

fn login_name(email: &str) -> String {
    format!("login/{}", fingerprint(&[b"login", email.to_lowercase().as_bytes()]))
}
