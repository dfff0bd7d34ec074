//! Checks that validation enforces exactly the limits that the schemas of requests state.
//!
//! Each recorded request is sent again with a single value beyond a limit, for every limit of its
//! schema, and must be rejected with an error that names the value. With a value at the limit, no
//! error may say that it is out of range. An unknown field keeps this request from succeeding; for
//! the few endpoints that ignore such fields it is not sent.

use serde_json::{Map, Value, json};

use crate::document::Run;

/// A request with one unusual value.
struct Probe {
    pointer: String,
    value: Value,
    is_allowed: bool,
}

/// Sends a request with values at and beyond the limits of its schema, and returns every limit that
/// validation does not share.
pub(crate) fn differences(run: &Run, document: &Value, sent: (&str, &str, &Value)) -> Vec<String> {
    let (line, key, body) = sent;
    let Some(schema) = schema_of(document, line) else {
        return Vec::new();
    };
    let mut probes = Vec::new();
    walk(document, schema, "", Some(body), &mut probes);
    let (mut found, mut last_details, mut rejects_unknown) = (Vec::new(), Vec::new(), false);
    for probe in probes {
        if probe.is_allowed && !rejects_unknown {
            continue;
        }
        let mut body = body.clone();
        put(document, schema, &mut body, &probe);
        body["unknownField"] = json!(true);
        let response = run.send(line, key, Some(&body)).unwrap();
        let problem: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        let errors = problem["errors"].as_array().map_or(&[][..], Vec::as_slice);
        rejects_unknown = errors
            .iter()
            .any(|error| error["pointer"] == "/unknownField");
        let details: Vec<String> = errors
            .iter()
            .filter(|error| error["pointer"] == *probe.pointer)
            .map(|error| format!("{}: {}", error["code"], error["detail"]))
            .collect();
        let is_enforced = if probe.is_allowed {
            // Another rule can have the code `out_of_range`, but not the same text.
            !details
                .iter()
                .any(|detail| detail.starts_with("\"too_") || last_details.contains(detail))
        } else {
            // A number that cannot be an ID is responded to as an unknown one, and the error of a
            // position in an area names the list that should have been one.
            !details.is_empty()
                || (response.status() == 404 && probe.pointer.ends_with("Id"))
                || errors
                    .iter()
                    .any(|error| error["code"] == "invalid_position")
        };
        if !is_enforced {
            let relation = if probe.is_allowed { "within" } else { "beyond" };
            let value: String = probe.value.to_string().chars().take(20).collect();
            found.push(format!(
                "{line}: {} = {value} is {relation} the schema's limit: {problem}",
                probe.pointer,
            ));
        }
        last_details = details;
    }
    found
}

/// Returns the schema of a request's JSON body.
fn schema_of<'a>(document: &'a Value, line: &str) -> Option<&'a Value> {
    let (method, path) = line.split_once(' ')?;
    let parts: Vec<&str> = path.split('?').next()?.split('/').collect();
    let matches = |template: &str| {
        let template: Vec<&str> = template.split('/').collect();
        template.len() == parts.len()
            && template
                .iter()
                .zip(&parts)
                .all(|(one, other)| one == other || one.starts_with('{'))
    };
    let paths = document["paths"].as_object()?;
    // A path without parameters is preferred to one with parameters.
    let item = paths.get(path).or_else(|| {
        paths
            .iter()
            .find(|(one, _)| matches(one))
            .map(|(_, item)| item)
    })?;
    let content = &item[&method.to_lowercase()]["requestBody"]["content"];
    Some(&content.get("application/json")?["schema"])
}

fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(name) => document.pointer(name.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

/// Returns the schema and its alternatives and parts, except `null`.
fn parts<'a>(document: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let schema = resolved(document, schema);
    let nested = ["allOf", "oneOf", "anyOf"]
        .into_iter()
        .filter_map(|name| schema[name].as_array())
        .flatten();
    let mut all = vec![schema];
    all.extend(nested.flat_map(|part| parts(document, part)));
    all
}

/// Adds the probes of a value at `pointer`, whose value in a valid request is `valid`.
fn walk(
    document: &Value,
    schema: &Value,
    pointer: &str,
    valid: Option<&Value>,
    probes: &mut Vec<Probe>,
) {
    for part in parts(document, schema) {
        let mut probe = |value: Value, is_allowed| {
            probes.push(Probe {
                pointer: pointer.to_owned(),
                value,
                is_allowed,
            });
        };
        let length = |name: &str| {
            part[name]
                .as_u64()
                .map(|length| usize::try_from(length).unwrap())
        };
        if let Some(max) = length("maxLength") {
            probe("a".repeat(max + 1).into(), false);
            probe("a".repeat(max).into(), true);
        }
        if let Some(min) = length("minLength") {
            probe("a".repeat(min - 1).into(), false);
            probe("a".repeat(min).into(), true);
        }
        let item = || {
            let valid = valid.and_then(|list| list.get(0)).cloned();
            valid.unwrap_or_else(|| sample(document, &part["items"]))
        };
        if let Some(max) = length("maxItems") {
            probe(vec![item(); max + 1].into(), false);
            probe(vec![item(); max].into(), true);
        }
        if let Some(min) = length("minItems") {
            probe(vec![item(); min - 1].into(), false);
            probe(vec![item(); min].into(), true);
        }
        let number = |name: &str| part[name].as_f64();
        if let Some(max) = number("maximum") {
            probe(json!(max + 1.0), false);
            probe(part["maximum"].clone(), true);
        }
        if let Some(min) = number("minimum") {
            probe(json!(min - 1.0), false);
            probe(part["minimum"].clone(), true);
        }
        if let Some(min) = number("exclusiveMinimum") {
            probe(json!(min), false);
        }
        for (name, property) in part["properties"].as_object().into_iter().flatten() {
            let valid = valid.and_then(|object| object.get(name));
            walk(
                document,
                property,
                &format!("{pointer}/{name}"),
                valid,
                probes,
            );
        }
        if part["items"].is_object() {
            let valid = valid.and_then(|list| list.get(0));
            walk(
                document,
                &part["items"],
                &format!("{pointer}/0"),
                valid,
                probes,
            );
        }
    }
}

/// Writes the probe's value into a body, with valid values around it.
fn put(document: &Value, schema: &Value, body: &mut Value, probe: &Probe) {
    let (mut schemas, mut at) = (vec![schema], &mut *body);
    for name in probe.pointer.split('/').skip(1) {
        schemas = schemas
            .into_iter()
            .flat_map(|schema| parts(document, schema))
            .filter_map(|part| {
                part["properties"]
                    .get(name)
                    .or_else(|| part.get("items").filter(|_| name == "0"))
            })
            .collect();
        at = match at {
            Value::Array(items) => &mut items[0],
            at => &mut at[name],
        };
        if at.is_null() || at.as_array().is_some_and(Vec::is_empty) {
            *at = schemas
                .first()
                .map_or(Value::Null, |schema| filled(document, schema));
        }
    }
    *at = probe.value.clone();
    // A coordinate is checked only if the other one is sent.
    let (parent, name) = probe.pointer.rsplit_once('/').unwrap();
    let other = match name {
        "latitude" => "longitude",
        "longitude" => "latitude",
        _ => return,
    };
    body.pointer_mut(parent).unwrap()[other] = json!(-23.5);
}

/// Returns a sample in which every list has an item.
fn filled(document: &Value, schema: &Value) -> Value {
    match sample(document, schema) {
        Value::Array(items) if items.is_empty() => {
            let list = parts(document, schema);
            let items = list.into_iter().find_map(|part| part.get("items"));
            items
                .map(|item| sample(document, item))
                .into_iter()
                .collect()
        }
        sample => sample,
    }
}

/// Returns a value that fits a schema, with the fields that are required or have an example.
fn sample(document: &Value, schema: &Value) -> Value {
    let all = parts(document, schema);
    let find = |name: &str| all.iter().find_map(|part| part.get(name));
    if let Some(example) = find("example") {
        return example.clone();
    }
    if let Some(first) = find("enum").and_then(|names| names.get(0)) {
        return first.clone();
    }
    let kind = find("type").and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
    match kind {
        Some("object") => {
            let mut object = Map::new();
            for part in &all {
                let is_required = |name: &String| {
                    let names = part["required"].as_array();
                    names.is_some_and(|names| names.iter().any(|one| one == name))
                };
                for (name, property) in part["properties"].as_object().into_iter().flatten() {
                    if is_required(name) || property.get("example").is_some() {
                        object.insert(name.clone(), sample(document, property));
                    }
                }
            }
            object.into()
        }
        Some("array") => {
            let count = find("minItems").and_then(Value::as_u64).unwrap_or_default();
            let item = sample(document, find("items").unwrap_or(&Value::Null));
            vec![item; usize::try_from(count).unwrap()].into()
        }
        Some("string") => "a".into(),
        Some("boolean") => true.into(),
        _ => find("minimum").cloned().unwrap_or_else(|| 1.into()),
    }
}
