//! `POST /admin/session`

use crate::{
    api::{
        call::{Call, HandlerError},
        cookie,
        credentials::throttle_address,
        guards,
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    model::store::KeyHash,
    rules::{limits::Usage, operator},
};

pub(crate) const ROUTE: Route = Route::new(Access::Public, "POST /admin/session")
    .quota(Usage::Login)
    .leaves(Lasting::OwnSecret);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "startOperatorSession",
    summary: "Sign in as the operator",
    description: "Exchanges the operator's token for a session of twelve hours. The session is in \
        an HttpOnly cookie, which the endpoints under `/admin` accept instead of the token. A \
        write that a browser sends from a page of another origin is rejected (401). A new token \
        ends all sessions. Each request counts as a login attempt of its IP address. Requests are \
        never replayed.",
    request: RequestBody::Required("StartOperatorSession"),
    responses: &[(204, None, "The operator is signed in.")],
    codes: &[ProblemCode::ApiKeyInvalid, ProblemCode::RateLimited],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let settings = call.settings;
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
    let cookie = cookie::OPERATOR.start(&session, operator::SESSION_VALIDITY, settings);
    Ok(ApiResponse {
        cookie: Some(cookie),
        ..ApiResponse::empty(204)
    })
}
