//! The descriptions of all endpoints. The match is exhaustive: every endpoint has a description.

use super::{
    accounts::account, coverage::coverage, devices, dispatch, fleet, life,
    open_delivery::open_delivery, operation::Operation, outward::outward, privacy::privacy,
    proofs::proofs, push::push, sign_in, tariffs, tracking,
};
use crate::{
    api::{
        lasting::Lasting,
        problem::ProblemCode,
        routes::{Authority, Endpoint, Route},
    },
    model::store::Role,
};

/// Tags and their descriptions.
pub(super) const TAGS: [(&str, &str); 15] = [
    (
        "Orders",
        "Preview, create, follow and cancel delivery orders.",
    ),
    ("Stores", "A parent store and its branches."),
    (
        "Sessions",
        "Login with email and password, for people who use the panel.",
    ),
    (
        "Users",
        "People who log in to a store, besides the store's own login.",
    ),
    (
        "Audit",
        "Who changed what, apart from orders, which have their own history.",
    ),
    ("Keys", "Issue, list and revoke API keys."),
    ("Events", "The event journal, as pages and as a stream."),
    ("Webhooks", "Events sent to the store's own server."),
    ("Money", "Fees, refunds and top-ups."),
    (
        "Notifications",
        "Messages to a store about failed, expired or returned orders and stopped webhooks.",
    ),
    (
        "Couriers",
        "Position, availability and order steps for a courier's app, with the courier's key or a session; positions from other apps, with a device key.",
    ),
    (
        "Recipients",
        "The page of a delivery for its recipient, and the store's settings for it.",
    ),
    (
        "Open Delivery",
        "The logistics API of Open Delivery 1.7.1, for merchants' systems that implement it.",
    ),
    (
        "Operator",
        "Administration of the service, with the operator's token.",
    ),
    (
        "Deployment",
        "Health, metrics and documentation of the running service, without a key.",
    ),
];

const PLACES: [ProblemCode; 3] = [
    ProblemCode::AddressNotFound,
    ProblemCode::AddressImprecise,
    ProblemCode::CoordinatesMismatch,
];

const PREVIEW: [ProblemCode; 10] = [
    ProblemCode::StoreNotAllowed,
    PLACES[0],
    PLACES[1],
    PLACES[2],
    ProblemCode::OutOfArea,
    ProblemCode::StoreClosed,
    ProblemCode::WindowUnreachable,
    ProblemCode::FeeAboveMaximum,
    ProblemCode::DistanceExceeded,
    ProblemCode::TooManyDeliveries,
];

const CREATION: [ProblemCode; 14] = [
    ProblemCode::StoreNotAllowed,
    ProblemCode::InsufficientBalance,
    ProblemCode::OrderCodeConflict,
    ProblemCode::QuoteExpired,
    ProblemCode::QuoteMismatch,
    PLACES[0],
    PLACES[1],
    PLACES[2],
    ProblemCode::OutOfArea,
    ProblemCode::StoreClosed,
    ProblemCode::WindowUnreachable,
    ProblemCode::FeeAboveMaximum,
    ProblemCode::DistanceExceeded,
    ProblemCode::TooManyDeliveries,
];

/// Returns every problem code that an endpoint can return, in the order of the documentation.
pub(super) fn codes(route: &Route, operation: &Operation) -> Vec<ProblemCode> {
    let mut codes = vec![
        ProblemCode::NotAcceptable,
        ProblemCode::InternalError,
        ProblemCode::Unavailable,
        ProblemCode::UpstreamTimeout,
    ];
    match route.authority {
        Authority::Store | Authority::Connection => codes.extend([
            ProblemCode::ApiKeyMissing,
            ProblemCode::ApiKeyInvalid,
            ProblemCode::ApiKeyExpired,
            ProblemCode::ApiKeyRevoked,
            ProblemCode::StoreDisabled,
            ProblemCode::RateLimited,
        ]),
        Authority::Courier => {
            codes.extend([
                ProblemCode::ApiKeyMissing,
                ProblemCode::ApiKeyInvalid,
                ProblemCode::ApiKeyExpired,
                ProblemCode::RateLimited,
            ]);
        }
        Authority::Device | Authority::Operator => codes.extend([
            ProblemCode::ApiKeyMissing,
            ProblemCode::ApiKeyInvalid,
            ProblemCode::RateLimited,
        ]),
        Authority::Recipient => {
            codes.extend([ProblemCode::TrackingNotFound, ProblemCode::RateLimited])
        }
        Authority::Public => {}
    }
    if route.authority == Authority::Store && route.endpoint.role() == Role::Owner {
        codes.push(ProblemCode::RoleNotAllowed);
    }
    if matches!(
        route.endpoint.lasting(),
        Lasting::Access | Lasting::SomeAccess
    ) {
        codes.push(ProblemCode::PasswordRequired);
    }
    if operation.request.is_some() {
        let body = [
            ProblemCode::MalformedRequest,
            ProblemCode::BodyTooLarge,
            ProblemCode::UnsupportedMediaType,
            ProblemCode::ValidationFailed,
        ];
        codes.extend(body);
    }
    if route.method == http::Method::POST {
        codes.extend([ProblemCode::MalformedRequest, ProblemCode::BodyTooLarge]);
    }
    if route.takes_idempotency_key() {
        codes.extend([
            ProblemCode::RequestInProgress,
            ProblemCode::IdempotencyKeyReused,
        ]);
        if matches!(route.authority, Authority::Store | Authority::Courier) {
            codes.push(ProblemCode::IdempotencyLimit);
        }
    }
    codes.extend(operation.codes);
    ProblemCode::ALL
        .iter()
        .copied()
        .filter(|code| codes.contains(code))
        .collect()
}

/// Returns the description of an endpoint.
pub(super) fn operation(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::CreateOrder
        | Endpoint::PreviewOrder
        | Endpoint::PreviewContext
        | Endpoint::GetOrder => order(endpoint),
        Endpoint::GetStoreHours
        | Endpoint::SetStoreHours
        | Endpoint::GetStoreArea
        | Endpoint::SetStoreArea
        | Endpoint::LocateAddress
        | Endpoint::GetCoverage => coverage(endpoint),
        Endpoint::CreateStore
        | Endpoint::UpdateStore
        | Endpoint::GetStore
        | Endpoint::CreateSession => store(endpoint),
        Endpoint::ListSessions
        | Endpoint::ConfirmSession
        | Endpoint::EndSession
        | Endpoint::ChangePassword
        | Endpoint::ResetPassword
        | Endpoint::CreateUser
        | Endpoint::ListUsers
        | Endpoint::UpdateUser
        | Endpoint::RemoveUser
        | Endpoint::CreatePasswordLink
        | Endpoint::AdminPasswordLink
        | Endpoint::AdminListUsers
        | Endpoint::ListAudit
        | Endpoint::AdminListAudit => account(endpoint),
        Endpoint::IssueKey | Endpoint::ListKeys | Endpoint::RevokeKey => key(endpoint),
        Endpoint::ListNotifications | Endpoint::ReadNotification => notification(endpoint),
        Endpoint::RegisterCourier
        | Endpoint::ListCouriers
        | Endpoint::GetCourier
        | Endpoint::AlterCourier => fleet::operator(endpoint),
        Endpoint::RunDispatch
        | Endpoint::GetDispatch
        | Endpoint::CompareDispatch
        | Endpoint::ExplainDispatch
        | Endpoint::GetStoreDispatch
        | Endpoint::SetStoreDispatch => dispatch::operator(endpoint),
        Endpoint::CourierTrip => dispatch::trip(),
        Endpoint::ShowCourier | Endpoint::ReportPosition | Endpoint::SetAvailability => {
            fleet::courier(endpoint)
        }
        Endpoint::CreateSignInCode
        | Endpoint::StartCourierSession
        | Endpoint::EndCourierSession
        | Endpoint::StartOperatorSession
        | Endpoint::EndOperatorSession => sign_in::sign_in(endpoint),
        Endpoint::CreateDeviceKey
        | Endpoint::RemoveDeviceKey
        | Endpoint::OsmandQuery
        | Endpoint::Osmand
        | Endpoint::OwnTracks => devices::device(endpoint),
        Endpoint::GetPushKey | Endpoint::SubscribePush | Endpoint::UnsubscribePush => {
            push(endpoint)
        }
        Endpoint::CancelOrder
        | Endpoint::GetCancellation
        | Endpoint::ReadyOrder
        | Endpoint::DelayOrder
        | Endpoint::DiscardDelivery
        | Endpoint::ReturnDelivery
        | Endpoint::WaiveReturn => life::merchant(endpoint),
        Endpoint::ListOrders
        | Endpoint::AdminListOrders
        | Endpoint::AdminGetOrder
        | Endpoint::ListStores
        | Endpoint::RemoveStore => life::lists(endpoint),
        Endpoint::GetRoute | Endpoint::AdminGetRoute => life::routes(endpoint),
        Endpoint::AdminListStores | Endpoint::AdminGetStore | Endpoint::AlterStore => {
            life::stores(endpoint)
        }
        Endpoint::ListTariffs
        | Endpoint::CreateTariff
        | Endpoint::RemoveTariff
        | Endpoint::PreviewTariff
        | Endpoint::CompareTariff => tariffs::tariff(endpoint),
        Endpoint::ReassignOrder | Endpoint::AdminCancelOrder | Endpoint::AdminLoseDelivery => {
            life::operator(endpoint)
        }
        Endpoint::CourierOrder
        | Endpoint::CourierReachPickup
        | Endpoint::CourierDecline
        | Endpoint::CourierPickUp
        | Endpoint::CourierSetOut
        | Endpoint::CourierResequence
        | Endpoint::CourierReachDoor
        | Endpoint::CourierDeliver
        | Endpoint::CourierFail
        | Endpoint::CourierReachReturn
        | Endpoint::CourierHandBack => life::courier(endpoint),
        Endpoint::ListEvents
        | Endpoint::StreamEvents
        | Endpoint::CreateWebhook
        | Endpoint::ListWebhooks
        | Endpoint::RemoveWebhook
        | Endpoint::RotateWebhook
        | Endpoint::EnableWebhook
        | Endpoint::TestWebhook
        | Endpoint::ListAttempts
        | Endpoint::RetryAttempt
        | Endpoint::GetStatement
        | Endpoint::AdminStatement
        | Endpoint::DayReport
        | Endpoint::AdminDayReport
        | Endpoint::ShowHealth
        | Endpoint::TopUpStore => outward(endpoint),
        Endpoint::GetStoreTracking | Endpoint::SetStoreTracking | Endpoint::ChangeLink => {
            tracking::merchant(endpoint)
        }
        Endpoint::RecipientPage
        | Endpoint::RecipientEvents
        | Endpoint::RecipientChoice
        | Endpoint::RecipientRating => tracking::recipient(endpoint),
        Endpoint::ExportRecipient | Endpoint::EraseRecipient | Endpoint::ListErasures => {
            privacy(endpoint)
        }
        Endpoint::IssueToken
        | Endpoint::GetAvailability
        | Endpoint::RequestDelivery
        | Endpoint::GetDelivery
        | Endpoint::SetReadyForPickup
        | Endpoint::SetOrderPicked
        | Endpoint::FinishDelivery
        | Endpoint::HandleProblem
        | Endpoint::CancelDelivery => open_delivery(endpoint),
        Endpoint::CreateParentStore
        | Endpoint::AdminIssueKey
        | Endpoint::AdminListKeys
        | Endpoint::AdminRevokeKey
        | Endpoint::OpenApi => operator(endpoint),
        Endpoint::UploadPhoto
        | Endpoint::GetPhoto
        | Endpoint::CourierPhoto
        | Endpoint::AdminPhoto => proofs(endpoint),
        Endpoint::GetProofRules
        | Endpoint::SetProofRules
        | Endpoint::GetProof
        | Endpoint::GetProofKey => proofs(endpoint),
    }
}

fn order(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::CreateOrder => Operation {
            tag: "Orders",
            id: "createOrder",
            summary: "Create an order",
            description: "Creates an order with one pickup and 1 to 50 deliveries, and debits the fee. The search for a courier \
                starts when `preparationTime` has passed, or the store's lead time before that. The response lists the deliveries in route order: the order sent, or \
                the shortest route with `sortByBestRoute`.\n\n`code` makes creation safe to repeat: the same code with the \
                same content returns 200 with the existing order; with other content it returns 409 with the existing order's ID \
                in `orderId`. The code of a cancelled, expired or failed order can be used again. To lock in a price, send the \
                preview's `quote.id` as `quoteId`.\n\nThe store also gets a notification if a creation fails with a 4xx status, \
                except after `rate_limited` and `request_in_progress`.",
            request: Some("CreateOrder"),
            documented: &[
                (201, Some("Order"), "The order was created."),
                (
                    200,
                    Some("Order"),
                    "The order already exists: the same code was sent before with the same content. Nothing was created.",
                ),
            ],
            parameters: &[],
            codes: &CREATION,
        },
        Endpoint::PreviewContext => Operation {
            tag: "Orders",
            id: "previewContext",
            summary: "Get the context for previews in a page",
            description: "Returns the tariff, the store's location, hours and service area, and the limits. With them the browser package calculates previews \
                in the page, with the same result as the service except `quote`, which only the service can sign. The context can \
                be saved and used offline; request a new one at `validUntil`, or if the tariff or the store may have changed. Its only confidential part is the \
                tariff.",
            request: None,
            documented: &[(200, Some("PreviewContext"), "The context.")],
            parameters: &["storeIdOfContext"],
            codes: &[ProblemCode::StoreNotFound],
        },
        Endpoint::PreviewOrder => Operation {
            tag: "Orders",
            id: "previewOrder",
            summary: "Calculate route, fee and times",
            description: "Calculates the order's cost and creates nothing. Addresses only have to be located. An order that a preview \
                accepts can be created with the additional fields that creation requires. To lock in the fee for 15 minutes, send \
                `quote.id` as `quoteId` when you create the order. `orderRoute` in the response is the position in the route; its \
                value in the request is ignored.",
            request: Some("PreviewOrder"),
            documented: &[(200, Some("Preview"), "The calculation.")],
            parameters: &[],
            codes: &PREVIEW,
        },
        _ => Operation {
            tag: "Orders",
            id: "getOrder",
            summary: "Get an order",
            description: "Returns the order with its courier and its history, oldest event first. A store has access to its own orders, \
                and a parent store also to those of its branches; any other order returns 404.",
            request: None,
            documented: &[(200, Some("OrderDetails"), "The order.")],
            parameters: &["platformOrderId"],
            codes: &[ProblemCode::OrderNotFound],
        },
    }
}

fn store(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::CreateStore => Operation {
            tag: "Stores",
            id: "createStore",
            summary: "Create a branch",
            description: "Creates a branch of the calling parent store. The response is the branch's first key. `value` is returned only \
                once; store it. CNPJ and email must be unique among all stores.",
            request: Some("CreateStore"),
            documented: &[(
                201,
                Some("IssuedKey"),
                "The branch was created. The response is its key.",
            )],
            parameters: &[],
            codes: &[
                ProblemCode::MatrixRequired,
                ProblemCode::CnpjTaken,
                ProblemCode::EmailTaken,
                ProblemCode::StoreConflict,
                ProblemCode::TooManyBranches,
                PLACES[0],
                PLACES[1],
                PLACES[2],
            ],
        },
        Endpoint::UpdateStore => Operation {
            tag: "Stores",
            id: "updateStore",
            summary: "Update your store",
            description: "Replaces `name`, `responsible`, `email` and `address` of the calling store. All four are required. A panel session \
                must confirm a new email, which is a login: with `currentPassword`, or by `POST /delivery/sessions/confirmation` up to five \
                minutes before.",
            request: Some("UpdateStore"),
            documented: &[(200, Some("Store"), "The updated store.")],
            parameters: &[],
            codes: &[
                ProblemCode::StoreNotFound,
                ProblemCode::EmailTaken,
                ProblemCode::StoreConflict,
                PLACES[0],
                PLACES[1],
                PLACES[2],
            ],
        },
        Endpoint::GetStore => Operation {
            tag: "Stores",
            id: "getStore",
            summary: "Get a store",
            description: "A store has access to itself, and a parent store also to its branches; any other store returns 404.",
            request: None,
            documented: &[(200, Some("Store"), "The store.")],
            parameters: &["storeId"],
            codes: &[ProblemCode::StoreNotFound],
        },
        _ => Operation {
            tag: "Sessions",
            id: "createSession",
            summary: "Log in",
            description: "Returns a key that expires after some hours, in exchange for the email and password of a store or of a user. Each email has 10 \
                attempts in 15 minutes, successful or not; then the response is 429. An IP address from which the login succeeded before has \
                10 attempts of its own. A login is never replayed: an \
                `Idempotency-Key` has no effect.",
            request: Some("CreateSession"),
            documented: &[(
                201,
                Some("IssuedKey"),
                "Logged in. `value` is the key of this session.",
            )],
            parameters: &[],
            codes: &[ProblemCode::CredentialsInvalid, ProblemCode::RateLimited],
        },
    }
}

fn key(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::IssueKey => Operation {
            tag: "Keys",
            id: "issueKey",
            summary: "Issue a key",
            description: "Issues a key for the calling store or, with `storeId`, for one of its branches. `value` is returned only once. \
                Send `{}` for the defaults: the calling store, one year. A panel session must confirm the request, because the key \
                outlives the session: with the password of its login as `currentPassword`, or by `POST /delivery/sessions/confirmation` up \
                to five minutes before; attempts count as logins.",
            request: Some("IssueKey"),
            documented: &[(201, Some("IssuedKey"), "The new key.")],
            parameters: &[],
            codes: &[ProblemCode::StoreNotFound, ProblemCode::TooManyKeys],
        },
        Endpoint::ListKeys => Operation {
            tag: "Keys",
            id: "listKeys",
            summary: "List keys",
            description: "Returns the keys of the calling store or, with `storeId`, of one of its branches, including revoked and \
                expired ones. The values of keys are not stored.",
            request: None,
            documented: &[(200, Some("KeyList"), "The keys.")],
            parameters: &["storeIdOfKeys"],
            codes: &[ProblemCode::StoreNotFound],
        },
        _ => Operation {
            tag: "Keys",
            id: "revokeKey",
            summary: "Revoke a key",
            description: "Requests with a revoked key return `api_key_revoked`. A key can revoke itself. Revoking a key again has no \
                effect.",
            request: None,
            documented: &[(204, None, "The key is revoked.")],
            parameters: &["keyId"],
            codes: &[ProblemCode::KeyNotFound],
        },
    }
}

fn notification(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ListNotifications => Operation {
            tag: "Notifications",
            id: "listNotifications",
            summary: "List notifications",
            description: "Returns the calling store's notifications, newest first. For the next page, send `nextCursor` as `cursor`, \
                until it is null.",
            request: None,
            documented: &[(200, Some("NotificationList"), "A page of notifications.")],
            parameters: &["cursor", "limit"],
            codes: &[ProblemCode::ValidationFailed],
        },
        _ => Operation {
            tag: "Notifications",
            id: "readNotification",
            summary: "Mark a notification as read",
            description: "Has no request body. Marking a notification again has no effect.",
            request: None,
            documented: &[(
                200,
                Some("Notification"),
                "The notification, marked as read.",
            )],
            parameters: &["notificationId"],
            codes: &[ProblemCode::NotificationNotFound],
        },
    }
}

fn operator(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::CreateParentStore => Operation {
            tag: "Operator",
            id: "createMatrix",
            summary: "Create a parent store",
            description: "Creates the first store of a merchant. With `prepaidFloor` the store is prepaid: an order that would take its \
                balance below the floor returns `insufficient_balance`.",
            request: Some("CreateParentStore"),
            documented: &[(
                201,
                Some("IssuedKey"),
                "The parent store was created. The response is its key.",
            )],
            parameters: &[],
            codes: &[
                ProblemCode::CnpjTaken,
                ProblemCode::EmailTaken,
                PLACES[0],
                PLACES[1],
                PLACES[2],
            ],
        },
        Endpoint::AdminIssueKey => Operation {
            tag: "Operator",
            id: "adminIssueKey",
            summary: "Issue a key for any store",
            description: "Issues a key, for example for a store that has lost its keys. `value` is returned only once.",
            request: Some("AdminIssueKey"),
            documented: &[(201, Some("IssuedKey"), "The new key.")],
            parameters: &[],
            codes: &[ProblemCode::StoreNotFound, ProblemCode::TooManyKeys],
        },
        Endpoint::AdminListKeys => Operation {
            tag: "Operator",
            id: "adminListKeys",
            summary: "List the keys of any store",
            description: "Returns all keys of the store, including revoked and expired ones.",
            request: None,
            documented: &[(200, Some("KeyList"), "The keys.")],
            parameters: &["storeIdOfAnyKeys"],
            codes: &[ProblemCode::StoreNotFound],
        },
        Endpoint::AdminRevokeKey => Operation {
            tag: "Operator",
            id: "adminRevokeKey",
            summary: "Revoke any key",
            description: "Revoking a key again has no effect.",
            request: None,
            documented: &[(204, None, "The key is revoked.")],
            parameters: &["keyId"],
            codes: &[ProblemCode::KeyNotFound],
        },
        _ => Operation {
            tag: "Deployment",
            id: "getOpenApi",
            summary: "Get this document",
            description: "Returns the OpenAPI document of this API.",
            request: None,
            documented: &[(200, Some("Document"), "The document.")],
            parameters: &[],
            codes: &[],
        },
    }
}
