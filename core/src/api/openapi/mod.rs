//! The OpenAPI 3.1 document, generated from the table of routes, the wire types and the table of
//! problems.
//!
//! A test compares it with `core/openapi.json` and prints the command that regenerates the file.
//! Released hosts do not contain this module, which needs the feature `openapi`.

mod accounts;
mod coverage;
mod devices;
mod dispatch;
mod enums;
mod fleet;
mod json;
mod life;
mod open_delivery;
mod operation;
mod operations;
mod outward;
mod parts;
mod privacy;
mod problems;
mod proofs;
mod push;
mod responses;
mod schemas;
mod sign_in;
mod tariffs;
mod text;
mod tracking;

pub use json::Json;

use super::{
    call::JSON,
    openapi::{
        operation::Operation,
        operations::{TAGS, codes, operation},
        responses::Responses,
    },
    routes::{Authority, Endpoint, FORM, ROUTES, Route},
};
use crate::host::HostError;

/// The introduction of the documentation page.
const ABOUT: &str = include_str!("about.md");

/// The schema of the only body that can be empty.
const STEP_TIME: &str = "StepTime";

/// A request and its response, as an example of an endpoint.
pub struct Example {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The request body.
    pub request: Option<Json>,
    /// The response body.
    pub response: Option<Json>,
}

/// Returns the document with these examples.
///
/// # Errors
/// A value that cannot be serialised.
pub fn document(examples: &[Example]) -> Result<Json, HostError> {
    let unserialisable = |error: serde_json::Error| HostError::Internal {
        detail: error.to_string(),
    };
    let mut responses = Responses::default();
    let mut paths = Json::Object(Vec::new());
    for route in ROUTES {
        let example = examples
            .iter()
            .find(|example| example.endpoint == route.endpoint);
        let described = described(route, &operation(route.endpoint), example, &mut responses);
        let method = route.method.as_str().to_ascii_lowercase();
        match paths.get_mut(route.path) {
            Some(item) => item.set(method, described),
            None => paths.set(route.path, Json::object([(method, described)])),
        }
    }
    parts::add_own_paths(&mut paths, &mut responses);
    let problems = problems::problems().map_err(unserialisable)?;
    let problems = problems
        .into_iter()
        .map(|(name, value)| (name, Json::object([("value", value)])));
    let schemas = schemas::all().map_err(unserialisable)?;
    let components = Json::object([
        ("schemas", Json::Object(schemas)),
        ("responses", responses.components()),
        ("parameters", parts::parameters()),
        ("examples", Json::object(problems)),
        ("headers", parts::headers()),
        ("securitySchemes", parts::security()),
    ]);
    Ok(Json::object([
        ("openapi", "3.1.0".into()),
        ("info", info()),
        (
            "servers",
            Json::List(vec![Json::object([("url", "/".into())])]),
        ),
        ("tags", tags()),
        ("paths", paths),
        ("webhooks", parts::webhooks()),
        ("components", components),
    ]))
}

fn info() -> Json {
    Json::object([
        ("title", "Despacho".into()),
        ("version", env!("CARGO_PKG_VERSION").into()),
        (
            "summary",
            "Delivery dispatch for merchants in Brazil.".into(),
        ),
        ("description", ABOUT.trim_end().into()),
        (
            "contact",
            Json::object([("name", "The operator of this deployment".into())]),
        ),
        (
            "license",
            Json::object([
                ("name", "MIT OR Apache-2.0".into()),
                ("identifier", "MIT OR Apache-2.0".into()),
            ]),
        ),
    ])
}

fn tags() -> Json {
    let tag = |(name, text): (&str, &str)| {
        Json::object([("name", name.into()), ("description", text.into())])
    };
    Json::List(TAGS.map(tag).into())
}

/// Returns the document's entry for an endpoint.
fn described(
    route: &Route,
    operation: &Operation,
    example: Option<&Example>,
    responses: &mut Responses,
) -> Json {
    let mut entry = Json::object([
        ("tags", Json::list([operation.tag])),
        ("operationId", operation.id.into()),
        ("summary", operation.summary.into()),
        ("description", operation.description.into()),
        ("security", security(route)),
        ("parameters", parameters(route, operation)),
    ]);
    if let Some(schema) = operation.request {
        let mut content = Json::Object(Vec::new());
        for media in route.endpoint.body_media() {
            let described = match *media {
                FORM if route.authority == Authority::Device => {
                    Json::reference("schemas", "OsmandForm")
                }
                JSON => request_schema(route, schema),
                _ => Json::reference("schemas", schema),
            };
            let mut described = Json::object([("schema", described)]);
            if let Some(request) = example
                .and_then(|example| example.request.clone())
                .filter(|_| *media == JSON)
            {
                described.set("example", request);
            }
            content.set(*media, described);
        }
        entry.set(
            "requestBody",
            Json::object([
                (
                    "required",
                    (schema != STEP_TIME && route.endpoint != Endpoint::RotateWebhook).into(),
                ),
                ("content", content),
            ]),
        );
    }
    let mut documented = Json::Object(Vec::new());
    for (status, schema, meaning) in operation.documented {
        let response = example.and_then(|example| example.response.clone());
        let mut response = responses::success(route, *schema, meaning, response);
        if let Some(links) = parts::links(operation.id) {
            response.set("links", links);
        }
        documented.set(status.to_string(), response);
    }
    for (status, codes) in responses::by_status(&codes(route, operation)) {
        let problem = match route.authority {
            Authority::Recipient => responses::page_problem(status, &codes),
            _ => responses.problem(status, &codes),
        };
        documented.set(status.to_string(), problem);
    }
    entry.with("responses", documented)
}

/// Returns the schema of a request body. Every step of a courier accepts its time, besides its own
/// fields.
fn request_schema(route: &Route, name: &str) -> Json {
    let own = Json::reference("schemas", name);
    if name == STEP_TIME || !route.path.starts_with("/courier/orders/") {
        return own;
    }
    Json::object([(
        "allOf",
        Json::List(vec![own, Json::reference("schemas", STEP_TIME)]),
    )])
}

fn security(route: &Route) -> Json {
    let scheme = match route.authority {
        Authority::Store => "storeKey",
        Authority::Courier => {
            return Json::List(["courierKey", "courierSession"].map(required_scheme).into());
        }
        Authority::Device if route.endpoint == Endpoint::OwnTracks => "devicePassword",
        Authority::Device => "deviceId",
        Authority::Operator => {
            return Json::List(
                ["operatorToken", "operatorSession"]
                    .map(required_scheme)
                    .into(),
            );
        }
        Authority::Connection => "openDelivery",
        Authority::Public | Authority::Recipient => return Json::List(Vec::new()),
    };
    Json::List(vec![required_scheme(scheme)])
}

fn required_scheme(name: &'static str) -> Json {
    Json::object([(name, Json::List(Vec::new()))])
}

fn parameters(route: &Route, operation: &Operation) -> Json {
    let mut names = operation.parameters.to_vec();
    if route.takes_idempotency_key() {
        names.push("idempotencyKey");
    }
    if operation.request.is_some() {
        names.push("prefer");
    }
    names.extend(["acceptLanguage", "requestId"]);
    Json::List(
        names
            .into_iter()
            .map(|name| Json::reference("parameters", name))
            .collect(),
    )
}
