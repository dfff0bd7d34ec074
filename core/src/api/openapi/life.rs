//! What the page says about the endpoints of an order's life and of lists.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

const OK_ORDER: &[(u16, Option<&str>, &str)] = &[(200, Some("Order"), "The order as it stands now.")];
const OK_CARRIED: &[(u16, Option<&str>, &str)] = &[(200, Some("CourierOrder"), "The order as it stands now.")];
const ORDER: &[&str] = &["platformOrderId"];
const STEP: &[ProblemCode] = &[ProblemCode::OrderNotFound, ProblemCode::InvalidTransition];
const DELIVERY_STEP: &[ProblemCode] =
    &[ProblemCode::OrderNotFound, ProblemCode::InvalidTransition, ProblemCode::ValidationFailed];
const CODE_STEP: &[ProblemCode] =
    &[ProblemCode::OrderNotFound, ProblemCode::InvalidTransition, ProblemCode::CodeIncorrect, ProblemCode::CodeLocked];

/// A merchant's word, a courier's step or an operator's: an operation that moves an order.
fn moves(
    tag: &'static str,
    (id, summary, description): (&'static str, &'static str, &'static str),
    request: Option<&'static str>,
    codes: &'static [ProblemCode],
) -> Operation {
    let documented = if tag == "Couriers" { OK_CARRIED } else { OK_ORDER };
    Operation { tag, id, summary, description, request, documented, parameters: ORDER, codes }
}

/// What is said about an endpoint that is a merchant's.
pub(super) fn merchant(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ReadyOrder => moves(
            "Orders",
            (
                "readyOrder",
                "The goods are ready",
                "Ends the preparation early: the search for a courier begins at once. Takes no body.",
            ),
            None,
            STEP,
        ),
        Endpoint::DelayOrder => moves(
            "Orders",
            (
                "delayOrder",
                "The goods will be ready later",
                "Adds `minutes` to the time at which they are ready, while they are being prepared; the search begins that much \
                 later. Send an `Idempotency-Key`: each request that arrives adds its minutes.",
            ),
            Some("DelayOrder"),
            DELIVERY_STEP,
        ),
        Endpoint::DiscardDelivery => moves(
            "Orders",
            (
                "discardDelivery",
                "Do not bring a delivery back",
                "While the courier is at the door and cannot hand it over: it ends there as 550.",
            ),
            Some("NameDelivery"),
            DELIVERY_STEP,
        ),
        Endpoint::ReturnDelivery => moves(
            "Orders",
            (
                "returnDelivery",
                "Bring a delivery back",
                "While the courier has it. `returnCode` is what you tell the courier once you have it again.",
            ),
            Some("GiveDeliveryReason"),
            DELIVERY_STEP,
        ),
        Endpoint::WaiveReturn => moves(
            "Orders",
            (
                "waiveReturn",
                "Do without what is coming back",
                "While the courier is on the way back or waits at the pickup. What was to come back is discarded, and the order ends. \
                 Takes no body.",
            ),
            None,
            STEP,
        ),
        _ => cancelling(endpoint),
    }
}

fn cancelling(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::GetCancellation => Operation {
            tag: "Orders",
            id: "getCancellation",
            summary: "What cancelling would cost now",
            description: "Free until two minutes after the first courier was assigned, then a share of the fee; the deployment sets \
                both. With `deliveryId`, the share of what the fee falls by without that delivery. Once the courier has the goods \
                they must come back first.",
            request: None,
            documented: &[(200, Some("Cancellation"), "The terms.")],
            parameters: &["platformOrderId", "deliveryIdOfTerms"],
            codes: &[
                ProblemCode::OrderNotFound,
                ProblemCode::InvalidTransition,
                ProblemCode::ValidationFailed,
                ProblemCode::OutOfArea,
            ],
        },
        _ => Operation {
            tag: "Orders",
            id: "cancelOrder",
            summary: "Cancel an order or one delivery",
            description: "On the terms of `/delivery/orders/{platformOrderId}/cancellation`; the fee is refunded in the same transaction, \
                less what the cancellation costs. With `deliveryId` one delivery is cancelled while others remain: the route is \
                priced again, and the difference is refunded on the same terms. Cancelling delivery by delivery costs as much as \
                cancelling the order at once. An order that was cancelled before is returned as it is.",
            request: Some("CancelOrder"),
            documented: OK_ORDER,
            parameters: &[],
            codes: &[
                ProblemCode::OrderNotFound,
                ProblemCode::InvalidTransition,
                ProblemCode::ReturnRequired,
                ProblemCode::ValidationFailed,
                ProblemCode::OutOfArea,
            ],
        },
    }
}

/// What is said about an endpoint that lists or removes.
pub(super) fn lists(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ListOrders => Operation {
            tag: "Orders",
            id: "listOrders",
            summary: "List orders",
            description: "The calling store's orders and, for a matrix, its branches', newest first. Without their histories. For the next \
                page send `nextCursor` as `cursor`, until it is null.",
            request: None,
            documented: &[(200, Some("OrderList"), "A page of orders.")],
            parameters: &["situation", "code", "from", "to", "cursor", "limit"],
            codes: &[ProblemCode::ValidationFailed],
        },
        Endpoint::ListStores => Operation {
            tag: "Stores",
            id: "listStores",
            summary: "List stores",
            description: "The calling store and, for a matrix, its branches, oldest first.",
            request: None,
            documented: &[(200, Some("StoreList"), "A page of stores.")],
            parameters: &["cursor", "limit"],
            codes: &[ProblemCode::ValidationFailed],
        },
        _ => Operation {
            tag: "Stores",
            id: "removeStore",
            summary: "Remove a branch",
            description: "Only its matrix may, and not while the branch has open orders. Its keys are revoked, its CNPJ and its email are \
                free again.",
            request: None,
            documented: &[(204, None, "The branch is removed.")],
            parameters: &["storeId"],
            codes: &[
                ProblemCode::MatrixRequired,
                ProblemCode::StoreNotAllowed,
                ProblemCode::StoreNotFound,
                ProblemCode::OpenOrders,
            ],
        },
    }
}

/// What is said about an operator's endpoint.
pub(super) fn operator(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::AdminLoseDelivery => moves(
            "Operator",
            (
                "adminLoseDelivery",
                "Write a delivery off as lost",
                "By theft or accident, while the courier has it. The store is told.",
            ),
            Some("GiveDeliveryReason"),
            DELIVERY_STEP,
        ),
        _ => moves(
            "Operator",
            ("adminCancelOrder", "Cancel any order", "Before pickup. The whole fee comes back, and the store is told."),
            Some("GiveReason"),
            &[ProblemCode::OrderNotFound, ProblemCode::InvalidTransition, ProblemCode::ReturnRequired],
        ),
    }
}

/// What is said about a courier's endpoint.
pub(super) fn courier(endpoint: Endpoint) -> Operation {
    let step = |texts, request, codes| moves("Couriers", texts, request, codes);
    match endpoint {
        Endpoint::CourierOrder => Operation {
            tag: "Couriers",
            id: "courierOrder",
            summary: "What the courier has to do",
            description: "The order that the calling courier has now, without its codes, which people tell.",
            request: None,
            documented: &[(200, Some("CurrentOrder"), "The order, or null.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::CourierReachPickup => {
            step(("courierArrive", "At the pickup", "210 to 220. Takes no body."), None, STEP)
        }
        Endpoint::CourierDecline => Operation {
            documented: &[(204, None, "The order is somebody else's to carry.")],
            ..step(
                ("courierDecline", "Let the order go", "Before pickup, for a reason. Another courier is looked for."),
                Some("GiveReason"),
                STEP,
            )
        },
        Endpoint::CourierPickUp => step(
            (
                "courierPickUp",
                "Has the goods",
                "220 to 300, with the code that the merchant tells. Five wrong codes lock the order's \
              codes for ten minutes.",
            ),
            Some("GiveCode"),
            CODE_STEP,
        ),
        _ => riding(endpoint),
    }
}

/// From one delivery to the next and back again.
fn riding(endpoint: Endpoint) -> Operation {
    let step = |texts, request, codes| moves("Couriers", texts, request, codes);
    match endpoint {
        Endpoint::CourierSetOut => step(
            ("courierSetOut", "On the way to a delivery", "310 to 320, while no other delivery is current."),
            Some("NameDelivery"),
            DELIVERY_STEP,
        ),
        Endpoint::CourierResequence => step(
            (
                "courierResequence",
                "Another delivery first",
                "320 or 330 back to 310, so that another one can be current.",
            ),
            Some("NameDelivery"),
            DELIVERY_STEP,
        ),
        Endpoint::CourierReachDoor => {
            step(("courierAtDoor", "At the door", "320 to 330."), Some("NameDelivery"), DELIVERY_STEP)
        }
        Endpoint::CourierDeliver => step(
            (
                "courierDeliver",
                "Handed over",
                "330 to 500, with the code that the recipient tells where `codeRequired` is true.",
            ),
            Some("GiveDeliveryCode"),
            &[
                ProblemCode::OrderNotFound,
                ProblemCode::InvalidTransition,
                ProblemCode::ValidationFailed,
                ProblemCode::CodeIncorrect,
                ProblemCode::CodeLocked,
            ],
        ),
        Endpoint::CourierFail => step(
            (
                "courierFail",
                "Cannot be handed over",
                "310, 320 or 330 to 400, for a reason: it goes back to the pickup.",
            ),
            Some("GiveDeliveryReason"),
            DELIVERY_STEP,
        ),
        Endpoint::CourierReachReturn => {
            step(("courierAtReturn", "Back at the pickup", "400 to 410. Takes no body."), None, STEP)
        }
        _ => step(
            ("courierHandBack", "Handed back", "410 to the end, with the code that the merchant tells."),
            Some("GiveCode"),
            CODE_STEP,
        ),
    }
}
