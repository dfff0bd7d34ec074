//! `DELETE /admin/keys/{keyId}`

use super::revoke::{find, revocation, revoke};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
    },
    host::Host,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "DELETE /admin/keys/{keyId}")
    .leaves(Lasting::Nothing)
    .audit_by(revocation, Subject::Key);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "adminRevokeKey",
    summary: "Revoke any key",
    description: "Revoking a key again has no effect.",
    responses: &[(204, None, "The key is revoked.")],
    parameters: &["keyId"],
    codes: &[ProblemCode::KeyNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let holder = find(call).await?;
    revoke(call, &holder.key).await
}
