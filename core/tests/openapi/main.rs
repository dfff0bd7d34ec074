//! Checks that `core/openapi.json` is complete and matches the code.

#![expect(clippy::unwrap_used, reason = "tests panic on failure")]

mod document;
mod lifecycle;
mod limits;
mod open_delivery;

use std::{collections::BTreeSet, rc::Rc};

use despacho_core::{
    api::{
        endpoints::ROUTES,
        openapi::{self, Example},
        problem::ProblemCode,
    },
    host::description,
};
use serde_json::Value;

use crate::document::Probe;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
const COMMAND: &str =
    "DESPACHO_WRITE_OPENAPI=1 cargo test -p despacho-core --features openapi --test openapi";

fn text() -> String {
    let no_probe: Probe = Rc::new(|_, _| ());
    openapi::document(&examples(&no_probe)).unwrap().pretty()
}

/// Records examples of all endpoints. Of two examples of an endpoint, the document contains the
/// first.
fn examples(probe: &Probe) -> Vec<Example> {
    let mut examples = lifecycle::record(probe).unwrap();
    examples.extend(open_delivery::record(probe).unwrap());
    examples.extend(document::record(probe).unwrap());
    examples
}

fn document() -> Value {
    serde_json::from_str(&text()).unwrap()
}

#[test]
fn openapi_file_matches_the_code() {
    let text = text();
    if std::env::var("DESPACHO_WRITE_OPENAPI").is_ok() {
        std::fs::write(FILE, &text).unwrap();
    } else {
        assert!(
            text.as_bytes() == description(),
            "core/openapi.json is outdated. To regenerate it, run\n    {COMMAND}"
        );
    }
}

#[test]
fn limits_of_schemas_are_those_of_validation() {
    let document = document();
    let probe: Probe = Rc::new(move |run, sent| {
        let found = limits::differences(run, &document, sent);
        assert!(found.is_empty(), "{}", found.join("\n"));
    });
    examples(&probe);
}

#[test]
fn document_has_exactly_the_routes_of_the_service() {
    let document = document();
    let described: BTreeSet<String> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| {
            item.as_object()
                .unwrap()
                .keys()
                .map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .collect();
    let own = ["GET /healthz", "GET /readyz", "GET /metrics", "GET /docs"].map(str::to_owned);
    let routes = ROUTES
        .iter()
        .map(|route| route.template.to_owned())
        .chain(own)
        .collect();
    assert_eq!(described, routes);
}

#[test]
fn every_reference_resolves_and_every_component_is_used() {
    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(target)) = members.get("$ref") {
                    found.insert(target.clone());
                }
                members.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let document = document();
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    for target in &found {
        assert!(
            document.pointer(target.trim_start_matches('#')).is_some(),
            "{target}"
        );
    }
    for kind in ["schemas", "responses", "parameters", "examples", "headers"] {
        for name in document["components"][kind].as_object().unwrap().keys() {
            let target = format!("#/components/{kind}/{name}");
            assert!(found.contains(&target), "{target} is not used");
        }
    }
}

#[test]
fn every_json_body_has_an_example() {
    let document = document();
    let mut missing = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let successes = operation["responses"]
                .as_object()
                .unwrap()
                .iter()
                .filter(|(status, _)| status.starts_with('2'));
            let bodies = successes
                .map(|(_, response)| response)
                .chain(operation.get("requestBody"));
            for body in bodies.filter_map(|body| body["content"].get("application/json")) {
                if body.get("example").is_none() {
                    missing.push(format!("{method} {path}"));
                }
            }
        }
    }
    // The request is a photo; the response is this document.
    assert_eq!(
        missing,
        [
            "post /courier/orders/{platformOrderId}/photos",
            "get /openapi.json"
        ]
    );
}

#[test]
fn every_problem_code_has_an_example_and_a_meaning() {
    let document = document();
    for code in ProblemCode::ALL {
        assert!(code.meaning().ends_with('.'), "{}", code.name());
        // Only a host that leaves out methods returns it.
        if *code == ProblemCode::NotImplemented {
            continue;
        }
        let example = &document["components"]["examples"][code.name()]["value"];
        assert_eq!(
            (&example["code"], &example["status"]),
            (&code.name().into(), &code.status().into())
        );
    }
}

#[test]
fn every_field_error_code_is_documented() {
    let codes = &document()["components"]["schemas"]["FieldCode"]["enum"];
    let codes: BTreeSet<&str> = codes
        .as_array()
        .unwrap()
        .iter()
        .map(|code| code.as_str().unwrap())
        .collect();
    let sources = [
        "read.rs",
        "planning.rs",
        "endpoints/orders/steps.rs",
        "validate/life.rs",
        "validate/mod.rs",
        "validate/address.rs",
        "validate/coverage.rs",
        "validate/fleet.rs",
        "validate/order.rs",
        "validate/payments.rs",
        "validate/privacy.rs",
        "validate/proof.rs",
        "validate/report.rs",
        "validate/store.rs",
        "validate/tracking.rs",
        "validate/webhook.rs",
    ];
    for source in sources {
        let path = format!("{}/src/api/{source}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        // Codes are the only strings in snake case, except one member of a marketplace's
        // confirmation and one of OwnTracks.
        let snake = |text: &&str| {
            text.contains('_')
                && text
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        for literal in code
            .split('"')
            .skip(1)
            .step_by(2)
            .filter(snake)
            .filter(|literal| !["order_id", "_type"].contains(literal))
        {
            assert!(
                codes.contains(literal),
                "{source} has the code {literal}, which is missing in api/openapi/enums.rs"
            );
        }
    }
}

/// Reads the sources, because only `serde` knows which fields it leaves out of a response.
#[test]
fn no_field_that_can_be_left_out_is_required() {
    let document = document();
    let schemas = &document["components"]["schemas"];
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/wire");
    let (mut checked, mut wrong) = (0, Vec::new());
    let mut paths = vec![std::path::PathBuf::from(folder)];
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).unwrap();
            paths.extend(entries.map(|entry| entry.unwrap().path()));
            continue;
        }
        let source = std::fs::read_to_string(path).unwrap();
        let (mut name, mut renamed, mut is_left_out) = (String::new(), None, false);
        for line in source.lines().map(str::trim_start) {
            let after = |start: &str| {
                let rest = line.strip_prefix(start)?;
                Some(
                    rest.split(|c: char| !c.is_alphanumeric() && c != '_')
                        .next()?
                        .to_owned(),
                )
            };
            is_left_out |= line.contains("skip_serializing_if");
            if let Some((_, rest)) = line.split_once("schema(as = ") {
                renamed = rest.split(')').next().map(str::to_owned);
            }
            if let Some(found) = after("pub struct ").or_else(|| after("pub(crate) struct ")) {
                name = renamed.take().unwrap_or(found);
                is_left_out = false;
            } else if let Some(field) = after("pub ").or_else(|| after("pub(crate) "))
                && std::mem::take(&mut is_left_out)
            {
                let required = schemas[&name]["required"].as_array().into_iter().flatten();
                checked += 1;
                if required
                    .filter_map(Value::as_str)
                    .any(|one| one == camel_case(&field))
                {
                    wrong.push(format!("{name}.{field}"));
                }
            }
        }
    }
    assert!(checked > 40, "only {checked} fields were found in {folder}");
    assert!(
        wrong.is_empty(),
        "add these to OPTIONAL of the schemas: {wrong:?}"
    );
}

fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut name, part| {
        let mut letters = part.chars();
        name.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        name.extend(letters);
        name
    })
}
