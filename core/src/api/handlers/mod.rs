//! What each endpoint does: load, decide, commit. No rule lives here.

mod carry;
mod events;
mod fleet;
mod keys;
mod ledger;
mod life;
mod listing;
mod notifications;
mod orders;
mod pages;
mod presence;
mod preview;
mod signals;
mod stores;
mod webhooks;

use super::{
    call::{ATTEMPTS, Answer, Call, Stop, given_up, plain},
    problem::{Code, Problem},
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

/// Reads the calling store or courier again: what the other write changed may be its balance or its order, and a decision on the old
/// one would conflict for ever.
async fn refresh<H: Host>(call: &mut Call<'_, H>) -> Result<(), Problem> {
    let host = call.host;
    if let Some(holder) = &mut call.caller {
        // A store that was removed meanwhile writes nothing any more.
        holder.store = host.store(holder.store.id).await?.ok_or_else(|| plain(Code::ApiKeyRevoked))?;
    }
    if let Some(courier) = &mut call.courier {
        *courier = host.courier(courier.id).await?.ok_or_else(|| plain(Code::ApiKeyInvalid))?;
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
        Endpoint::RegisterCourier => fleet::register(call).await,
        Endpoint::ListCouriers => fleet::list(call).await,
        Endpoint::GetCourier => fleet::get(call).await,
        Endpoint::AlterCourier => fleet::alter(call).await,
        Endpoint::RunDispatch => fleet::dispatch(call).await,
        Endpoint::ShowCourier => presence::show(call).await,
        Endpoint::ReportPosition => presence::report(call).await,
        Endpoint::SetAvailability => presence::set_available(call).await,
        Endpoint::ListOrders => listing::orders(call).await,
        Endpoint::CancelOrder => signals::cancel(call).await,
        Endpoint::GetCancellation => signals::terms(call).await,
        Endpoint::ListStores => listing::stores(call).await,
        Endpoint::RemoveStore => listing::remove(call).await,
        Endpoint::CourierOrder => carry::current(call).await,
        Endpoint::CourierDecline => carry::decline(call).await,
        Endpoint::ReadyOrder
        | Endpoint::DelayOrder
        | Endpoint::DiscardDelivery
        | Endpoint::ReturnDelivery
        | Endpoint::WaiveReturn => signals::say(call, endpoint).await,
        Endpoint::CourierReachPickup
        | Endpoint::CourierPickUp
        | Endpoint::CourierSetOut
        | Endpoint::CourierResequence
        | Endpoint::CourierReachDoor
        | Endpoint::CourierDeliver
        | Endpoint::CourierFail
        | Endpoint::CourierReachReturn
        | Endpoint::CourierHandBack => carry::step(call, endpoint).await,
        Endpoint::AdminCancelOrder | Endpoint::AdminLoseDelivery => signals::operate(call, endpoint).await,
        Endpoint::ListEvents => events::list(call).await,
        Endpoint::StreamEvents => events::stream(call).await,
        Endpoint::CreateWebhook => webhooks::create(call).await,
        Endpoint::ListWebhooks => webhooks::list(call).await,
        Endpoint::RemoveWebhook => webhooks::remove(call).await,
        Endpoint::RotateWebhook => webhooks::rotate(call).await,
        Endpoint::EnableWebhook => webhooks::enable(call).await,
        Endpoint::TestWebhook => webhooks::test(call).await,
        Endpoint::ListAttempts => webhooks::attempts(call).await,
        Endpoint::RetryAttempt => webhooks::retry(call).await,
        Endpoint::GetStatement => ledger::statement(call).await,
        Endpoint::TopUpStore => ledger::top_up(call).await,
        Endpoint::OpenApi => Ok(Answer::of(200, super::description().to_vec())),
    }
}
