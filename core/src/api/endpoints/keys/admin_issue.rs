//! `POST /admin/keys`

use super::issue::{issue, unknown_store};
use crate::{
    api::{
        call::{Call, HandlerError, plain},
        confirmation,
        operation::{Link, Operation, RequestBody},
        problem::{FieldError, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::Host,
    model::Text,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "POST /admin/keys")
    .leaves(Lasting::Access)
    .audit("key.issued", Subject::Key);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "adminIssueKey",
    summary: "Issue a key for any store",
    description: "Issues a key, for example for a store that has lost its keys. `value` is \
        returned only once.",
    request: RequestBody::Required("AdminIssueKey"),
    responses: &[(201, Some("IssuedKey"), "The new key.")],
    codes: &[ProblemCode::StoreNotFound, ProblemCode::TooManyKeys],
    link: Some(Link {
        operation: "adminRevokeKey",
        parameter: "keyId",
        field: "id",
        description: "Revoke the key.",
    }),
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let request = validate::key(call.read()?)?;
    let id = request.store.ok_or_else(|| {
        let detail = Text::new("This field is required.", "Este campo é obrigatório.");
        let error = FieldError {
            pointer: "/storeId".to_owned(),
            code: "required",
            detail,
        };
        plain(ProblemCode::ValidationFailed).with_errors(vec![error])
    })?;
    let store = call.host.store(id).await?;
    let store = store
        .ok_or_else(|| plain(ProblemCode::StoreNotFound).with_errors(vec![unknown_store()]))?;
    confirmation::confirm(call).await?;
    issue(call, request, &store, store.id).await
}
