//! `POST /courier/session`

use crate::{
    api::{
        call::{Call, HandlerError},
        cookie, guards,
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::Host,
    model::{Duration, store::Key},
    rules::{
        couriers::{self, Credential},
        limits::Usage,
    },
    wire::CourierSelf,
};

pub(crate) const ROUTE: Route = Route::new(Access::Public, "POST /courier/session")
    .quota(Usage::Login)
    .leaves(Lasting::OwnSecret)
    .audit("courier.signed-in", Subject::Courier);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "startCourierSession",
    summary: "Sign in with a link",
    description: "Exchanges the code of a sign-in link for a session. The session is in an \
        HttpOnly cookie, which the courier's endpoints accept instead of the courier's key. A \
        write that a browser sends from a page of another origin is rejected (401). A courier has \
        at most five sessions; one more ends the oldest. Removal of the courier and a new courier \
        key end all. Unknown, used and expired codes return the same problem. Requests are never \
        replayed.",
    request: RequestBody::Required("StartCourierSession"),
    responses: &[(201, Some("CourierSelf"), "The courier is signed in.")],
    codes: &[ProblemCode::ApiKeyInvalid, ProblemCode::RateLimited],
    sets_cookie: true,
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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
