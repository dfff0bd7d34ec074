//! The shared components: parameters, headers, security schemes, webhooks, and the deployment's own
//! endpoints.

use super::{coverage, devices, json::Json, open_delivery, responses::Responses};
use crate::api::{operation::Link, problem::ProblemCode};

fn id(name: &str, location: &str, description: &str, required: bool) -> Json {
    let schema = Json::object([
        ("type", "integer".into()),
        ("format", "int64".into()),
        ("minimum", 1.into()),
        ("maximum", ((1 << 53) - 1).into()),
    ]);
    parameter(name, location, description, required, schema)
}

fn parameter(name: &str, location: &str, description: &str, required: bool, schema: Json) -> Json {
    Json::object([
        ("name", name.into()),
        ("in", location.into()),
        ("required", required.into()),
        ("description", description.into()),
        ("schema", schema),
    ])
}

fn string() -> Json {
    Json::object([("type", "string".into())])
}

fn instant() -> Json {
    string()
        .with("format", "date-time")
        .with("examples", Json::list(["2026-11-01T03:00:00Z"]))
}

/// Returns the parameters by the names that operations use.
pub(super) fn parameters() -> Json {
    let all = everywhere()
        .into_iter()
        .chain(in_paths())
        .chain(in_queries())
        .chain(devices::parameters());
    Json::object(all.chain(outward()).chain(coverage::parameters()))
}

/// Returns the headers that every request, or every `POST`, can have.
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
                "The language of messages for people: Portuguese (`pt-BR`) or English (the default).",
                false,
                string().with("examples", Json::list(["pt-BR"])),
            ),
        ),
        (
            "requestId",
            parameter(
                "x-request-id",
                "header",
                "Your own ID for this request: 1 to 128 letters, digits, dots, hyphens and underscores. The response has the same \
                 header. If the header is absent or invalid, the service generates an ID.",
                false,
                string(),
            ),
        ),
        (
            "prefer",
            parameter(
                "Prefer",
                "header",
                "`handling=strict` rejects unknown fields with `unknown_field` and the nearest known name; `handling=lenient` ignores them. \
                 Without it, a sandbox store's requests are strict and all others lenient. The response repeats the preference in \
                 `Preference-Applied`.",
                false,
                string(),
            ),
        ),
        (
            "idempotencyKey",
            parameter(
                "Idempotency-Key",
                "header",
                "A string that identifies this request, such as a UUID. For 24 hours the same key with the same query and body returns \
                 the first successful response; with others it returns `idempotency_key_reused`.",
                false,
                key,
            ),
        ),
    ]
}

/// Returns the parameters in the paths of orders, stores, keys, couriers and notifications.
fn in_paths() -> Vec<(&'static str, Json)> {
    vec![
        (
            "platformOrderId",
            id(
                "platformOrderId",
                "path",
                "The order's ID: `id` in the response to its creation.",
                true,
            ),
        ),
        ("openDeliveryOrderId", open_delivery::order_parameter()),
        ("storeId", id("storeId", "path", "The store's ID.", true)),
        (
            "token",
            parameter(
                "token",
                "path",
                "The token of the link: the end of `trackingUrl`.",
                true,
                string(),
            ),
        ),
        (
            "photoId",
            id(
                "photoId",
                "path",
                "The photo's ID: `photoId` in the response to its upload.",
                true,
            ),
        ),
        (
            "keyId",
            id(
                "keyId",
                "path",
                "The key's ID: its `id`, not its value.",
                true,
            ),
        ),
        ("userId", id("userId", "path", "The user's ID.", true)),
        (
            "sessionId",
            id("sessionId", "path", "The session's ID.", true),
        ),
        (
            "courierId",
            id("courierId", "path", "The courier's ID.", true),
        ),
        (
            "tariffId",
            id("tariffId", "path", "The ID of a stored tariff.", true),
        ),
        (
            "payPlanId",
            id(
                "payPlanId",
                "path",
                "The ID of a version of a pay plan.",
                true,
            ),
        ),
        (
            "notificationId",
            id("notificationId", "path", "The notification's ID.", true),
        ),
    ]
}

/// Returns the query parameters of lists and reports.
fn in_queries() -> Vec<(&'static str, Json)> {
    let limit = string()
        .with("type", "integer")
        .with("minimum", 1)
        .with("maximum", 100)
        .with("default", 50);
    vec![
        (
            "storeIdOfAudit",
            id(
                "storeId",
                "query",
                "Only entries of this store and, if it is a parent store, of its branches.",
                false,
            ),
        ),
        (
            "storeIdOfUsers",
            id(
                "storeId",
                "query",
                "The ID of the store whose users to list; by default the calling store.",
                false,
            ),
        ),
        (
            "storeIdOfKeys",
            id(
                "storeId",
                "query",
                "The ID of the store whose keys to list; by default the calling store.",
                false,
            ),
        ),
        (
            "storeIdOfContext",
            id(
                "storeId",
                "query",
                "The ID of the store for the previews; by default the calling store.",
                false,
            ),
        ),
        (
            "storeIdOfReport",
            id(
                "storeId",
                "query",
                "The ID of the store, whose branches are included.",
                false,
            ),
        ),
        (
            "firstDay",
            day(
                "from",
                "The first day; by default 29 days before the last one.",
            ),
        ),
        ("lastDay", day("to", "The last day; by default today.")),
        ("earningsDay", day("day", "The day; by default today.")),
        (
            "storeIdOfOrders",
            id(
                "storeId",
                "query",
                "The ID of the store, whose branches are included; by default all stores.",
                false,
            ),
        ),
        (
            "storeIdOfAnyKeys",
            id(
                "storeId",
                "query",
                "The ID of the store whose keys to list.",
                true,
            ),
        ),
        (
            "situation",
            parameter(
                "situation",
                "query",
                "Only orders in this situation.",
                false,
                Json::reference("schemas", "OrderSituation"),
            ),
        ),
        (
            "code",
            parameter(
                "code",
                "query",
                "Only orders with this code, which the merchant assigned.",
                false,
                string(),
            ),
        ),
        (
            "q",
            search(
                "Only orders with this ID, or with all these words in a code or in a recipient's name or phone, without accents and case. \
                 At most 6 words of letters and digits. In the 10,000 newest orders a word can be any part of these texts. In older \
                 ones it must be the beginning of a word or a complete number; a phone number is also found without its country code and \
                 area code.",
            ),
        ),
        (
            "storeSearch",
            search(
                "Only stores with this ID, or with all these words in the name, the CNPJ or the email, without accents and case. At most 6 \
                 words of letters and digits.",
            ),
        ),
        (
            "late",
            flag(
                "late",
                "Whether to return only open orders whose `expectedDelivery` has passed.",
            ),
        ),
        (
            "open",
            flag("open", "Whether to return only orders that have not ended."),
        ),
        (
            "from",
            parameter(
                "from",
                "query",
                "The start of the period, inclusive.",
                false,
                instant(),
            ),
        ),
        (
            "to",
            parameter(
                "to",
                "query",
                "The end of the period, exclusive.",
                false,
                instant(),
            ),
        ),
        (
            "dryRun",
            flag(
                "dryRun",
                "Whether to return what a pass would do, without doing it.",
            ),
        ),
        (
            "cursor",
            id(
                "cursor",
                "query",
                "`nextCursor` of the previous page; absent for the first page.",
                false,
            ),
        ),
        (
            "limit",
            parameter(
                "limit",
                "query",
                "The maximum number of entries in a page.",
                false,
                limit,
            ),
        ),
    ]
}

fn day(name: &'static str, meaning: &'static str) -> Json {
    let schema = string()
        .with("format", "date")
        .with("examples", Json::list(["2026-11-21"]));
    parameter(name, "query", meaning, false, schema)
}

fn search(meaning: &'static str) -> Json {
    parameter(
        "q",
        "query",
        meaning,
        false,
        string().with("minLength", 2).with("maxLength", 60),
    )
}

fn flag(name: &'static str, meaning: &'static str) -> Json {
    parameter(
        name,
        "query",
        meaning,
        false,
        Json::object([("type", "boolean".into())]),
    )
}

/// Returns the parameters of events, webhooks and money.
fn outward() -> Vec<(&'static str, Json)> {
    vec![
        (
            "webhookId",
            id("webhookId", "path", "The webhook's ID.", true),
        ),
        (
            "attemptId",
            id("attemptId", "path", "The attempt's ID.", true),
        ),
        (
            "storeIdOfStatement",
            id(
                "storeId",
                "query",
                "The ID of the store whose statement to read; by default the calling store.",
                false,
            ),
        ),
        (
            "storeIdOfCash",
            id(
                "storeId",
                "query",
                "The ID of the store; by default the calling store. A parent store can name a branch.",
                false,
            ),
        ),
        (
            "storeIdOfDifferences",
            id(
                "storeId",
                "query",
                "The ID of the store; by default all stores.",
                false,
            ),
        ),
        (
            "courierIdOfCash",
            id("courierId", "query", "Only of this courier.", false),
        ),
        (
            "cashPeriod",
            parameter(
                "period",
                "query",
                "Only of this period of a courier.",
                false,
                Json::object([("type", "integer".into()), ("minimum", 1.into())]),
            ),
        ),
        (
            "cashType",
            parameter(
                "type",
                "query",
                "Only entries of this type.",
                false,
                Json::reference("schemas", "CashEntryType"),
            ),
        ),
        (
            "deliveryIdOfTerms",
            id(
                "deliveryId",
                "query",
                "The ID of the delivery to cancel, if others remain; by default the whole order.",
                false,
            ),
        ),
        (
            "after",
            parameter(
                "after",
                "query",
                "`next` of the previous page, or an event's `cursor`; `0` starts with the first available event.",
                false,
                string(),
            ),
        ),
        (
            "lastEventId",
            parameter(
                "Last-Event-ID",
                "header",
                "The last `id` received. It takes precedence over `after`.",
                false,
                string(),
            ),
        ),
        (
            "statementCursor",
            parameter(
                "cursor",
                "query",
                "`nextCursor` of the previous page; ignored for CSV.",
                false,
                string(),
            ),
        ),
    ]
}

/// Returns the response headers by the names that responses use.
pub(super) fn headers() -> Json {
    let header = |required: bool, description: &str, schema: Json| {
        Json::object([
            ("description", description.into()),
            ("required", required.into()),
            ("schema", schema),
        ])
    };
    let seconds = || string().with("type", "integer").with("minimum", 1);
    Json::object([
        (
            "RequestId",
            header(
                true,
                "The request's ID: yours if you sent a valid one. Include it when you report an error to the operator.",
                string(),
            ),
        ),
        (
            "RateLimitPolicy",
            header(
                true,
                "The quota for requests of this kind: `\"create\";q=120;w=60` is 120 requests in 60 seconds.",
                string(),
            ),
        ),
        (
            "RateLimit",
            header(
                true,
                "The remaining quota: `\"create\";r=119;t=1` is 119 requests now, and the full quota in 1 second.",
                string(),
            ),
        ),
        (
            "SetCookie",
            header(
                true,
                "The session: `despacho-courier` for the path `/courier`, with `HttpOnly` and `SameSite=Strict`, and over HTTPS `Secure`. \
                 Empty after a sign-out.",
                string(),
            ),
        ),
        (
            "RetryAfter",
            header(false, "Seconds to wait before a retry.", seconds()),
        ),
        (
            "IdempotentReplayed",
            header(
                false,
                "`true` if this is the response to an earlier request with the same `Idempotency-Key`, order code or reference.",
                string().with("enum", Json::list(["true"])),
            ),
        ),
        (
            "WwwAuthenticate",
            header(
                true,
                "The authentication scheme: a key in `x-api-token`, a device key in `id`, or HTTP Basic for OwnTracks.",
                string(),
            ),
        ),
        (
            "ContentLanguage",
            header(
                true,
                "The language of the messages.",
                string().with("enum", Json::list(["en", "pt-BR"])),
            ),
        ),
        (
            "Allow",
            header(true, "The methods that the endpoint accepts.", string()),
        ),
    ])
}

/// Returns the description of the messages to a store's receiver.
pub(super) fn webhooks() -> Json {
    let header =
        |name: &str, description: &str| parameter(name, "header", description, true, string());
    let media = Json::object([("schema", Json::reference("schemas", "WebhookPayload"))]);
    let body = Json::object([
        ("required", true.into()),
        ("content", Json::object([("application/json", media)])),
    ]);
    let response = |text: &str| Json::object([("description", text.into())]);
    let post = Json::object([
        ("tags", Json::list(["Webhooks"])),
        ("operationId", "receiveEvent".into()),
        ("summary", "An event, sent to your receiver".into()),
        (
            "description",
            "Verify the signature over the raw body, respond at once, and process the event afterwards.".into(),
        ),
        ("security", Json::List(Vec::new())),
        (
            "parameters",
            Json::List(vec![
                header(
                    "webhook-id",
                    "The message's ID. A message with an ID that you have already received is a repetition.",
                ),
                header(
                    "webhook-timestamp",
                    "The time of sending, in Unix seconds. Reject messages that are older than five minutes.",
                ),
                header(
                    "webhook-signature",
                    "`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. While two secrets are valid, two signatures \
                     separated by a space.",
                ),
            ]),
        ),
        ("requestBody", body),
        (
            "responses",
            Json::object([
                ("2XX", response("The message was received.")),
                ("410", response("The webhook ends: no more messages are sent.")),
                ("default", response("The message was not received: it is sent again.")),
            ]),
        ),
    ]);
    Json::object([("event", Json::object([("post", post)]))])
}

/// Returns the link from a response to the operation that takes its ID.
pub(super) fn link(link: &Link) -> Json {
    let value = format!("$response.body#/{}", link.field);
    let described = [
        ("operationId", link.operation.into()),
        ("parameters", Json::object([(link.parameter, value.into())])),
        ("description", link.description.into()),
    ];
    Json::object([(link.operation, Json::object(described))])
}

fn session(name: &str, origin: &str) -> Json {
    Json::object([
        ("type", "apiKey".into()),
        ("in", "cookie".into()),
        ("name", name.into()),
        (
            "description",
            format!("{origin} is read only if the request has no `x-api-token`.").into(),
        ),
    ])
}

/// Returns the kinds of credentials. Three of them use the same header.
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
        ("storeKey", scheme("A store's key: `value` in the response that issued it.")),
        (
            "courierKey",
            scheme("A courier's key: `value` in the response that registered the courier or issued a new key."),
        ),
        ("courierSession", session("despacho-courier", "A session of `POST /courier/session`. It")),
        ("operatorSession", session("despacho-operator", "A session of `POST /admin/session`. It")),
        ("openDelivery", open_delivery::scheme()),
        (
            "deviceId",
            Json::object([
                ("type", "apiKey".into()),
                ("in", "query".into()),
                ("name", "id".into()),
                (
                    "description",
                    "A device key: `value` in the response of `POST /courier/device`. A form has it as `id`, JSON as `device_id`."
                        .into(),
                ),
            ]),
        ),
        (
            "devicePassword",
            Json::object([
                ("type", "http".into()),
                ("scheme", "basic".into()),
                ("description", "A device key as the password. The user name is ignored.".into()),
            ]),
        ),
        ("operatorToken", scheme("The operator's token, `DESPACHO_ADMIN_TOKEN` of the deployment.")),
    ])
}

/// An endpoint of the deployment: path, operation ID, summary, description, media type, and its
/// problems besides 405.
type OwnEndpoint = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [ProblemCode],
);

const OWN: [OwnEndpoint; 4] = [
    (
        "/healthz",
        "getHealth",
        "Liveness",
        "Returns 200 while the process runs, and checks nothing else. For the platform that restarts the process.",
        "application/json",
        &[],
    ),
    (
        "/readyz",
        "getReadiness",
        "Readiness",
        "Returns 200 if requests can be served, after a query to the database. For the load balancer.",
        "application/json",
        &[ProblemCode::Unavailable],
    ),
    (
        "/metrics",
        "getMetrics",
        "Metrics",
        "Returns metrics for Prometheus as OpenMetrics text: latency by route and status, commits, queue depth. Requires the metrics \
         token or the operator's token. The Spin component has no metrics of its own.",
        "application/openmetrics-text",
        &[ProblemCode::ApiKeyInvalid, ProblemCode::EndpointNotFound],
    ),
    (
        "/docs",
        "getDocs",
        "Documentation",
        "Returns this document as a page, which loads nothing from other servers.",
        "text/html",
        &[],
    ),
];

/// Adds the paths of the deployment's own endpoints.
pub(super) fn add_own_paths(paths: &mut Json, responses: &mut Responses) {
    for (path, id, summary, description, media, problems) in OWN {
        let schema = match path {
            "/healthz" => status("alive"),
            "/readyz" => status("ready"),
            _ => string(),
        };
        let mut described = Json::object([("schema", schema)]);
        match path {
            "/healthz" => described.set("example", Json::object([("status", "alive".into())])),
            "/readyz" => described.set("example", Json::object([("status", "ready".into())])),
            _ => {}
        }
        let content = Json::object([(media, described)]);
        let mut documented = Json::object([(
            "200",
            Json::object([("description", summary.into()), ("content", content)]),
        )]);
        // These endpoints also reject every other method of their paths.
        for code in problems.iter().chain(&[ProblemCode::MethodNotAllowed]) {
            documented.set(
                code.status().to_string(),
                responses.problem(code.status(), &[*code]),
            );
        }
        let operation = Json::object([
            ("tags", Json::list(["Deployment"])),
            ("operationId", id.into()),
            ("summary", summary.into()),
            ("description", description.into()),
            ("security", Json::List(Vec::new())),
            ("responses", documented),
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
