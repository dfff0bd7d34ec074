//! What operations share: parameters, headers, security, and the deployment's own endpoints.

use super::json::Json;

fn id(name: &str, place: &str, description: &str, required: bool) -> Json {
    let schema = Json::object([
        ("type", "integer".into()),
        ("format", "int64".into()),
        ("minimum", 1.into()),
        ("maximum", ((1 << 53) - 1).into()),
    ]);
    parameter(name, place, description, required, schema)
}

fn parameter(name: &str, place: &str, description: &str, required: bool, schema: Json) -> Json {
    Json::object([
        ("name", name.into()),
        ("in", place.into()),
        ("required", required.into()),
        ("description", description.into()),
        ("schema", schema),
    ])
}

fn string() -> Json {
    Json::object([("type", "string".into())])
}

fn instant() -> Json {
    string().with("format", "date-time").with("examples", Json::list(["2026-11-01T03:00:00Z"]))
}

/// Parameters by the names that operations refer to them by.
pub(super) fn parameters() -> Json {
    let all = everywhere().into_iter().chain(own()).chain(outward());
    Json::object(all)
}

/// Headers that every request, or every `POST`, may carry.
fn everywhere() -> Vec<(&'static str, Json)> {
    let key = Json::object([
        ("type", "string".into()),
        ("minLength", 1.into()),
        ("maxLength", 255.into()),
        ("pattern", "^[!-~]([ -~]*[!-~])?$".into()),
    ]);
    vec![
        (
            "acceptLanguage",
            parameter(
                "Accept-Language",
                "header",
                "The language of texts for people: Portuguese (`pt-BR`) or English, which is the default.",
                false,
                string().with("examples", Json::list(["pt-BR"])),
            ),
        ),
        (
            "requestId",
            parameter(
                "x-request-id",
                "header",
                "Your own identifier for this request: 1 to 128 letters, digits, dots, hyphens and underscores. It comes \
                 back in the answer. Anything else is ignored and one is drawn.",
                false,
                string(),
            ),
        ),
        (
            "idempotencyKey",
            parameter(
                "Idempotency-Key",
                "header",
                "Any text of your own that names this request, such as a UUID. For 24 hours the same key with the same \
                 body answers what the first success answered; with another body it is `idempotency_key_reused`.",
                false,
                key,
            ),
        ),
    ]
}

/// What some endpoints take in their path or their query.
fn own() -> Vec<(&'static str, Json)> {
    let limit = string().with("type", "integer").with("minimum", 1).with("maximum", 100).with("default", 50);
    vec![
        (
            "platformOrderId",
            id("platformOrderId", "path", "The order's number: `id` of the answer to its creation.", true),
        ),
        ("storeId", id("storeId", "path", "The store's number.", true)),
        ("keyId", id("keyId", "path", "The key's number: its `id`, not its text.", true)),
        ("courierId", id("courierId", "path", "The courier's number.", true)),
        ("notificationId", id("notificationId", "path", "The notification's number.", true)),
        (
            "storeIdOfKeys",
            id("storeId", "query", "The store whose keys to list; the calling one where it is absent.", false),
        ),
        (
            "storeIdOfContext",
            id("storeId", "query", "The store that previews are for; the calling one where it is absent.", false),
        ),
        ("storeIdOfAnyKeys", id("storeId", "query", "The store whose keys to list.", true)),
        (
            "situation",
            parameter(
                "situation",
                "query",
                "Where the orders stand.",
                false,
                Json::reference("schemas", "OrderSituation"),
            ),
        ),
        ("code", parameter("code", "query", "The merchant's code.", false, string())),
        ("from", parameter("from", "query", "From this instant on.", false, instant())),
        ("to", parameter("to", "query", "Before this instant.", false, instant())),
        ("cursor", id("cursor", "query", "`nextCursor` of the page before; absent for the first page.", false)),
        ("limit", parameter("limit", "query", "Entries of a page.", false, limit)),
    ]
}

/// Those of events, webhooks and money.
fn outward() -> Vec<(&'static str, Json)> {
    vec![
        ("webhookId", id("webhookId", "path", "The webhook's number.", true)),
        ("attemptId", id("attemptId", "path", "The attempt's number.", true)),
        (
            "storeIdOfStatement",
            id("storeId", "query", "The store whose statement to read; the calling one where it is absent.", false),
        ),
        (
            "deliveryIdOfTerms",
            id(
                "deliveryId",
                "query",
                "The delivery to cancel, if others remain; the whole order if it is absent.",
                false,
            ),
        ),
        (
            "after",
            parameter(
                "after",
                "query",
                "`next` of the page before, or an event's `cursor`; `0` begins with the first.",
                false,
                string(),
            ),
        ),
        (
            "lastEventId",
            parameter("Last-Event-ID", "header", "The last `id` that came; it goes before `after`.", false, string()),
        ),
        (
            "statementCursor",
            parameter("cursor", "query", "`nextCursor` of the page before; of no use with CSV.", false, string()),
        ),
    ]
}

/// Headers of responses by the names that responses refer to them by.
pub(super) fn headers() -> Json {
    let header = |required: bool, description: &str, schema: Json| {
        Json::object([("description", description.into()), ("required", required.into()), ("schema", schema)])
    };
    let seconds = || string().with("type", "integer").with("minimum", 1);
    Json::object([
        (
            "RequestId",
            header(
                true,
                "The request's identifier: yours where you sent one. Name it when you ask the operator.",
                string(),
            ),
        ),
        (
            "RateLimitPolicy",
            header(
                true,
                "The key's quota for requests of this kind: `\"create\";q=120;w=60` is 120 in 60 seconds.",
                string(),
            ),
        ),
        (
            "RateLimit",
            header(
                true,
                "What is left of it: `\"create\";r=119;t=1` is 119 requests now, and all of them again in a second.",
                string(),
            ),
        ),
        ("RetryAfter", header(false, "Seconds to wait before the request is sent again.", seconds())),
        (
            "IdempotentReplayed",
            header(
                false,
                "`true` where this is the answer of an earlier request with the same `Idempotency-Key` or the same order.",
                string().with("enum", Json::list(["true"])),
            ),
        ),
        ("WwwAuthenticate", header(true, "How to authenticate: by a key in `x-api-token`.", string())),
        (
            "ContentLanguage",
            header(true, "The language of the texts.", string().with("enum", Json::list(["en", "pt-BR"]))),
        ),
        ("Allow", header(true, "The methods that the path takes.", string())),
    ])
}

/// What is sent to a store's receiver.
pub(super) fn webhooks() -> Json {
    let header = |name: &str, description: &str| parameter(name, "header", description, true, string());
    let media = Json::object([("schema", Json::reference("schemas", "WebhookPayload"))]);
    let body = Json::object([("required", true.into()), ("content", Json::object([("application/json", media)]))]);
    let response = |text: &str| Json::object([("description", text.into())]);
    let post = Json::object([
        ("tags", Json::list(["Webhooks"])),
        ("operationId", "receiveEvent".into()),
        ("summary", "An event, sent to your receiver".into()),
        ("description", "Verify the signature over the body as it came, answer at once, and work afterwards.".into()),
        ("security", Json::List(Vec::new())),
        (
            "parameters",
            Json::List(vec![
                header("webhook-id", "The message: one that came before is a repetition."),
                header(
                    "webhook-timestamp",
                    "When it was sent, in Unix seconds; refuse what is older than five minutes.",
                ),
                header(
                    "webhook-signature",
                    "`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`; two with a space between while both secrets are good.",
                ),
            ]),
        ),
        ("requestBody", body),
        (
            "responses",
            Json::object([
                ("2XX", response("Taken.")),
                ("410", response("No more of this webhook: it ends.")),
                ("default", response("Not taken: it is sent again.")),
            ]),
        ),
    ]);
    Json::object([("event", Json::object([("post", post)]))])
}

/// Where an answer leads: the operation that takes a number out of it.
pub(super) fn links(operation: &str) -> Option<Json> {
    let (target, parameter, field, text) = match operation {
        "createOrder" => ("getOrder", "platformOrderId", "id", "Look the order up."),
        "createStore" => ("getStore", "storeId", "storeId", "Look the branch up."),
        "issueKey" => ("revokeKey", "keyId", "id", "Revoke the key."),
        "registerCourier" => ("getCourier", "courierId", "id", "Look the courier up."),
        "adminIssueKey" => ("adminRevokeKey", "keyId", "id", "Revoke the key."),
        _ => return None,
    };
    let parameters = Json::object([(parameter, format!("$response.body#/{field}").into())]);
    let link = [("operationId", target.into()), ("parameters", parameters), ("description", text.into())];
    Some(Json::object([(target, Json::object(link))]))
}

/// The three kinds of credentials, which come in one header.
pub(super) fn security() -> Json {
    let scheme = |description: &str| {
        Json::object([
            ("type", "apiKey".into()),
            ("in", "header".into()),
            ("name", "x-api-token".into()),
            ("description", description.into()),
        ])
    };
    Json::object([
        ("storeKey", scheme("A store's key: `value` of the answer that issued it.")),
        (
            "courierKey",
            scheme("A courier's key: `value` of the answer that registered the courier, or issued a new key."),
        ),
        ("operatorToken", scheme("The operator's token, `DESPACHO_ADMIN_TOKEN` of the deployment.")),
    ])
}

/// An endpoint of the deployment: path, identifier, summary, description, media type, and whether it can be unavailable.
type OwnEndpoint = (&'static str, &'static str, &'static str, &'static str, &'static str, bool);

const OWN: [OwnEndpoint; 4] = [
    (
        "/healthz",
        "getHealth",
        "Whether the process is alive",
        "Touches nothing else. For the platform that restarts processes.",
        "application/json",
        false,
    ),
    (
        "/readyz",
        "getReadiness",
        "Whether requests can be served",
        "Asks the database. For the balancer that sends requests.",
        "application/json",
        true,
    ),
    (
        "/metrics",
        "getMetrics",
        "Metrics",
        "In OpenMetrics text, for Prometheus: latency by route and status, commits, queue depth. Needs the metrics token or the operator's token.",
        "application/openmetrics-text",
        false,
    ),
    (
        "/docs",
        "getDocs",
        "Documentation",
        "This document as a page. It loads nothing from elsewhere.",
        "text/html",
        false,
    ),
];

/// Adds the paths of the deployment's own endpoints; `rejected` is the response of an endpoint that is unavailable.
pub(super) fn add_own_paths(paths: &mut Json, rejected: &Json) {
    for (path, id, summary, description, media, refusable) in OWN {
        let schema = match path {
            "/healthz" => status("alive"),
            "/readyz" => status("ready"),
            _ => string(),
        };
        let content = Json::object([(media, Json::object([("schema", schema)]))]);
        let mut responses =
            Json::object([("200", Json::object([("description", summary.into()), ("content", content)]))]);
        if refusable {
            responses.set("503", rejected.clone());
        }
        let operation = Json::object([
            ("tags", Json::list(["Deployment"])),
            ("operationId", id.into()),
            ("summary", summary.into()),
            ("description", description.into()),
            ("security", Json::List(Vec::new())),
            ("responses", responses),
        ]);
        paths.set(path, Json::object([("get", operation)]));
    }
}

fn status(value: &str) -> Json {
    let status = string().with("enum", Json::list([value]));
    Json::object([
        ("type", "object".into()),
        ("required", Json::list(["status"])),
        ("properties", Json::object([("status", status)])),
    ])
}
