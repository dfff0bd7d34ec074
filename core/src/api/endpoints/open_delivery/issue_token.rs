//! `POST /oauth/token`

use crate::{
    api::{
        call::{Call, HandlerError},
        guards,
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Content, Lasting, Route},
        validate,
    },
    host::{Host, KeyQuery},
    model::{KeyId, WebhookId, store::KeyHash},
    rules::{
        limits::Usage,
        open_delivery::{AccessToken, TOKEN_VALIDITY, accepts_key},
    },
    wire::open_delivery::AccessToken as TokenView,
};

pub(crate) const ROUTE: Route = Route::new(Access::Public, "POST /oauth/token")
    .quota(Usage::Login)
    .leaves(Lasting::OwnSecret)
    .content(Content::Form);

pub(crate) const DOC: Operation = Operation {
    tag: "Open Delivery",
    id: "issueToken",
    summary: "Request an access token",
    description: "Returns a token for the routes of Open Delivery, valid for one hour. Request a \
        new one before it expires. A connection is created with `POST /delivery/webhooks`, and \
        each has its own credentials.",
    request: RequestBody::Required("TokenRequest"),
    responses: &[(200, Some("AccessToken"), "The token.")],
    codes: &[
        ProblemCode::ApiKeyInvalid,
        ProblemCode::ApiKeyExpired,
        ProblemCode::ApiKeyRevoked,
        ProblemCode::StoreDisabled,
        ProblemCode::ValidationFailed,
        ProblemCode::RateLimited,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (id, secret) = validate::token_request(call.body)?;
    // A client ID is a small number, and a client secret has 256 random bits. Only failures are
    // limited, by the address, so nobody keeps a connection out, and the right secret always
    // passes.
    let Some((key, connection)) = credentials(call, &id, &KeyHash::of(&secret)).await? else {
        let problem = Problem::new(
            ProblemCode::ApiKeyInvalid,
            "Unknown client_id, or incorrect client_secret. Check both, or create a connection with POST /delivery/webhooks.",
            "client_id desconhecido ou client_secret incorreto. Confira os dois ou crie uma conexão com POST /delivery/webhooks.",
        );
        return Err(guards::unknown_key(call, problem).await?.into());
    };
    guards::check_rate(call, Usage::Read, format!("token/{connection}")).await?;
    let expires_at = call.context.now.after(TOKEN_VALIDITY);
    let token = AccessToken {
        key,
        connection,
        expires_at,
    };
    let expires_in = u32::try_from(TOKEN_VALIDITY.as_millis() / 1_000).unwrap_or_default();
    let access_token = token.seal(&call.settings.secret);
    Ok(ApiResponse::json(
        200,
        &TokenView {
            access_token,
            token_type: "bearer",
            expires_in,
        },
    )?)
}

/// Returns the key and the connection of a client ID and the hash of its secret. A right secret
/// that has ended is a problem.
async fn credentials<H: Host>(
    call: &Call<'_, H>,
    id: &str,
    secret: &KeyHash,
) -> Result<Option<(KeyId, WebhookId)>, HandlerError> {
    let Some(holder) = call.host.find_keys(KeyQuery::Hash(secret)).await?.pop() else {
        return Ok(None);
    };
    let Some(connection) = holder
        .key
        .connection
        .filter(|connection| connection.to_string() == id)
    else {
        return Ok(None);
    };
    guards::check_key(&holder, call.context.now)?;
    let connection = call.host.webhook(connection).await?;
    let connection =
        connection.filter(|webhook| accepts_key(&call.settings.secret, webhook, secret));
    Ok(connection.map(|connection| (holder.key.id, connection.id)))
}
