//! The table of endpoints by method and path.

use http::Method;

pub use super::endpoint::Endpoint;

use crate::{
    model::store::Role,
    rules::limits::{Limits, Usage},
};

/// The credential that an endpoint requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// A store's key.
    Store,
    /// A courier's key, or the session cookie of the courier's app.
    Courier,
    /// The key of a courier's device.
    Device,
    /// The token of a recipient's link, in the path.
    Recipient,
    /// The operator's token, or the session cookie of the operator's panel.
    Operator,
    /// The access token of an Open Delivery connection.
    Connection,
    /// None.
    Public,
}

/// One row of the table.
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path with its placeholder.
    pub path: &'static str,
    /// Method and path as metrics and documentation name them.
    pub template: &'static str,
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The credential that it requires.
    pub authority: Authority,
    /// The quota that a request counts against.
    pub usage: Usage,
}

/// The result of looking up a method and a path.
pub enum Match<'a> {
    /// An endpoint, and the ID in its path, or an empty string.
    Found(&'static Route, &'a str),
    /// The path exists with other methods, which are listed for the `Allow` header.
    OtherMethods(String),
    /// The path does not exist.
    NotFound,
}

/// The path of a preview, the only `POST` that may store nothing.
pub(super) const PREVIEW: &str = "/delivery/orders/preview";
/// The path of the OsmAnd protocol, the only one whose `GET` stores data.
pub(super) const OSMAND: &str = "/courier/positions/osmand";
/// The media type of a form.
pub(super) const FORM: &str = "application/x-www-form-urlencoded";
/// The media types of photos.
const PHOTOS: &[&str] = &["image/jpeg", "image/png", "image/webp"];
/// The path of OwnTracks.
pub(super) const OWNTRACKS: &str = "/courier/positions/owntracks";

macro_rules! routes {
    ($($method:ident $template:literal $endpoint:ident $authority:ident $usage:ident,)*) => {
        /// Every endpoint.
        pub static ROUTES: &[Route] = &[$(Route {
            method: Method::$method,
            path: concat!(stringify!($method), " ", $template).split_at(stringify!($method).len() + 1).1,
            template: concat!(stringify!($method), " ", $template),
            endpoint: Endpoint::$endpoint,
            authority: Authority::$authority,
            usage: Usage::$usage,
        },)*];
    };
}

routes! {
    POST "/delivery/orders" CreateOrder Store Create,
    POST "/delivery/orders/preview" PreviewOrder Store Preview,
    GET "/delivery/preview-context" PreviewContext Store Read,
    POST "/delivery/location" LocateAddress Store Preview,
    GET "/delivery/coverage" GetCoverage Store Preview,
    GET "/delivery/orders/{platformOrderId}" GetOrder Store Read,
    POST "/delivery/stores" CreateStore Store Create,
    PUT "/delivery/stores" UpdateStore Store Create,
    GET "/delivery/stores/{storeId}" GetStore Store Read,
    POST "/delivery/sessions" CreateSession Public Login,
    POST "/delivery/sessions/confirmation" ConfirmSession Store Create,
    GET "/delivery/sessions" ListSessions Store Read,
    DELETE "/delivery/sessions/{sessionId}" EndSession Store Create,
    POST "/delivery/password" ChangePassword Store Create,
    POST "/delivery/password/reset" ResetPassword Public Login,
    POST "/delivery/users" CreateUser Store Create,
    GET "/delivery/users" ListUsers Store Read,
    PATCH "/delivery/users/{userId}" UpdateUser Store Create,
    DELETE "/delivery/users/{userId}" RemoveUser Store Create,
    POST "/delivery/users/{userId}/password-link" CreatePasswordLink Store Create,
    POST "/admin/stores/{storeId}/password-link" AdminPasswordLink Operator Create,
    GET "/admin/stores/{storeId}/users" AdminListUsers Operator Read,
    GET "/delivery/audit" ListAudit Store Read,
    GET "/admin/audit" AdminListAudit Operator Read,
    POST "/delivery/keys" IssueKey Store Create,
    GET "/delivery/keys" ListKeys Store Read,
    DELETE "/delivery/keys/{keyId}" RevokeKey Store Create,
    GET "/delivery/notifications" ListNotifications Store Read,
    POST "/delivery/notifications/{notificationId}/read" ReadNotification Store Create,
    GET "/delivery/events" ListEvents Store Read,
    GET "/delivery/events/stream" StreamEvents Store Read,
    POST "/delivery/webhooks" CreateWebhook Store Create,
    GET "/delivery/webhooks" ListWebhooks Store Read,
    DELETE "/delivery/webhooks/{webhookId}" RemoveWebhook Store Create,
    POST "/delivery/webhooks/{webhookId}/rotate" RotateWebhook Store Create,
    POST "/delivery/webhooks/{webhookId}/enable" EnableWebhook Store Create,
    POST "/delivery/webhooks/{webhookId}/test" TestWebhook Store Create,
    GET "/delivery/webhooks/{webhookId}/attempts" ListAttempts Store Read,
    POST "/delivery/webhooks/attempts/{attemptId}/retry" RetryAttempt Store Create,
    GET "/delivery/statement" GetStatement Store Read,
    POST "/admin/stores/{storeId}/top-ups" TopUpStore Operator Create,
    GET "/admin/stores/{storeId}/statement" AdminStatement Operator Read,
    POST "/admin/matrices" CreateParentStore Operator Create,
    POST "/admin/keys" AdminIssueKey Operator Create,
    GET "/admin/keys" AdminListKeys Operator Read,
    DELETE "/admin/keys/{keyId}" AdminRevokeKey Operator Create,
    POST "/admin/couriers" RegisterCourier Operator Create,
    GET "/admin/couriers" ListCouriers Operator Read,
    GET "/admin/couriers/{courierId}" GetCourier Operator Read,
    PATCH "/admin/couriers/{courierId}" AlterCourier Operator Create,
    POST "/admin/couriers/{courierId}/sign-in" CreateSignInCode Operator Create,
    POST "/admin/dispatch" RunDispatch Operator Create,
    GET "/admin/dispatch" GetDispatch Operator Read,
    POST "/admin/dispatch/what-if" CompareDispatch Operator Read,
    GET "/admin/orders/{platformOrderId}/dispatch" ExplainDispatch Operator Read,
    GET "/admin/stores/{storeId}/dispatch" GetStoreDispatch Operator Read,
    PUT "/admin/stores/{storeId}/dispatch" SetStoreDispatch Operator Create,
    POST "/courier/session" StartCourierSession Public Login,
    DELETE "/courier/session" EndCourierSession Courier Create,
    GET "/courier/me" ShowCourier Courier Read,
    POST "/courier/position" ReportPosition Courier Create,
    POST "/courier/availability" SetAvailability Courier Create,
    POST "/courier/device" CreateDeviceKey Courier Create,
    DELETE "/courier/device" RemoveDeviceKey Courier Create,
    GET "/courier/push" GetPushKey Courier Read,
    POST "/courier/push" SubscribePush Courier Create,
    DELETE "/courier/push" UnsubscribePush Courier Create,
    GET "/courier/positions/osmand" OsmandQuery Device Create,
    POST "/courier/positions/osmand" Osmand Device Create,
    POST "/courier/positions/owntracks" OwnTracks Device Create,
    GET "/delivery/orders" ListOrders Store Read,
    POST "/delivery/orders/cancel" CancelOrder Store Create,
    GET "/delivery/orders/{platformOrderId}/cancellation" GetCancellation Store Read,
    GET "/delivery/orders/{platformOrderId}/route" GetRoute Store Read,
    POST "/delivery/orders/{platformOrderId}/ready" ReadyOrder Store Create,
    POST "/delivery/orders/{platformOrderId}/delay" DelayOrder Store Create,
    POST "/delivery/orders/{platformOrderId}/discard" DiscardDelivery Store Create,
    POST "/delivery/orders/{platformOrderId}/return" ReturnDelivery Store Create,
    POST "/delivery/orders/{platformOrderId}/waive" WaiveReturn Store Create,
    POST "/delivery/orders/{platformOrderId}/tracking" ChangeLink Store Create,
    GET "/delivery/stores/{storeId}/tracking" GetStoreTracking Store Read,
    PUT "/delivery/stores/{storeId}/tracking" SetStoreTracking Store Create,
    GET "/delivery/stores/{storeId}/hours" GetStoreHours Store Read,
    PUT "/delivery/stores/{storeId}/hours" SetStoreHours Store Create,
    GET "/delivery/stores/{storeId}/service-area" GetStoreArea Store Read,
    PUT "/delivery/stores/{storeId}/service-area" SetStoreArea Store Create,
    GET "/t/{token}" RecipientPage Recipient Read,
    GET "/t/{token}/events" RecipientEvents Recipient Read,
    POST "/t/{token}/choice" RecipientChoice Recipient Create,
    POST "/t/{token}/rating" RecipientRating Recipient Create,
    GET "/delivery/stores" ListStores Store Read,
    DELETE "/delivery/stores/{storeId}" RemoveStore Store Create,
    GET "/courier/order" CourierOrder Courier Read,
    GET "/courier/trip" CourierTrip Courier Read,
    POST "/courier/orders/{platformOrderId}/arrive" CourierReachPickup Courier Create,
    POST "/courier/orders/{platformOrderId}/decline" CourierDecline Courier Create,
    POST "/courier/orders/{platformOrderId}/pickup" CourierPickUp Courier Create,
    POST "/courier/orders/{platformOrderId}/en-route" CourierSetOut Courier Create,
    POST "/courier/orders/{platformOrderId}/resequence" CourierResequence Courier Create,
    POST "/courier/orders/{platformOrderId}/at-door" CourierReachDoor Courier Create,
    POST "/courier/orders/{platformOrderId}/deliver" CourierDeliver Courier Create,
    POST "/courier/orders/{platformOrderId}/fail" CourierFail Courier Create,
    POST "/courier/orders/{platformOrderId}/at-return" CourierReachReturn Courier Create,
    POST "/courier/orders/{platformOrderId}/hand-back" CourierHandBack Courier Create,
    POST "/admin/session" StartOperatorSession Public Login,
    DELETE "/admin/session" EndOperatorSession Operator Create,
    GET "/delivery/reports/days" DayReport Store Read,
    GET "/admin/reports/days" AdminDayReport Operator Read,
    GET "/admin/health" ShowHealth Operator Read,
    GET "/admin/tariffs" ListTariffs Operator Read,
    POST "/admin/tariffs" CreateTariff Operator Create,
    DELETE "/admin/tariffs/{tariffId}" RemoveTariff Operator Create,
    POST "/admin/tariffs/preview" PreviewTariff Operator Read,
    POST "/admin/tariffs/what-if" CompareTariff Operator Read,
    GET "/admin/stores" AdminListStores Operator Read,
    GET "/admin/stores/{storeId}" AdminGetStore Operator Read,
    PATCH "/admin/stores/{storeId}" AlterStore Operator Create,
    GET "/admin/orders" AdminListOrders Operator Read,
    GET "/admin/orders/{platformOrderId}" AdminGetOrder Operator Read,
    GET "/admin/orders/{platformOrderId}/route" AdminGetRoute Operator Read,
    POST "/admin/orders/{platformOrderId}/reassign" ReassignOrder Operator Create,
    POST "/admin/orders/{platformOrderId}/cancel" AdminCancelOrder Operator Create,
    POST "/admin/orders/{platformOrderId}/lost" AdminLoseDelivery Operator Create,
    POST "/admin/privacy/export" ExportRecipient Operator Create,
    POST "/admin/privacy/erase" EraseRecipient Operator Create,
    GET "/admin/privacy/erasures" ListErasures Operator Read,
    POST "/courier/orders/{platformOrderId}/photos" UploadPhoto Courier Create,
    GET "/delivery/photos/{photoId}" GetPhoto Store Read,
    GET "/courier/photos/{photoId}" CourierPhoto Courier Read,
    GET "/admin/photos/{photoId}" AdminPhoto Operator Read,
    GET "/delivery/stores/{storeId}/proofs" GetProofRules Store Read,
    PUT "/delivery/stores/{storeId}/proofs" SetProofRules Store Create,
    GET "/delivery/orders/{platformOrderId}/proof" GetProof Store Read,
    GET "/delivery/proof-key" GetProofKey Public Read,
    POST "/oauth/token" IssueToken Public Login,
    POST "/v1/logistics/availability" GetAvailability Public Preview,
    POST "/v1/logistics/delivery" RequestDelivery Connection Create,
    GET "/v1/logistics/delivery/{orderId}" GetDelivery Connection Read,
    POST "/v1/logistics/readyForPickup/{orderId}" SetReadyForPickup Connection Create,
    POST "/v1/logistics/orderPicked/{orderId}" SetOrderPicked Connection Create,
    POST "/v1/logistics/finishDelivery/{orderId}" FinishDelivery Connection Create,
    POST "/v1/logistics/handleProblem/{orderId}" HandleProblem Connection Create,
    POST "/v1/logistics/cancel/{orderId}" CancelDelivery Connection Create,
    GET "/openapi.json" OpenApi Public Read,
}

impl Endpoint {
    /// Returns the media types of its successful responses, the default first.
    pub fn media(self) -> &'static [&'static str] {
        match self {
            Endpoint::StreamEvents | Endpoint::RecipientEvents => &["text/event-stream"],
            Endpoint::RecipientPage | Endpoint::RecipientChoice | Endpoint::RecipientRating => {
                &["text/html", "application/json"]
            }
            Endpoint::GetStatement
            | Endpoint::AdminStatement
            | Endpoint::DayReport
            | Endpoint::AdminDayReport => &["text/csv", "application/json"],
            Endpoint::GetPhoto | Endpoint::CourierPhoto | Endpoint::AdminPhoto => PHOTOS,
            Endpoint::GetProof => &["application/json", "text/html"],
            Endpoint::GetProofKey => &["application/x-pem-file"],
            _ => &["application/json"],
        }
    }

    /// Returns the media types of its request body.
    pub(super) fn body_media(self) -> &'static [&'static str] {
        match self {
            Endpoint::Osmand | Endpoint::RecipientChoice | Endpoint::RecipientRating => {
                &["application/json", FORM]
            }
            Endpoint::UploadPhoto => PHOTOS,
            Endpoint::IssueToken => &[FORM],
            _ => &["application/json"],
        }
    }

    /// Returns the role that a store's endpoint requires. A clerk does the daily work with orders.
    /// A session of a clerk can also revoke its own key.
    pub fn role(self) -> Role {
        match self {
            Endpoint::CreateStore
            | Endpoint::UpdateStore
            | Endpoint::RemoveStore
            | Endpoint::IssueKey
            | Endpoint::ListKeys
            | Endpoint::RevokeKey
            | Endpoint::CreateUser
            | Endpoint::ListUsers
            | Endpoint::UpdateUser
            | Endpoint::RemoveUser
            | Endpoint::CreatePasswordLink
            | Endpoint::CreateWebhook
            | Endpoint::ListWebhooks
            | Endpoint::RemoveWebhook
            | Endpoint::RotateWebhook
            | Endpoint::EnableWebhook
            | Endpoint::TestWebhook
            | Endpoint::ListAttempts
            | Endpoint::RetryAttempt
            | Endpoint::GetStatement
            | Endpoint::DayReport
            | Endpoint::ListAudit
            | Endpoint::SetStoreTracking
            | Endpoint::SetStoreHours
            | Endpoint::SetStoreArea
            | Endpoint::SetProofRules => Role::Owner,
            _ => Role::Clerk,
        }
    }

    /// Whether a request can take more than about a millisecond of processor time, whatever its
    /// body: lists, reports, files, pages with photos, plans for whole orders and passes over many
    /// rows.
    pub(super) fn is_heavy(self) -> bool {
        matches!(
            self,
            Endpoint::ListOrders
                | Endpoint::AdminListOrders
                | Endpoint::GetStatement
                | Endpoint::AdminStatement
                | Endpoint::DayReport
                | Endpoint::AdminDayReport
                | Endpoint::GetProof
                | Endpoint::UploadPhoto
                | Endpoint::ListEvents
                | Endpoint::ListNotifications
                | Endpoint::ListAttempts
                | Endpoint::ListAudit
                | Endpoint::AdminListAudit
                | Endpoint::ListStores
                | Endpoint::AdminListStores
                | Endpoint::ListUsers
                | Endpoint::AdminListUsers
                | Endpoint::ListKeys
                | Endpoint::AdminListKeys
                | Endpoint::ListCouriers
                | Endpoint::GetRoute
                | Endpoint::AdminGetRoute
                | Endpoint::GetCoverage
                | Endpoint::SetStoreArea
                | Endpoint::RemoveStore
                | Endpoint::RunDispatch
                | Endpoint::GetDispatch
                | Endpoint::CompareDispatch
                | Endpoint::ExplainDispatch
                | Endpoint::PreviewTariff
                | Endpoint::CompareTariff
                | Endpoint::AlterStore
                | Endpoint::ShowHealth
                | Endpoint::ExportRecipient
                | Endpoint::EraseRecipient
                | Endpoint::ListErasures
        )
    }

    /// Returns the maximum size of its request body in bytes.
    pub(super) fn max_body(self, limits: &Limits) -> usize {
        match self {
            Endpoint::UploadPhoto => limits.photo_bytes,
            _ => limits.body_bytes,
        }
    }

    /// Whether a `POST` with an `Idempotency-Key` stores its response. Exported personal data, the
    /// phone in an erasure request, or anything derived from a new password must not be stored.
    pub fn stores_response(self) -> bool {
        !matches!(
            self,
            Endpoint::ExportRecipient
                | Endpoint::EraseRecipient
                | Endpoint::ChangePassword
                | Endpoint::ConfirmSession
        )
    }

    /// Whether its `POST`, `PUT` or `PATCH` reads the body.
    pub fn reads_body(self) -> bool {
        !matches!(
            self,
            Endpoint::ReadNotification
                | Endpoint::ReadyOrder
                | Endpoint::SetReadyForPickup
                | Endpoint::SetOrderPicked
                | Endpoint::WaiveReturn
                | Endpoint::CreateDeviceKey
                | Endpoint::CreateSignInCode
                | Endpoint::RunDispatch
                | Endpoint::EnableWebhook
                | Endpoint::TestWebhook
                | Endpoint::RetryAttempt
        )
    }

    /// Whether its body can contain a password.
    pub(super) fn reads_password(self) -> bool {
        matches!(
            self,
            Endpoint::CreateSession
                | Endpoint::CreateStore
                | Endpoint::CreateParentStore
                | Endpoint::IssueKey
                | Endpoint::CreateUser
                | Endpoint::CreatePasswordLink
                | Endpoint::CreateWebhook
                | Endpoint::RotateWebhook
        )
    }
}

#[cfg(feature = "openapi")]
impl Route {
    /// Whether a request can send an `Idempotency-Key`. Requests of public endpoints, devices and
    /// recipients are never replayed.
    pub(super) fn takes_idempotency_key(&self) -> bool {
        let unkeyed = [
            Authority::Public,
            Authority::Device,
            Authority::Recipient,
            Authority::Connection,
        ];
        let is_replayed = !unkeyed.contains(&self.authority);
        self.method == http::Method::POST && is_replayed && self.endpoint.stores_response()
    }
}

/// Looks up a method and a path. `HEAD` matches `GET`. If two paths match, the one without a
/// placeholder wins.
pub fn find<'a>(method: &Method, path: &'a str) -> Match<'a> {
    let wanted = if method == Method::HEAD {
        &Method::GET
    } else {
        method
    };
    let fixed = ROUTES
        .iter()
        .filter(|route| route.path == path)
        .map(|route| (route, ""));
    let variable = ROUTES
        .iter()
        .filter_map(|route| Some((route, captured(route.path, path)?)));
    let mut first = None;
    for (route, id) in fixed.chain(variable) {
        if *first.get_or_insert(route.path) != route.path {
            break;
        }
        if route.method == *wanted {
            return Match::Found(route, id);
        }
    }
    first.map_or(Match::NotFound, |path| Match::OtherMethods(allowed(path)))
}

/// Returns the part of a path that matches the template's placeholder, or an empty string without a
/// placeholder; `None` if the path does not match.
fn captured<'a>(template: &str, path: &'a str) -> Option<&'a str> {
    let (before, rest) = template.split_once('{')?;
    let (_, after) = rest.split_once('}')?;
    let id = path.strip_prefix(before)?.strip_suffix(after)?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}

/// Returns the methods that a path accepts, for the `Allow` header.
fn allowed(template: &str) -> String {
    let takes = |method: &Method| {
        ROUTES
            .iter()
            .any(|route| route.path == template && route.method == *method)
    };
    let methods = [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
    ]
    .into_iter()
    .filter(takes);
    let names = methods.map(|method| {
        if method == Method::GET {
            "GET, HEAD".to_owned()
        } else {
            method.to_string()
        }
    });
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(method: Method, path: &str) -> Option<(Endpoint, &str)> {
        match find(&method, path) {
            Match::Found(route, id) => Some((route.endpoint, id)),
            _ => None,
        }
    }

    #[test]
    fn path_lookup_returns_endpoint_and_id() {
        assert_eq!(
            endpoint(Method::POST, "/delivery/orders"),
            Some((Endpoint::CreateOrder, ""))
        );
        assert_eq!(
            endpoint(Method::POST, PREVIEW),
            Some((Endpoint::PreviewOrder, ""))
        );
        assert_eq!(
            endpoint(Method::GET, "/delivery/orders/12"),
            Some((Endpoint::GetOrder, "12"))
        );
        assert_eq!(
            endpoint(Method::HEAD, "/delivery/orders/12"),
            Some((Endpoint::GetOrder, "12"))
        );
        assert_eq!(
            endpoint(Method::POST, "/delivery/notifications/3/read"),
            Some((Endpoint::ReadNotification, "3"))
        );
        for unknown in [
            "/",
            "/delivery/orders/",
            "/delivery/orders/1/2",
            "/delivery/notifications//read",
            "/Delivery/orders",
        ] {
            assert!(
                matches!(find(&Method::GET, unknown), Match::NotFound),
                "{unknown}"
            );
        }
    }

    #[test]
    fn allow_header_lists_every_method_of_a_path() {
        for route in ROUTES {
            let Match::OtherMethods(allow) =
                find(&Method::TRACE, &route.path.replace(['{', '}'], ""))
            else {
                panic!("{} accepts TRACE", route.template);
            };
            let methods: Vec<_> = ROUTES
                .iter()
                .filter(|other| other.path == route.path)
                .collect();
            assert!(
                methods
                    .iter()
                    .all(|other| allow.contains(other.method.as_str())),
                "{}",
                route.template
            );
            let named = allow.split(", ").filter(|method| *method != "HEAD").count();
            assert_eq!(named, methods.len(), "{}", route.template);
        }
        assert!(
            matches!(find(&Method::GET, "/delivery/orders/preview"), Match::OtherMethods(allow) if allow == "POST")
        );
    }
}
