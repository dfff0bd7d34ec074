//! `POST /admin/couriers/{courierId}/sign-in`

use super::record;
use crate::{
    api::{
        call::{Call, HandlerError},
        confirmation,
        operation::Operation,
        problem::{Problem, ProblemCode},
        response::{ApiResponse, OneTimeSecret},
        route::{Access, Lasting, Route, Subject},
    },
    host::Host,
    rules::couriers::{self, Credential},
    wire::SignInCodeView,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Operator, "POST /admin/couriers/{courierId}/sign-in")
        .leaves(Lasting::Access)
        .audit("courier.sign-in-issued", Subject::Courier)
        .without_body();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "createSignInCode",
    summary: "Issue a sign-in link",
    description: "Issues a link with which the courier signs in to the courier's app. The link can \
        be used once, within an hour unless the deployment configures another time, and replaces \
        the previous one. `value` and `url` are returned only once. Has no request body.",
    responses: &[(201, Some("SignInCode"), "The new code.")],
    parameters: &["courierId"],
    codes: &[ProblemCode::CourierNotFound, ProblemCode::InvalidTransition],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (courier, settings) = (record::find(call).await?, call.settings);
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
