//! The descriptions of the endpoints for Web Push.

use super::operation::Operation;
use crate::api::routes::Endpoint;

/// Returns the description of an endpoint for Web Push.
pub(super) fn push(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::GetPushKey => Operation {
            tag: "Couriers",
            id: "getPushKey",
            summary: "Read the push key",
            description: "Returns the key with which the courier's browser subscribes to Web Push.",
            request: None,
            documented: &[(200, Some("PushKey"), "The key.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::SubscribePush => Operation {
            tag: "Couriers",
            id: "subscribePush",
            summary: "Subscribe to pushes",
            description: "Stores the browser's subscription. Each order that is assigned to the courier then sends a push without \
                content, after which the app reads `GET /courier/trip`. Sending a stored `endpoint` again has no effect. A courier has at \
                most 5 subscriptions; one more replaces the oldest. Subscriptions end with the courier's key, and when the push service \
                reports that the browser has ended them.",
            request: Some("PushEndpoint"),
            documented: &[(204, None, "The subscription is stored.")],
            parameters: &[],
            codes: &[],
        },
        _ => Operation {
            tag: "Couriers",
            id: "unsubscribePush",
            summary: "End a push subscription",
            description: "Removing a subscription again has no effect.",
            request: Some("PushEndpoint"),
            documented: &[(204, None, "There is no such subscription.")],
            parameters: &[],
            codes: &[],
        },
    }
}
