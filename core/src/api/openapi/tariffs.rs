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
