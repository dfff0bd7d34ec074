//! What a request must pass before its handler: key, rate, media types, size.

use http::{HeaderMap, Method, header};

use super::{
    call::{Call, plain},
    caller::CallerAddress,
    idempotency,
    media::{takes, too_large},
    problem::{Problem, ProblemCode},
    routes::{Authority, Endpoint, Route},
};
use crate::{
    host::{CourierQuery, Host, KeyQuery},
    model::{Duration, store::KeyHash},
    rules::limits::{Admission, Bucket, Usage},
};

/// The header that keys and the operator's token come in.
const TOKEN: &str = "x-api-token";

/// What is known of a request that has passed.
pub(super) struct Admitted {
    /// The owner of the request's idempotency keys; `None` where a request is never replayed.
    pub scope: Option<String>,
    /// Whose stored responses are bounded together.
    pub owner: Option<String>,
}

/// Takes a request through its gates, and notes what the rate limiter said.
pub(super) async fn pass<H: Host>(
    call: &mut Call<'_, H>,
    route: &Route,
    admission: &mut Option<Admission>,
) -> Result<Admitted, Problem> {
    let (scope, owner) = match route.authority {
        Authority::Store => {
            authenticate(call, changes_nothing(call, route)).await?;
            let caller = call.caller()?;
            let (store, merchant, usage) = (caller.store.id, caller.store.merchant(), route.usage.name());
            let bucket = match route.endpoint {
                // A merchant whose quota is used up by a leaked key must still be able to revoke that key.
                Endpoint::RevokeKey => format!("{usage}/key/{}", caller.key.id),
                _ => format!("{usage}/{merchant}"),
            };
            *admission = Some(rate(call, route.usage, bucket).await?);
            (Some(format!("store/{store}")), Some(format!("merchant/{merchant}")))
        }
        Authority::Courier => {
            authenticate_courier(call).await?;
            let courier = call.courier()?.id;
            *admission = Some(rate(call, route.usage, format!("{}/courier/{courier}", route.usage.name())).await?);
            let scope = format!("courier/{courier}");
            (Some(scope.clone()), Some(scope))
        }
        Authority::Operator => {
            authorise(call).await?;
            (Some("operator".to_owned()), None)
        }
        // A login is never replayed: each attempt verifies the password and counts against the limits of logins, and nothing that is
        // derived from the password is stored.
        Authority::Public => (None, None),
    };
    if let Some(admission) = admission.filter(|admission| !admission.admitted) {
        return Err(Problem::new(
            ProblemCode::RateLimited,
            "The merchant's quota for this kind of request is used up. Wait as long as Retry-After says.",
            "A cota da empresa para este tipo de requisição acabou. Aguarde o tempo indicado em Retry-After.",
        )
        .retry_after(admission.reset));
    }
    accepts(&call.parts.headers, route.endpoint.media())?;
    body_is_json(call, route)?;
    Ok(Admitted { scope, owner })
}

/// Whether a request only computes, so that it may go by what the host knew a moment ago. One with an idempotency key is kept.
fn changes_nothing<H: Host>(call: &Call<'_, H>, route: &Route) -> bool {
    route.endpoint == Endpoint::PreviewOrder && !call.parts.headers.contains_key(idempotency::HEADER)
}

async fn authenticate<H: Host>(call: &mut Call<'_, H>, recent: bool) -> Result<(), Problem> {
    let hash = KeyHash::of(token(call)?);
    let query = if recent { KeyQuery::Recent(&hash, call.context.now) } else { KeyQuery::Hash(&hash) };
    let Some(holder) = call.host.find_keys(query).await?.pop() else {
        let problem = Problem::new(
            ProblemCode::ApiKeyInvalid,
            "No store has this key. Check that the whole key was copied.",
            "Nenhuma loja tem esta chave. Verifique se a chave foi copiada por inteiro.",
        );
        return Err(unknown_key(call, problem).await?);
    };
    if holder.key.deleted_at.is_some() || holder.store.deleted_at.is_some() {
        return Err(Problem::new(
            ProblemCode::ApiKeyRevoked,
            "This key was revoked. Issue a new one.",
            "Esta chave foi revogada. Emita uma nova.",
        ));
    }
    if holder.key.expires_at <= call.context.now {
        return Err(Problem::new(
            ProblemCode::ApiKeyExpired,
            format!("This key ended at {}. Issue a new one.", holder.key.expires_at),
            format!("Esta chave terminou em {}. Emita uma nova.", holder.key.expires_at),
        ));
    }
    call.caller = Some(holder);
    Ok(())
}

async fn authenticate_courier<H: Host>(call: &mut Call<'_, H>) -> Result<(), Problem> {
    let token = token(call)?;
    let courier = call.host.find_couriers(CourierQuery::Key(&KeyHash::of(token))).await?.pop();
    let known = courier.and_then(|courier| Some((courier.key.clone()?, courier)));
    let Some((key, courier)) = known.filter(|(_, courier)| courier.removed_at.is_none()) else {
        let problem = Problem::new(
            ProblemCode::ApiKeyInvalid,
            "No courier has this key. Ask the operator for a new one.",
            "Nenhum entregador tem esta chave. Peça uma nova ao operador.",
        );
        return Err(unknown_key(call, problem).await?);
    };
    if key.expires_at <= call.context.now {
        return Err(Problem::new(
            ProblemCode::ApiKeyExpired,
            format!("This key ended at {}. Ask the operator for a new one.", key.expires_at),
            format!("Esta chave terminou em {}. Peça uma nova ao operador.", key.expires_at),
        ));
    }
    call.courier = Some(courier);
    Ok(())
}

async fn authorise<H: Host>(call: &Call<'_, H>) -> Result<(), Problem> {
    let token = token(call)?;
    let Some(operator) = &call.settings.operator else {
        return Err(Problem::new(
            ProblemCode::Unavailable,
            "This deployment has no operator token. Set DESPACHO_ADMIN_TOKEN and start it again.",
            "Esta instalação não tem token de operador. Defina DESPACHO_ADMIN_TOKEN e reinicie.",
        )
        .retry_after(Duration::minutes(1)));
    };
    // Hashes are compared: how long it takes says nothing of the token.
    if KeyHash::of(token) == *operator {
        return Ok(());
    }
    let problem = Problem::new(
        ProblemCode::ApiKeyInvalid,
        "This is not the operator's token.",
        "Este não é o token do operador.",
    );
    Err(unknown_key(call, problem).await?)
}

/// What to tell a caller whose key nobody has: `problem`, or, where its address has shown too many such keys, to wait. Nobody guesses
/// 256 bits; but a program that tries for ever should cost little, and be noticed.
async fn unknown_key<H: Host>(call: &Call<'_, H>, problem: Problem) -> Result<Problem, Problem> {
    let Some(address) = call.parts.extensions.get::<CallerAddress>() else { return Ok(problem) };
    let admission = rate(call, Usage::UnknownKey, format!("unknown-key/{}", address.name())).await?;
    if admission.admitted {
        return Ok(problem);
    }
    Ok(Problem::new(
        ProblemCode::RateLimited,
        "Too many keys that nobody has came from this address. Wait as long as Retry-After says.",
        "Chaves inexistentes demais vieram deste endereço. Espere o tempo indicado em Retry-After.",
    )
    .retry_after(admission.reset))
}

fn token<'a, H: Host>(call: &'a Call<'_, H>) -> Result<&'a str, Problem> {
    let sent = call.parts.headers.get(TOKEN);
    let text = sent.and_then(|value| value.to_str().ok()).map(str::trim).filter(|text| !text.is_empty());
    match (sent, text) {
        (_, Some(text)) => Ok(text),
        (None, _) => Err(Problem::new(
            ProblemCode::ApiKeyMissing,
            "Send the store's key in the x-api-token header.",
            "Envie a chave da loja no cabeçalho x-api-token.",
        )),
        (Some(_), None) => Err(plain(ProblemCode::ApiKeyInvalid)),
    }
}

async fn rate<H: Host>(call: &Call<'_, H>, usage: Usage, name: String) -> Result<Admission, Problem> {
    let limits = &call.settings.limits;
    let quota = match usage {
        Usage::Preview => limits.previews_per_minute,
        Usage::Create => limits.writes_per_minute,
        Usage::Read => limits.reads_per_minute,
        Usage::Login => limits.logins_per_15_minutes,
        Usage::UnknownKey => limits.unknown_keys_per_minute,
    };
    let bucket = Bucket { name, usage, quota, window: Duration::minutes(1) };
    Ok(call.host.admit(&bucket, call.context.now).await?)
}

/// Whether the caller takes one of these media types: no `Accept`, or one that has a range over one with a weight above zero.
fn accepts(headers: &HeaderMap, media: &[&str]) -> Result<(), Problem> {
    if media.iter().any(|media| takes(headers, media)) {
        return Ok(());
    }
    let media = media.join(", ");
    Err(Problem::new(
        ProblemCode::NotAcceptable,
        format!("Answers are {media}. Accept it, or send no Accept header."),
        format!("As respostas são {media}. Aceite esse tipo ou não envie o cabeçalho Accept."),
    ))
}

fn body_is_json<H: Host>(call: &Call<'_, H>, route: &Route) -> Result<(), Problem> {
    let max = call.settings.limits.body_bytes;
    if call.body.len() > max {
        return Err(too_large(max));
    }
    let reads = matches!(route.method, Method::POST | Method::PUT | Method::PATCH) && route.endpoint.reads_body();
    if !reads || call.body.is_empty() {
        return Ok(());
    }
    let media = call.parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media = media.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let coding = call.parts.headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok());
    let plain = coding.is_none_or(|coding| coding.trim().eq_ignore_ascii_case("identity"));
    if plain && media.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Problem::new(
        ProblemCode::UnsupportedMediaType,
        "Send the body as JSON, not compressed, with the header `content-type: application/json`.",
        "Envie o corpo em JSON, sem compressão, com o cabeçalho `content-type: application/json`.",
    ))
}
