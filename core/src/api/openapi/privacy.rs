//! Personal data of recipients.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// The operator's endpoints for the data of recipients.
pub(super) fn privacy(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ExportRecipient => Operation {
            tag: "Operator",
            id: "exportRecipient",
            summary: "Export a recipient's data",
            description: "Returns what is stored of the recipient with this phone. Repeat with `cursor` until `nextCursor` is null. \
                The response is never stored, so an `Idempotency-Key` has no effect.",
            request: Some("NameRecipient"),
            documented: &[(200, Some("RecipientExport"), "What was found.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::EraseRecipient => Operation {
            tag: "Operator",
            id: "eraseRecipient",
            summary: "Erase a recipient's data",
            description: "Erases name, phone, address, observation, coordinates and reasons from ended orders with a delivery to \
                this phone, from their events, webhook logs and stored responses. Money, codes, situations, times, the municipality \
                and the state stay. Orders that have not ended are listed in `openOrders` and stay as they are. Repeat with \
                `cursor` until `nextCursor` is null; repeating a run is harmless, and an `Idempotency-Key` has no effect.",
            request: Some("NameRecipient"),
            documented: &[(200, Some("ErasureResult"), "What was erased.")],
            parameters: &[],
            codes: &[],
        },
        _ => Operation {
            tag: "Operator",
            id: "listErasures",
            summary: "List erasures",
            description: "Newest first: when, why and how much was erased, without personal data. For the next page send \
                `nextCursor` as `cursor`, until it is null.",
            request: None,
            documented: &[(200, Some("ErasureList"), "A page of records.")],
            parameters: &["cursor", "limit"],
            codes: &[ProblemCode::ValidationFailed],
        },
    }
}
