//! The OpenAPI 3.1 document, generated from the table of routes, the wire types and the table of
//! problems.
//!
//! A test compares it with `core/openapi.json` and prints the command that regenerates the file.
//! Released hosts do not contain this module, which needs the feature `openapi`.

mod codes;
mod coverage;
mod devices;
mod enums;
mod json;
mod open_delivery;
mod parts;
mod problems;
mod responses;
mod schemas;
mod tags;
mod text;

pub use json::Json;

use super::{
    endpoints::{OPERATIONS, ROUTES},
    media::{FORM, JSON},
    openapi::{codes::codes, responses::Responses, tags::TAGS},
    operation::{Operation, RequestBody},
    route::{Access, Protocol, Route},
};
use crate::host::HostError;

/// The introduction of the documentation page.
const ABOUT: &str = include_str!("about.md");

/// The schema of a step's time.
const STEP_TIME: &str = "StepTime";

/// A request and its response, as an example of an endpoint.
pub struct Example {
    /// The endpoint's operation ID.
    pub operation: &'static str,
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
    let is_known = |example: &Example| {
        OPERATIONS
            .iter()
            .any(|operation| operation.id == example.operation)
    };
    if let Some(example) = examples.iter().find(|example| !is_known(example)) {
        return Err(HostError::Internal {
            detail: format!("an example of the unknown operation {}", example.operation),
        });
    }
    let mut responses = Responses::default();
    let mut paths = Json::Object(Vec::new());
    for (route, operation) in ROUTES.iter().zip(OPERATIONS) {
        let example = examples
            .iter()
            .find(|example| example.operation == operation.id);
        let described = described(route, operation, example, &mut responses);
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
    if let Some((schema, required)) = operation.request.schema() {
        let mut content = Json::Object(Vec::new());
        for media in route.content.media() {
            let described = match *media {
                FORM if matches!(route.access, Access::Device(_)) => {
                    Json::reference("schemas", "OsmandForm")
                }
                _ => request_schema(operation.request, schema),
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
            Json::object([("required", required.into()), ("content", content)]),
        );
    }
    let mut documented = Json::Object(Vec::new());
    for (status, schema, meaning) in operation.responses {
        let response = example.and_then(|example| example.response.clone());
        let mut response = responses::success((route, operation), *schema, meaning, response);
        if let Some(links) = operation.link.as_ref().map(parts::link) {
            response.set("links", links);
        }
        documented.set(status.to_string(), response);
    }
    for (status, codes) in responses::by_status(&codes(route, operation)) {
        let problem = match route.access {
            Access::Recipient => responses::page_problem(status, &codes),
            _ => responses.problem(status, &codes),
        };
        documented.set(status.to_string(), problem);
    }
    entry.with("responses", documented)
}

/// Returns the schema of a request body.
fn request_schema(request: RequestBody, name: &str) -> Json {
    let own = Json::reference("schemas", name);
    match request {
        RequestBody::Empty | RequestBody::Required(_) | RequestBody::Optional(_) => own,
        RequestBody::Step(_) => Json::object([(
            "allOf",
            Json::List(vec![own, Json::reference("schemas", STEP_TIME)]),
        )]),
    }
}

fn security(route: &Route) -> Json {
    let scheme = match route.access {
        Access::Store => "storeKey",
        Access::Courier => {
            return Json::List(["courierKey", "courierSession"].map(required_scheme).into());
        }
        Access::Device(Protocol::OwnTracks) => "devicePassword",
        Access::Device(Protocol::Osmand) => "deviceId",
        Access::Operator => {
            return Json::List(
                ["operatorToken", "operatorSession"]
                    .map(required_scheme)
                    .into(),
            );
        }
        Access::Connection => "openDelivery",
        Access::OptionalConnection | Access::Public | Access::Recipient => {
            return Json::List(Vec::new());
        }
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
    if operation.request.schema().is_some() {
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
