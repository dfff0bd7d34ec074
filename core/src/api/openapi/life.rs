//! The descriptions of the endpoints for an order's lifecycle and for lists.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

const OK_ORDER: &[(u16, Option<&str>, &str)] = &[(200, Some("Order"), "The updated order.")];
const OK_CARRIED: &[(u16, Option<&str>, &str)] =
    &[(200, Some("CourierOrder"), "The updated order.")];
const ORDER: &[&str] = &["platformOrderId"];
/// The problems of a step that depends on the other orders of the trip.
const TRIP_STEP: &[ProblemCode] = &[
    ProblemCode::OrderNotFound,
    ProblemCode::InvalidTransition,
    ProblemCode::NotNextInTrip,
];
const STEP: &[ProblemCode] = &[ProblemCode::OrderNotFound, ProblemCode::InvalidTransition];
const DELIVERY_STEP: &[ProblemCode] = &[
    ProblemCode::OrderNotFound,
    ProblemCode::InvalidTransition,
    ProblemCode::ValidationFailed,
];
const CODE_STEP: &[ProblemCode] = &[
    ProblemCode::OrderNotFound,
    ProblemCode::InvalidTransition,
    ProblemCode::ProofRequired,
    ProblemCode::CodeIncorrect,
    ProblemCode::CodeLocked,
];

/// Returns the description of an endpoint that changes an order's status.
fn moves(
    tag: &'static str,
    (id, summary, description): (&'static str, &'static str, &'static str),
    request: Option<&'static str>,
    codes: &'static [ProblemCode],
) -> Operation {
    let documented = if tag == "Couriers" {
        OK_CARRIED
    } else {
        OK_ORDER
    };
    Operation {
        tag,
        id,
        summary,
        description,
        request,
        documented,
        parameters: ORDER,
        codes,
    }
}

/// Returns the description of a merchant's endpoint.
pub(super) fn merchant(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ReadyOrder => moves(
            "Orders",
            (
                "readyOrder",
                "Mark an order as ready",
                "Ends the preparation early: the search for a courier starts at once. Has no request body.",
            ),
            None,
            STEP,
        ),
        Endpoint::DelayOrder => moves(
            "Orders",
            (
                "delayOrder",
                "Delay an order",
                "During preparation, adds `minutes` to the time when the goods are ready; the search for a courier starts \
                 correspondingly later. Send an `Idempotency-Key`: each request adds its minutes.",
            ),
            Some("DelayOrder"),
            DELIVERY_STEP,
        ),
        Endpoint::DiscardDelivery => moves(
            "Orders",
            (
                "discardDelivery",
                "Discard a delivery",
                "While the courier is at the door and cannot hand the delivery over. The delivery ends with 550 and is not returned.",
            ),
            Some("NameDelivery"),
            DELIVERY_STEP,
        ),
        Endpoint::ReturnDelivery => moves(
            "Orders",
            (
                "returnDelivery",
                "Return a delivery",
                "While the courier has the delivery. Give the courier the `returnCode` after you have received the goods.",
            ),
            Some("GiveDeliveryReason"),
            DELIVERY_STEP,
        ),
        Endpoint::WaiveReturn => moves(
            "Orders",
            (
                "waiveReturn",
                "Skip the return",
                "While the courier is on the way back or waits at the pickup. The courier returns neither goods nor payment, and the \
                 order ends. Has no request body.",
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
            summary: "Get the cancellation terms",
            description: "Returns the cost of cancelling now. Cancelling is free until 2 minutes after the first courier was assigned; \
                then it costs a share of the fee. The deployment sets both. With `deliveryId`, the cost is a share of the fee's \
                reduction without that delivery. After the pickup the goods must be returned first.",
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
            description: "The terms are those of `/delivery/orders/{platformOrderId}/cancellation`. The fee is refunded in the same \
                transaction, less the cost of the cancellation. With `deliveryId` only that delivery is cancelled: the remaining route \
                is priced again, and the difference is refunded on the same terms. Cancelling all deliveries one by one costs as much \
                as cancelling the order. Cancelling again has no effect.",
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

/// Returns the description of an endpoint that returns a route.
pub(super) fn routes(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::GetRoute => Operation {
            tag: "Orders",
            id: "getRoute",
            summary: "Get the path of the route",
            description: "Returns the legs of the route for a map: from the pickup to each delivery that is not cancelled, and back \
                if the route returns. A leg follows the roads if the deployment has road data of the area; otherwise it is a straight \
                line. All legs together have at most 2000 points.",
            request: None,
            documented: &[(200, Some("OrderRoute"), "The legs, in route order.")],
            parameters: ORDER,
            codes: &[ProblemCode::OrderNotFound],
        },
        _ => Operation {
            tag: "Operator",
            id: "adminGetRoute",
            summary: "Get the path of any order's route",
            description: "Returns the same legs as `GET /delivery/orders/{platformOrderId}/route`.",
            request: None,
            documented: &[(200, Some("OrderRoute"), "The legs, in route order.")],
            parameters: ORDER,
            codes: &[ProblemCode::OrderNotFound],
        },
    }
}

/// Returns the description of an endpoint that lists or removes.
pub(super) fn lists(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ListOrders => Operation {
            tag: "Orders",
            id: "listOrders",
            summary: "List orders",
            description: "Returns the orders of the calling store and, for a parent store, of its branches, newest first, without their \
                histories. `q` searches the orders of all days. For the next page, send `nextCursor` as `cursor`, until it is null.",
            request: None,
            documented: &[(200, Some("OrderList"), "A page of orders.")],
            parameters: &[
                "situation",
                "code",
                "q",
                "late",
                "open",
                "from",
                "to",
                "cursor",
                "limit",
            ],
            codes: &[ProblemCode::ValidationFailed],
        },
        Endpoint::AdminListOrders => Operation {
            tag: "Operator",
            id: "adminListOrders",
            summary: "List all stores' orders",
            description: "Returns the orders of all stores, or of one store and its branches, newest first, each with `storeName`. The \
                filters are those of `GET /delivery/orders`.",
            request: None,
            documented: &[(200, Some("OrderList"), "A page of orders.")],
            parameters: &[
                "storeIdOfOrders",
                "situation",
                "code",
                "q",
                "late",
                "open",
                "from",
                "to",
                "cursor",
                "limit",
            ],
            codes: &[ProblemCode::StoreNotFound, ProblemCode::ValidationFailed],
        },
        Endpoint::AdminGetOrder => Operation {
            tag: "Operator",
            id: "adminGetOrder",
            summary: "Get any order",
            description: "Returns the order as its store reads it, with its history and `storeName`.",
            request: None,
            documented: &[(200, Some("OrderDetails"), "The order.")],
            parameters: ORDER,
            codes: &[ProblemCode::OrderNotFound],
        },
        Endpoint::ListStores => Operation {
            tag: "Stores",
            id: "listStores",
            summary: "List stores",
            description: "Returns the calling store and, for a parent store, its branches, oldest first. For the next page, send \
                `nextCursor` as `cursor`, until it is null.",
            request: None,
            documented: &[(200, Some("StoreList"), "A page of stores.")],
            parameters: &["cursor", "limit"],
            codes: &[ProblemCode::ValidationFailed],
        },
        _ => Operation {
            tag: "Stores",
            id: "removeStore",
            summary: "Remove a branch",
            description: "Removes a branch of the calling parent store. The branch must have no open orders. Its keys are revoked, and \
                its CNPJ and email can be used again.",
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

/// Returns the description of an operator's endpoint for stores.
pub(super) fn stores(endpoint: Endpoint) -> Operation {
    let (id, summary, description) = match endpoint {
        Endpoint::AdminListStores => (
            "adminListStores",
            "List all stores",
            "Returns the stores by ID, without removed ones. `q` searches by name, CNPJ, email and ID. One request searches 2,000 stores: a \
             page can have fewer stores than `limit`, or none. For the next page, send `nextCursor` as `cursor`, until it is null.",
        ),
        Endpoint::AdminGetStore => (
            "adminGetStore",
            "Get any store",
            "Returns the store with its balance and its billing.",
        ),
        _ => (
            "alterStore",
            "Disable a store or change its minimum balance",
            "The keys, sessions and logins of a disabled store and of its branches get 403 `store_disabled`. Its open orders continue. \
             `prepaidFloor` changes the minimum balance of a prepaid parent store and its branches. If the request fails, some branches \
             can already be changed: repeat it.",
        ),
    };
    let is_list = endpoint == Endpoint::AdminListStores;
    Operation {
        tag: "Operator",
        id,
        summary,
        description,
        request: (endpoint == Endpoint::AlterStore).then_some("AlterStore"),
        documented: if is_list {
            &[(200, Some("OperatorStoreList"), "A page of stores.")]
        } else {
            &[(200, Some("OperatorStore"), "The store.")]
        },
        parameters: if is_list {
            &["storeSearch", "cursor", "limit"]
        } else {
            &["storeId"]
        },
        codes: if is_list {
            &[ProblemCode::ValidationFailed]
        } else {
            &[ProblemCode::StoreNotFound]
        },
    }
}

/// Returns the description of an operator's endpoint.
pub(super) fn operator(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::AdminLoseDelivery => moves(
            "Operator",
            (
                "adminLoseDelivery",
                "Write a delivery off as lost",
                "After theft or an accident, while the courier has the delivery. The store gets a notification.",
            ),
            Some("GiveDeliveryReason"),
            DELIVERY_STEP,
        ),
        Endpoint::ReassignOrder => moves(
            "Operator",
            (
                "reassignOrder",
                "Reassign an order",
                "Before the pickup. Takes the order from its courier, who gets it again only if no other is free, and searches for another \
                 courier, or assigns the one in `courierId`. An order that is searching can be assigned in the same way.",
            ),
            Some("ReassignOrder"),
            &[
                ProblemCode::OrderNotFound,
                ProblemCode::CourierNotFound,
                ProblemCode::InvalidTransition,
                ProblemCode::CourierUnavailable,
            ],
        ),
        _ => moves(
            "Operator",
            (
                "adminCancelOrder",
                "Cancel any order",
                "Before the pickup. The entire fee is refunded, and the store gets a notification.",
            ),
            Some("GiveReason"),
            &[
                ProblemCode::OrderNotFound,
                ProblemCode::InvalidTransition,
                ProblemCode::ReturnRequired,
            ],
        ),
    }
}

/// Returns the description of a courier's endpoint.
pub(super) fn courier(endpoint: Endpoint) -> Operation {
    let step = |texts, request, codes| moves("Couriers", texts, request, codes);
    match endpoint {
        Endpoint::CourierOrder => Operation {
            tag: "Couriers",
            id: "courierOrder",
            summary: "Get your current order",
            description: "Returns the calling courier's current order without its codes, which the merchant and the recipients give. In a trip with \
                several orders it is the one of the next stop.",
            request: None,
            documented: &[(
                200,
                Some("CurrentOrder"),
                "The order, or null if there is none.",
            )],
            parameters: &[],
            codes: &[],
        },
        Endpoint::CourierReachPickup => step(
            ("courierArrive", "Arrive at the pickup", "From 210 to 220."),
            Some("StepTime"),
            STEP,
        ),
        Endpoint::CourierDecline => Operation {
            documented: &[(204, None, "The order was declined.")],
            ..step(
                (
                    "courierDecline",
                    "Decline an order",
                    "Before the pickup, with a reason. The search for another courier starts.",
                ),
                Some("GiveReason"),
                STEP,
            )
        },
        Endpoint::CourierPickUp => step(
            (
                "courierPickUp",
                "Pick up the goods",
                "From 220 to 300, with the pickup code, which the merchant gives. Five incorrect codes lock the order's codes for ten \
                 minutes.",
            ),
            Some("GiveCode"),
            &[
                ProblemCode::OrderNotFound,
                ProblemCode::InvalidTransition,
                ProblemCode::ProofRequired,
                ProblemCode::CodeIncorrect,
                ProblemCode::CodeOfOtherOrder,
                ProblemCode::CodeLocked,
            ],
        ),
        _ => after_pickup(endpoint),
    }
}

const PROVEN_STEP: &[ProblemCode] = &[
    ProblemCode::OrderNotFound,
    ProblemCode::InvalidTransition,
    ProblemCode::ValidationFailed,
    ProblemCode::ProofRequired,
];

/// Returns the description of a courier's endpoint after the pickup.
fn after_pickup(endpoint: Endpoint) -> Operation {
    let step = |texts, request, codes| moves("Couriers", texts, request, codes);
    match endpoint {
        Endpoint::CourierSetOut => step(
            (
                "courierSetOut",
                "Start travelling to a delivery",
                "From 310 to 320, if no other delivery is current. In a trip with several orders, all must be picked up, and the order \
                 must be the one of the next stop in `GET /courier/trip`.",
            ),
            Some("NameDelivery"),
            &[
                ProblemCode::OrderNotFound,
                ProblemCode::InvalidTransition,
                ProblemCode::ValidationFailed,
                ProblemCode::NotNextInTrip,
            ],
        ),
        Endpoint::CourierResequence => step(
            (
                "courierResequence",
                "Postpone a delivery",
                "From 320 or 330 back to 310. Then another delivery can be current.",
            ),
            Some("NameDelivery"),
            DELIVERY_STEP,
        ),
        Endpoint::CourierReachDoor => step(
            ("courierAtDoor", "Arrive at the door", "From 320 to 330."),
            Some("NameDelivery"),
            DELIVERY_STEP,
        ),
        Endpoint::CourierDeliver => step(
            (
                "courierDeliver",
                "Hand over a delivery",
                "From 330 to 500. If `codeRequired` is true, send the code that the recipient gives.",
            ),
            Some("GiveDeliveryCode"),
            &[
                ProblemCode::OrderNotFound,
                ProblemCode::InvalidTransition,
                ProblemCode::ValidationFailed,
                ProblemCode::ProofRequired,
                ProblemCode::CodeIncorrect,
                ProblemCode::CodeLocked,
            ],
        ),
        Endpoint::CourierFail => step(
            (
                "courierFail",
                "Report a failed delivery",
                "From 310, 320 or 330 to 400, with a reason. The goods are returned to the pickup.",
            ),
            Some("FailDelivery"),
            PROVEN_STEP,
        ),
        Endpoint::CourierReachReturn => step(
            (
                "courierAtReturn",
                "Arrive back at the pickup",
                "From 400 to 410.",
            ),
            Some("StepTime"),
            TRIP_STEP,
        ),
        _ => step(
            (
                "courierHandBack",
                "Hand back the goods",
                "From 410 to the order's end, with the return code, which the merchant gives.",
            ),
            Some("GiveCode"),
            CODE_STEP,
        ),
    }
}
