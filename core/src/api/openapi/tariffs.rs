//! The descriptions of the endpoints for tariffs.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// Returns the description of an endpoint for tariffs.
pub(super) fn tariff(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::CreateTariff => Operation {
            tag: "Operator",
            id: "createTariff",
            summary: "Create a tariff",
            description: "Stores a version of the tariff and the time from which prices use it. It applies to requests that begin at or \
                after that time: at once on the instance that stores it, and within one second on all others. Quotes keep their price. \
                A version is never changed; create another one to replace it. At most 32 versions can be scheduled.",
            request: Some("CreateTariff"),
            documented: &[(201, Some("TariffVersion"), "The new version.")],
            parameters: &[],
            codes: &[ProblemCode::TooManyTariffs],
        },
        Endpoint::RemoveTariff => Operation {
            tag: "Operator",
            id: "removeTariff",
            summary: "Remove a scheduled tariff",
            description: "Removes a version before its time of effect. Its name can be used again.",
            request: None,
            documented: &[(204, None, "The version was removed.")],
            parameters: &["tariffId"],
            codes: &[ProblemCode::TariffNotFound, ProblemCode::TariffInEffect],
        },
        Endpoint::PreviewTariff => Operation {
            tag: "Operator",
            id: "previewTariff",
            summary: "Price routes by a draft",
            description: "Calculates the fees of routes by a tariff that is not stored. The limits of the distance are not applied.",
            request: Some("PreviewTariff"),
            documented: &[(200, Some("TariffPreview"), "The prices.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::CompareTariff => Operation {
            tag: "Operator",
            id: "compareTariff",
            summary: "Compare a draft with the fees of recent orders",
            description: "Calculates the fees of the orders of the last days by a tariff that is not stored, each at the time of its \
                creation, and returns the sums of each store. Cancelled orders count with their whole fee, and cancelled stops do not \
                count. At most 200,000 orders are compared, newest first.",
            request: Some("CompareTariff"),
            documented: &[(200, Some("TariffComparison"), "The sums.")],
            parameters: &[],
            codes: &[ProblemCode::StoreNotFound],
        },
        _ => Operation {
            tag: "Operator",
            id: "listTariffs",
            summary: "List tariffs",
            description: "Returns the versions of the tariff, latest time of effect first. The configured tariff of the deployment is the \
                last entry of the last page; it applies until the first stored version takes effect. For the next page, send \
                `nextCursor` as `cursor`, until it is null.",
            request: None,
            documented: &[(200, Some("TariffList"), "A page of versions.")],
            parameters: &["cursor", "limit"],
            codes: &[ProblemCode::ValidationFailed],
        },
    }
}
