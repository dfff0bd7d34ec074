//! `GET /delivery/sessions`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{Host, KeyQuery},
    model::store::{Key, KeyKind, Role},
    wire::{SessionList, SessionView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/sessions");

pub(crate) const DOC: Operation = Operation {
    tag: "Sessions",
    id: "listSessions",
    summary: "List sessions",
    description: "Returns the calling store's valid panel sessions, newest first. A clerk gets \
        only the own ones.",
    responses: &[(200, Some("SessionList"), "The sessions.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (calling, now) = (&call.caller()?.key, call.context.now);
    let keys = call.host.find_keys(KeyQuery::Store(calling.store)).await?;
    let keys = keys
        .iter()
        .map(|holder| &holder.key)
        .filter(|key| is_visible(calling, key) && key.is_valid(now));
    let sessions = keys.map(|key| SessionView::of(key, calling)).collect();
    Ok(ApiResponse::json(200, &SessionList { sessions })?)
}

/// Whether a key is a session that the caller may see. A clerk has access only to the own sessions.
pub(super) fn is_visible(calling: &Key, key: &Key) -> bool {
    let user = |key: &Key| key.user.as_ref().map(|user| user.id);
    key.kind == KeyKind::Panel
        && key.store == calling.store
        && (calling.role() == Role::Owner || user(key) == user(calling))
}
