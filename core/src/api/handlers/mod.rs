//! The endpoints' handlers: each loads, decides and commits. The rules are in [`crate::rules`].

mod accounts;
mod audit;
mod carry;
mod coverage;
mod devices;
mod dispatch;
mod events;
mod fleet;
mod health;
pub(super) mod issue;
mod keys;
mod ledger;
mod life;
mod listing;
mod location;
mod notifications;
mod open_delivery;
mod operator;
mod orders;
mod pages;
mod photos;
mod presence;
mod preview;
mod privacy;
mod proofs;
mod push;
mod report;
mod route;
mod sessions;
mod sign_in;
mod signals;
mod stores;
mod tariffs;
mod tracking;
mod users;
mod webhooks;

use bytes::Bytes;

use super::{
    call::{ApiResponse, Call, HandlerError, retry},
    problem::Problem,
    routes::Endpoint,
};
use crate::host::{Host, description};

pub(super) use orders::failed_creation;

/// Handles a request. If a concurrent write won, it retries a limited number of times.
pub(super) async fn run<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, Problem> {
    Ok(retry!(call, once(call, endpoint))?)
}

/// Completes a stored response that is returned again.
pub(super) fn replayed<H: Host>(
    call: &Call<'_, H>,
    endpoint: Endpoint,
    response: ApiResponse,
) -> ApiResponse {
    match endpoint {
        Endpoint::CreateDeviceKey => devices::with_setup(call.settings, response),
        _ => response,
    }
}

/// Calls the handler of an endpoint. Each future is on the heap, because otherwise every request's
/// state has the size of the largest handler's.
async fn once<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    match endpoint {
        Endpoint::CreateOrder => Box::pin(orders::create(call)).await,
        Endpoint::PreviewOrder => Box::pin(preview::preview(call)).await,
        Endpoint::GetOrder => Box::pin(orders::get(call, endpoint)).await,
        Endpoint::AdminGetOrder => Box::pin(orders::get(call, endpoint)).await,
        Endpoint::PreviewContext => Box::pin(preview::context(call)).await,
        Endpoint::LocateAddress => Box::pin(location::locate(call)).await,
        Endpoint::GetCoverage => Box::pin(coverage::coverage(call)).await,
        Endpoint::GetStoreHours
        | Endpoint::SetStoreHours
        | Endpoint::GetStoreArea
        | Endpoint::SetStoreArea => Box::pin(coverage::settings(call, endpoint)).await,
        Endpoint::CreateStore => Box::pin(stores::create_branch(call)).await,
        Endpoint::UpdateStore => Box::pin(stores::update(call)).await,
        Endpoint::GetStore => Box::pin(stores::get(call)).await,
        Endpoint::CreateSession => Box::pin(sessions::log_in(call)).await,
        Endpoint::ConfirmSession => Box::pin(sessions::confirm(call)).await,
        Endpoint::ListSessions | Endpoint::EndSession => {
            Box::pin(sessions::run(call, endpoint)).await
        }
        Endpoint::ResetPassword => Box::pin(accounts::reset_password(call)).await,
        Endpoint::CreateUser => Box::pin(users::create(call)).await,
        Endpoint::ListUsers => Box::pin(users::list(call)).await,
        Endpoint::UpdateUser | Endpoint::RemoveUser => {
            Box::pin(users::change(call, endpoint)).await
        }
        Endpoint::CreatePasswordLink => Box::pin(accounts::create_link(call, endpoint)).await,
        Endpoint::AdminPasswordLink => Box::pin(accounts::create_link(call, endpoint)).await,
        Endpoint::ChangePassword => Box::pin(accounts::change_password(call)).await,
        Endpoint::CreateParentStore => Box::pin(stores::create_matrix(call)).await,
        Endpoint::IssueKey => Box::pin(keys::issue_own(call)).await,
        Endpoint::ListKeys => Box::pin(keys::list_own(call)).await,
        Endpoint::RevokeKey => Box::pin(keys::revoke_own(call)).await,
        Endpoint::AdminIssueKey => Box::pin(keys::issue_any(call)).await,
        Endpoint::AdminListKeys => Box::pin(keys::list_any(call)).await,
        Endpoint::AdminRevokeKey => Box::pin(keys::revoke_any(call)).await,
        Endpoint::ListNotifications | Endpoint::ReadNotification => {
            Box::pin(notifications::run(call, endpoint)).await
        }
        Endpoint::RegisterCourier => Box::pin(fleet::register(call)).await,
        Endpoint::ListCouriers => Box::pin(fleet::list(call)).await,
        Endpoint::GetCourier => Box::pin(fleet::get(call)).await,
        Endpoint::AlterCourier => Box::pin(fleet::alter(call)).await,
        Endpoint::RunDispatch => Box::pin(dispatch::run(call)).await,
        Endpoint::GetDispatch => Box::pin(dispatch::settings(call)).await,
        Endpoint::CompareDispatch => Box::pin(dispatch::compare(call)).await,
        Endpoint::ExplainDispatch => Box::pin(dispatch::explain(call)).await,
        Endpoint::GetStoreDispatch | Endpoint::SetStoreDispatch => {
            Box::pin(dispatch::store_terms(call, endpoint)).await
        }
        Endpoint::CreateSignInCode => Box::pin(sign_in::create_code(call)).await,
        Endpoint::StartCourierSession => Box::pin(sign_in::start(call)).await,
        Endpoint::EndCourierSession => Box::pin(sign_in::end(call)).await,
        Endpoint::StartOperatorSession | Endpoint::EndOperatorSession => {
            Box::pin(sign_in::operate(call, endpoint)).await
        }
        Endpoint::ShowCourier => Box::pin(presence::show(call)).await,
        Endpoint::ReportPosition => Box::pin(presence::report(call)).await,
        Endpoint::SetAvailability => Box::pin(presence::set_available(call)).await,
        Endpoint::CreateDeviceKey | Endpoint::RemoveDeviceKey => {
            Box::pin(devices::change_key(call, endpoint)).await
        }
        Endpoint::GetPushKey | Endpoint::SubscribePush | Endpoint::UnsubscribePush => {
            Box::pin(push::run(call, endpoint)).await
        }
        Endpoint::Osmand | Endpoint::OsmandQuery | Endpoint::OwnTracks => {
            Box::pin(devices::report(call, endpoint)).await
        }
        Endpoint::ListOrders | Endpoint::ListStores => {
            Box::pin(listing::list(call, endpoint)).await
        }
        Endpoint::AdminListOrders => Box::pin(listing::list(call, endpoint)).await,
        Endpoint::CancelOrder => Box::pin(signals::cancel(call)).await,
        Endpoint::GetCancellation => Box::pin(signals::terms(call)).await,
        Endpoint::GetRoute => Box::pin(route::route(call, endpoint)).await,
        Endpoint::AdminGetRoute => Box::pin(route::route(call, endpoint)).await,
        Endpoint::RemoveStore => Box::pin(listing::remove(call)).await,
        Endpoint::CourierOrder | Endpoint::CourierTrip => {
            Box::pin(carry::current(call, endpoint)).await
        }
        Endpoint::CourierDecline => Box::pin(carry::decline(call)).await,
        Endpoint::ReadyOrder
        | Endpoint::DelayOrder
        | Endpoint::DiscardDelivery
        | Endpoint::ReturnDelivery
        | Endpoint::WaiveReturn => Box::pin(signals::signal(call, endpoint)).await,
        Endpoint::CourierReachPickup
        | Endpoint::CourierPickUp
        | Endpoint::CourierSetOut
        | Endpoint::CourierResequence
        | Endpoint::CourierReachDoor
        | Endpoint::CourierDeliver
        | Endpoint::CourierFail
        | Endpoint::CourierReachReturn
        | Endpoint::CourierHandBack => Box::pin(carry::step(call, endpoint)).await,
        Endpoint::UploadPhoto => Box::pin(photos::upload(call)).await,
        Endpoint::GetPhoto => Box::pin(photos::get(call, endpoint)).await,
        Endpoint::CourierPhoto => Box::pin(photos::get(call, endpoint)).await,
        Endpoint::AdminPhoto => Box::pin(photos::get(call, endpoint)).await,
        Endpoint::GetProofRules | Endpoint::SetProofRules => {
            Box::pin(proofs::rules(call, endpoint)).await
        }
        Endpoint::GetProof => Box::pin(proofs::proof(call)).await,
        Endpoint::GetProofKey => proofs::key(call),
        Endpoint::AdminListStores
        | Endpoint::AdminGetStore
        | Endpoint::AlterStore
        | Endpoint::AdminListUsers => Box::pin(operator::run(call, endpoint)).await,
        Endpoint::ReassignOrder => Box::pin(signals::reassign(call)).await,
        Endpoint::AdminCancelOrder | Endpoint::AdminLoseDelivery => {
            Box::pin(signals::operate(call, endpoint)).await
        }
        Endpoint::GetStoreTracking | Endpoint::SetStoreTracking => {
            Box::pin(tracking::settings(call, endpoint)).await
        }
        Endpoint::ChangeLink => Box::pin(tracking::change_link(call)).await,
        Endpoint::RecipientPage => Box::pin(tracking::page(call)).await,
        Endpoint::RecipientEvents => Box::pin(tracking::events(call)).await,
        Endpoint::RecipientChoice | Endpoint::RecipientRating => {
            Box::pin(tracking::step(call, endpoint)).await
        }
        Endpoint::ListEvents => Box::pin(events::list(call)).await,
        Endpoint::StreamEvents => Box::pin(events::stream(call)).await,
        Endpoint::CreateWebhook => Box::pin(webhooks::create(call)).await,
        Endpoint::ListWebhooks => Box::pin(webhooks::list(call)).await,
        Endpoint::RemoveWebhook => Box::pin(webhooks::remove(call)).await,
        Endpoint::RotateWebhook => Box::pin(webhooks::rotate(call)).await,
        Endpoint::EnableWebhook => Box::pin(webhooks::enable(call)).await,
        Endpoint::TestWebhook => Box::pin(webhooks::test(call)).await,
        Endpoint::ListAttempts => Box::pin(webhooks::attempts(call)).await,
        Endpoint::RetryAttempt => Box::pin(webhooks::retry(call)).await,
        Endpoint::GetStatement => Box::pin(ledger::statement(call)).await,
        Endpoint::AdminStatement => Box::pin(ledger::any_statement(call)).await,
        Endpoint::DayReport => Box::pin(report::days(call, endpoint)).await,
        Endpoint::ShowHealth => Box::pin(health::show(call)).await,
        Endpoint::ListTariffs
        | Endpoint::CreateTariff
        | Endpoint::RemoveTariff
        | Endpoint::PreviewTariff
        | Endpoint::CompareTariff => Box::pin(tariffs::run(call, endpoint)).await,
        Endpoint::AdminDayReport => Box::pin(report::days(call, endpoint)).await,
        Endpoint::ListAudit => Box::pin(audit::list(call, endpoint)).await,
        Endpoint::AdminListAudit => Box::pin(audit::list(call, endpoint)).await,
        Endpoint::TopUpStore => Box::pin(ledger::top_up(call)).await,
        Endpoint::ExportRecipient => Box::pin(privacy::export(call)).await,
        Endpoint::EraseRecipient => Box::pin(privacy::erase(call)).await,
        Endpoint::ListErasures => Box::pin(privacy::records(call)).await,
        Endpoint::IssueToken => Box::pin(open_delivery::issue_token(call)).await,
        Endpoint::GetAvailability => Box::pin(open_delivery::availability(call)).await,
        Endpoint::RequestDelivery => Box::pin(open_delivery::create(call)).await,
        Endpoint::GetDelivery => Box::pin(open_delivery::get(call)).await,
        Endpoint::SetReadyForPickup
        | Endpoint::SetOrderPicked
        | Endpoint::FinishDelivery
        | Endpoint::HandleProblem
        | Endpoint::CancelDelivery => Box::pin(open_delivery::step(call, endpoint)).await,
        Endpoint::OpenApi => Ok(ApiResponse::of(200, Bytes::from_static(description()))),
    }
}
