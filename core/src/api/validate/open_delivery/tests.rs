//! Every field of the standard's requests has an effect, or is listed as without effect in
//! OPEN-DELIVERY.md.
//!
//! `standard.json` has the names of the fields with another value for each.
//! `tests/xtask/open_delivery.py` compares the names with the standard's document.

use super::*;
use crate::{
    api::{
        read::read,
        validate::{delivery_cancellation, finish_date, problem_decision},
    },
    json::Tree,
};

const STANDARD: &str = include_str!("standard.json");
const PAGE: &str = include_str!("../../../../OPEN-DELIVERY.md");
const MERCHANT: &str = "11222333000181-de7e5f0c-7d2e-4b8a-9f4e-0a3d6b1c2f10";

/// Returns what a request becomes: the whole command, or every error.
fn outcome(path: &str, body: &Tree<'_>) -> String {
    let bytes = body.to_json().into_bytes();
    let now = Timestamp::parse("2026-11-21T15:00:00Z").expect("it is a time");
    let connection = WebhookId::new(1).expect("it is an ID");
    let shown = match path.trim_start_matches("/v1/logistics/").split('/').next() {
        Some("availability") => read(&bytes)
            .and_then(availability_request)
            .map(|command| format!("{command:?}")),
        Some("delivery") => {
            let command =
                read(&bytes).and_then(|body| delivery_request(body, connection, MERCHANT, now));
            command.map(|command| format!("{command:?}"))
        }
        Some("finishDelivery") => read(&bytes)
            .and_then(finish_date)
            .map(|at| format!("{at:?}")),
        Some("handleProblem") => read(&bytes)
            .and_then(problem_decision)
            .map(|decision| format!("{decision:?}")),
        Some("cancel") => read(&bytes)
            .and_then(delivery_cancellation)
            .map(|decision| format!("{decision:?}")),
        // The body is not read.
        Some("orderPicked") => Ok(String::new()),
        other => panic!("{other:?}"),
    };
    shown.unwrap_or_else(|problem| format!("{:?}", problem.errors))
}

/// Replaces the value at a pointer, whose names have no escapes.
fn replaced<'t>(tree: &Tree<'t>, pointer: &str, value: &Tree<'t>) -> Tree<'t> {
    let Some(rest) = pointer.strip_prefix('/') else {
        return value.clone();
    };
    let (name, below) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    match tree {
        Tree::Object(members) => {
            let mut members = members.clone();
            match members.iter_mut().find(|member| member.0 == name) {
                Some(member) => member.1 = replaced(&member.1, below, value),
                None => members.push((name.to_owned().into(), replaced(&Tree::Null, below, value))),
            }
            Tree::Object(members)
        }
        Tree::List(items) => {
            let at = |(index, item)| {
                if name == format!("{index}") {
                    replaced(item, below, value)
                } else {
                    item.clone()
                }
            };
            Tree::List(items.iter().enumerate().map(at).collect())
        }
        other => panic!("{} has no {pointer}", other.to_json()),
    }
}

fn members<'r, 't>(tree: &'r Tree<'t>, name: &str) -> &'r [(std::borrow::Cow<'t, str>, Tree<'t>)] {
    match tree.get(name) {
        Some(Tree::Object(members)) => members,
        _ => panic!("{name} is not an object"),
    }
}

#[test]
fn every_field_of_the_standard_has_an_effect_or_is_listed_without() {
    let standard = Tree::parse(STANDARD).expect("it is JSON");
    let (_, without) = PAGE
        .split_once("Accepted without effect:")
        .expect("the page lists fields without effect");
    let (without, _) = without
        .split_once("\n## ")
        .expect("another section follows");
    let (_, fields) = PAGE.split_once("## Fields").expect("the page lists fields");
    let Tree::Object(requests) = &standard else {
        panic!("it is not an object")
    };
    for (path, request) in requests {
        let body = request.get("body").expect("there is a body");
        let before = outcome(path, body);
        for (pointer, value) in members(request, "effect") {
            assert_ne!(
                outcome(path, &replaced(body, pointer, value)),
                before,
                "{path} ignores {pointer}"
            );
        }
        for (pointer, value) in members(request, "withoutEffect") {
            assert_eq!(
                outcome(path, &replaced(body, pointer, value)),
                before,
                "{path} reads {pointer}: list it as read"
            );
            let dotted = pointer.trim_start_matches('/').replace('/', ".");
            // The page lists objects and lists as a whole.
            let whole = dotted.split('.').next().unwrap_or_default();
            let is_listed =
                without.contains(&format!("`{dotted}`")) || without.contains(&format!("`{whole}`"));
            let in_availability =
                path.ends_with("availability") && fields.contains("For the availability");
            assert!(
                is_listed || in_availability,
                "{path}: OPEN-DELIVERY.md does not list {dotted} as without effect"
            );
        }
    }
}

#[test]
fn valid_requests_of_the_standard_are_accepted() {
    let standard = Tree::parse(STANDARD).expect("it is JSON");
    let Tree::Object(requests) = &standard else {
        panic!("it is not an object")
    };
    for (path, request) in requests {
        let outcome = outcome(path, request.get("body").expect("there is a body"));
        assert!(!outcome.contains("FieldError"), "{path}: {outcome}");
    }
}
