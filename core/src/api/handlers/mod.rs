//! What each endpoint does: load, decide, commit. No rule lives here.

mod carry;
mod events;
mod fleet;
mod issue;
mod keys;
mod ledger;
mod life;
mod listing;
mod notifications;
mod orders;
mod pages;
mod presence;
mod preview;
mod privacy;
mod signals;
mod stores;
mod webhooks;

use super::{
    apart::apart,
    call::{Answer, Call, Stop, retry},
    description::description,
    problem::Problem,
    routes::Endpoint,
};
use crate::host::Host;

pub(super) use orders::failed_creation;

/// Handles a request. A handler with a costly preparation uses [`retry`] itself, after the preparation.
pub(super) async fn run<H: Host>(call: &mut Call<'_, H>, endpoint: Endpoint) -> Result<Answer, Problem> {
    Ok(retry!(call, once(call, endpoint))?)
}

async fn once<H: Host>(call: &mut Call<'_, H>, endpoint: Endpoint) -> Result<Answer, Stop> {
    match endpoint {
        Endpoint::CreateOrder => apart(orders::create(call)).await,
        Endpoint::PreviewOrder => apart(preview::preview(call)).await,
        Endpoint::GetOrder => apart(orders::get(call)).await,
        Endpoint::PreviewContext => apart(preview::context(call)).await,
        Endpoint::CreateStore => apart(stores::create_branch(call)).await,
        Endpoint::UpdateStore => apart(stores::update(call)).await,
        Endpoint::GetStore => apart(stores::get(call)).await,
        Endpoint::CreateSession => apart(stores::log_in(call)).await,
        Endpoint::CreateMatrix => apart(stores::create_matrix(call)).await,
        Endpoint::IssueKey => apart(keys::issue_own(call)).await,
        Endpoint::ListKeys => apart(keys::list_own(call)).await,
        Endpoint::RevokeKey => apart(keys::revoke_own(call)).await,
        Endpoint::AdminIssueKey => apart(keys::issue_any(call)).await,
        Endpoint::AdminListKeys => apart(keys::list_any(call)).await,
        Endpoint::AdminRevokeKey => apart(keys::revoke_any(call)).await,
        Endpoint::ListNotifications => apart(notifications::list(call)).await,
        Endpoint::ReadNotification => apart(notifications::read(call)).await,
        Endpoint::RegisterCourier => apart(fleet::register(call)).await,
        Endpoint::ListCouriers => apart(fleet::list(call)).await,
        Endpoint::GetCourier => apart(fleet::get(call)).await,
        Endpoint::AlterCourier => apart(fleet::alter(call)).await,
        Endpoint::RunDispatch => apart(fleet::dispatch(call)).await,
        Endpoint::ShowCourier => apart(presence::show(call)).await,
        Endpoint::ReportPosition => apart(presence::report(call)).await,
        Endpoint::SetAvailability => apart(presence::set_available(call)).await,
        Endpoint::ListOrders => apart(listing::orders(call)).await,
        Endpoint::CancelOrder => apart(signals::cancel(call)).await,
        Endpoint::GetCancellation => apart(signals::terms(call)).await,
        Endpoint::ListStores => apart(listing::stores(call)).await,
        Endpoint::RemoveStore => apart(listing::remove(call)).await,
        Endpoint::CourierOrder => apart(carry::current(call)).await,
        Endpoint::CourierDecline => apart(carry::decline(call)).await,
        Endpoint::ReadyOrder
        | Endpoint::DelayOrder
        | Endpoint::DiscardDelivery
        | Endpoint::ReturnDelivery
        | Endpoint::WaiveReturn => apart(signals::say(call, endpoint)).await,
        Endpoint::CourierReachPickup
        | Endpoint::CourierPickUp
        | Endpoint::CourierSetOut
        | Endpoint::CourierResequence
        | Endpoint::CourierReachDoor
        | Endpoint::CourierDeliver
        | Endpoint::CourierFail
        | Endpoint::CourierReachReturn
        | Endpoint::CourierHandBack => apart(carry::step(call, endpoint)).await,
        Endpoint::AdminCancelOrder | Endpoint::AdminLoseDelivery => apart(signals::operate(call, endpoint)).await,
        Endpoint::ListEvents => apart(events::list(call)).await,
        Endpoint::StreamEvents => apart(events::stream(call)).await,
        Endpoint::CreateWebhook => apart(webhooks::create(call)).await,
        Endpoint::ListWebhooks => apart(webhooks::list(call)).await,
        Endpoint::RemoveWebhook => apart(webhooks::remove(call)).await,
        Endpoint::RotateWebhook => apart(webhooks::rotate(call)).await,
        Endpoint::EnableWebhook => apart(webhooks::enable(call)).await,
        Endpoint::TestWebhook => apart(webhooks::test(call)).await,
        Endpoint::ListAttempts => apart(webhooks::attempts(call)).await,
        Endpoint::RetryAttempt => apart(webhooks::retry(call)).await,
        Endpoint::GetStatement => apart(ledger::statement(call)).await,
        Endpoint::AdminStatement => apart(ledger::any_statement(call)).await,
        Endpoint::TopUpStore => apart(ledger::top_up(call)).await,
        Endpoint::ExportRecipient => apart(privacy::export(call)).await,
        Endpoint::EraseRecipient => apart(privacy::erase(call)).await,
        Endpoint::ListErasures => apart(privacy::records(call)).await,
        Endpoint::OpenApi => Ok(Answer::of(200, description())),
    }
}
