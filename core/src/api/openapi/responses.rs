//! Successful responses with their headers, and the problem responses that operations share.

use std::collections::BTreeMap;

use super::json::Json;
use crate::api::{
    operation::Operation,
    problem::ProblemCode,
    route::{Access, Route},
};

/// The problem responses of the operations described so far: one component for each status and set
/// of codes.
#[derive(Default)]
pub(super) struct Responses(Vec<(String, u16, Vec<ProblemCode>)>);

/// Groups codes by status.
pub(super) fn by_status(codes: &[ProblemCode]) -> BTreeMap<u16, Vec<ProblemCode>> {
    let mut sorted: BTreeMap<u16, Vec<ProblemCode>> = BTreeMap::new();
    for code in codes {
        sorted.entry(code.status()).or_default().push(*code);
    }
    sorted
}

/// Returns a successful response.
pub(super) fn success(
    (route, operation): (&Route, &Operation),
    schema: Option<&str>,
    meaning: &str,
    example: Option<Json>,
) -> Json {
    let mut headers = vec!["x-request-id"];
    if matches!(
        route.access,
        Access::Store | Access::Courier | Access::Device(_) | Access::Recipient
    ) {
        headers.extend(["RateLimit-Policy", "RateLimit"]);
    }
    if route.method == http::Method::POST
        && !matches!(route.access, Access::Device(_) | Access::Recipient)
    {
        headers.push("Idempotent-Replayed");
    }
    if operation.sets_cookie {
        headers.push("Set-Cookie");
    }
    let mut response = Json::object([
        ("description", meaning.into()),
        ("headers", headers_of(&headers)),
    ]);
    let mut content = Json::Object(Vec::new());
    for media in route.media {
        let schema = match schema {
            None if route.access == Access::Recipient => continue,
            _ if *media != "application/json" => Json::object([("type", "string".into())]),
            None => continue,
            Some("Document") => Json::object([("type", "object".into())]),
            Some(name) => Json::reference("schemas", name),
        };
        let mut described = Json::object([("schema", schema)]);
        if let Some(example) = example.clone().filter(|_| *media == "application/json") {
            described.set("example", example);
        }
        content.set(*media, described);
    }
    if matches!(&content, Json::Object(members) if !members.is_empty()) {
        response.set("content", content);
    }
    response
}

fn headers_of(names: &[&'static str]) -> Json {
    let header = |name: &&'static str| {
        let component = match *name {
            "x-request-id" => "RequestId",
            "RateLimit-Policy" => "RateLimitPolicy",
            "Retry-After" => "RetryAfter",
            "Set-Cookie" => "SetCookie",
            "Idempotent-Replayed" => "IdempotentReplayed",
            "WWW-Authenticate" => "WwwAuthenticate",
            "Content-Language" => "ContentLanguage",
            name => name,
        };
        (*name, Json::reference("headers", component))
    };
    Json::object(names.iter().map(header))
}

impl Responses {
    /// Returns a reference to the response for these problem codes, which all have this status.
    pub(super) fn problem(&mut self, status: u16, codes: &[ProblemCode]) -> Json {
        let existing = self
            .0
            .iter()
            .find(|(_, other, others)| *other == status && others == codes);
        let name = match existing {
            Some((name, ..)) => name.clone(),
            None => {
                let number = 1 + self
                    .0
                    .iter()
                    .filter(|(_, other, _)| *other == status)
                    .count();
                let name = match codes {
                    [code] => code.name().to_owned(),
                    _ => format!("problem_{status}_{number}"),
                };
                self.0.push((name.clone(), status, codes.to_vec()));
                name
            }
        };
        Json::reference("responses", &name)
    }

    /// Returns the components that the references point to, by status.
    pub(super) fn components(mut self) -> Json {
        self.0
            .sort_by_key(|(_, status, codes)| (*status, codes.first().copied()));
        Json::object(
            self.0
                .into_iter()
                .map(|(name, status, codes)| (name, component(status, &codes))),
        )
    }
}

/// Returns the response for these problem codes on a recipient's endpoint, which is a page unless
/// the request accepts only JSON.
pub(super) fn page_problem(status: u16, codes: &[ProblemCode]) -> Json {
    let mut response = component(status, codes);
    let page = Json::object([("schema", Json::object([("type", "string".into())]))]);
    if let Some(content) = response.get_mut("content") {
        content.set("text/html", page);
    }
    response
}

fn component(status: u16, codes: &[ProblemCode]) -> Json {
    let lines: Vec<_> = codes
        .iter()
        .map(|code| format!("- `{}` {}", code.name(), code.meaning()))
        .collect();
    let mut headers = vec!["x-request-id", "Content-Language"];
    match status {
        401 => headers.push("WWW-Authenticate"),
        405 => headers.push("Allow"),
        409 | 503 => headers.push("Retry-After"),
        429 => headers.extend(["Retry-After", "RateLimit-Policy", "RateLimit"]),
        _ => {}
    }
    // The schema does not narrow `status` and `code`: generators either reject the combination or
    // write a type for each of the responses. The names of the examples are the codes; the contract
    // test compares them with the responses.
    let schema = Json::reference("schemas", "Problem");
    let examples = codes
        .iter()
        .map(|code| (code.name(), Json::reference("examples", code.name())));
    let media = Json::object([("schema", schema), ("examples", Json::object(examples))]);
    Json::object([
        ("description", lines.join("\n").into()),
        ("headers", headers_of(&headers)),
        (
            "content",
            Json::object([("application/problem+json", media)]),
        ),
    ])
}
