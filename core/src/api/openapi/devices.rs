//! The schemas and parameters of the reports of couriers' devices, whose formats the apps define.

use super::json::Json;

fn field(kind: &str, description: &str) -> Json {
    Json::object([("type", kind.into()), ("description", description.into())])
}

fn object(
    description: &str,
    required: &[&'static str],
    properties: Vec<(&'static str, Json)>,
) -> Json {
    let object = field("object", description).with("properties", Json::object(properties));
    if required.is_empty() {
        object
    } else {
        object.with("required", Json::list(required.iter().copied()))
    }
}

fn degrees(description: &str, max: u64) -> Json {
    let min = Json::Negative(-i64::try_from(max).unwrap_or_default());
    field("number", description)
        .with("minimum", min)
        .with("maximum", max)
}

const LATITUDE: &str = "Latitude in degrees, WGS 84.";
const LONGITUDE: &str = "Longitude in degrees, WGS 84.";
const TIME: &str = "Time of the position: seconds or milliseconds since 1970, RFC 3339, or `yyyy-MM-dd HH:mm:ss` in UTC. Defaults to \
    the current time.";
const ACCURACY: &str =
    "Accuracy in metres. A position with a negative value, or with more than 10000, is not stored.";

/// Returns the schemas of the apps' requests, and of the response to OwnTracks.
pub(super) fn schemas() -> Vec<(&'static str, Json)> {
    let coords = vec![
        ("latitude", degrees(LATITUDE, 90)),
        ("longitude", degrees(LONGITUDE, 180)),
        ("accuracy", field("number", ACCURACY)),
    ];
    let location = vec![
        ("timestamp", field("string", TIME)),
        (
            "coords",
            object("The coordinates.", &["latitude", "longitude"], coords),
        ),
    ];
    let report = vec![
        ("device_id", field("string", "The device key.")),
        ("location", object("The position.", &["coords"], location)),
    ];
    let form = vec![
        ("id", field("string", "The device key; also as `deviceid`.")),
        ("lat", degrees(LATITUDE, 90)),
        ("lon", degrees(LONGITUDE, 180)),
        (
            "location",
            field("string", "`LAT,LON`, instead of `lat` and `lon`."),
        ),
        ("timestamp", field("string", TIME)),
        ("accuracy", field("number", ACCURACY)),
    ];
    let message = vec![
        (
            "_type",
            field("string", "The kind of message; only `location` is read."),
        ),
        ("lat", degrees(LATITUDE, 90)),
        ("lon", degrees(LONGITUDE, 180)),
        (
            "tst",
            field(
                "integer",
                "Time of the position in seconds since 1970. Defaults to the current time.",
            )
            .with("minimum", 0),
        ),
        ("acc", field("number", ACCURACY)),
    ];
    let none = field(
        "array",
        "An empty list: the service has no messages for the app.",
    );
    let none = none
        .with("items", Json::object([("type", "object".into())]))
        .with("maxItems", 0);
    vec![
        (
            "OsmandReport",
            object(
                "A position by the OsmAnd protocol. Other fields are ignored.",
                &["device_id", "location"],
                report,
            ),
        ),
        (
            "OsmandForm",
            object(
                "A position by the OsmAnd protocol, as a form. Other fields are ignored.",
                &["id"],
                form,
            ),
        ),
        (
            "OwnTracksMessage",
            object(
                "A message of OwnTracks. Other fields are ignored.",
                &["_type"],
                message,
            ),
        ),
        ("OwnTracksResponse", none),
    ]
}

/// Returns the query parameters of the OsmAnd protocol.
pub(super) fn parameters() -> Vec<(&'static str, Json)> {
    let query = |name: &str, required: bool, description: &str, kind: &str| {
        Json::object([
            ("name", name.into()),
            ("in", "query".into()),
            ("required", required.into()),
            ("description", description.into()),
            ("schema", Json::object([("type", kind.into())])),
        ])
    };
    vec![
        (
            "osmandId",
            query("id", true, "The device key; also as `deviceid`.", "string"),
        ),
        (
            "osmandLat",
            query(
                "lat",
                true,
                "Latitude in degrees, WGS 84; also as `location=LAT,LON`.",
                "number",
            ),
        ),
        ("osmandLon", query("lon", true, LONGITUDE, "number")),
        ("osmandTimestamp", query("timestamp", false, TIME, "string")),
        (
            "osmandAccuracy",
            query("accuracy", false, ACCURACY, "number"),
        ),
    ]
}
