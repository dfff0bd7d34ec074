//! Sign-in of couriers by a one-time link and of the operator by the token, and the end of their
//! sessions.

use super::{fleet, issue::throttle_address};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, OneTimeSecret},
        confirmation, cookie, guards,
        problem::{Problem, ProblemCode},
        routes::Endpoint,
        validate,
    },
    host::Host,
    model::{
        Duration,
        store::{Key, KeyHash},
    },
    rules::{
        couriers::{self, Credential},
        operator,
    },
    wire::{CourierSelf, SignInCodeView},
};

/// `POST /admin/couriers/{courierId}/sign-in`
pub(super) async fn create_code<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let (courier, settings) = (fleet::find(call).await?, call.settings);
    confirmation::confirm(call).await?;
    let issued = couriers::issue_sign_in_code(
        &courier,
        &settings.couriers,
        &settings.secret,
        &mut call.context,
    );
    let (code, nonce, changes) = issued.ok_or_else(|| {
        Problem::new(
            ProblemCode::InvalidTransition,
            "The courier was removed. Register a new one.",
            "O entregador foi removido. Cadastre um novo.",
        )
    })?;
    let secret = OneTimeSecret::of_key(settings, nonce);
    let value = Credential::SignIn.text(courier.id, &secret.text);
    // Browsers do not send the part after `#` to any server, so no log contains the code.
    let url = settings
        .public_url
        .as_deref()
        .map(|url| format!("{url}/courier#{value}"));
    let view = SignInCodeView {
        value,
        url,
        expires_at: code.expires_at.to_string(),
    };
    let response = ApiResponse {
        secret: Some(secret),
        ..ApiResponse::json(201, &view)?
    };
    call.commit(changes, &response).await?;
    Ok(response)
}

/// `POST /courier/session`
pub(super) async fn start<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let code = validate::sign_in_code(call.read()?)?;
    let courier = match Credential::SignIn.courier(&code) {
        Some(id) => call.host.courier(id).await?,
        None => None,
    };
    let settings = call.settings;
    let started = courier.and_then(|courier| {
        couriers::start_session(
            &courier,
            &code,
            &settings.couriers,
            &settings.secret,
            &mut call.context,
        )
    });
    let Some((courier, nonce, changes)) = started else {
        let problem = Problem::new(
            ProblemCode::ApiKeyInvalid,
            "This sign-in link is invalid, was already used, or has expired. Request a new one from the operator.",
            "Este link de acesso é inválido, já foi usado ou expirou. Peça um novo ao operador.",
        );
        return Err(guards::unknown_key(call, problem).await?.into());
    };
    let session = Credential::Session.text(courier.id, &Key::text(&settings.secret.0, &nonce));
    let validity = Duration::minutes(i64::from(settings.couriers.session_days) * 24 * 60);
    let cookie = Some(cookie::COURIER.start(&session, validity, settings));
    let response = ApiResponse {
        cookie,
        ..ApiResponse::json(201, &CourierSelf::of(&courier))?
    };
    call.commit(changes, &response).await?;
    Ok(response)
}

/// `DELETE /courier/session`
pub(super) async fn end<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let session = guards::session(call.parts, &cookie::COURIER);
    let changes = couriers::end_sessions(call.courier()?, session, call.context.now);
    let response = ApiResponse {
        cookie: Some(cookie::COURIER.end(call.settings)),
        ..ApiResponse::empty(204)
    };
    if let Some(changes) = changes {
        call.commit(changes, &response).await?;
    }
    Ok(response)
}

/// `POST /admin/session` and `DELETE /admin/session`
pub(super) async fn operate<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let settings = call.settings;
    let cookie = if endpoint == Endpoint::EndOperatorSession {
        cookie::OPERATOR.end(settings)
    } else {
        let token = validate::operator_token(call.read()?)?;
        let operator = guards::operator(settings)?;
        // Comparing hashes leaks nothing about the token through timing.
        if KeyHash::of(&token) != *operator {
            // The right token is never refused, however often others guess from the same address.
            throttle_address(call).await?;
            let problem = Problem::new(
                ProblemCode::ApiKeyInvalid,
                "Invalid operator token. Send the value of DESPACHO_ADMIN_TOKEN.",
                "Token de operador inválido. Envie o valor de DESPACHO_ADMIN_TOKEN.",
            );
            return Err(problem.into());
        }
        call.log("operator.signed-in", None).await?;
        let session = operator::start_session(&settings.secret, operator, &mut call.context);
        cookie::OPERATOR.start(&session, operator::SESSION_VALIDITY, settings)
    };
    Ok(ApiResponse {
        cookie: Some(cookie),
        ..ApiResponse::empty(204)
    })
}
