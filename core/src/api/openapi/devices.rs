//! The descriptions of the endpoints for couriers' devices, whose formats the apps define.

use super::{json::Json, operation::Operation};
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// Returns the description of an endpoint for the device key, or of one that accepts positions of a
/// device.
pub(super) fn device(endpoint: Endpoint) -> Operation {
    let reported = |id, summary, description, request| Operation {
        tag: "Couriers",
        id,
        summary,
        description,
        request,
        documented: &[(
            200,
            Some("ReportResult"),
            "The position is valid. `reason` states why it was not stored.",
        )],
        parameters: &[],
        codes: &[ProblemCode::MalformedRequest, ProblemCode::ValidationFailed],
    };
    match endpoint {
        Endpoint::CreateDeviceKey => Operation {
            tag: "Couriers",
            id: "createDeviceKey",
            summary: "Issue a device key",
            description: "Issues a key with which an app on the courier's phone reports positions in the background: Traccar Client or \
                OwnTracks. The key has no other permission. It replaces the previous device key and is valid as long as the \
                courier's own key. `value` is returned only once. Has no request body.",
            request: None,
            documented: &[(201, Some("DeviceKey"), "The new key.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::RemoveDeviceKey => Operation {
            tag: "Couriers",
            id: "removeDeviceKey",
            summary: "Revoke the device key",
            description: "Revoking the key again has no effect.",
            request: None,
            documented: &[(204, None, "There is no device key.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::OsmandQuery => Operation {
            parameters: &[
                "osmandId",
                "osmandLat",
                "osmandLon",
                "osmandTimestamp",
                "osmandAccuracy",
            ],
            ..reported(
                "reportOsmandQuery",
                "Report a position by the OsmAnd protocol, in the query",
                "Like the `POST`, with the fields as query parameters. Speed, bearing, altitude, battery and unknown parameters are \
                 ignored.",
                None,
            )
        },
        Endpoint::Osmand => reported(
            "reportOsmand",
            "Report a position by the OsmAnd protocol",
            "For Traccar Client and other apps with the OsmAnd protocol: query parameters, a form, or JSON since Traccar Client 9. It \
             has the effect of `POST /courier/position`. A valid position that is not stored also returns 200, because the apps send \
             a position again until it is accepted.",
            Some("OsmandReport"),
        ),
        _ => Operation {
            documented: &[(200, Some("OwnTracksResponse"), "The message was accepted.")],
            ..reported(
                "reportOwnTracks",
                "Report a position from OwnTracks",
                "For OwnTracks in HTTP mode. The password of HTTP Basic authentication is the device key; the user name is ignored. \
                 Messages with another `_type` than `location`, and empty bodies, are accepted and ignored.",
                Some("OwnTracksMessage"),
            )
        },
    }
}

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
