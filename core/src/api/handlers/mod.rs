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

use super::{
    boxed::{boxed, connection, courier, operator, previewed},
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
        Endpoint::CreateOrder => boxed::<H, _>(orders::create(call)).await,
        Endpoint::PreviewOrder => previewed::<H, _>(preview::preview(call)).await,
        Endpoint::GetOrder => boxed::<H, _>(orders::get(call, endpoint)).await,
        Endpoint::AdminGetOrder => operator::<H, _>(orders::get(call, endpoint)).await,
        Endpoint::PreviewContext => boxed::<H, _>(preview::context(call)).await,
        Endpoint::LocateAddress => boxed::<H, _>(location::locate(call)).await,
        Endpoint::GetCoverage => boxed::<H, _>(coverage::coverage(call)).await,
        Endpoint::GetStoreHours | Endpoint::SetStoreHours | Endpoint::GetStoreArea | Endpoint::SetStoreArea => {
            boxed::<H, _>(coverage::settings(call, endpoint)).await
        }
        Endpoint::CreateStore => boxed::<H, _>(stores::create_branch(call)).await,
        Endpoint::UpdateStore => boxed::<H, _>(stores::update(call)).await,
        Endpoint::GetStore => boxed::<H, _>(stores::get(call)).await,
        Endpoint::CreateSession => boxed::<H, _>(sessions::log_in(call)).await,
        Endpoint::ConfirmSession => boxed::<H, _>(sessions::confirm(call)).await,
        Endpoint::ListSessions | Endpoint::EndSession => boxed::<H, _>(sessions::run(call, endpoint)).await,
        Endpoint::ResetPassword => boxed::<H, _>(accounts::reset_password(call)).await,
        Endpoint::CreateUser => boxed::<H, _>(users::create(call)).await,
        Endpoint::ListUsers => boxed::<H, _>(users::list(call)).await,
        Endpoint::UpdateUser | Endpoint::RemoveUser => boxed::<H, _>(users::change(call, endpoint)).await,
        Endpoint::CreatePasswordLink => boxed::<H, _>(accounts::create_link(call, endpoint)).await,
        Endpoint::AdminPasswordLink => operator::<H, _>(accounts::create_link(call, endpoint)).await,
        Endpoint::ChangePassword => boxed::<H, _>(accounts::change_password(call)).await,
        // Every program has it: the demo data starts with a parent store.
        Endpoint::CreateParentStore => Box::pin(stores::create_matrix(call)).await,
        Endpoint::IssueKey => boxed::<H, _>(keys::issue_own(call)).await,
        Endpoint::ListKeys => boxed::<H, _>(keys::list_own(call)).await,
        Endpoint::RevokeKey => boxed::<H, _>(keys::revoke_own(call)).await,
        Endpoint::AdminIssueKey => operator::<H, _>(keys::issue_any(call)).await,
        Endpoint::AdminListKeys => operator::<H, _>(keys::list_any(call)).await,
        Endpoint::AdminRevokeKey => operator::<H, _>(keys::revoke_any(call)).await,
        Endpoint::ListNotifications | Endpoint::ReadNotification => {
            boxed::<H, _>(notifications::run(call, endpoint)).await
        }
        Endpoint::RegisterCourier => operator::<H, _>(fleet::register(call)).await,
        Endpoint::ListCouriers => operator::<H, _>(fleet::list(call)).await,
        Endpoint::GetCourier => operator::<H, _>(fleet::get(call)).await,
        Endpoint::AlterCourier => operator::<H, _>(fleet::alter(call)).await,
        Endpoint::RunDispatch => connection::<H, _>(dispatch::run(call)).await,
        Endpoint::GetDispatch => connection::<H, _>(dispatch::settings(call)).await,
        Endpoint::CompareDispatch => connection::<H, _>(dispatch::compare(call)).await,
        Endpoint::ExplainDispatch => operator::<H, _>(dispatch::explain(call)).await,
        Endpoint::GetStoreDispatch | Endpoint::SetStoreDispatch => {
            operator::<H, _>(dispatch::store_terms(call, endpoint)).await
        }
        Endpoint::CreateSignInCode => operator::<H, _>(sign_in::create_code(call)).await,
        Endpoint::StartCourierSession => courier::<H, _>(sign_in::start(call)).await,
        Endpoint::EndCourierSession => courier::<H, _>(sign_in::end(call)).await,
        Endpoint::StartOperatorSession | Endpoint::EndOperatorSession => {
            operator::<H, _>(sign_in::operate(call, endpoint)).await
        }
        Endpoint::ShowCourier => courier::<H, _>(presence::show(call)).await,
        Endpoint::ReportPosition => courier::<H, _>(presence::report(call)).await,
        Endpoint::SetAvailability => courier::<H, _>(presence::set_available(call)).await,
        Endpoint::CreateDeviceKey | Endpoint::RemoveDeviceKey => {
            courier::<H, _>(devices::change_key(call, endpoint)).await
        }
        Endpoint::GetPushKey | Endpoint::SubscribePush | Endpoint::UnsubscribePush => {
            courier::<H, _>(push::run(call, endpoint)).await
        }
        Endpoint::Osmand | Endpoint::OsmandQuery | Endpoint::OwnTracks => {
            courier::<H, _>(devices::report(call, endpoint)).await
        }
        Endpoint::ListOrders | Endpoint::ListStores => boxed::<H, _>(listing::list(call, endpoint)).await,
        Endpoint::AdminListOrders => operator::<H, _>(listing::list(call, endpoint)).await,
        Endpoint::CancelOrder => boxed::<H, _>(signals::cancel(call)).await,
        Endpoint::GetCancellation => boxed::<H, _>(signals::terms(call)).await,
        Endpoint::GetRoute => boxed::<H, _>(route::route(call, endpoint)).await,
        Endpoint::AdminGetRoute => operator::<H, _>(route::route(call, endpoint)).await,
        Endpoint::RemoveStore => boxed::<H, _>(listing::remove(call)).await,
        Endpoint::CourierOrder | Endpoint::CourierTrip => courier::<H, _>(carry::current(call, endpoint)).await,
        Endpoint::CourierDecline => courier::<H, _>(carry::decline(call)).await,
        Endpoint::ReadyOrder
        | Endpoint::DelayOrder
        | Endpoint::DiscardDelivery
        | Endpoint::ReturnDelivery
        | Endpoint::WaiveReturn => boxed::<H, _>(signals::signal(call, endpoint)).await,
        Endpoint::CourierReachPickup
        | Endpoint::CourierPickUp
        | Endpoint::CourierSetOut
        | Endpoint::CourierResequence
        | Endpoint::CourierReachDoor
        | Endpoint::CourierDeliver
        | Endpoint::CourierFail
        | Endpoint::CourierReachReturn
        | Endpoint::CourierHandBack => courier::<H, _>(carry::step(call, endpoint)).await,
        Endpoint::UploadPhoto => courier::<H, _>(photos::upload(call)).await,
        Endpoint::GetPhoto => boxed::<H, _>(photos::get(call, endpoint)).await,
        Endpoint::CourierPhoto => courier::<H, _>(photos::get(call, endpoint)).await,
        Endpoint::AdminPhoto => operator::<H, _>(photos::get(call, endpoint)).await,
        Endpoint::GetProofRules | Endpoint::SetProofRules => boxed::<H, _>(proofs::rules(call, endpoint)).await,
        Endpoint::GetProof => boxed::<H, _>(proofs::proof(call)).await,
        Endpoint::GetProofKey => proofs::key(call),
        Endpoint::AdminListStores | Endpoint::AdminGetStore | Endpoint::AlterStore | Endpoint::AdminListUsers => {
            operator::<H, _>(operator::run(call, endpoint)).await
        }
        Endpoint::ReassignOrder => operator::<H, _>(signals::reassign(call)).await,
        Endpoint::AdminCancelOrder | Endpoint::AdminLoseDelivery => {
            operator::<H, _>(signals::operate(call, endpoint)).await
        }
        Endpoint::GetStoreTracking | Endpoint::SetStoreTracking => {
            boxed::<H, _>(tracking::settings(call, endpoint)).await
        }
        Endpoint::ChangeLink => boxed::<H, _>(tracking::change_link(call)).await,
        Endpoint::RecipientPage => boxed::<H, _>(tracking::page(call)).await,
        Endpoint::RecipientEvents => boxed::<H, _>(tracking::events(call)).await,
        Endpoint::RecipientChoice | Endpoint::RecipientRating => boxed::<H, _>(tracking::step(call, endpoint)).await,
        Endpoint::ListEvents => boxed::<H, _>(events::list(call)).await,
        Endpoint::StreamEvents => boxed::<H, _>(events::stream(call)).await,
        Endpoint::CreateWebhook => connection::<H, _>(webhooks::create(call)).await,
        Endpoint::ListWebhooks => connection::<H, _>(webhooks::list(call)).await,
        Endpoint::RemoveWebhook => connection::<H, _>(webhooks::remove(call)).await,
        Endpoint::RotateWebhook => connection::<H, _>(webhooks::rotate(call)).await,
        Endpoint::EnableWebhook => connection::<H, _>(webhooks::enable(call)).await,
        Endpoint::TestWebhook => connection::<H, _>(webhooks::test(call)).await,
        Endpoint::ListAttempts => connection::<H, _>(webhooks::attempts(call)).await,
        Endpoint::RetryAttempt => connection::<H, _>(webhooks::retry(call)).await,
        Endpoint::GetStatement => boxed::<H, _>(ledger::statement(call)).await,
        Endpoint::AdminStatement => operator::<H, _>(ledger::any_statement(call)).await,
        Endpoint::DayReport => boxed::<H, _>(report::days(call, endpoint)).await,
        Endpoint::ShowHealth => operator::<H, _>(health::show(call)).await,
        Endpoint::ListTariffs
        | Endpoint::CreateTariff
        | Endpoint::RemoveTariff
        | Endpoint::PreviewTariff
        | Endpoint::CompareTariff => operator::<H, _>(tariffs::run(call, endpoint)).await,
        Endpoint::AdminDayReport => operator::<H, _>(report::days(call, endpoint)).await,
        Endpoint::ListAudit => boxed::<H, _>(audit::list(call, endpoint)).await,
        Endpoint::AdminListAudit => operator::<H, _>(audit::list(call, endpoint)).await,
        Endpoint::TopUpStore => operator::<H, _>(ledger::top_up(call)).await,
        Endpoint::ExportRecipient => operator::<H, _>(privacy::export(call)).await,
        Endpoint::EraseRecipient => operator::<H, _>(privacy::erase(call)).await,
        Endpoint::ListErasures => operator::<H, _>(privacy::records(call)).await,
        Endpoint::IssueToken => connection::<H, _>(open_delivery::issue_token(call)).await,
        Endpoint::GetAvailability => connection::<H, _>(open_delivery::availability(call)).await,
        Endpoint::RequestDelivery => connection::<H, _>(open_delivery::create(call)).await,
        Endpoint::GetDelivery => connection::<H, _>(open_delivery::get(call)).await,
        Endpoint::SetReadyForPickup
        | Endpoint::SetOrderPicked
        | Endpoint::FinishDelivery
        | Endpoint::HandleProblem
        | Endpoint::CancelDelivery => connection::<H, _>(open_delivery::step(call, endpoint)).await,
        Endpoint::OpenApi => Ok(ApiResponse::of(200, call.host.description()?)),
    }
}
