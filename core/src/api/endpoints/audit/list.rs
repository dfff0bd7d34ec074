//! `GET /delivery/audit`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        paging,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{AuditQuery, Host},
    model::store::Store,
    wire::{AuditList, AuditView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/audit")
    .owner()
    .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Audit",
    id: "listAudit",
    summary: "List the audit log",
    description: "Returns who changed what in the calling store and, for a parent store, in its \
        branches, newest first. For the next page, send `nextCursor` as `cursor`, until it is \
        null. Entries are removed after the deployment's retention, two years by default.",
    responses: &[(200, Some("AuditList"), "A page of the audit log.")],
    parameters: &["cursor", "limit"],
    codes: &[ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = call.caller()?.store.clone();
    entries(call, Some(&store)).await
}

/// Responds with a page of the entries of a store and its branches, or of all stores.
pub(super) async fn entries<H: Host>(
    call: &Call<'_, H>,
    store: Option<&Store>,
) -> Result<ApiResponse, HandlerError> {
    let limit = paging::limit(call)?;
    let before = paging::cursor(call, |text| {
        text.parse()
            .ok()
            .filter(|number| (1..1 << 53).contains(number))
    })?;
    let query = AuditQuery {
        merchant: store
            .as_ref()
            .filter(|store| store.is_parent())
            .map(|store| store.id),
        store: store
            .as_ref()
            .filter(|store| !store.is_parent())
            .map(|store| store.id),
        before,
        limit: limit + 1,
    };
    let mut page = call.host.audit(query).await?;
    let next_cursor = paging::truncate(&mut page, limit, |last| last.id.to_string());
    Ok(ApiResponse::json(
        200,
        &AuditList {
            entries: page.iter().map(AuditView::of).collect(),
            next_cursor,
        },
    )?)
}
