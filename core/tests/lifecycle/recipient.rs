//! The recipient's page: what a token gives access to, and what it does not.

use std::collections::BTreeSet;

use bytes::Bytes;
use despacho_core::{
    api::{self, CallerAddress},
    host::{Host, Platform, Storage},
    memory::MemoryHost,
    model::{CourierId, Duration, Timestamp, courier::Position, order::Order},
    rules::{lifecycle::allocate, settings::Settings},
};
use despacho_simulator::demo::KEY;
use http::{HeaderMap, Request};
use serde_json::{Value, json};

use crate::support::{COURIER, OPERATOR, block_on, courier, host, order, reasons, settings};

/// Coordinates of the demo recipients.
const HOME: (f64, f64) = (-23.5530, -46.6560);
const JSON: (&str, &str) = ("accept", "application/json");
const HTML: (&str, &str) = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

pub(crate) fn with_url() -> Settings {
    Settings {
        public_url: Some("https://entregas.example".to_owned()),
        ..settings()
    }
}

/// A response as text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sent {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Sent {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}

/// Sends a request with these headers from an address.
pub(crate) fn send_from(
    host: &impl Host,
    settings: &Settings,
    address: [u8; 4],
    line: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Sent {
    let (method, path) = line.split_once(' ').unwrap();
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("x-request-id", "r-1");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request
        .extension(CallerAddress(address.into()))
        .body(Bytes::from(body.to_owned()))
        .unwrap();
    let (parts, body) = block_on(api::handle(host, settings, request)).into_parts();
    let text = String::from_utf8(body.to_vec()).unwrap();
    Sent {
        status: parts.status.as_u16(),
        headers: parts.headers,
        text,
    }
}

/// Sends JSON with a key, if there is one.
pub(crate) fn send(host: &impl Host, key: &str, line: &str, body: &Value) -> Sent {
    let text = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let headers = [
        ("x-api-token", key),
        ("content-type", "application/json"),
        JSON,
    ];
    send_from(
        host,
        &with_url(),
        [10, 0, 0, 1],
        line,
        &headers[usize::from(key.is_empty())..],
        &text,
    )
}

fn get(host: &impl Host, path: &str, header: (&str, &str)) -> Sent {
    send_from(
        host,
        &with_url(),
        [10, 0, 0, 1],
        &format!("GET {path}"),
        &[header],
        "",
    )
}

/// Creates a host whose demo store has recipients' pages.
pub(crate) fn tracked() -> MemoryHost {
    let host = host();
    let store =
        send(&host, KEY, "GET /delivery/stores", &Value::Null).json()["stores"][0]["id"].clone();
    let tracking = json!({
        "enabled": true, "choices": ["DOORMAN", "AT_DOOR"], "notifyAt": ["CREATED", "PICKED_UP", "EN_ROUTE"],
        "contact": { "name": "Balcão", "phone": "+551130000000", "text": "Das 11h às 23h" },
    });
    let set = send(
        &host,
        KEY,
        &format!("PUT /delivery/stores/{store}/tracking"),
        &tracking,
    );
    assert_eq!((set.status, set.json()), (200, tracking));
    host
}

fn delivery(at: usize) -> Value {
    let shift = f64::from(u32::try_from(at).unwrap()) / 500.0;
    json!({
        "code": format!("CanaryCode{at}"), "fullCode": format!("CanaryFull{at}"), "name": format!("CanaryName{at} CanarySurname{at}"),
        "phone": format!("+55119777700{at:02}"), "email": format!("canary{at}@mail.example"), "observation": format!("CanaryNote{at}"),
        "productValue": 4321.09, "onlinePayment": true, "confirmation": { "platform": true },
        "address": {
            "street": format!("CanaryStreet{at}"), "number": format!("9876{at}"), "complement": format!("CanaryComplement{at}"),
            "neighborhood": format!("CanaryQuarter{at}"), "zipCode": "01304-001",
            "city": "São Paulo", "state": "SP", "latitude": HOME.0 - shift, "longitude": HOME.1,
        },
    })
}

/// Creates an order with two deliveries. Returns it with the paths of the recipients' pages.
pub(crate) fn create(host: &MemoryHost, code: &str) -> (Order, Vec<String>) {
    let body =
        json!({ "code": code, "preparationTime": 0, "deliveries": [delivery(1), delivery(2)] });
    let created = send(host, KEY, "POST /delivery/orders", &body);
    assert_eq!(created.status, 201, "{}", created.text);
    let body = created.json();
    (order(host, body["id"].as_u64().unwrap()), paths(&body))
}

fn paths(order: &Value) -> Vec<String> {
    let url = |delivery: &Value| {
        delivery["trackingUrl"]
            .as_str()
            .unwrap()
            .strip_prefix("https://entregas.example")
            .map(str::to_owned)
    };
    order["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|delivery| url(delivery).unwrap())
        .collect()
}

/// Allocates an order to courier 7.
pub(crate) fn assign(host: &MemoryHost, id: u64) {
    send(
        host,
        KEY,
        &format!("GET /delivery/orders/{id}"),
        &Value::Null,
    );
    let searching = Order {
        sandbox: true,
        ..order(host, id)
    };
    let (courier, context) = (courier(host, 7), host.exec_context());
    let reasons = reasons(courier.id, context.now);
    let (_, changes) = allocate(&searching, &courier, &[], 3, reasons, &[], &context).unwrap();
    block_on(host.commit(&changes)).unwrap();
}

/// Takes a step of the courier, at the stop with this index.
fn step(host: &MemoryHost, id: u64, name: &str, stop: usize) {
    let stored = order(host, id);
    let code = if name == "pickup" {
        &stored.pickup_code
    } else {
        &stored.deliveries[stop].delivery_code
    };
    let body =
        json!({ "deliveryId": stored.deliveries[stop].id.get(), "code": code, "reason": "test" });
    let done = send(
        host,
        COURIER,
        &format!("POST /courier/orders/{id}/{name}"),
        &body,
    );
    assert_eq!(done.status, 200, "{name}: {}", done.text);
}

pub(crate) fn steps(host: &MemoryHost, id: u64, names: &[&str], stop: usize) {
    names.iter().for_each(|name| step(host, id, name, stop));
}

fn put_position(host: &MemoryHost, latitude: f64, longitude: f64) {
    let point = despacho_core::model::Point::from_degrees(latitude, longitude).unwrap();
    let position = Position {
        courier: CourierId::new(7).unwrap(),
        point,
        at: host.now(),
    };
    let changes = despacho_core::changes::Changes {
        at: host.now(),
        positions: vec![position],
        ..Default::default()
    };
    block_on(host.commit(&changes)).unwrap();
}

/// The paths of a token that is unknown, malformed, revoked, replaced, or has ended.
fn invalid_paths(host: &MemoryHost) -> Vec<String> {
    let (stored, links) = create(host, "I-1");
    let line = format!("POST /delivery/orders/{}/tracking", stored.id);
    for (stop, action) in stored.deliveries.iter().zip(["REVOKE", "ROTATE"]) {
        let changed = send(
            host,
            KEY,
            &line,
            &json!({ "deliveryId": stop.id.get(), "action": action }),
        );
        assert_eq!(
            (changed.status, changed.json()["trackingUrl"].is_null()),
            (200, action == "REVOKE")
        );
    }
    let (stored, ended) = create(host, "I-2");
    let cancelled = send(
        host,
        KEY,
        "POST /delivery/orders/cancel",
        &json!({ "orderId": stored.id.get() }),
    );
    assert_eq!(cancelled.status, 200, "{}", cancelled.text);
    assert_eq!(get(host, &ended[0], JSON).json()["state"], "CANCELLED");
    host.advance(Duration::minutes(120));
    let unknown = [
        "AAAAAAAAAAAAAAAAAAAAAAAA",
        "x",
        "%00",
        "a.b",
        "%F0%9F%9A%80",
        &"A".repeat(4_000),
    ];
    let unknown = unknown.iter().map(|token| format!("/t/{token}"));
    links.into_iter().chain(ended).chain(unknown).collect()
}

#[test]
fn invalid_tokens_have_identical_responses_after_one_query() {
    let host = tracked();
    let paths = invalid_paths(&host);
    for (line, accept, body) in [
        ("GET {}", HTML, ""),
        ("GET {}", JSON, ""),
        ("HEAD {}", HTML, ""),
        ("GET {}/events", ("accept", "text/event-stream"), ""),
        ("POST {}/choice", HTML, "choice=AT_DOOR"),
        ("POST {}/rating", JSON, "{}"),
    ] {
        for language in ["pt-BR", "en"] {
            let headers = [accept, ("accept-language", language), FORM];
            let sent = paths.iter().map(|path| {
                let before = host.reads();
                let sent = send_from(
                    &host,
                    &with_url(),
                    [10, 0, 0, 1],
                    &line.replace("{}", path),
                    &headers,
                    body,
                );
                assert_eq!(host.reads() - before, 1, "{line} {path}");
                sent
            });
            let sent: Vec<Sent> = sent.collect();
            assert_eq!(sent[0].status, 404);
            assert!(
                sent.iter().all(|other| *other == sent[0]),
                "{line}: {sent:?}"
            );
            for (name, value) in [
                ("referrer-policy", "same-origin"),
                ("x-robots-tag", "noindex, nofollow"),
                ("cache-control", "no-store"),
            ] {
                assert_eq!(sent[0].header(name), value);
            }
        }
    }
}

#[test]
fn guessed_tokens_are_throttled_and_others_are_not() {
    let host = tracked();
    let (_, links) = create(&host, "G-1");
    let guess = |number: u32| {
        send_from(
            &host,
            &with_url(),
            [10, 0, 0, 9],
            &format!("GET /t/guess-{number}"),
            &[JSON],
            "",
        )
    };
    let sent: Vec<Sent> = (0..10_000).map(guess).collect();
    let first_limited = sent.iter().position(|one| one.status == 429).unwrap();
    let limit = with_url().limits.unknown_keys_per_minute as usize;
    assert_eq!(first_limited, limit);
    assert!(
        sent[..limit]
            .iter()
            .all(|one| one.status == 404 && *one == sent[0])
    );
    assert!(
        sent[limit..]
            .iter()
            .all(|one| one.status == 429 && !one.header("retry-after").is_empty())
    );
    assert_eq!(get(&host, &links[0], JSON).status, 200, "another address");
    let own = send_from(
        &host,
        &with_url(),
        [10, 0, 0, 9],
        &format!("GET {}", links[0]),
        &[JSON],
        "",
    );
    assert_eq!(own.status, 200, "a valid link of the same address");
}

#[test]
fn tokens_are_not_stored_and_a_replay_returns_them() {
    let host = tracked();
    let body = json!({ "code": "S-1", "deliveries": [delivery(1), delivery(2)] }).to_string();
    let headers = [
        ("x-api-token", KEY),
        ("content-type", "application/json"),
        ("idempotency-key", "k-1"),
    ];
    let create = || {
        send_from(
            &host,
            &with_url(),
            [10, 0, 0, 1],
            "POST /delivery/orders",
            &headers,
            &body,
        )
    };
    let (created, replayed) = (create(), create());
    assert_eq!(
        (
            created.status,
            replayed.status,
            replayed.header("idempotent-replayed")
        ),
        (201, 201, "true")
    );
    assert_eq!(created.text, replayed.text);
    let links = paths(&created.json());
    assert!(
        links[0] != links[1]
            && links
                .iter()
                .all(|link| get(&host, link, JSON).status == 200)
    );
    let stored = order(&host, created.json()["id"].as_u64().unwrap());
    let claim = block_on(host.claim(&format!("store/{}", stored.store), "k-1"))
        .unwrap()
        .unwrap();
    let rows = format!("{claim:?}{}", serde_json::to_string(&stored).unwrap());
    assert!(
        links
            .iter()
            .all(|link| !rows.contains(link.trim_start_matches("/t/"))),
        "{rows}"
    );
    let id = stored.id;
    let read = send(
        &host,
        KEY,
        &format!("GET /delivery/orders/{id}"),
        &Value::Null,
    )
    .json();
    let listed = send(&host, KEY, "GET /delivery/orders", &Value::Null).json();
    assert_eq!(
        (paths(&read), paths(&listed["orders"][0])),
        (links.clone(), links)
    );
    let readied = send(
        &host,
        KEY,
        &format!("POST /delivery/orders/{id}/ready"),
        &Value::Null,
    )
    .json();
    assert_eq!(
        readied["deliveries"][0]["trackingUrl"],
        Value::Null,
        "other responses have no link"
    );
}

#[test]
fn page_has_no_personal_data_and_no_other_delivery() {
    let host = tracked();
    let (stored, links) = create(&host, "P-1-Canary");
    let id = stored.id.get();
    let mut seen = Vec::new();
    let mut look = || {
        for (path, header) in [
            ("", HTML),
            ("", JSON),
            ("/events", ("accept", "text/event-stream")),
        ] {
            seen.push((
                links[0].clone(),
                0,
                get(&host, &format!("{}{path}", links[0]), header).text,
            ));
            seen.push((
                links[1].clone(),
                1,
                get(&host, &format!("{}{path}", links[1]), header).text,
            ));
        }
    };
    look();
    assign(&host, id);
    look();
    steps(&host, id, &["arrive", "pickup", "en-route"], 0);
    put_position(&host, HOME.0 + 0.01, HOME.1);
    look();
    steps(&host, id, &["at-door", "deliver"], 0);
    look();
    steps(&host, id, &["en-route", "at-door", "fail"], 1);
    look();
    assert_eq!(seen.len(), 30);
    let stored = order(&host, id);
    for (link, own, text) in &seen {
        let other = &stored.deliveries[1 - own];
        let forbidden = [
            "Canary",
            "canary",
            "777700",
            "9876",
            "01304",
            "4321",
            "511988887777",
            "Courier 7",
            &stored.pickup_code,
            &other.delivery_code,
            &format!("{id}"),
            &other.id.to_string(),
            &stored.fee.to_string(),
            links[1 - own].trim_start_matches("/t/"),
        ];
        for word in forbidden {
            assert!(!text.contains(word), "{link} contains {word}: {text}");
        }
    }
    let codes: BTreeSet<bool> = seen
        .iter()
        .map(|(_, own, text)| text.contains(&stored.deliveries[*own].delivery_code))
        .collect();
    assert_eq!(codes.len(), 2, "the own code is shown until the end");
}

#[test]
fn position_is_rounded_and_only_shown_on_the_way() {
    let host = tracked();
    let (stored, links) = create(&host, "W-1");
    let id = stored.id.get();
    let position = |link: &str| {
        let content = get(&host, link, JSON).json();
        assert_eq!(
            get(&host, link, HTML).text.contains("<svg"),
            !content["courier"]["latitude"].is_null()
        );
        (
            content["courier"]["latitude"].as_f64(),
            content["courier"]["longitude"].as_f64(),
        )
    };
    let nowhere = (None, None);
    assign(&host, id);
    put_position(&host, -23.556_789_1, -46.661_234_5);
    assert_eq!(
        [position(&links[0]), position(&links[1])],
        [nowhere, nowhere]
    );
    steps(&host, id, &["arrive", "pickup"], 0);
    assert_eq!(
        [position(&links[0]), position(&links[1])],
        [nowhere, nowhere]
    );
    step(&host, id, "en-route", 0);
    let rounded = (Some(-23.557), Some(-46.661));
    assert_eq!(
        [position(&links[0]), position(&links[1])],
        [rounded, nowhere],
        "only the next delivery"
    );
    step(&host, id, "at-door", 0);
    assert_eq!(
        [position(&links[0]), position(&links[1])],
        [nowhere, nowhere]
    );
    step(&host, id, "deliver", 0);
    assert_eq!(
        [position(&links[0]), position(&links[1])],
        [nowhere, nowhere]
    );
    step(&host, id, "en-route", 1);
    assert_eq!(
        [position(&links[0]), position(&links[1])],
        [nowhere, rounded]
    );
}

#[test]
fn choice_of_the_store_is_accepted_and_reaches_the_courier() {
    let host = tracked();
    let (stored, links) = create(&host, "C-1");
    let id = stored.id.get();
    let choose = |choice: &str| {
        send(
            &host,
            "",
            &format!("POST {}/choice", links[0]),
            &json!({ "choice": choice }),
        )
    };
    for rejected in ["NEIGHBOUR", "CALL_STORE", "WINDOW", ""] {
        let sent = choose(rejected);
        assert_eq!(
            (sent.status, &sent.json()["errors"][0]["pointer"]),
            (422, &json!("/choice")),
            "{rejected}"
        );
    }
    assert_eq!(choose("AT_DOOR").json()["choice"], "AT_DOOR");
    let version = order(&host, id).version;
    assert_eq!(
        (choose("AT_DOOR").status, order(&host, id).version),
        (200, version),
        "a repetition changes nothing"
    );
    assert_eq!(choose("DOORMAN").json()["choice"], "DOORMAN");
    assert_eq!(
        get(&host, &links[1], JSON).json()["choice"],
        Value::Null,
        "the other recipient chose nothing"
    );
    assign(&host, id);
    let trip = send(&host, COURIER, "GET /courier/order", &Value::Null).json();
    let seen: Vec<&Value> = trip["order"]["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["recipientChoice"])
        .collect();
    assert_eq!(seen, [&json!("DOORMAN"), &Value::Null]);
    let details = send(
        &host,
        KEY,
        &format!("GET /delivery/orders/{id}"),
        &Value::Null,
    )
    .json();
    let events: Vec<&Value> = details["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["type"] == "delivery.recipient_choice")
        .collect();
    assert_eq!(events.len(), 2);
    assert_eq!(
        (&events[1]["reason"], &events[1]["deliveryId"]),
        (&json!("DOORMAN"), &json!(stored.deliveries[0].id.get()))
    );
    steps(&host, id, &["arrive", "pickup", "en-route", "at-door"], 0);
    assert_eq!(
        (
            get(&host, &links[0], JSON).json()["choices"].clone(),
            choose("AT_DOOR").status
        ),
        (json!([]), 422)
    );
}

#[test]
fn rating_is_accepted_once_after_the_end() {
    let host = tracked();
    let (stored, links) = create(&host, "R-1");
    let id = stored.id.get();
    let rate = |link: &str, body: &Value| send(&host, "", &format!("POST {link}/rating"), body);
    let five = json!({ "stars": 5, "text": " Muito rápido " });
    assert_eq!(
        (
            rate(&links[0], &five).status,
            rate(&links[0], &five).json()["code"].clone()
        ),
        (409, json!("invalid_transition"))
    );
    assign(&host, id);
    steps(
        &host,
        id,
        &["arrive", "pickup", "en-route", "at-door", "deliver"],
        0,
    );
    for wrong in [
        json!({}),
        json!({ "stars": 0 }),
        json!({ "stars": 6 }),
        json!({ "stars": 4.5 }),
        json!({ "stars": 5, "text": "x".repeat(1_001) }),
    ] {
        assert_eq!(rate(&links[0], &wrong).status, 422, "{wrong}");
    }
    assert_eq!(get(&host, &links[0], JSON).json()["canRate"], true);
    let rated = rate(&links[0], &five).json();
    assert_eq!(
        (
            &rated["canRate"],
            &rated["rating"]["stars"],
            &rated["rating"]["text"]
        ),
        (&json!(false), &json!(5), &json!("Muito rápido"))
    );
    let again = rate(&links[0], &json!({ "stars": 1 }));
    assert_eq!(
        (again.status, &again.json()["code"]),
        (409, &json!("already_rated"))
    );
    steps(&host, id, &["en-route", "at-door", "deliver"], 1);
    assert_eq!(order(&host, id).status.number(), 500);
    assert_eq!(
        rate(&links[1], &json!({ "stars": 3 })).status,
        200,
        "after the order's end"
    );
    let details = send(
        &host,
        KEY,
        &format!("GET /delivery/orders/{id}"),
        &Value::Null,
    )
    .json();
    let stars: Vec<&Value> = details["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["rating"]["stars"])
        .collect();
    assert_eq!(stars, [&json!(5), &json!(3)]);
    let sequences: Vec<u64> = details["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["sequence"].as_u64().unwrap())
        .collect();
    assert_eq!(
        sequences,
        (1..=u64::try_from(sequences.len()).unwrap()).collect::<Vec<_>>()
    );
}

#[test]
fn form_is_redirected_and_other_sites_are_rejected() {
    let host = tracked();
    let (_, links) = create(&host, "F-1");
    let post = |site: &[(&str, &str)], body: &str| {
        let headers = [&[HTML, FORM, ("accept-language", "pt-BR")], site].concat();
        send_from(
            &host,
            &with_url(),
            [10, 0, 0, 1],
            &format!("POST {}/choice", links[0]),
            &headers,
            body,
        )
    };
    for site in ["cross-site", "same-site", "none", "x"] {
        let sent = post(&[("sec-fetch-site", site)], "choice=AT_DOOR");
        assert_eq!(
            (sent.status, sent.header("content-type")),
            (403, "text/html; charset=utf-8"),
            "{site}"
        );
    }
    assert_eq!(get(&host, &links[0], JSON).json()["choice"], Value::Null);
    for site in [&[("sec-fetch-site", "same-origin")][..], &[]] {
        let sent = post(site, "choice=AT_DOOR");
        assert_eq!(
            (sent.status, sent.header("location"), &*sent.text),
            (303, &*links[0], "")
        );
    }
    let page = get(&host, &links[0], HTML).text;
    assert!(
        page.contains("value=\"AT_DOOR\" aria-pressed=\"true\""),
        "{page}"
    );
    let wrong = post(&[], "choice=%3Cscript%3E");
    assert!(
        wrong.status == 422 && wrong.text.contains(&format!("href=\"{}\"", links[0])),
        "{}",
        wrong.text
    );
    assert!(!wrong.text.contains("<script>"), "{}", wrong.text);
}

#[test]
fn link_ends_two_hours_after_its_delivery() {
    let host = tracked();
    let (stored, links) = create(&host, "E-1");
    let id = stored.id.get();
    assign(&host, id);
    steps(
        &host,
        id,
        &["arrive", "pickup", "en-route", "at-door", "deliver"],
        0,
    );
    let ended = host.now();
    assert_eq!(
        get(&host, &links[0], JSON).json()["endsAt"],
        ended.after(Duration::minutes(120)).to_string()
    );
    host.set_now(Timestamp::from_millis(ended.millis() + 2 * 3_600_000 - 1));
    assert_eq!(get(&host, &links[0], JSON).status, 200);
    host.advance(Duration::millis(1));
    assert_eq!(
        [
            get(&host, &links[0], JSON).status,
            get(&host, &links[1], JSON).status
        ],
        [404, 200]
    );
    block_on(despacho_core::drivers::erasure::retain(
        &host,
        &with_url(),
        host.now().after(Duration::minutes(1)),
    ))
    .unwrap();
    let line = format!("POST /delivery/orders/{id}/tracking");
    let rotated = send(
        &host,
        KEY,
        &line,
        &json!({ "deliveryId": stored.deliveries[0].id.get(), "action": "ROTATE" }),
    )
    .json();
    let path = rotated["trackingUrl"]
        .as_str()
        .unwrap()
        .trim_start_matches("https://entregas.example");
    assert_eq!(
        get(&host, path, JSON).status,
        404,
        "a new link ends at the same time"
    );
}

#[test]
fn erasure_ends_the_link_and_removes_email_and_rating() {
    let host = tracked();
    let (stored, links) = create(&host, "X-1");
    let id = stored.id.get();
    assign(&host, id);
    steps(
        &host,
        id,
        &["arrive", "pickup", "en-route", "at-door", "deliver"],
        0,
    );
    steps(&host, id, &["en-route", "at-door", "deliver"], 1);
    let rating = json!({ "stars": 2, "text": "CanaryRating" });
    assert_eq!(
        send(&host, "", &format!("POST {}/rating", links[0]), &rating).status,
        200
    );
    let exported = send(
        &host,
        OPERATOR,
        "POST /admin/privacy/export",
        &json!({ "phone": "+5511977770001" }),
    );
    assert!(
        exported.text.contains("CanaryRating") && exported.text.contains("canary1@mail.example"),
        "{}",
        exported.text
    );
    let erased = send(
        &host,
        OPERATOR,
        "POST /admin/privacy/erase",
        &json!({ "phone": "+5511977770001" }),
    );
    assert_eq!(
        (erased.status, &erased.json()["deliveries"]),
        (200, &json!(1))
    );
    assert_eq!(
        [
            get(&host, &links[0], JSON).status,
            get(&host, &links[1], JSON).status
        ],
        [404, 200]
    );
    let rows = format!(
        "{}{:?}",
        serde_json::to_string(&order(&host, id)).unwrap(),
        host.recorded()
    );
    for word in ["CanaryRating", "canary1@mail.example", "CanaryName1"] {
        assert!(!rows.contains(word), "{word} in {rows}");
    }
    assert!(
        rows.contains("canary2@mail.example"),
        "the other recipient's data is kept"
    );
}
