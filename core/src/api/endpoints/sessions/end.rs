//! `DELETE /delivery/sessions/{sessionId}`

use super::list::is_visible;
use crate::{
    api::{
        call::{Call, HandlerError, plain},
        credentials::revoked,
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
    },
    changes::Changes,
    host::{Host, KeyQuery},
    model::KeyId,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "DELETE /delivery/sessions/{sessionId}")
    .counted_per_key()
    .leaves(Lasting::Nothing)
    .audit("session.ended", Subject::Key);

pub(crate) const DOC: Operation = Operation {
    tag: "Sessions",
    id: "endSession",
    summary: "End a session",
    description: "Ends a panel session of the calling store; a clerk only an own one. Requests of \
        an ended session return `api_key_revoked`. Ending a session again has no effect.",
    responses: &[(204, None, "The session has ended.")],
    parameters: &["sessionId"],
    codes: &[ProblemCode::SessionNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let calling = &call.caller()?.key;
    let found = match KeyId::parse(call.id) {
        Some(id) => call.host.find_keys(KeyQuery::Id(id)).await?.pop(),
        None => None,
    };
    let key = found
        .map(|holder| holder.key.clone())
        .filter(|key| is_visible(calling, key));
    let key = key.ok_or_else(|| plain(ProblemCode::SessionNotFound))?;
    let response = ApiResponse::empty(204);
    if key.deleted_at.is_none() {
        let at = call.context.now;
        let keys = vec![revoked(key, at)];
        call.commit(
            Changes {
                at,
                keys,
                ..Changes::default()
            },
            &response,
        )
        .await?;
    }
    Ok(response)
}
