//! The parameters of a coverage inquiry.

use super::json::Json;

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
