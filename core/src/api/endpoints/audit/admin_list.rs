//! `GET /admin/audit`

use super::list::entries;
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::stores::access::{unknown_store, with_removed},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/audit").heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "adminListAudit",
    summary: "List the audit log of all stores",
    description: "Returns who changed what in all stores and of all couriers, newest first. For \
        the next page, send `nextCursor` as `cursor`, until it is null.",
    responses: &[(200, Some("AuditList"), "A page of the audit log.")],
    parameters: &["storeIdOfAudit", "cursor", "limit"],
    codes: &[ProblemCode::StoreNotFound, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = match call.query("storeId") {
        None => None,
        Some(id) => Some(with_removed(call, &id).await?.ok_or_else(unknown_store)?),
    };
    entries(call, store.as_ref()).await
}
