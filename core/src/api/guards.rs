//! Checks before a request's handler: authentication, rate limit, content negotiation and body
//! size.

use http::{HeaderMap, header, request::Parts};

use super::{
    call::{Call, plain},
    caller::CallerAddress,
    cookie::{self, SessionCookie},
    idempotency,
    media::{sent_type, takes, too_large},
    problem::{Problem, ProblemCode},
    reports,
    route::{Access, Content, Protocol, Route},
};
use crate::{
    drivers::tracking,
    host::{CourierQuery, Host, KeyQuery, Turn},
    model::{
        Duration, KeyId, Timestamp,
        store::{KeyHash, KeyHolder, Role, Store},
        webhook::Webhook,
    },
    rules::{
        couriers::{self, Credential},
        limits::{Admission, Bucket, Usage},
        open_delivery::AccessToken,
        operator,
        settings::Settings,
    },
};

/// The header of API keys and of the operator's token.
const TOKEN: &str = "x-api-token";

/// The idempotency scope of an admitted request.
pub(super) struct Admitted {
    /// The scope of the request's idempotency keys; `None` if the request is never replayed.
    pub scope: Option<String>,
    /// The owner of the limit on stored responses.
    pub owner: Option<String>,
}

/// Runs all checks, and stores the rate limiter's result in `admission`.
pub(super) async fn pass<H: Host>(
    call: &mut Call<'_, H>,
    route: &Route,
    admission: &mut Option<Admission>,
) -> Result<Admitted, Problem> {
    let cost = route.cost_of(call.parts, call.body);
    let (scope, owner) = match route.access {
        Access::Store => {
            authenticate(call, is_read_only(call, route)).await?;
            let caller = call.caller()?;
            let (store, merchant, usage) =
                (caller.store.id, caller.store.merchant(), route.usage.name());
            // A leaked key can use up the merchant's quota; the merchant must still be able to
            // revoke that key.
            let bucket = if route.is_counted_per_key {
                format!("{usage}/key/{}", caller.key.id)
            } else {
                format!("{usage}/{merchant}")
            };
            // A user must not get a response that another login's request stored.
            let scope = match &caller.key.user {
                Some(user) => format!("store/{store}/user/{}", user.id),
                None => format!("store/{store}"),
            };
            *admission = Some(admit(call, route.usage, bucket, cost).await?);
            (Some(scope), Some(format!("merchant/{merchant}")))
        }
        Access::Courier => {
            authenticate_courier(call).await?;
            let scope = format!("courier/{}", call.courier()?.id);
            *admission = Some(
                admit(
                    call,
                    route.usage,
                    format!("{}/{scope}", route.usage.name()),
                    cost,
                )
                .await?,
            );
            (Some(scope.clone()), Some(scope))
        }
        // A report is never replayed: a position that was sent twice is stored once, because the
        // second is not newer.
        Access::Device(protocol) => {
            // The body can contain the key.
            check_body(call, route)?;
            authenticate_device(call, protocol).await?;
            let bucket = format!("{}/courier/{}", route.usage.name(), call.courier()?.id);
            *admission = Some(admit(call, route.usage, bucket, cost).await?);
            (None, None)
        }
        // A choice replaces the earlier one, and a second rating is rejected, so nothing is
        // replayed.
        Access::Recipient => {
            check_same_site(call)?;
            find_link(call).await?;
            let bucket = format!("{}/link/{}", route.usage.name(), call.link()?.delivery);
            *admission = Some(admit(call, route.usage, bucket, cost).await?);
            (None, None)
        }
        Access::Connection => {
            authenticate_connection(call).await?;
            let caller = call.caller()?;
            let bucket = format!("{}/{}", route.usage.name(), caller.store.merchant());
            *admission = Some(admit(call, route.usage, bucket, cost).await?);
            (None, None)
        }
        Access::Operator => {
            authorise(call).await?;
            (Some("operator".to_owned()), None)
        }
        // A login is never replayed: each attempt verifies the password and counts against the
        // login limits, and nothing derived from the password is stored.
        Access::OptionalConnection | Access::Public => (None, None),
    };
    if let Some(admission) = admission {
        check_quota(admission)?;
    }
    if let Some(caller) = &call.caller {
        check_role(caller, route, call.id)?;
    }
    check_accept(&call.parts.headers, route.media)?;
    check_body(call, route)?;
    Ok(Admitted { scope, owner })
}

/// Waits until the caller's turn for a request that takes long. A merchant's keys, branches and
/// users share their turns.
pub(super) async fn take_turn<H: Host>(
    call: &Call<'_, H>,
    access: Access,
) -> Result<Turn, Problem> {
    let owner = match (&call.caller, &call.courier, &call.link) {
        (Some(caller), ..) => format!("merchant/{}", caller.store.merchant()),
        (None, Some(courier), _) => format!("courier/{}", courier.id),
        (None, None, Some(link)) => format!("link/{}", link.delivery),
        (None, None, None) if access == Access::Operator => "operator".to_owned(),
        (None, None, None) => {
            let address = call.parts.extensions.get::<CallerAddress>();
            address.map_or_else(
                || "public".to_owned(),
                |address| format!("from/{}", address.name()),
            )
        }
    };
    call.host.turn(&owner).await?.ok_or_else(|| {
        Problem::new(
            ProblemCode::RateLimited,
            "Too many of your requests that take long are still running. Wait for their responses, or retry after the time in Retry-After.",
            "Muitas requisições demoradas suas ainda estão em andamento. Aguarde as respostas ou tente de novo após o tempo em Retry-After.",
        )
        .retry_after(Duration::seconds(1))
    })
}

/// Counts a request of an endpoint that finds its caller itself.
pub(super) async fn check_rate<H: Host>(
    call: &Call<'_, H>,
    usage: Usage,
    name: String,
) -> Result<(), Problem> {
    check_quota(&admit(call, usage, name, 1).await?)
}

fn check_quota(admission: &Admission) -> Result<(), Problem> {
    if admission.admitted {
        return Ok(());
    }
    Err(Problem::new(
        ProblemCode::RateLimited,
        "The quota for this kind of request is used up. Retry after the time in Retry-After.",
        "A cota para este tipo de requisição acabou. Aguarde o tempo indicado em Retry-After.",
    )
    .retry_after(admission.reset))
}

/// Whether the request stores nothing, so the host may authenticate it with cached data. With an
/// idempotency key its response is stored.
fn is_read_only<H: Host>(call: &Call<'_, H>, route: &Route) -> bool {
    route.only_computes(call.parts.headers.contains_key(idempotency::HEADER))
}

async fn authenticate<H: Host>(call: &mut Call<'_, H>, recent: bool) -> Result<(), Problem> {
    let hash = KeyHash::of(token(call)?);
    let query = if recent {
        KeyQuery::Recent(&hash, call.context.now)
    } else {
        KeyQuery::Hash(&hash)
    };
    let Some(holder) = call.host.find_keys(query).await?.pop() else {
        let problem = Problem::new(
            ProblemCode::ApiKeyInvalid,
            "Invalid API key. Check that you copied the entire key.",
            "Chave de API inválida. Verifique se você copiou a chave inteira.",
        );
        return Err(unknown_key(call, problem).await?);
    };
    check_key(&holder, call.context.now)?;
    if holder.key.connection.is_some() {
        return Err(Problem::new(
            ProblemCode::ApiKeyInvalid,
            "This is the client secret of an Open Delivery connection, which gives access only to the routes of that standard. Request an \
             access token with POST /oauth/token, or use an API key.",
            "Este é o client secret de uma conexão Open Delivery, que só dá acesso às rotas desse padrão. Peça um token de acesso com \
             POST /oauth/token ou use uma chave de API.",
        ));
    }
    call.caller = Some(holder);
    Ok(())
}

/// Rejects a key that was revoked or has expired, and a store that was disabled.
pub(super) fn check_key(holder: &KeyHolder, now: Timestamp) -> Result<(), Problem> {
    if holder.key.deleted_at.is_some() || holder.store.deleted_at.is_some() {
        return Err(Problem::new(
            ProblemCode::ApiKeyRevoked,
            "This API key was revoked. Issue a new one.",
            "Esta chave de API foi revogada. Emita uma nova.",
        ));
    }
    if holder.key.expires_at <= now {
        return Err(Problem::new(
            ProblemCode::ApiKeyExpired,
            format!(
                "This API key expired at {}. Issue a new one.",
                holder.key.expires_at
            ),
            format!(
                "Esta chave de API expirou em {}. Emita uma nova.",
                holder.key.expires_at
            ),
        ));
    }
    check_enabled(&holder.store)
}

/// Finds the connection of an access token and the key that requested it.
pub(super) async fn authenticate_connection<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<(), Problem> {
    let header = call
        .parts
        .headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let Some((scheme, text)) = header.and_then(|header| header.trim().split_once(' ')) else {
        return Err(Problem::new(
            ProblemCode::ApiKeyMissing,
            "The request has no access token. Request one with POST /oauth/token and send it in the header `Authorization: Bearer …`.",
            "A requisição não tem token de acesso. Peça um com POST /oauth/token e envie-o no cabeçalho `Authorization: Bearer …`.",
        ));
    };
    let token = AccessToken::open(text.trim(), &call.settings.secret);
    let Some(token) = token.filter(|_| scheme.eq_ignore_ascii_case("bearer")) else {
        let problem = Problem::new(
            ProblemCode::ApiKeyInvalid,
            "Invalid access token. Request a new one with POST /oauth/token.",
            "Token de acesso inválido. Peça um novo com POST /oauth/token.",
        );
        return Err(unknown_key(call, problem).await?);
    };
    if token.expires_at <= call.context.now {
        return Err(Problem::new(
            ProblemCode::ApiKeyExpired,
            format!(
                "This access token expired at {}. Request a new one with POST /oauth/token.",
                token.expires_at
            ),
            format!(
                "Este token de acesso expirou em {}. Peça um novo com POST /oauth/token.",
                token.expires_at
            ),
        ));
    }
    let revoked = || plain(ProblemCode::ApiKeyRevoked);
    let holder = call
        .host
        .find_keys(KeyQuery::Id(token.key))
        .await?
        .pop()
        .ok_or_else(revoked)?;
    check_key(&holder, call.context.now)?;
    let connection = call.host.webhook(token.connection).await?;
    let own =
        |webhook: &Webhook| webhook.store == holder.store.id && webhook.open_delivery.is_some();
    call.connection = Some(Box::new(connection.filter(own).ok_or_else(revoked)?));
    call.caller = Some(holder);
    Ok(())
}

/// Checks the role of the calling session.
fn check_role(caller: &KeyHolder, route: &Route, id: &str) -> Result<(), Problem> {
    let is_own_key = route.permits_own_key && KeyId::parse(id) == Some(caller.key.id);
    if caller.key.role() == Role::Clerk && route.role == Role::Owner && !is_own_key {
        return Err(plain(ProblemCode::RoleNotAllowed));
    }
    Ok(())
}

/// Rejects the requests and logins of a store that the operator disabled.
pub(super) fn check_enabled(store: &Store) -> Result<(), Problem> {
    if !store.is_disabled() {
        return Ok(());
    }
    Err(Problem::new(
        ProblemCode::StoreDisabled,
        "The operator disabled this store. Its open orders continue. Contact the operator to enable it.",
        "O operador desativou esta loja. Os pedidos em aberto continuam. Fale com o operador para reativá-la.",
    ))
}

/// Returns the value of a session cookie if it authenticates the request. A key in the header has
/// priority.
pub(super) fn session<'a>(parts: &'a Parts, cookie: &SessionCookie) -> Option<&'a str> {
    if parts.headers.contains_key(TOKEN) {
        None
    } else {
        cookie.read(&parts.headers)
    }
}

async fn authenticate_courier<H: Host>(call: &mut Call<'_, H>) -> Result<(), Problem> {
    if let Some(text) = session(call.parts, &cookie::COURIER) {
        check_session_origin(call)?;
        return authenticate_session(call, text).await;
    }
    let token = token(call)?;
    let courier = call
        .host
        .find_couriers(CourierQuery::Key(&KeyHash::of(token)))
        .await?
        .pop();
    let known = courier.and_then(|courier| Some((courier.key.clone()?, courier)));
    let Some((key, courier)) = known.filter(|(_, courier)| courier.removed_at.is_none()) else {
        let problem = Problem::new(
            ProblemCode::ApiKeyInvalid,
            "Invalid courier key. Check that you copied the entire key, or request a new one from the operator.",
            "Chave de entregador inválida. Verifique se você copiou a chave inteira ou peça uma nova ao operador.",
        );
        return Err(unknown_key(call, problem).await?);
    };
    if key.expires_at <= call.context.now {
        return Err(Problem::new(
            ProblemCode::ApiKeyExpired,
            format!(
                "This courier key expired at {}. Request a new one from the operator.",
                key.expires_at
            ),
            format!(
                "Esta chave de entregador expirou em {}. Peça uma nova ao operador.",
                key.expires_at
            ),
        ));
    }
    call.courier = Some(courier);
    Ok(())
}

/// Rejects a write with a session that a page of another origin sent.
fn check_session_origin<H: Host>(call: &Call<'_, H>) -> Result<(), Problem> {
    if !cookie::is_from_another_origin(call.parts, call.settings.public_url.as_deref()) {
        return Ok(());
    }
    Err(Problem::new(
        ProblemCode::ApiKeyInvalid,
        "A page of another origin sent this request, so its session is not accepted. Send the request from a page of this service.",
        "A requisição veio de uma página de outra origem; por isso, a sessão não é aceita. Envie-a de uma página deste serviço.",
    ))
}

/// Finds the courier by the ID in the session. The response does not depend on whether the courier
/// exists.
async fn authenticate_session<H: Host>(call: &mut Call<'_, H>, text: &str) -> Result<(), Problem> {
    let courier = match Credential::Session.courier(text) {
        Some(id) => call.host.courier(id).await?,
        None => None,
    };
    let session = courier
        .as_ref()
        .and_then(|courier| couriers::find_session(courier, text));
    let Some(expires_at) = session.map(|session| session.expires_at) else {
        let problem = Problem::new(
            ProblemCode::ApiKeyInvalid,
            "This session has ended. Sign in with a new link from the operator.",
            "Esta sessão foi encerrada. Entre com um link novo do operador.",
        );
        return Err(unknown_key(call, problem).await?);
    };
    if expires_at <= call.context.now {
        return Err(Problem::new(
            ProblemCode::ApiKeyExpired,
            format!(
                "This session expired at {expires_at}. Sign in with a new link from the operator."
            ),
            format!("Esta sessão expirou em {expires_at}. Entre com um link novo do operador."),
        ));
    }
    call.courier = courier;
    Ok(())
}

/// Finds the courier by the ID in the device key. The response does not depend on whether the
/// courier exists or had such a key.
async fn authenticate_device<H: Host>(
    call: &mut Call<'_, H>,
    protocol: Protocol,
) -> Result<(), Problem> {
    let report = match protocol {
        Protocol::Osmand => reports::osmand(call)?,
        Protocol::OwnTracks => reports::own_tracks(call.body)?,
    };
    let Some(text) = reports::device_key(call, &report) else {
        return Err(Problem::new(
            ProblemCode::ApiKeyMissing,
            "The request has no device key. Send it as the parameter `id`, in JSON as `device_id`, or from OwnTracks as the password.",
            "A requisição não tem chave de dispositivo. Envie-a no parâmetro `id`, em JSON como `device_id` ou, no OwnTracks, como senha.",
        ));
    };
    let courier = match Credential::Device.courier(&text) {
        Some(id) => call.host.courier(id).await?,
        None => None,
    };
    let courier =
        courier.filter(|courier| couriers::accepts_device_key(courier, &text, call.context.now));
    if courier.is_none() {
        let problem = Problem::new(
            ProblemCode::ApiKeyInvalid,
            "Invalid device key. Check that you copied the entire key, or issue a new one with POST /courier/device.",
            "Chave de dispositivo inválida. Verifique se você copiou a chave inteira ou emita uma nova com POST /courier/device.",
        );
        return Err(unknown_key(call, problem).await?);
    }
    call.courier = courier;
    Ok(())
}

async fn authorise<H: Host>(call: &Call<'_, H>) -> Result<(), Problem> {
    let session = session(call.parts, &cookie::OPERATOR);
    let token = if session.is_none() { token(call)? } else { "" };
    let operator = operator(call.settings)?;
    let problem = match session {
        Some(text) => {
            check_session_origin(call)?;
            if operator::accepts_session(text, &call.settings.secret, operator, call.context.now) {
                return Ok(());
            }
            Problem::new(
                ProblemCode::ApiKeyInvalid,
                "This session has ended. Sign in again with the operator token.",
                "Esta sessão foi encerrada. Entre novamente com o token de operador.",
            )
        }
        // Comparing hashes leaks nothing about the token through timing.
        None if KeyHash::of(token) == *operator => return Ok(()),
        None => Problem::new(
            ProblemCode::ApiKeyInvalid,
            "Invalid operator token. Send the value of DESPACHO_ADMIN_TOKEN in the x-api-token header.",
            "Token de operador inválido. Envie o valor de DESPACHO_ADMIN_TOKEN no cabeçalho x-api-token.",
        ),
    };
    Err(unknown_key(call, problem).await?)
}

/// Returns the hash of the operator's token.
pub(super) fn operator(settings: &Settings) -> Result<&KeyHash, Problem> {
    settings.operator.as_ref().ok_or_else(|| {
        Problem::new(
            ProblemCode::Unavailable,
            "This deployment has no operator token. Set DESPACHO_ADMIN_TOKEN and restart the service.",
            "Esta instalação não tem token de operador. Defina DESPACHO_ADMIN_TOKEN e reinicie o serviço.",
        )
        .retry_after(Duration::minutes(1))
    })
}

/// Looks up the link in the path. Unknown, ended, revoked and malformed tokens cost the same query
/// and have the same response.
async fn find_link<H: Host>(call: &mut Call<'_, H>) -> Result<(), Problem> {
    let link = tracking::find_link(call.host, &KeyHash::of(call.id), call.context.now).await?;
    if link.is_none() {
        return Err(unknown_key(call, plain(ProblemCode::TrackingNotFound)).await?);
    }
    call.link = link;
    Ok(())
}

/// Rejects a form that a page of another site sent.
fn check_same_site<H: Host>(call: &Call<'_, H>) -> Result<(), Problem> {
    if cookie::is_from_another_origin(call.parts, call.settings.public_url.as_deref()) {
        Err(plain(ProblemCode::CrossSite))
    } else {
        Ok(())
    }
}

/// Returns `problem`, or `rate_limited` if the IP address has sent too many unknown keys. Keys of
/// 256 bits cannot be guessed; the limit makes attempts cheap to reject and visible in the metrics.
pub(super) async fn unknown_key<H: Host>(
    call: &Call<'_, H>,
    problem: Problem,
) -> Result<Problem, Problem> {
    let Some(address) = call.parts.extensions.get::<CallerAddress>() else {
        return Ok(problem);
    };
    let admission = admit(
        call,
        Usage::UnknownKey,
        format!("unknown-key/{}", address.name()),
        1,
    )
    .await?;
    if admission.admitted {
        return Ok(problem);
    }
    Ok(Problem::new(
        ProblemCode::RateLimited,
        "Too many requests with unknown API keys or links from this IP address. Retry after the time in Retry-After.",
        "Este endereço IP enviou requisições demais com chaves de API ou links desconhecidos. Aguarde o tempo indicado em Retry-After.",
    )
    .retry_after(admission.reset))
}

fn token<'a, H: Host>(call: &'a Call<'_, H>) -> Result<&'a str, Problem> {
    let sent = call.parts.headers.get(TOKEN);
    let text = sent
        .and_then(|value| value.to_str().ok())
        .map(str::trim)
        .filter(|text| !text.is_empty());
    match (sent, text) {
        (_, Some(text)) => Ok(text),
        (None, _) => Err(Problem::new(
            ProblemCode::ApiKeyMissing,
            "The request has no API key. Send it in the x-api-token header.",
            "A requisição não tem chave de API. Envie-a no cabeçalho x-api-token.",
        )),
        (Some(_), None) => Err(plain(ProblemCode::ApiKeyInvalid)),
    }
}

/// Counts a request of a cost against its bucket. A bucket of this name with a smaller quota has
/// the same state, and each of its requests counts as so many.
async fn admit<H: Host>(
    call: &Call<'_, H>,
    usage: Usage,
    name: String,
    cost: u32,
) -> Result<Admission, Problem> {
    let limits = &call.settings.limits;
    let quota = match usage {
        Usage::Preview => limits.previews_per_minute,
        Usage::Create => limits.writes_per_minute,
        Usage::Read => limits.reads_per_minute,
        Usage::Login => limits.logins_per_15_minutes,
        Usage::UnknownKey => limits.unknown_keys_per_minute,
    };
    let quota = (quota / cost.max(1)).max(1);
    let bucket = Bucket {
        name,
        usage,
        quota,
        window: Duration::minutes(1),
    };
    Ok(call.host.admit(&bucket, call.context.now).await?)
}

/// Checks that the client accepts one of these media types.
fn check_accept(headers: &HeaderMap, media: &[&str]) -> Result<(), Problem> {
    if media.iter().any(|media| takes(headers, media)) {
        return Ok(());
    }
    let media = media.join(", ");
    Err(Problem::new(
        ProblemCode::NotAcceptable,
        format!(
            "The response has the media type {media}. Include it in the Accept header, or omit the header."
        ),
        format!(
            "A resposta tem o tipo de mídia {media}. Inclua-o no cabeçalho Accept ou não envie o cabeçalho."
        ),
    ))
}

fn check_body<H: Host>(call: &Call<'_, H>, route: &Route) -> Result<(), Problem> {
    let max = route.max_body(&call.settings.limits);
    if call.body.len() > max {
        return Err(too_large(max));
    }
    if route.content == Content::Ignored || call.body.is_empty() {
        return Ok(());
    }
    let (media, accepted) = (sent_type(call.parts), route.content.media());
    let coding = call
        .parts
        .headers
        .get(header::CONTENT_ENCODING)
        .and_then(|value| value.to_str().ok());
    let plain = coding.is_none_or(|coding| coding.trim().eq_ignore_ascii_case("identity"));
    if plain
        && accepted
            .iter()
            .any(|accepted| media.eq_ignore_ascii_case(accepted))
    {
        return Ok(());
    }
    let (en, pt) = match accepted {
        [_] => (
            "The body must be uncompressed JSON. Send it with the header `content-type: application/json`.",
            "O corpo deve ser JSON sem compressão. Envie-o com o cabeçalho `content-type: application/json`.",
        ),
        _ if accepted.contains(&"image/jpeg") => (
            "The body must be a photo. Send it with the header `content-type`: `image/jpeg`, `image/png` or `image/webp`.",
            "O corpo deve ser uma foto. Envie-a com o cabeçalho `content-type`: `image/jpeg`, `image/png` ou `image/webp`.",
        ),
        _ => (
            "The body must be uncompressed JSON or an uncompressed form. Send it with the header `content-type: application/json` or \
             `content-type: application/x-www-form-urlencoded`.",
            "O corpo deve ser JSON ou um formulário, sem compressão. Envie-o com o cabeçalho `content-type: application/json` ou \
             `content-type: application/x-www-form-urlencoded`.",
        ),
    };
    Err(Problem::new(ProblemCode::UnsupportedMediaType, en, pt))
}
