//! The descriptions of the endpoints for recipients' personal data.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// Returns the description of an endpoint for recipients' data.
pub(super) fn privacy(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ExportRecipient => Operation {
            tag: "Operator",
            id: "exportRecipient",
            summary: "Export a recipient's data",
            description: "Returns the stored data of the recipient with this phone. Repeat with `nextCursor` as `cursor` until it is \
                null. The response is never stored, so an `Idempotency-Key` has no effect.",
            request: Some("NameRecipient"),
            documented: &[(200, Some("RecipientExport"), "The data found.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::EraseRecipient => Operation {
            tag: "Operator",
            id: "eraseRecipient",
            summary: "Erase a recipient's data",
            description: "Erases name, phone, address, observation, coordinates and reasons from ended orders with a delivery to \
                this phone, and from their events, webhook logs and stored responses. Money, codes, situations, times, the \
                municipality and the state are kept. Orders that have not ended are listed in `openOrders` and do not change. Repeat \
                with `nextCursor` as `cursor` until it is null. Repeating a run is harmless; an `Idempotency-Key` has no effect.",
            request: Some("NameRecipient"),
            documented: &[(200, Some("ErasureResult"), "The result of the erasure.")],
            parameters: &[],
            codes: &[],
        },
        _ => Operation {
            tag: "Operator",
            id: "listErasures",
            summary: "List erasures",
            description: "Returns the records of erasures, newest first: time, reason and amount, without personal data. For the next \
                page, send `nextCursor` as `cursor`, until it is null.",
            request: None,
            documented: &[(200, Some("ErasureList"), "A page of records.")],
            parameters: &["cursor", "limit"],
            codes: &[ProblemCode::ValidationFailed],
        },
    }
}
