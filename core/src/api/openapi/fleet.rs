//! The descriptions of the endpoints for couriers.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// Returns the description of an operator's endpoint for couriers.
pub(super) fn operator(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::RegisterCourier => Operation {
            tag: "Operator",
            id: "registerCourier",
            summary: "Register a courier",
            description: "`value` is the courier's key; it is returned only once. Send an `Idempotency-Key`: if the response is lost, a \
                retry returns the same key instead of registering the courier twice. Names, phones and `profileId` need not be \
                unique, so the service cannot detect duplicates.",
            request: Some("RegisterCourier"),
            documented: &[(
                201,
                Some("CourierWithKey"),
                "The courier was registered. `value` is the key.",
            )],
            parameters: &[],
            codes: &[],
        },
        Endpoint::ListCouriers => Operation {
            tag: "Operator",
            id: "listCouriers",
            summary: "List couriers",
            description: "Returns couriers in the order of their IDs, including removed ones. For the next page, send `nextCursor` as \
                `cursor`, until it is null.",
            request: None,
            documented: &[(200, Some("CourierList"), "A page of couriers.")],
            parameters: &["cursor", "limit"],
            codes: &[ProblemCode::ValidationFailed],
        },
        Endpoint::GetCourier => Operation {
            tag: "Operator",
            id: "getCourier",
            summary: "Get a courier",
            description: "Returns the courier with the last known position and the current order.",
            request: None,
            documented: &[(200, Some("CourierRecord"), "The courier.")],
            parameters: &["courierId"],
            codes: &[ProblemCode::CourierNotFound],
        },
        _ => Operation {
            tag: "Operator",
            id: "alterCourier",
            summary: "Change or remove a courier",
            description: "Absent fields keep their values. `newKey` revokes the old key and returns a new one in `value`. `removed` \
                cannot be undone: orders before pickup are reassigned in the same transaction. A courier who has goods cannot be \
                removed.",
            request: Some("AlterCourier"),
            documented: &[(200, Some("CourierWithKey"), "The updated courier.")],
            parameters: &["courierId"],
            codes: &[
                ProblemCode::CourierNotFound,
                ProblemCode::InvalidTransition,
                ProblemCode::CourierSuspended,
            ],
        },
    }
}

/// Returns the description of a courier's endpoint for state, position or availability.
pub(super) fn courier(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ShowCourier => Operation {
            tag: "Couriers",
            id: "showCourier",
            summary: "Get your state",
            description: "Returns the calling courier. While you are available, poll every few seconds: `orderId` is the only notice of a \
                new order.",
            request: None,
            documented: &[(200, Some("CourierSelf"), "The courier.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::ReportPosition => Operation {
            tag: "Couriers",
            id: "reportPosition",
            summary: "Report your position",
            description: "At most one position in 20 seconds is stored; the deployment can set another interval. Other positions return \
                `stored: false`. An available courier who reports nothing for 5 minutes gets no new order. A courier with an order \
                who reports nothing for 10 minutes before the pickup loses the order.",
            request: Some("ReportPosition"),
            documented: &[(
                200,
                Some("PositionResult"),
                "Whether the position was stored.",
            )],
            parameters: &[],
            codes: &[],
        },
        _ => Operation {
            tag: "Couriers",
            id: "setAvailability",
            summary: "Set your availability",
            description: "Only an available courier gets new orders. The current trip does not change. With `availableFrom` and \
                `availableUntil` you announce a shift: orders come shortly after its start and none that you could not pick up \
                before its end.",
            request: Some("SetAvailability"),
            documented: &[(200, Some("CourierSelf"), "The updated courier.")],
            parameters: &[],
            codes: &[ProblemCode::CourierSuspended],
        },
    }
}
