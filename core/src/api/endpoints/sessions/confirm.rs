//! `POST /delivery/sessions/confirmation`

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        confirmation::CONFIRMED,
        credentials::{calling_account, verify},
        endpoints::passwords::sessions::calling_session,
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    changes::{Changes, Write},
    host::{Host, KeyQuery},
    model::store::Key,
    wire::SessionConfirmation,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "POST /delivery/sessions/confirmation")
    .leaves(Lasting::OwnSecret)
    .audit("session.confirmed", Subject::Key)
    .stores_no_response();

pub(crate) const DOC: Operation = Operation {
    tag: "Sessions",
    id: "confirmSession",
    summary: "Confirm a session",
    description: "Confirms the person of the calling session with the password of its login. For \
        five minutes the session's requests then need no `currentPassword`. Only a panel session \
        can send this request. Attempts count as logins. Requests are never replayed.",
    request: RequestBody::Required("ConfirmSession"),
    responses: &[(
        200,
        Some("SessionConfirmation"),
        "The session is confirmed.",
    )],
    codes: &[ProblemCode::PasswordRequired, ProblemCode::SessionRequired],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let password = validate::session_confirmation(call.read()?)?;
    let id = calling_session(call)?.id;
    let account = calling_account(call).await?;
    verify(call, &account, &password).await?;
    // Another request may have written the session since it was authenticated.
    let holder = call
        .host
        .find_keys(KeyQuery::Id(id))
        .await?
        .pop()
        .filter(|held| held.key.deleted_at.is_none());
    let key = holder
        .ok_or_else(|| plain(ProblemCode::ApiKeyRevoked))?
        .key
        .clone();
    let (at, until) = (call.context.now, call.context.now.after(CONFIRMED));
    let response = ApiResponse::json(
        200,
        &SessionConfirmation {
            confirmed_until: until.to_string(),
        },
    )?;
    let value = Key {
        confirmed_until: Some(until),
        version: key.version + 1,
        ..key
    };
    let keys = vec![Write {
        expected: value.version - 1,
        value,
    }];
    call.commit(
        Changes {
            at,
            keys,
            ..Changes::default()
        },
        &response,
    )
    .await?;
    Ok(response)
}
