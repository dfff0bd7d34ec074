//! What a request leaves behind when the session that sent it has ended.
//!
//! A session ends within hours, and a stolen one must not become access that lasts. Every endpoint
//! is in the table of
//! [`Endpoint::lasting`]: without a row for a new endpoint the core does not compile.

use super::routes::Endpoint;

/// What a request leaves behind that gives access after its session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// Nothing. It reads, ends access, or changes data that only callers with an access of their
    /// own read.
    Nothing,
    /// A key, a login, a link or a receiver of data. A session must confirm each request.
    Access,
    /// The same, but only with some contents: the handler asks for the confirmation.
    SomeAccess,
    /// Access that ends with the session.
    WithSession,
    /// It starts or confirms a session, or sets a password. The request itself contains the secret
    /// that permits it.
    OwnSecret,
}

impl Endpoint {
    /// Returns what a request of a session leaves behind. Requests with a key are not asked for a
    /// confirmation, because the key lasts.
    pub fn lasting(self) -> Lasting {
        match self {
            // Keys of systems and of couriers.
            Endpoint::IssueKey
            | Endpoint::AdminIssueKey
            | Endpoint::RegisterCourier
            // Stores have a key and a login.
            | Endpoint::CreateStore
            | Endpoint::CreateParentStore
            // Logins, and links that set a password or sign in.
            | Endpoint::CreateUser
            | Endpoint::CreatePasswordLink
            | Endpoint::AdminPasswordLink
            | Endpoint::CreateSignInCode
            // A receiver gets every event, and its secret forges them or requests access tokens.
            | Endpoint::CreateWebhook
            | Endpoint::RotateWebhook => Lasting::Access,
            // A new email of the store's login.
            Endpoint::UpdateStore
            // A new role of a user.
            | Endpoint::UpdateUser
            // A new key of a courier.
            | Endpoint::AlterCourier => Lasting::SomeAccess,
            // Couriers have no password. What their session creates ends with it.
            Endpoint::CreateDeviceKey | Endpoint::SubscribePush => Lasting::WithSession,
            Endpoint::CreateSession
            | Endpoint::ConfirmSession
            | Endpoint::ChangePassword
            | Endpoint::ResetPassword
            | Endpoint::StartCourierSession
            | Endpoint::StartOperatorSession
            | Endpoint::IssueToken => Lasting::OwnSecret,
            // The end of access.
            Endpoint::EndSession
            | Endpoint::RevokeKey
            | Endpoint::AdminRevokeKey
            | Endpoint::RemoveUser
            | Endpoint::RemoveStore
            | Endpoint::RemoveWebhook
            | Endpoint::RemoveDeviceKey
            | Endpoint::UnsubscribePush
            | Endpoint::EndCourierSession
            | Endpoint::EndOperatorSession
            // Receivers that were confirmed when they were created.
            | Endpoint::EnableWebhook
            | Endpoint::TestWebhook
            | Endpoint::RetryAttempt
            // Orders. The link of a recipient ends with its delivery.
            | Endpoint::CreateOrder
            | Endpoint::CancelOrder
            | Endpoint::ReadyOrder
            | Endpoint::DelayOrder
            | Endpoint::DiscardDelivery
            | Endpoint::ReturnDelivery
            | Endpoint::WaiveReturn
            | Endpoint::ChangeLink
            | Endpoint::ReassignOrder
            | Endpoint::AdminCancelOrder
            | Endpoint::AdminLoseDelivery
            // Settings, prices and money.
            | Endpoint::ReadNotification
            | Endpoint::SetStoreTracking
            | Endpoint::SetStoreHours
            | Endpoint::SetStoreArea
            | Endpoint::SetProofRules
            | Endpoint::SetStoreDispatch
            | Endpoint::AlterStore
            | Endpoint::TopUpStore
            | Endpoint::CreateTariff
            | Endpoint::RemoveTariff
            | Endpoint::RunDispatch
            | Endpoint::EraseRecipient
            // Steps and reports of couriers, and of their devices.
            | Endpoint::ReportPosition
            | Endpoint::SetAvailability
            | Endpoint::CourierReachPickup
            | Endpoint::CourierDecline
            | Endpoint::CourierPickUp
            | Endpoint::CourierSetOut
            | Endpoint::CourierResequence
            | Endpoint::CourierReachDoor
            | Endpoint::CourierDeliver
            | Endpoint::CourierFail
            | Endpoint::CourierReachReturn
            | Endpoint::CourierHandBack
            | Endpoint::UploadPhoto
            | Endpoint::OsmandQuery
            | Endpoint::Osmand
            | Endpoint::OwnTracks
            // Recipients, and connections of Open Delivery, which have no sessions.
            | Endpoint::RecipientPage
            | Endpoint::RecipientEvents
            | Endpoint::RecipientChoice
            | Endpoint::RecipientRating
            | Endpoint::GetAvailability
            | Endpoint::RequestDelivery
            | Endpoint::GetDelivery
            | Endpoint::SetReadyForPickup
            | Endpoint::SetOrderPicked
            | Endpoint::FinishDelivery
            | Endpoint::HandleProblem
            | Endpoint::CancelDelivery
            // Reads and computations.
            | Endpoint::PreviewOrder
            | Endpoint::PreviewContext
            | Endpoint::LocateAddress
            | Endpoint::GetCoverage
            | Endpoint::GetOrder
            | Endpoint::GetStore
            | Endpoint::ListSessions
            | Endpoint::ListUsers
            | Endpoint::AdminListUsers
            | Endpoint::ListAudit
            | Endpoint::AdminListAudit
            | Endpoint::ListKeys
            | Endpoint::AdminListKeys
            | Endpoint::ListNotifications
            | Endpoint::ListEvents
            | Endpoint::StreamEvents
            | Endpoint::ListWebhooks
            | Endpoint::ListAttempts
            | Endpoint::GetStatement
            | Endpoint::AdminStatement
            | Endpoint::ListCouriers
            | Endpoint::GetCourier
            | Endpoint::GetDispatch
            | Endpoint::CompareDispatch
            | Endpoint::ExplainDispatch
            | Endpoint::GetStoreDispatch
            | Endpoint::DayReport
            | Endpoint::AdminDayReport
            | Endpoint::ShowHealth
            | Endpoint::ListTariffs
            | Endpoint::PreviewTariff
            | Endpoint::CompareTariff
            | Endpoint::AdminListStores
            | Endpoint::AdminGetStore
            | Endpoint::AdminListOrders
            | Endpoint::AdminGetOrder
            | Endpoint::ShowCourier
            | Endpoint::GetPushKey
            | Endpoint::ListOrders
            | Endpoint::GetCancellation
            | Endpoint::GetRoute
            | Endpoint::AdminGetRoute
            | Endpoint::GetStoreTracking
            | Endpoint::GetStoreHours
            | Endpoint::GetStoreArea
            | Endpoint::ListStores
            | Endpoint::CourierOrder
            | Endpoint::CourierTrip
            | Endpoint::ExportRecipient
            | Endpoint::ListErasures
            | Endpoint::GetPhoto
            | Endpoint::CourierPhoto
            | Endpoint::AdminPhoto
            | Endpoint::GetProofRules
            | Endpoint::GetProof
            | Endpoint::GetProofKey
            | Endpoint::OpenApi => Lasting::Nothing,
        }
    }
}
