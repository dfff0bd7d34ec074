//! What each endpoint does: load, decide, commit. No rule lives here.

mod keys;
mod notifications;
mod orders;
mod preview;
mod stores;

use super::{
    call::{ATTEMPTS, Answer, Call, Stop, given_up},
    problem::Problem,
    routes::Endpoint,
};
use crate::host::Host;

pub(super) use orders::failed_creation;
pub(super) use preview::preview_view;
pub(super) use stores::login_scope;

/// Carries a request out. Where another write came first, it is loaded and decided again, a bounded number of times.
pub(super) async fn run<H: Host>(call: &mut Call<'_, H>, endpoint: Endpoint) -> Result<Answer, Problem> {
    for _ in 0..ATTEMPTS {
        match once(call, endpoint).await {
            Ok(answer) => return Ok(answer),
            Err(Stop::Problem(problem)) => return Err(problem),
            Err(Stop::Conflict) => refresh(call).await?,
        }
    }
    Err(given_up())
}

/// Reads the calling store again: what the other write changed may be its balance, and a decision on the old one would conflict
/// for ever.
async fn refresh<H: Host>(call: &mut Call<'_, H>) -> Result<(), Problem> {
    let host = call.host;
    if let Some(holder) = &mut call.caller
        && let Some(store) = host.store(holder.store.id).await?
    {
        holder.store = store;
    }
    Ok(())
}

async fn once<H: Host>(call: &mut Call<'_, H>, endpoint: Endpoint) -> Result<Answer, Stop> {
    match endpoint {
        Endpoint::CreateOrder => orders::create(call).await,
        Endpoint::PreviewOrder => preview::preview(call).await,
        Endpoint::GetOrder => orders::get(call).await,
        Endpoint::PreviewContext => preview::context(call).await,
        Endpoint::CreateStore => stores::create_branch(call).await,
        Endpoint::UpdateStore => stores::update(call).await,
        Endpoint::GetStore => stores::get(call).await,
        Endpoint::CreateSession => stores::log_in(call).await,
        Endpoint::CreateMatrix => stores::create_matrix(call).await,
        Endpoint::IssueKey => keys::issue_own(call).await,
        Endpoint::ListKeys => keys::list_own(call).await,
        Endpoint::RevokeKey => keys::revoke_own(call).await,
        Endpoint::AdminIssueKey => keys::issue_any(call).await,
        Endpoint::AdminListKeys => keys::list_any(call).await,
        Endpoint::AdminRevokeKey => keys::revoke_any(call).await,
        Endpoint::ListNotifications => notifications::list(call).await,
        Endpoint::ReadNotification => notifications::read(call).await,
        Endpoint::OpenApi => Ok(Answer { status: 200, body: super::OPENAPI.into(), replayed: false, key: None }),
    }
}
