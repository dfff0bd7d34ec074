//! The descriptions of the endpoints for dispatch passes, their explanation and the terms of
//! stores.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// Returns the description of an operator's endpoint for dispatch.
pub(super) fn operator(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::RunDispatch => Operation {
            tag: "Operator",
            id: "runDispatch",
            summary: "Run one dispatch pass",
            description: "Has no request body. Applies due transitions, reassigns orders of unresponsive couriers, and matches searching \
                orders with couriers who are free or will be free soon. An order is assigned when its courier must leave; all others \
                stay open and are matched again in the next pass. The server runs a pass every few seconds; a host without \
                background tasks needs a cron job that calls this endpoint. Passes can run concurrently: each order is handled by \
                only one of them. With `dryRun=true`, nothing is changed, and `decisions` explains what a pass would do.",
            request: None,
            documented: &[(200, Some("DispatchPass"), "The result of the pass.")],
            parameters: &["dryRun"],
            codes: &[ProblemCode::ValidationFailed],
        },
        Endpoint::GetDispatch => Operation {
            tag: "Operator",
            id: "getDispatch",
            summary: "Get the dispatch settings",
            description: "Returns the deployment's settings that a draft can change. They come from its configuration.",
            request: None,
            documented: &[(200, Some("DispatchSettings"), "The settings.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::CompareDispatch => Operation {
            tag: "Operator",
            id: "compareDispatch",
            summary: "Compare a draft of the dispatch settings",
            description: "Simulates a dispatch pass with the deployment's settings and one with a draft, and returns the orders about \
                which they decide differently. Nothing is changed.",
            request: Some("SetDispatch"),
            documented: &[(200, Some("DispatchComparison"), "The comparison.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::ExplainDispatch => Operation {
            tag: "Operator",
            id: "explainDispatch",
            summary: "Explain the dispatch of an order",
            description: "Returns the reasons of the last assignments: the couriers that were considered, and the cost of each by \
                component. While the order is searching, the decision that a pass would take now follows, with the reason why the \
                order stays open.",
            request: None,
            documented: &[(200, Some("OrderDispatch"), "The decisions.")],
            parameters: &["platformOrderId"],
            codes: &[ProblemCode::OrderNotFound],
        },
        Endpoint::GetStoreDispatch => Operation {
            tag: "Operator",
            id: "getStoreDispatch",
            summary: "Get the dispatch terms of a store",
            description: "Returns the store's own terms and those that apply.",
            request: None,
            documented: &[(200, Some("StoreDispatch"), "The terms.")],
            parameters: &["storeId"],
            codes: &[ProblemCode::StoreNotFound],
        },
        _ => Operation {
            tag: "Operator",
            id: "setStoreDispatch",
            summary: "Set the dispatch terms of a store",
            description: "Replaces the store's own terms; absent and null terms are those of the deployment. They apply to orders that \
                are created from now on.",
            request: Some("SetStoreDispatch"),
            documented: &[(200, Some("StoreDispatch"), "The new terms.")],
            parameters: &["storeId"],
            codes: &[
                ProblemCode::StoreNotFound,
                ProblemCode::LeadOutOfRange,
                ProblemCode::TripLimitOutOfRange,
            ],
        },
    }
}

/// Returns the description of a courier's endpoint for the trip.
pub(super) fn trip() -> Operation {
    Operation {
        tag: "Couriers",
        id: "courierTrip",
        summary: "Get your trip",
        description: "Returns the orders that the calling courier carries together, without their codes, and their remaining stops in \
            visiting order. Each order is picked up with its own code. A trip can grow until the first pickup, so read it again there.",
        request: None,
        documented: &[(
            200,
            Some("CurrentTrip"),
            "The trip, or null if there is none.",
        )],
        parameters: &[],
        codes: &[],
    }
}
