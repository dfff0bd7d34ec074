//! `POST /admin/stores/{storeId}/password-link`

use super::links::issue_link;
use crate::{
    api::{
        call::{Call, HandlerError, plain},
        endpoints::stores::access::in_path,
        operation::{Operation, RequestBody},
        problem::{FieldError, Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::{Host, UserQuery},
    rules::accounts::Account,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Operator,
    "POST /admin/stores/{storeId}/password-link",
)
.leaves(Lasting::Access)
.audit("password-link.issued", Subject::Login);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "adminPasswordLink",
    summary: "Issue a link that sets a password of any store",
    description: "Issues a one-time link that sets the password of the store's own login or, with \
        `userId`, of one of its users. It replaces the previous link. `code` and `url` are \
        returned only once. Send `{}` for the store's own login.",
    request: RequestBody::Required("NameLogin"),
    responses: &[(201, Some("PasswordLink"), "The new link.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound, ProblemCode::UserNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let user = validate::login_name(call.read()?)?;
    let store = in_path(call).await?;
    let account = match user {
        None => Account::Store(Box::new(store)),
        Some(id) => {
            let user = call.host.find_users(UserQuery::Id(id)).await?.pop();
            let user = user.filter(|user| user.store == store.id);
            Account::User(Box::new(user.ok_or_else(unknown_user)?))
        }
    };
    issue_link(call, account).await
}

fn unknown_user() -> Problem {
    let code = ProblemCode::UserNotFound;
    let error = FieldError {
        pointer: "/userId".to_owned(),
        code: code.name(),
        detail: code.detail(),
    };
    plain(code).with_errors(vec![error])
}
