//! Couriers and dispatch.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// What the operator does with couriers.
pub(super) fn operator(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::RegisterCourier => Operation {
            tag: "Operator",
            id: "registerCourier",
            summary: "Register a courier",
            description: "`value` is the courier's key, told this once. Send an `Idempotency-Key`, and a repetition after a lost \
                answer tells the same key again instead of registering somebody twice: names, telephones and `profileId` \
                may be shared, so nothing else tells two couriers apart.",
            request: Some("RegisterCourier"),
            documented: &[(201, Some("CourierWithKey"), "The courier was registered; `value` is the key.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::ListCouriers => Operation {
            tag: "Operator",
            id: "listCouriers",
            summary: "List couriers",
            description: "By number, removed ones too. For the next page send `nextCursor` as `cursor`, until it is null.",
            request: None,
            documented: &[(200, Some("CourierList"), "A page of couriers.")],
            parameters: &["cursor", "limit"],
            codes: &[ProblemCode::ValidationFailed],
        },
        Endpoint::GetCourier => Operation {
            tag: "Operator",
            id: "getCourier",
            summary: "Look a courier up",
            description: "With the last known place and the order that the courier has.",
            request: None,
            documented: &[(200, Some("CourierRecord"), "The courier.")],
            parameters: &["courierId"],
            codes: &[ProblemCode::CourierNotFound],
        },
        Endpoint::AlterCourier => Operation {
            tag: "Operator",
            id: "alterCourier",
            summary: "Change or remove a courier",
            description: "What is absent stays. `newKey` ends the old key and tells a new one in `value`. `removed` is for good: an \
                order before its pickup goes to somebody else in the same moment, and a courier who carries goods cannot \
                be removed.",
            request: Some("AlterCourier"),
            documented: &[(200, Some("CourierWithKey"), "The courier as it stands now.")],
            parameters: &["courierId"],
            codes: &[ProblemCode::CourierNotFound, ProblemCode::InvalidTransition],
        },
        _ => Operation {
            tag: "Operator",
            id: "runDispatch",
            summary: "Run one round of dispatch",
            description: "Takes no body. Moves on what is due, takes orders from couriers who went silent, and gives waiting \
                orders to free couriers by time to the pickup. The server does this by itself every few seconds; a host \
                without background tasks does it when any cron asks. Rounds may run at once: each order is handled by one \
                of them.",
            request: None,
            documented: &[(200, Some("DispatchPass"), "What the round did.")],
            parameters: &[],
            codes: &[],
        },
    }
}

/// What couriers say and ask between the steps of an order.
pub(super) fn courier(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ShowCourier => Operation {
            tag: "Couriers",
            id: "showCourier",
            summary: "Ask for one's own state",
            description: "Ask every few seconds while you are available: a new order is told by `orderId`, and not otherwise.",
            request: None,
            documented: &[(200, Some("CourierSelf"), "The courier.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::ReportPosition => Operation {
            tag: "Couriers",
            id: "reportPosition",
            summary: "Say where one is",
            description: "At most one place in twenty seconds is stored, or in as many as the deployment says; others are answered \
                with `stored: false` and cost nothing. Who is available and not heard of for five minutes gets no \
                order; who has one and is silent for ten minutes before the pickup loses it.",
            request: Some("ReportPosition"),
            documented: &[(200, Some("PositionResult"), "Whether it was stored.")],
            parameters: &[],
            codes: &[],
        },
        _ => Operation {
            tag: "Couriers",
            id: "setAvailability",
            summary: "Say whether one takes orders",
            description: "The order that the courier has is kept.",
            request: Some("SetAvailability"),
            documented: &[(200, Some("CourierSelf"), "The courier as it stands now.")],
            parameters: &[],
            codes: &[],
        },
    }
}
