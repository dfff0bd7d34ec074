//! The endpoints' handlers: each loads, decides and commits. The rules are in [`crate::rules`].

mod carry;
mod devices;
mod dispatch;
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
mod photos;
mod presence;
mod preview;
mod privacy;
mod proofs;
mod push;
mod sign_in;
mod signals;
mod stores;
mod tracking;
mod webhooks;

use super::{
    boxed::boxed,
    call::{ApiResponse, Call, HandlerError, retry},
    problem::Problem,
    routes::Endpoint,
};
use crate::host::Host;

pub(super) use orders::failed_creation;

/// Handles a request. If a concurrent write won, it retries a limited number of times.
pub(super) async fn run<H: Host>(call: &mut Call<'_, H>, endpoint: Endpoint) -> Result<ApiResponse, Problem> {
    Ok(retry!(call, once(call, endpoint))?)
}

/// Completes a stored response that is returned again.
pub(super) fn replayed<H: Host>(call: &Call<'_, H>, endpoint: Endpoint, response: ApiResponse) -> ApiResponse {
    match endpoint {
        Endpoint::CreateDeviceKey => devices::with_setup(call.settings, response),
        _ => response,
    }
}

#[expect(clippy::too_many_lines, reason = "a table with one line for each endpoint")]
async fn once<H: Host>(call: &mut Call<'_, H>, endpoint: Endpoint) -> Result<ApiResponse, HandlerError> {
    match endpoint {
        Endpoint::CreateOrder => boxed(orders::create(call)).await,
        Endpoint::PreviewOrder => boxed(preview::preview(call)).await,
        Endpoint::GetOrder => boxed(orders::get(call)).await,
        Endpoint::PreviewContext => boxed(preview::context(call)).await,
        Endpoint::CreateStore => boxed(stores::create_branch(call)).await,
        Endpoint::UpdateStore => boxed(stores::update(call)).await,
        Endpoint::GetStore => boxed(stores::get(call)).await,
        Endpoint::CreateSession => boxed(stores::log_in(call)).await,
        Endpoint::CreateParentStore => boxed(stores::create_matrix(call)).await,
        Endpoint::IssueKey => boxed(keys::issue_own(call)).await,
        Endpoint::ListKeys => boxed(keys::list_own(call)).await,
        Endpoint::RevokeKey => boxed(keys::revoke_own(call)).await,
        Endpoint::AdminIssueKey => boxed(keys::issue_any(call)).await,
        Endpoint::AdminListKeys => boxed(keys::list_any(call)).await,
        Endpoint::AdminRevokeKey => boxed(keys::revoke_any(call)).await,
        Endpoint::ListNotifications | Endpoint::ReadNotification => boxed(notifications::run(call, endpoint)).await,
        Endpoint::RegisterCourier => boxed(fleet::register(call)).await,
        Endpoint::ListCouriers => boxed(fleet::list(call)).await,
        Endpoint::GetCourier => boxed(fleet::get(call)).await,
        Endpoint::AlterCourier => boxed(fleet::alter(call)).await,
        Endpoint::RunDispatch => boxed(dispatch::run(call)).await,
        Endpoint::ExplainDispatch => boxed(dispatch::explain(call)).await,
        Endpoint::GetStoreDispatch | Endpoint::SetStoreDispatch => boxed(dispatch::store_terms(call, endpoint)).await,
        Endpoint::CreateSignInCode => boxed(sign_in::create_code(call)).await,
        Endpoint::StartCourierSession => boxed(sign_in::start(call)).await,
        Endpoint::EndCourierSession => boxed(sign_in::end(call)).await,
        Endpoint::ShowCourier => boxed(presence::show(call)).await,
        Endpoint::ReportPosition => boxed(presence::report(call)).await,
        Endpoint::SetAvailability => boxed(presence::set_available(call)).await,
        Endpoint::CreateDeviceKey | Endpoint::RemoveDeviceKey => boxed(devices::change_key(call, endpoint)).await,
        Endpoint::GetPushKey | Endpoint::SubscribePush | Endpoint::UnsubscribePush => {
            boxed(push::run(call, endpoint)).await
        }
        Endpoint::Osmand | Endpoint::OsmandQuery | Endpoint::OwnTracks => boxed(devices::report(call, endpoint)).await,
        Endpoint::ListOrders | Endpoint::ListStores => boxed(listing::list(call, endpoint)).await,
        Endpoint::CancelOrder => boxed(signals::cancel(call)).await,
        Endpoint::GetCancellation => boxed(signals::terms(call)).await,
        Endpoint::RemoveStore => boxed(listing::remove(call)).await,
        Endpoint::CourierOrder | Endpoint::CourierTrip => boxed(carry::current(call, endpoint)).await,
        Endpoint::CourierDecline => boxed(carry::decline(call)).await,
        Endpoint::ReadyOrder
        | Endpoint::DelayOrder
        | Endpoint::DiscardDelivery
        | Endpoint::ReturnDelivery
        | Endpoint::WaiveReturn => boxed(signals::signal(call, endpoint)).await,
        Endpoint::CourierReachPickup
        | Endpoint::CourierPickUp
        | Endpoint::CourierSetOut
        | Endpoint::CourierResequence
        | Endpoint::CourierReachDoor
        | Endpoint::CourierDeliver
        | Endpoint::CourierFail
        | Endpoint::CourierReachReturn
        | Endpoint::CourierHandBack => boxed(carry::step(call, endpoint)).await,
        Endpoint::UploadPhoto => boxed(photos::upload(call)).await,
        Endpoint::GetPhoto | Endpoint::CourierPhoto | Endpoint::AdminPhoto => boxed(photos::get(call, endpoint)).await,
        Endpoint::GetProofRules | Endpoint::SetProofRules => boxed(proofs::rules(call, endpoint)).await,
        Endpoint::GetProof => boxed(proofs::proof(call)).await,
        Endpoint::GetProofKey => proofs::key(call),
        Endpoint::AdminCancelOrder | Endpoint::AdminLoseDelivery => boxed(signals::operate(call, endpoint)).await,
        Endpoint::GetStoreTracking | Endpoint::SetStoreTracking => boxed(tracking::settings(call, endpoint)).await,
        Endpoint::ChangeLink => boxed(tracking::change_link(call)).await,
        Endpoint::RecipientPage => boxed(tracking::page(call)).await,
        Endpoint::RecipientEvents => boxed(tracking::events(call)).await,
        Endpoint::RecipientChoice | Endpoint::RecipientRating => boxed(tracking::step(call, endpoint)).await,
        Endpoint::ListEvents => boxed(events::list(call)).await,
        Endpoint::StreamEvents => boxed(events::stream(call)).await,
        Endpoint::CreateWebhook => boxed(webhooks::create(call)).await,
        Endpoint::ListWebhooks => boxed(webhooks::list(call)).await,
        Endpoint::RemoveWebhook => boxed(webhooks::remove(call)).await,
        Endpoint::RotateWebhook => boxed(webhooks::rotate(call)).await,
        Endpoint::EnableWebhook => boxed(webhooks::enable(call)).await,
        Endpoint::TestWebhook => boxed(webhooks::test(call)).await,
        Endpoint::ListAttempts => boxed(webhooks::attempts(call)).await,
        Endpoint::RetryAttempt => boxed(webhooks::retry(call)).await,
        Endpoint::GetStatement => boxed(ledger::statement(call)).await,
        Endpoint::AdminStatement => boxed(ledger::any_statement(call)).await,
        Endpoint::TopUpStore => boxed(ledger::top_up(call)).await,
        Endpoint::ExportRecipient => boxed(privacy::export(call)).await,
        Endpoint::EraseRecipient => boxed(privacy::erase(call)).await,
        Endpoint::ListErasures => boxed(privacy::records(call)).await,
        Endpoint::OpenApi => Ok(ApiResponse::of(200, call.host.description()?)),
    }
}
