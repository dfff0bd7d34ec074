//! The descriptions of the endpoints for recipients' pages.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// Returns the description of an endpoint for settings and links, with a store's key.
pub(super) fn merchant(endpoint: Endpoint) -> Operation {
    let settings = |id, summary, description, request, meaning| Operation {
        tag: "Recipients",
        id,
        summary,
        description,
        request,
        documented: meaning,
        parameters: &["storeId"],
        codes: &[ProblemCode::StoreNotFound],
    };
    match endpoint {
        Endpoint::GetStoreTracking => settings(
            "getStoreTracking",
            "Get the settings of recipients' pages",
            "Of the calling store or, for a parent store, of one of its branches.",
            None,
            &[(200, Some("StoreTracking"), "The settings.")],
        ),
        Endpoint::SetStoreTracking => settings(
            "setStoreTracking",
            "Set the settings of recipients' pages",
            "Replaces the settings of the calling store or of one of its branches. `enabled` and `notifyAt` apply to orders that are \
             created from now on, `contact` and `choices` to all pages.",
            Some("SetStoreTracking"),
            &[(200, Some("StoreTracking"), "The new settings.")],
        ),
        _ => Operation {
            tag: "Recipients",
            id: "changeLink",
            summary: "Replace or revoke the link of a delivery",
            description: "`ROTATE` ends the current link, if there is one, and creates a new one; also for a delivery that has none. \
                `REVOKE` ends it. The previous link stops working at once.",
            request: Some("ChangeLink"),
            documented: &[(200, Some("DeliveryLink"), "The new link, or null.")],
            parameters: &["platformOrderId"],
            codes: &[ProblemCode::OrderNotFound],
        },
    }
}

/// Returns the description of an endpoint for recipients, with the token of a link.
pub(super) fn recipient(endpoint: Endpoint) -> Operation {
    let known = |id, summary, description, request, documented, codes| Operation {
        tag: "Recipients",
        id,
        summary,
        description,
        request,
        documented,
        parameters: &["token"],
        codes,
    };
    match endpoint {
        Endpoint::RecipientPage => known(
            "getRecipientPage",
            "Get the page of a delivery",
            "For the recipient, without a key: the state, a period in which the delivery is expected, the courier's first name, and what \
             the recipient can do. The courier's position is rounded to 100 m and present only on the way to this delivery. The page has \
             no prices, addresses, phone numbers of people, or other deliveries. The link ends two hours after the delivery's end. \
             Unknown, ended and revoked links have the same response.",
            None,
            &[(
                200,
                Some("RecipientTracking"),
                "The page, or its content as JSON if `Accept` excludes HTML.",
            )],
            &[],
        ),
        Endpoint::RecipientEvents => known(
            "streamRecipientStatus",
            "Follow a delivery",
            "Server-sent events: `status` with the content of the page as JSON, first the current one, then each change. A host that \
             cannot hold connections open ends the response after the first event.",
            None,
            &[(200, Some("Document"), "The stream.")],
            &[],
        ),
        Endpoint::RecipientChoice => known(
            "chooseDelivery",
            "Choose what the courier does if the recipient is not at home",
            "One of the `choices` of the page. It replaces an earlier choice, creates the event `delivery.recipient_choice`, and the \
             courier sees it. A form of another site is rejected.",
            Some("ChooseDelivery"),
            &CHANGED,
            &[ProblemCode::CrossSite, ProblemCode::InvalidTransition],
        ),
        _ => known(
            "rateDelivery",
            "Rate a delivery",
            "Once, after the delivery's end and until the link ends. Creates the event `delivery.rated`. A form of another site is \
             rejected.",
            Some("RateDelivery"),
            &CHANGED,
            &[
                ProblemCode::CrossSite,
                ProblemCode::InvalidTransition,
                ProblemCode::AlreadyRated,
            ],
        ),
    }
}

const CHANGED: [(u16, Option<&str>, &str); 2] = [
    (
        200,
        Some("RecipientTracking"),
        "The new content of the page, unless the request was a form.",
    ),
    (303, None, "After a form: `Location` is the page."),
];
