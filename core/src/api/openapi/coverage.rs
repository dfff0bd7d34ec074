//! The descriptions of the endpoints for opening hours, service areas and coverage.

use super::{json::Json, operation::Operation};
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// Returns the description of an endpoint for when and where a store delivers.
pub(super) fn coverage(endpoint: Endpoint) -> Operation {
    let settings = |id, summary, description, request, documented| Operation {
        tag: "Stores",
        id,
        summary,
        description,
        request,
        documented,
        parameters: &["storeId"],
        codes: &[ProblemCode::StoreNotFound],
    };
    match endpoint {
        Endpoint::LocateAddress => location(),
        Endpoint::GetStoreHours => settings(
            "getStoreHours",
            "Get the opening hours",
            "Of the calling store or, for a parent store, of one of its branches.",
            None,
            &[(200, Some("StoreHours"), "The hours.")],
        ),
        Endpoint::SetStoreHours => settings(
            "setStoreHours",
            "Set the opening hours",
            "Replaces the hours of the calling store or of one of its branches. Times are local times of the store's municipality. A period \
             belongs to the day on which it starts, and an exception replaces all periods that start on its date. Previews and new \
             orders whose goods are ready while the store is closed are rejected with `store_closed`. Without `hours` a store is \
             open all day, except on the dates in `exceptions`.",
            Some("StoreHours"),
            &[(
                200,
                Some("StoreHours"),
                "The new hours, exceptions by date.",
            )],
        ),
        Endpoint::GetStoreArea => settings(
            "getStoreArea",
            "Get the service area",
            "Of the calling store or, for a parent store, of one of its branches.",
            None,
            &[(200, Some("StoreArea"), "The area.")],
        ),
        Endpoint::SetStoreArea => settings(
            "setStoreArea",
            "Set the service area",
            "Replaces the area of the calling store or of one of its branches; null removes it. Previews and new orders with a delivery \
             outside it are rejected with `out_of_area`; the tariff's service radius also applies. A delivery is outside if every point \
             within `radiusM` of its location is, so an address that is located only roughly is rejected only if it is certainly outside.",
            Some("StoreArea"),
            &[(200, Some("StoreArea"), "The new area.")],
        ),
        _ => Operation {
            tag: "Orders",
            id: "getCoverage",
            summary: "Check whether a store delivers to an address",
            description: "Applies the rules of a preview with one paid delivery, and creates nothing. An address that is not covered is \
                no error: `covered` is false and `reasons` lists the codes with which a preview is rejected. Send coordinates, `zipCode`, \
                or `city` and `state`; the most precise of these is used. In an error, `pointer` is `/` and the parameter's name.",
            request: None,
            documented: &[(
                200,
                Some("Coverage"),
                "Whether the store delivers to the address.",
            )],
            parameters: &[
                "storeIdOfCoverage",
                "coverageStreet",
                "coverageNumber",
                "coverageComplement",
                "coverageNeighborhood",
                "coverageCity",
                "coverageState",
                "coverageZipCode",
                "coverageLatitude",
                "coverageLongitude",
                "coveragePreparation",
            ],
            codes: &[ProblemCode::StoreNotFound, ProblemCode::ValidationFailed],
        },
    }
}

/// Returns the query parameters of the coverage.
pub(super) fn parameters() -> Vec<(&'static str, Json)> {
    let query = |name: &str, description: &str, schema: Json| {
        Json::object([
            ("name", name.into()),
            ("in", "query".into()),
            ("required", false.into()),
            ("description", description.into()),
            ("schema", schema),
        ])
    };
    let kind = |kind: &str| Json::object([("type", kind.into())]);
    let text = |name: &str, description: &str| {
        query(name, description, kind("string").with("maxLength", 255))
    };
    let degrees = |name: &str, max: u64| {
        let min = Json::Negative(-i64::try_from(max).unwrap_or_default());
        let description = "In degrees, WGS 84. Send both coordinates or neither.";
        query(
            name,
            description,
            kind("number").with("minimum", min).with("maximum", max),
        )
    };
    let id = kind("integer")
        .with("minimum", 1)
        .with("maximum", (1 << 53) - 1);
    let minutes = kind("number").with("minimum", 0).with("maximum", 1440);
    vec![
        (
            "storeIdOfCoverage",
            query(
                "storeId",
                "The ID of the store; by default the calling store.",
                id,
            ),
        ),
        (
            "coverageStreet",
            text("street", "Street name with its type."),
        ),
        ("coverageNumber", text("number", "House number.")),
        (
            "coverageComplement",
            text("complement", "Flat, floor, block."),
        ),
        (
            "coverageNeighborhood",
            text("neighborhood", "Neighbourhood."),
        ),
        ("coverageCity", text("city", "Municipality.")),
        (
            "coverageState",
            text("state", "Two-letter code of the federative unit."),
        ),
        (
            "coverageZipCode",
            text("zipCode", "Postal code (CEP) of eight digits."),
        ),
        ("coverageLatitude", degrees("latitude", 90)),
        ("coverageLongitude", degrees("longitude", 180)),
        (
            "coveragePreparation",
            query(
                "preparationTime",
                "Preparation time in minutes, rounded up to whole ones; by default 0.",
                minutes,
            ),
        ),
    ]
}

fn location() -> Operation {
    Operation {
        tag: "Orders",
        id: "locateAddress",
        summary: "Locate an address",
        description: "Returns the coordinates at which a preview or an order would locate the address, and their precision. With \
            gazetteer packs or a geocoder, an address is located by its street and number. Nothing is stored.",
        request: Some("LocateAddress"),
        documented: &[(200, Some("Location"), "The location.")],
        parameters: &[],
        codes: &[
            ProblemCode::AddressNotFound,
            ProblemCode::CoordinatesMismatch,
        ],
    }
}
