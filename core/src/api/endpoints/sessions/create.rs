//! `POST /delivery/sessions`

use crate::{
    api::{
        call::{Call, HandlerError, retry},
        credentials::{hand_out, is_password, origin, throttle_address, throttle_login},
        guards,
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::{Host, KeyQuery, StoreQuery},
    model::{
        Duration, Email, StoreId,
        store::{Key, KeyKind},
    },
    rules::{accounts::Account, limits::Usage, stores::KeyParams},
};

pub(crate) const ROUTE: Route = Route::new(Access::Public, "POST /delivery/sessions")
    .quota(Usage::Login)
    .leaves(Lasting::OwnSecret)
    .audit("session.started", Subject::Key)
    .reads_password();

pub(crate) const DOC: Operation = Operation {
    tag: "Sessions",
    id: "createSession",
    summary: "Log in",
    description: "Returns a key that expires after some hours, in exchange for the email and \
        password of a store or of a user. Each email has 10 attempts in 15 minutes, successful or \
        not; then the response is 429. An IP address from which the login succeeded before has 10 \
        attempts of its own. A login is never replayed: an `Idempotency-Key` has no effect.",
    request: RequestBody::Required("CreateSession"),
    responses: &[(
        201,
        Some("IssuedKey"),
        "Logged in. `value` is the key of this session.",
    )],
    codes: &[ProblemCode::CredentialsInvalid, ProblemCode::RateLimited],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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
