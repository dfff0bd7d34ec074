//! `PATCH /delivery/users/{userId}`

use super::access::find_user;
use crate::{
    api::{
        call::{Call, HandlerError},
        confirmation,
        endpoints::passwords::sessions::ended_sessions,
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    changes::{Changes, Write},
    host::Host,
    model::store::User,
    rules::accounts::Account,
    wire::UserView,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "PATCH /delivery/users/{userId}")
    .owner()
    .leaves(Lasting::SomeAccess)
    .audit("user.updated", Subject::User);

pub(crate) const DOC: Operation = Operation {
    tag: "Users",
    id: "updateUser",
    summary: "Change a user",
    description: "Absent fields keep their values. A new role ends the user's sessions. A panel \
        session must confirm a new role: with `currentPassword`, or by `POST \
        /delivery/sessions/confirmation` up to five minutes before.",
    request: RequestBody::Required("UpdateUser"),
    responses: &[(200, Some("User"), "The updated user.")],
    parameters: &["userId"],
    codes: &[ProblemCode::UserNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (name, role) = validate::user_update(call.read()?)?;
    let user = find_user(call).await?;
    let (expected, former) = (user.version, user.role);
    if role.is_some_and(|role| role != former) {
        confirmation::confirm(call).await?;
    }
    let value = User {
        name: name.unwrap_or(user.name),
        role: role.unwrap_or(former),
        ..user
    };
    let response = ApiResponse::json(200, &UserView::of(&value))?;
    let keys = if value.role == former {
        Vec::new()
    } else {
        ended_sessions(call, &Account::User(Box::new(value.clone()))).await?
    };
    call.commit(
        Changes {
            at: call.context.now,
            users: vec![Write { expected, value }],
            keys,
            ..Changes::default()
        },
        &response,
    )
    .await?;
    Ok(response)
}
