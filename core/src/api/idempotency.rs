//! `Idempotency-Key`: a request that is sent twice is executed once.
//!
//! A claim is stored before the work and finished in the commit of the result. After a crash in
//! between, only the claim remains, and it expires. A request that fails releases its claim: the
//! client can correct it and send it again with the same key.

use std::borrow::Cow;

use super::{
    call::{ATTEMPTS, Call, KEPT, given_up},
    problem::{Problem, ProblemCode},
    response::ApiResponse,
};
use crate::{
    changes::Changes,
    drivers::erasure::without_recipients,
    host::{Host, HostError, UsageQuery},
    json::Tree,
    model::{
        Duration, OrderId, fingerprint, hmac_sha256,
        store::{Claim, ClaimChange, Key, Recompute, StoredResponse},
        unhex,
    },
    rules::{erasure::is_fingerprint, settings::Secret, tracking::token, webhooks},
};

/// The time after which the claim of a running request expires; longer than every host's request
/// timeout.
const RUNNING_TTL: Duration = Duration::seconds(90);
const MAX_KEY: usize = 255;
/// The name of the header.
pub(super) const HEADER: &str = "idempotency-key";

/// How to respond to a request, given its `Idempotency-Key`.
pub(super) enum Begun {
    /// Execute the request.
    New,
    /// Return the stored response.
    Replayed(ApiResponse),
    /// Compute the response again.
    Recompute(Recompute),
}

/// Takes the claim on the request's idempotency key, or returns the response to the earlier request
/// with that key.
pub(super) async fn begin<H: Host>(
    call: &mut Call<'_, H>,
    scope: String,
    owner: Option<String>,
) -> Result<Begun, Problem> {
    let Some(key) = header(call)? else {
        return Ok(Begun::New);
    };
    let fingerprint = fingerprint_of(call, &scope, &key).await?;
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
            expires_at: call.context.now.after(RUNNING_TTL),
        };
        let take = Changes {
            at: call.context.now,
            claim: Some(ClaimChange::Take(claim.clone())),
            ..Changes::default()
        };
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

/// Returns the fingerprint that distinguishes requests with the same key. With a fast hash of a
/// body that contains a password, a reader of the database could test passwords, so such a body
/// gets the password hash.
async fn fingerprint_of<H: Host>(
    call: &Call<'_, H>,
    scope: &str,
    key: &str,
) -> Result<String, Problem> {
    let target = call
        .parts
        .uri
        .path_and_query()
        .map_or("", |target| target.as_str());
    let fast = fingerprint(&[
        call.parts.method.as_str().as_bytes(),
        target.as_bytes(),
        call.body,
    ]);
    if !call.route.reads_password {
        return Ok(fast);
    }
    // The salt is derived from the claim: the same request has the same hash, and no two claims
    // share a salt.
    let claim = hmac_sha256(
        &call.settings.secret.0,
        &[b"claim", scope.as_bytes(), key.as_bytes()],
    );
    let mut salt = [0; 16];
    salt.copy_from_slice(&claim[..16]);
    Ok(call.host.hash_password(&fast, salt).await?)
}

/// Rejects another stored response if its owner has the maximum for 24 hours.
async fn within_limits<H: Host>(call: &Call<'_, H>, owner: &str) -> Result<(), Problem> {
    let limits = &call.settings.limits;
    let usage = call
        .host
        .usage(UsageQuery::Claims(owner, call.context.now.before(KEPT)))
        .await?;
    let megabytes = u64::from(limits.idempotency_mib);
    if usage.records < limits.idempotency_records.into() && usage.bytes < megabytes * 1_048_576 {
        return Ok(());
    }
    let records = limits.idempotency_records;
    Err(Problem::new(
        ProblemCode::IdempotencyLimit,
        format!(
            "At most {records} idempotency keys and {megabytes} MB of responses are stored in 24 hours. Send the request without \
             Idempotency-Key, or retry after the time in Retry-After."
        ),
        format!(
            "O limite em 24 horas é de {records} chaves de idempotência e {megabytes} MB de respostas armazenadas. Envie a requisição \
             sem Idempotency-Key ou aguarde o tempo indicado em Retry-After."
        ),
    )
    .retry_after(Duration::minutes(60)))
}

/// Ends a claim that no commit has finished: stores a success, releases the claim after a failure.
/// Also commits `left`, the changes of a failure, such as a notification.
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
            let release = claim.map(
                |Claim {
                     scope,
                     key,
                     holder,
                     expires_at,
                     ..
                 }| {
                    // A commit that returned an error may have succeeded. Its stored response then
                    // remains.
                    ClaimChange::Release {
                        scope,
                        key,
                        holder,
                        until: expires_at,
                    }
                },
            );
            let changes = Changes {
                at: call.context.now,
                claim: release,
                ..left
            };
            let nothing = Changes {
                at: changes.at,
                ..Changes::default()
            };
            if changes == nothing {
                Ok(())
            } else {
                call.host.commit(&changes).await
            }
        }
    }
}

fn stored_response<H: Host>(
    call: &Call<'_, H>,
    claim: &Claim,
    fingerprint: &str,
) -> Result<Begun, Problem> {
    if !is_fingerprint(&claim.fingerprint, fingerprint, &call.settings.secret) {
        return Err(Problem::new(
            ProblemCode::IdempotencyKeyReused,
            "This Idempotency-Key was used for another request. Use a new key for a new request.",
            "Esta Idempotency-Key já foi usada em outra requisição. Use uma chave nova para cada requisição.",
        ));
    }
    match &claim.response {
        Some(StoredResponse { recompute: Some(recompute), .. }) => Ok(Begun::Recompute(recompute.clone())),
        Some(stored) => replay(&readable(call, stored), &call.settings.secret).map(Begun::Replayed),
        None => Err(Problem::new(
            ProblemCode::RequestInProgress,
            "The first request with this Idempotency-Key is still running. Retry in one second.",
            "A primeira requisição com esta Idempotency-Key ainda está em andamento. Tente novamente em um segundo.",
        )
        .retry_after(Duration::seconds(1))),
    }
}

/// Returns the stored response without recipients' data if the caller is a courier who no longer
/// has the order.
fn readable<'a, H: Host>(
    call: &Call<'_, H>,
    stored: &'a StoredResponse,
) -> Cow<'a, StoredResponse> {
    let Some(courier) = &call.courier else {
        return Cow::Borrowed(stored);
    };
    let id = Tree::parse(&stored.body)
        .ok()
        .and_then(|body| OrderId::new(body.get("id")?.as_u64()?));
    if id.is_some_and(|id| courier.carries(id)) {
        return Cow::Borrowed(stored);
    }
    match without_recipients(&stored.body) {
        Some(body) => Cow::Owned(StoredResponse {
            body,
            ..stored.clone()
        }),
        None => Cow::Borrowed(stored),
    }
}

/// Returns the stored response, with a secret derived again from its nonce.
fn replay(stored: &StoredResponse, deployment: &Secret) -> Result<ApiResponse, Problem> {
    let corrupt = || {
        Problem::from(HostError::Internal {
            detail: "the nonce of a stored response is corrupt".to_owned(),
        })
    };
    let body = match &stored.key_nonce {
        Some(nonce) => {
            let secret = deployment.0;
            let key = Key::text(&secret, &unhex(nonce).ok_or_else(corrupt)?);
            let signing = webhooks::secret_text(&secret, nonce);
            stored
                .body
                .replace(&placeholder(nonce), &signing)
                .replace(nonce, &key)
        }
        None => stored.body.clone(),
    };
    let body = stored.link_nonces.iter().fold(body, |body, nonce| {
        body.replace(nonce, &token(deployment, nonce))
    });
    Ok(ApiResponse {
        replayed: true,
        ..ApiResponse::of(stored.status, body.into_bytes())
    })
}

/// Returns the placeholder for a webhook's secret in a stored response.
pub(super) fn placeholder(nonce: &str) -> String {
    format!("{}{nonce}", webhooks::SECRET_PREFIX)
}

fn header<H: Host>(call: &Call<'_, H>) -> Result<Option<String>, Problem> {
    let Some(value) = call.parts.headers.get(HEADER) else {
        return Ok(None);
    };
    let text = value
        .to_str()
        .ok()
        .map(str::trim)
        .filter(|text| (1..=MAX_KEY).contains(&text.len()));
    match text {
        Some(text) => Ok(Some(text.to_owned())),
        None => Err(Problem::new(
            ProblemCode::MalformedRequest,
            "The Idempotency-Key header is malformed. Send 1 to 255 visible ASCII characters.",
            "O cabeçalho Idempotency-Key está malformado. Envie de 1 a 255 caracteres ASCII visíveis.",
        )),
    }
}
