//! `Idempotency-Key`: the same request, sent twice, is carried out once.
//!
//! A claim is taken before the work and finished in the commit of its result, so that a crash in between leaves a claim that
//! ends by itself and nothing else. A request that fails leaves nothing behind and gives its claim up: it may be mended and
//! sent again under the same key.

use std::borrow::Cow;

use super::{
    call::{ATTEMPTS, ApiResponse, Call, KEPT, given_up},
    problem::{Problem, ProblemCode},
    routes::Endpoint,
};
use crate::{
    changes::Changes,
    drivers::erasure::without_recipients,
    host::{Host, HostError, UsageQuery},
    json::Tree,
    model::{
        Duration, OrderId, fingerprint, hmac_sha256,
        store::{Claim, ClaimChange, Key, Recompute, StoredResponse},
    },
    rules::{erasure::is_fingerprint, webhooks},
};

/// How long a request may run before its claim is free again: longer than any host lets a request run.
const RUNNING: Duration = Duration::seconds(90);
const LONGEST_KEY: usize = 255;
/// The header of the key.
pub(super) const HEADER: &str = "idempotency-key";

/// What a request's `Idempotency-Key` comes to.
pub(super) enum Begun {
    /// The request is carried out.
    New,
    /// The response is the stored one.
    Replayed(ApiResponse),
    /// The response is computed again.
    Recompute(Recompute),
}

/// Takes the claim that the request's header asks for, or finds the response to the request that took it before.
pub(super) async fn begin<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
    scope: String,
    owner: Option<String>,
) -> Result<Begun, Problem> {
    let Some(key) = header(call)? else { return Ok(Begun::New) };
    let fingerprint = fingerprint_of(call, endpoint, &scope, &key).await?;
    let holder = call.context.entropy.hex();
    for _ in 0..ATTEMPTS {
        let existing = call.host.claim(&scope, &key).await?;
        if let Some(claim) = existing.filter(|claim| claim.expires_at > call.context.now) {
            return stored_response(call, &claim, &fingerprint);
        }
        if let Some(owner) = &owner {
            within_limits(call, owner).await?;
        }
        let claim = Claim {
            scope: scope.clone(),
            owner: owner.clone(),
            key: key.clone(),
            fingerprint: fingerprint.clone(),
            holder: holder.clone(),
            response: None,
            expires_at: call.context.now.after(RUNNING),
        };
        let take =
            Changes { at: call.context.now, claim: Some(ClaimChange::Take(claim.clone())), ..Changes::default() };
        match call.host.commit(&take).await {
            Ok(()) => {
                call.claim = Some(claim);
                return Ok(Begun::New);
            }
            Err(HostError::Conflict) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(given_up())
}

/// Identifies a request among others with its key. A fast hash of a body with a password would let a reader of the database try
/// passwords against it, so that one is hashed as slowly as a password is.
async fn fingerprint_of<H: Host>(
    call: &Call<'_, H>,
    endpoint: Endpoint,
    scope: &str,
    key: &str,
) -> Result<String, Problem> {
    let path = call.parts.uri.path().as_bytes();
    let fast = fingerprint(&[call.parts.method.as_str().as_bytes(), path, call.body]);
    if !endpoint.reads_password() {
        return Ok(fast);
    }
    // Of the claim, so that the same request has the same hash and no two claims share a salt.
    let claim = hmac_sha256(&call.settings.secret.0, &[b"claim", scope.as_bytes(), key.as_bytes()]);
    let mut salt = [0; 16];
    salt.copy_from_slice(&claim[..16]);
    Ok(call.host.hash_password(&fast, salt).await?)
}

/// Rejects a further stored response once its owner has the maximum of 24 hours.
async fn within_limits<H: Host>(call: &Call<'_, H>, owner: &str) -> Result<(), Problem> {
    let limits = &call.settings.limits;
    let usage = call.host.usage(UsageQuery::Claims(owner, call.context.now.before(KEPT))).await?;
    let megabytes = u64::from(limits.idempotency_mib);
    if usage.records < limits.idempotency_records.into() && usage.bytes < megabytes * 1_048_576 {
        return Ok(());
    }
    let records = limits.idempotency_records;
    Err(Problem::new(
        ProblemCode::IdempotencyLimit,
        format!(
            "Responses are stored for at most {records} idempotency keys and {megabytes} MB in 24 hours. Send the request without an \
             Idempotency-Key, or wait as long as Retry-After says."
        ),
        format!(
            "São armazenadas respostas de no máximo {records} chaves de idempotência e {megabytes} MB em 24 horas. Envie a requisição \
             sem Idempotency-Key ou aguarde o tempo indicado em Retry-After."
        ),
    )
    .retry_after(Duration::minutes(60)))
}

/// Ends a claim that no commit has finished: keeps a success, gives a failure up. With a failure go the changes that it leaves,
/// such as a notification.
pub(super) async fn end<H: Host>(
    call: &mut Call<'_, H>,
    result: &Result<ApiResponse, Problem>,
    left: Changes,
) -> Result<(), HostError> {
    match (result, call.claim.take()) {
        (Ok(response), Some(claim)) => {
            call.claim = Some(claim);
            call.commit(left, response).await
        }
        (_, claim) => {
            let release = claim.map(|Claim { scope, key, holder, expires_at, .. }| {
                // A commit that failed may have taken place all the same: then the answer is kept, and stays.
                ClaimChange::Release { scope, key, holder, until: expires_at }
            });
            let changes = Changes { at: call.context.now, claim: release, ..left };
            let nothing = Changes { at: changes.at, ..Changes::default() };
            if changes == nothing { Ok(()) } else { call.host.commit(&changes).await }
        }
    }
}

fn stored_response<H: Host>(call: &Call<'_, H>, claim: &Claim, fingerprint: &str) -> Result<Begun, Problem> {
    if !is_fingerprint(&claim.fingerprint, fingerprint, &call.settings.secret) {
        return Err(Problem::new(
            ProblemCode::IdempotencyKeyReused,
            "This Idempotency-Key belongs to another request. Send a new key with a new request.",
            "Esta Idempotency-Key pertence a outra requisição. Envie uma chave nova com uma requisição nova.",
        ));
    }
    match &claim.response {
        Some(StoredResponse { recompute: Some(recompute), .. }) => Ok(Begun::Recompute(recompute.clone())),
        Some(stored) => replay(&readable(call, stored), call.settings.secret.0).map(Begun::Replayed),
        None => Err(Problem::new(
            ProblemCode::RequestInProgress,
            "The first request with this Idempotency-Key is still running. Ask again in a second.",
            "A primeira requisição com esta Idempotency-Key ainda está em andamento. Tente de novo em um segundo.",
        )
        .retry_after(Duration::seconds(1))),
    }
}

/// What the caller may still read of a stored response: a courier reads recipients only while the courier has the order.
fn readable<'a, H: Host>(call: &Call<'_, H>, stored: &'a StoredResponse) -> Cow<'a, StoredResponse> {
    let Some(courier) = &call.courier else { return Cow::Borrowed(stored) };
    let id = Tree::parse(&stored.body).ok().and_then(|body| OrderId::new(body.get("id")?.as_u64()?));
    if courier.order.is_some() && courier.order == id {
        return Cow::Borrowed(stored);
    }
    match without_recipients(&stored.body) {
        Some(body) => Cow::Owned(StoredResponse { body, ..stored.clone() }),
        None => Cow::Borrowed(stored),
    }
}

/// The kept answer, with a secret's text derived anew in place of its nonce.
fn replay(stored: &StoredResponse, secret: [u8; 32]) -> Result<ApiResponse, Problem> {
    let damaged = || Problem::from(HostError::Internal { detail: "a stored answer's nonce is damaged".to_owned() });
    let body = match &stored.key_nonce {
        Some(nonce) => {
            let key = Key::text(&secret, &unhex(nonce).ok_or_else(damaged)?);
            let signing = webhooks::secret_text(&secret, nonce);
            stored.body.replace(&placeholder(nonce), &signing).replace(nonce, &key)
        }
        None => stored.body.clone(),
    };
    Ok(ApiResponse { replayed: true, ..ApiResponse::of(stored.status, body.into_bytes()) })
}

/// What stands in a kept answer in place of a webhook's secret.
pub(super) fn placeholder(nonce: &str) -> String {
    format!("{}{nonce}", webhooks::SECRET_PREFIX)
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    (digits.len() == 64).then_some(bytes)
}

fn header<H: Host>(call: &Call<'_, H>) -> Result<Option<String>, Problem> {
    let Some(value) = call.parts.headers.get(HEADER) else { return Ok(None) };
    let text = value.to_str().ok().map(str::trim).filter(|text| (1..=LONGEST_KEY).contains(&text.len()));
    match text {
        Some(text) => Ok(Some(text.to_owned())),
        None => Err(Problem::new(
            ProblemCode::MalformedRequest,
            "The Idempotency-Key header must be 1 to 255 visible ASCII characters.",
            "O cabeçalho Idempotency-Key deve ter de 1 a 255 caracteres ASCII visíveis.",
        )),
    }
}
