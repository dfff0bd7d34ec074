//! What the page says about each endpoint. The match is complete, so no endpoint goes without its entry.

use super::{fleet, life, operation::Operation, outward::outward, privacy::privacy};
use crate::api::{
    problem::ProblemCode,
    routes::{Authority, Endpoint, Route},
};

/// Tags with what they gather.
pub(super) const TAGS: [(&str, &str); 11] = [
    ("Orders", "Preview, create, follow and cancel delivery orders."),
    ("Stores", "A matrix and its branches."),
    ("Sessions", "Logging in with email and password, for people at a panel."),
    ("Keys", "Issue, list and revoke API keys."),
    ("Events", "The journal of what happened, in pages and as a stream."),
    ("Webhooks", "Events sent to a receiver of the store's own."),
    ("Money", "What was debited, refunded and booked in."),
    ("Notifications", "What a store is told beside its answers."),
    ("Couriers", "What a courier's app says and asks, and its steps with an order, by the courier's key."),
    ("Operator", "What whoever runs the service does, with the operator's token."),
    ("Deployment", "Health, metrics and documentation of the running service. They need no key."),
];

const PLACES: [ProblemCode; 3] =
    [ProblemCode::AddressNotFound, ProblemCode::AddressImprecise, ProblemCode::CoordinatesMismatch];

const PREVIEW: [ProblemCode; 7] = [
    ProblemCode::StoreNotAllowed,
    PLACES[0],
    PLACES[1],
    PLACES[2],
    ProblemCode::OutOfArea,
    ProblemCode::DistanceExceeded,
    ProblemCode::TooManyDeliveries,
];

const CREATION: [ProblemCode; 11] = [
    ProblemCode::StoreNotAllowed,
    ProblemCode::InsufficientBalance,
    ProblemCode::OrderCodeConflict,
    ProblemCode::QuoteExpired,
    ProblemCode::QuoteMismatch,
    PLACES[0],
    PLACES[1],
    PLACES[2],
    ProblemCode::OutOfArea,
    ProblemCode::DistanceExceeded,
    ProblemCode::TooManyDeliveries,
];

/// Every problem that an endpoint can answer with, in the order of the documentation.
pub(super) fn codes(route: &Route, operation: &Operation) -> Vec<ProblemCode> {
    let mut codes = vec![
        ProblemCode::NotAcceptable,
        ProblemCode::InternalError,
        ProblemCode::Unavailable,
        ProblemCode::UpstreamTimeout,
    ];
    match route.authority {
        Authority::Store => codes.extend([
            ProblemCode::ApiKeyMissing,
            ProblemCode::ApiKeyInvalid,
            ProblemCode::ApiKeyExpired,
            ProblemCode::ApiKeyRevoked,
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
        Authority::Operator => {
            codes.extend([ProblemCode::ApiKeyMissing, ProblemCode::ApiKeyInvalid, ProblemCode::RateLimited])
        }
        Authority::Public => {}
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
        codes.extend([ProblemCode::RequestInProgress, ProblemCode::IdempotencyKeyReused]);
        if matches!(route.authority, Authority::Store | Authority::Courier) {
            codes.push(ProblemCode::IdempotencyLimit);
        }
    }
    codes.extend(operation.codes);
    ProblemCode::ALL.iter().copied().filter(|code| codes.contains(code)).collect()
}

/// What is said about an endpoint.
pub(super) fn operation(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::CreateOrder | Endpoint::PreviewOrder | Endpoint::PreviewContext | Endpoint::GetOrder => {
            order(endpoint)
        }
        Endpoint::CreateStore | Endpoint::UpdateStore | Endpoint::GetStore | Endpoint::CreateSession => store(endpoint),
        Endpoint::IssueKey | Endpoint::ListKeys | Endpoint::RevokeKey => key(endpoint),
        Endpoint::ListNotifications | Endpoint::ReadNotification => notification(endpoint),
        Endpoint::RegisterCourier
        | Endpoint::ListCouriers
        | Endpoint::GetCourier
        | Endpoint::AlterCourier
        | Endpoint::RunDispatch => fleet::operator(endpoint),
        Endpoint::ShowCourier | Endpoint::ReportPosition | Endpoint::SetAvailability => fleet::courier(endpoint),
        Endpoint::CancelOrder
        | Endpoint::GetCancellation
        | Endpoint::ReadyOrder
        | Endpoint::DelayOrder
        | Endpoint::DiscardDelivery
        | Endpoint::ReturnDelivery
        | Endpoint::WaiveReturn => life::merchant(endpoint),
        Endpoint::ListOrders | Endpoint::ListStores | Endpoint::RemoveStore => life::lists(endpoint),
        Endpoint::AdminCancelOrder | Endpoint::AdminLoseDelivery => life::operator(endpoint),
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
        | Endpoint::TopUpStore => outward(endpoint),
        Endpoint::ExportRecipient | Endpoint::EraseRecipient | Endpoint::ListErasures => privacy(endpoint),
        Endpoint::CreateParentStore
        | Endpoint::AdminIssueKey
        | Endpoint::AdminListKeys
        | Endpoint::AdminRevokeKey
        | Endpoint::OpenApi => operator(endpoint),
    }
}

fn order(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::CreateOrder => Operation {
            tag: "Orders",
            id: "createOrder",
            summary: "Create an order",
            description: "Collects at one place and delivers to 1 to 50 addresses. The fee is debited and a courier is \
                looked for once `preparationTime` is over. The deliveries come back in route order: the order sent, or \
                the shortest one with `sortByBestRoute`.\n\n`code` makes creation safe to repeat: the same code with \
                the same content answers 200 with the order that exists, with other content 409 and its number in \
                `orderId`. A cancelled, expired or failed order's code is free again. With `quoteId` the fee of a \
                preview holds.\n\nA creation that fails by what was sent also becomes a notification of the store.",
            request: Some("CreateOrder"),
            documented: &[
                (201, Some("Order"), "The order was created."),
                (
                    200,
                    Some("Order"),
                    "The order exists: the same code was sent before with the same content. Nothing was created.",
                ),
            ],
            parameters: &[],
            codes: &CREATION,
        },
        Endpoint::PreviewContext => Operation {
            tag: "Orders",
            id: "previewContext",
            summary: "What a page needs to preview alone",
            description: "Tariff, store location and limits: with it the browser package calculates previews in the page, \
                with the same answer as the service but for `quote`, which only the service can sign. It may be \
                saved and used without a network; ask for a new one where the tariff may have changed. It holds nothing \
                secret beside the tariff.",
            request: None,
            documented: &[(200, Some("PreviewContext"), "The context.")],
            parameters: &["storeIdOfContext"],
            codes: &[ProblemCode::StoreNotFound],
        },
        Endpoint::PreviewOrder => Operation {
            tag: "Orders",
            id: "previewOrder",
            summary: "Calculate route, fee and times",
            description: "Calculates what the order would cost and creates nothing. It is enough that an address can \
                be located. What a preview accepts, creation accepts, given the fields that only creation needs. \
                `quote.id`, sent back as `quoteId`, keeps the fee for 15 minutes. `orderRoute` in the answer is the \
                place in the route; what is sent there is ignored.",
            request: Some("PreviewOrder"),
            documented: &[(200, Some("Preview"), "The calculation.")],
            parameters: &[],
            codes: &PREVIEW,
        },
        _ => Operation {
            tag: "Orders",
            id: "getOrder",
            summary: "Look an order up",
            description: "The order with its courier and its history, oldest event first. A store sees its own orders, a \
                matrix those of its branches too; any other order is 404.",
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
            description: "Only a matrix may. The answer is the branch's first key; `value` is told this once, so keep it. \
                CNPJ and email are unique among all stores.",
            request: Some("CreateStore"),
            documented: &[(201, Some("IssuedKey"), "The branch was created; this is its key.")],
            parameters: &[],
            codes: &[
                ProblemCode::MatrixRequired,
                ProblemCode::PasswordRequired,
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
            summary: "Change the own store",
            description: "Replaces name, responsible, email and address of the calling store. All four are required.",
            request: Some("UpdateStore"),
            documented: &[(200, Some("Store"), "The store as it is now.")],
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
            summary: "Look a store up",
            description: "A store sees itself, a matrix its branches too; any other store is 404.",
            request: None,
            documented: &[(200, Some("Store"), "The store.")],
            parameters: &["storeId"],
            codes: &[ProblemCode::StoreNotFound],
        },
        _ => Operation {
            tag: "Sessions",
            id: "createSession",
            summary: "Log in",
            description: "Trades a store's email and password for a key that ends after some hours. Ten attempts in 15 \
                minutes for one email, successful or not; then 429. A login is never replayed: it takes an Idempotency-Key and \
                does not use it.",
            request: Some("CreateSession"),
            documented: &[(201, Some("IssuedKey"), "Logged in; `value` is the key of this session.")],
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
            description: "For the calling store or, with `storeId`, for one of its branches. `value` is told this once. Send \
                `{}` for the defaults: the calling store, one year. A panel session must send the store's password as \
                `currentPassword`, since the key outlives it; attempts count as logins.",
            request: Some("IssueKey"),
            documented: &[(201, Some("IssuedKey"), "The new key.")],
            parameters: &[],
            codes: &[ProblemCode::PasswordRequired, ProblemCode::StoreNotFound, ProblemCode::TooManyKeys],
        },
        Endpoint::ListKeys => Operation {
            tag: "Keys",
            id: "listKeys",
            summary: "List keys",
            description: "The keys of the calling store or, with `storeId`, of one of its branches, revoked and expired \
                ones too. Their texts are not kept.",
            request: None,
            documented: &[(200, Some("KeyList"), "The keys.")],
            parameters: &["storeIdOfKeys"],
            codes: &[ProblemCode::StoreNotFound],
        },
        _ => Operation {
            tag: "Keys",
            id: "revokeKey",
            summary: "Revoke a key",
            description: "From now on the key is `api_key_revoked`. A key may revoke itself. Revoking twice changes nothing.",
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
            description: "What the calling store was told, newest first. For the next page send `nextCursor` as `cursor`, \
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
            description: "Takes no body. One that was read already stays as it is.",
            request: None,
            documented: &[(200, Some("Notification"), "The notification, read.")],
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
            summary: "Create a matrix",
            description: "The first store of a merchant. With `prepaidFloor` it pays ahead: an order that would take its \
                balance below the floor is `insufficient_balance`.",
            request: Some("CreateParentStore"),
            documented: &[(201, Some("IssuedKey"), "The matrix was created; this is its key.")],
            parameters: &[],
            codes: &[ProblemCode::CnpjTaken, ProblemCode::EmailTaken, PLACES[0], PLACES[1], PLACES[2]],
        },
        Endpoint::AdminIssueKey => Operation {
            tag: "Operator",
            id: "adminIssueKey",
            summary: "Issue a key for any store",
            description: "For a store that lost its keys. `value` is told this once.",
            request: Some("AdminIssueKey"),
            documented: &[(201, Some("IssuedKey"), "The new key.")],
            parameters: &[],
            codes: &[ProblemCode::StoreNotFound, ProblemCode::TooManyKeys],
        },
        Endpoint::AdminListKeys => Operation {
            tag: "Operator",
            id: "adminListKeys",
            summary: "List any store's keys",
            description: "All keys of the store, revoked and expired ones too.",
            request: None,
            documented: &[(200, Some("KeyList"), "The keys.")],
            parameters: &["storeIdOfAnyKeys"],
            codes: &[ProblemCode::StoreNotFound],
        },
        Endpoint::AdminRevokeKey => Operation {
            tag: "Operator",
            id: "adminRevokeKey",
            summary: "Revoke any key",
            description: "Revoking twice changes nothing.",
            request: None,
            documented: &[(204, None, "The key is revoked.")],
            parameters: &["keyId"],
            codes: &[ProblemCode::KeyNotFound],
        },
        _ => Operation {
            tag: "Deployment",
            id: "getOpenApi",
            summary: "This document",
            description: "The OpenAPI document that this page is made of.",
            request: None,
            documented: &[(200, Some("Document"), "The document.")],
            parameters: &[],
            codes: &[],
        },
    }
}
