//! Every problem's title and detail is a complete sentence of the language guide, in English and in
//! Portuguese.

use std::collections::BTreeSet;

use bytes::Bytes;
use despacho_core::{
    api::{
        self,
        follow::apply_event,
        page::Previewer,
        problem::{Problem, ProblemCode},
    },
    geo::Gazetteer,
    host::HostError,
    memory::MemoryHost,
    model::{Duration, Language, Text},
};
use despacho_simulator::demo::{EMAIL, KEY, PASSWORD};
use http::Request;
use serde_json::{Value, json};

use crate::support::{
    COURIER, OPERATOR, block_on, create_allocated_order, create_order, host, send, settings,
};

/// Words that the language guide bans from English messages.
const BANNED: &str = include_str!("banned-words.txt");

fn assert_phrase(text: &Text, context: &str) {
    let Text { en, pt } = text;
    assert!(
        !en.is_empty() && !pt.is_empty() && en != pt,
        "{context}: {text:?}"
    );
    let words = en
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| !word.is_empty());
    let banned: Vec<&str> = words
        .filter(|word| {
            BANNED
                .split_whitespace()
                .any(|banned| word.eq_ignore_ascii_case(banned))
        })
        .collect();
    assert!(banned.is_empty(), "{context}: {banned:?} in {en:?}");
    for amount in pt.split("R$ ").skip(1) {
        let number: String = amount
            .chars()
            .take_while(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '-'))
            .collect();
        assert!(
            !number.trim_end_matches('.').contains('.'),
            "{context}: {number} in {pt:?}"
        );
    }
}

fn assert_sentence(text: &Text, context: &str) {
    assert_phrase(text, context);
    assert!(
        [&text.en, &text.pt]
            .iter()
            .all(|text| text.ends_with(['.', '?'])),
        "{context}: {text:?} has no full stop"
    );
}

fn assert_problem(problem: &Problem) {
    assert_sentence(&problem.detail, problem.code.name());
    problem
        .errors
        .iter()
        .for_each(|error| assert_sentence(&error.detail, error.code));
}

/// Sends a request in a language and returns the problem document.
fn problem(
    host: &MemoryHost,
    language: Language,
    key: &str,
    line: &str,
    header: (&str, &str),
    body: &[u8],
) -> Value {
    let (method, path) = line.split_once(' ').unwrap();
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("accept-language", language.tag());
    if !key.is_empty() {
        request = request.header("x-api-token", key);
    }
    if header.0 != "content-type" {
        request = request.header("content-type", "application/json");
    }
    let request = request
        .header(header.0, header.1)
        .body(Bytes::copy_from_slice(body))
        .unwrap();
    let response = block_on(api::handle(host, &settings(), request));
    let text = String::from_utf8_lossy(response.body()).into_owned();
    assert!(
        response.status().is_client_error(),
        "{line} {}: {} {text}",
        String::from_utf8_lossy(body),
        response.status()
    );
    serde_json::from_str(&text).unwrap()
}

/// The problems of requests in both languages, with the codes of problems and fields that were
/// checked.
struct Checked {
    host: MemoryHost,
    codes: BTreeSet<String>,
}

impl Checked {
    fn send(&mut self, key: &str, line: &str, header: (&str, &str), body: &[u8]) {
        let [en, pt] = [Language::English, Language::Portuguese]
            .map(|language| problem(&self.host, language, key, line, header, body));
        let pair = |en: &Value, pt: &Value| Text::new(en.as_str().unwrap(), pt.as_str().unwrap());
        let context = format!("{line} {}", en["code"]);
        self.codes.insert(en["code"].as_str().unwrap().to_owned());
        assert_phrase(&pair(&en["title"], &pt["title"]), &context);
        assert_sentence(&pair(&en["detail"], &pt["detail"]), &context);
        for (en, pt) in en["errors"]
            .as_array()
            .unwrap()
            .iter()
            .zip(pt["errors"].as_array().unwrap())
        {
            self.codes.insert(en["code"].as_str().unwrap().to_owned());
            assert_sentence(&pair(&en["detail"], &pt["detail"]), &context);
        }
    }

    fn json(&mut self, key: &str, line: &str, body: &Value) {
        self.send(key, line, ("accept", "*/*"), body.to_string().as_bytes());
    }

    fn preview(&mut self, address: Value) {
        self.json(
            KEY,
            "POST /delivery/orders/preview",
            &json!({ "deliveries": [{ "address": address }] }),
        );
    }

    #[track_caller]
    fn assert_codes(&self, expected: &str) {
        let missing: Vec<&str> = expected
            .split_whitespace()
            .filter(|code| !self.codes.contains(*code))
            .collect();
        assert!(missing.is_empty(), "not checked: {missing:?}");
    }
}

fn checked() -> Checked {
    Checked {
        host: host(),
        codes: BTreeSet::new(),
    }
}

#[test]
fn titles_and_default_details_follow_the_language_guide() {
    for code in ProblemCode::ALL {
        assert_phrase(&code.title(), code.name());
        assert!(
            !code.title().en.ends_with('.') && !code.title().pt.ends_with('.'),
            "{}",
            code.name()
        );
        assert_sentence(&code.detail(), code.name());
    }
}

#[test]
fn host_errors_follow_the_language_guide() {
    assert_problem(&HostError::Conflict.into());
    assert_problem(
        &HostError::Internal {
            detail: "x".to_owned(),
        }
        .into(),
    );
    for what in [
        "database",
        "database storage",
        "journal",
        "geocoder",
        "passwords",
        "other",
    ] {
        assert_problem(
            &HostError::Unavailable {
                what,
                detail: "x".to_owned(),
            }
            .into(),
        );
        assert_problem(&HostError::Timeout { what }.into());
    }
}

#[test]
fn guard_problems_follow_the_language_guide() {
    let mut checked = checked();
    let any = ("accept", "*/*");
    for (key, line) in [
        ("", "GET /delivery/orders/1"),
        ("wrong", "GET /delivery/orders/1"),
        ("wrong", "GET /courier/me"),
        ("wrong", "GET /admin/couriers"),
        (KEY, "GET /unknown"),
        (KEY, "PUT /delivery/orders"),
        (KEY, "GET /delivery/orders/1"),
        (KEY, "GET /delivery/stores/999"),
        (KEY, "DELETE /delivery/keys/999"),
        (KEY, "DELETE /delivery/stores/1000"),
        (KEY, "GET /delivery/keys?storeId=999"),
        (KEY, "POST /delivery/notifications/999/read"),
        (KEY, "DELETE /delivery/webhooks/999"),
        (KEY, "POST /delivery/webhooks/attempts/999/retry"),
        (KEY, "GET /delivery/orders?limit=0"),
        (KEY, "GET /delivery/orders?cursor=x"),
        (KEY, "GET /delivery/orders?situation=1"),
        (KEY, "GET /delivery/orders?from=x"),
        (KEY, "GET /delivery/statement?from=x"),
        (KEY, "GET /delivery/events?after=x"),
        (OPERATOR, "GET /admin/couriers/999"),
        (OPERATOR, "GET /admin/keys?storeId=999"),
    ] {
        checked.send(key, line, any, b"");
    }
    checked.send(KEY, "GET /delivery/orders", ("accept", "text/plain"), b"");
    checked.send(
        KEY,
        "POST /delivery/orders",
        ("content-type", "text/plain"),
        b"{}",
    );
    checked.send(KEY, "POST /delivery/orders", ("idempotency-key", ""), b"{}");
    checked.send(KEY, "POST /delivery/orders", any, &vec![b' '; 300_000]);
    checked.assert_codes(
        "api_key_missing api_key_invalid endpoint_not_found method_not_allowed order_not_found store_not_found key_not_found \
         notification_not_found webhook_not_found attempt_not_found courier_not_found validation_failed cursor_invalid \
         not_acceptable unsupported_media_type malformed_request body_too_large",
    );
}

#[test]
fn preview_problems_follow_the_language_guide() {
    let mut checked = checked();
    let line = "POST /delivery/orders/preview";
    let cases: [&[u8]; 5] = [
        b"",
        b"\xff",
        b"[]",
        br#"{"deliveries": [], "deliveries": []}"#,
        b"{}",
    ];
    cases
        .into_iter()
        .for_each(|body| checked.send(KEY, line, ("accept", "*/*"), body));
    let address =
        json!({ "city": "São Paulo", "state": "SP", "latitude": -23.5614, "longitude": -46.6559 });
    let stop = |pin: &str| json!({ "pin": pin, "address": address });
    for body in [
        json!({ "deliveries": {}, "sortByBestRoute": 1, "preparationTime": "x", "store": { "userPlatformId": 1.5 } }),
        json!({ "deliveries": [{ "address": "x", "pin": 1 }] }),
        json!({ "deliveries": [{}], "preparationTime": 1.5 }),
        json!({ "deliveries": vec![stop("first"); 51] }),
        json!({ "deliveries": [stop("first"), stop("first"), stop("x")], "preparationTime": 100_000 }),
        json!({ "deliveries": [stop("first")], "store": { "userPlatformId": 0 } }),
        json!({ "deliveries": [stop("first")], "store": { "userPlatformId": 999_999 } }),
    ] {
        checked.json(KEY, line, &body);
    }
    for address in [
        json!({}),
        json!({ "latitude": -23.5 }),
        json!({ "latitude": 91, "longitude": -181 }),
        json!({ "state": "XX", "zipCode": "1", "city": "a\u{1}", "street": "x".repeat(256) }),
        json!({ "city": "Cidade Nenhuma", "state": "SP" }),
        json!({ "zipCode": "00000-000" }),
        json!({ "city": "Campinas", "state": "RJ" }),
        json!({ "city": "São Paulo", "state": "SP", "zipCode": "69010-001" }),
        json!({ "latitude": -46.6559, "longitude": -23.5614 }),
        json!({ "latitude": 23.5614, "longitude": 46.6559 }),
        json!({ "latitude": 51.5, "longitude": 0.5 }),
        json!({ "city": "Campinas", "state": "SP", "latitude": -3.1316, "longitude": -60.0234 }),
        json!({ "city": "Manaus", "state": "AM" }),
    ] {
        checked.preview(address);
    }
    let far = |north| json!({ "address": { "latitude": if north { -23.3 } else { -23.8 }, "longitude": -46.66 } });
    checked.json(
        KEY,
        line,
        &json!({ "deliveries": [far(true), far(false), far(true), far(false)] }),
    );
    checked.assert_codes(
        "malformed_request invalid_json wrong_type duplicate_field required out_of_range too_many_deliveries invalid_pin \
         conflicting_pin store_not_allowed not_locatable incomplete_coordinates invalid_state invalid_zip_code invalid_characters \
         too_long city_unknown zip_code_unknown city_not_in_state zip_code_mismatch coordinates_outside coordinates_mismatch \
         out_of_area distance_exceeded address_not_found",
    );
}

#[test]
fn body_problems_follow_the_language_guide() {
    let mut checked = checked();
    let order = json!({ "deliveries": [
        { "productValue": 1.234, "pickupCode": "x" },
        { "productValue": -1, "pickupCode": "1234" },
        { "pickupCode": "12345" },
    ] });
    let store = |cnpj: &str| json!({ "cnpj": cnpj, "name": "abc", "email": "x", "password": "x", "marketplaceBranchId": 99, "prepaidFloor": 1.234 });
    let position = |latitude: f64, at: &str| json!({ "latitude": latitude, "longitude": 0, "accuracy": -1, "at": at });
    for (key, line, body) in [
        (KEY, "POST /delivery/orders", order),
        (OPERATOR, "POST /admin/matrices", store("1")),
        (
            OPERATOR,
            "POST /admin/matrices",
            store("11.222.333/0001-82"),
        ),
        (KEY, "POST /delivery/stores", json!({})),
        (KEY, "POST /delivery/sessions", json!({})),
        (
            KEY,
            "POST /delivery/sessions",
            json!({ "email": "x@example.com", "password": "x" }),
        ),
        (
            KEY,
            "POST /delivery/keys",
            json!({ "storeId": 0, "expiresInDays": 0 }),
        ),
        (KEY, "POST /delivery/keys", json!({ "storeId": 999 })),
        (OPERATOR, "POST /admin/keys", json!({})),
        (
            KEY,
            "POST /delivery/webhooks",
            json!({ "url": "x", "events": ["x"] }),
        ),
        (
            KEY,
            "POST /delivery/webhooks",
            json!({ "url": "http://loja.example/", "events": vec!["x"; 101] }),
        ),
        (
            KEY,
            "POST /delivery/webhooks",
            json!({ "url": "https://10.0.0.1/" }),
        ),
        (
            KEY,
            "POST /delivery/webhooks",
            json!({ "url": "smtp:", "events": ["order.created"] }),
        ),
        (
            COURIER,
            "POST /courier/push",
            json!({ "endpoint": "https://push.example/1" }),
        ),
        (
            OPERATOR,
            "POST /admin/couriers",
            json!({ "profileId": 0, "email": "x", "phone": "123" }),
        ),
        (
            OPERATOR,
            "POST /admin/couriers",
            json!({ "phone": "+55 92 99100-0000" }),
        ),
        (
            OPERATOR,
            "POST /admin/stores/1000/top-ups",
            json!({ "amount": 0 }),
        ),
        (
            OPERATOR,
            "POST /admin/stores/1000/top-ups",
            json!({ "amount": 1.234 }),
        ),
        (
            OPERATOR,
            "POST /admin/privacy/erase",
            json!({ "phone": "+5511999990000", "cursor": "x" }),
        ),
        (COURIER, "POST /courier/position", json!({})),
        (COURIER, "POST /courier/position", position(0.0, "x")),
        (
            COURIER,
            "POST /courier/position",
            position(91.0, "2999-01-01T00:00:00Z"),
        ),
        (COURIER, "POST /courier/availability", json!({})),
        ("", "POST /courier/session", json!({ "code": "in_1_dsp_x" })),
        ("", "POST /courier/session", json!({ "code": " " })),
        ("", "POST /courier/positions/osmand", json!({})),
        (
            "",
            "POST /courier/positions/osmand",
            json!({ "device_id": "dev_1_dsp_x" }),
        ),
    ] {
        checked.json(key, line, &body);
    }
    checked.assert_codes(
        "invalid_phone too_many_decimals invalid_pickup_code conflicting_pickup_code invalid_cnpj too_short invalid_email \
         credentials_invalid unknown_event invalid_url insecure_url private_address invalid_cursor coordinates_outside invalid_time \
         store_not_found mail_unavailable mail_events push_unavailable",
    );
}

#[test]
fn schedule_problems_follow_the_language_guide() {
    let mut checked = checked();
    let now = checked.host.now();
    let at = |minutes| now.after(Duration::minutes(minutes)).to_string();
    let address = json!({ "street": "Rua A", "number": "1", "city": "São Paulo", "state": "SP", "latitude": -23.55, "longitude": -46.65 });
    let order = |deliver_at: &str, from: &str, until: &str, payment: &Value| {
        json!({ "code": "S-1", "deliverAt": deliver_at, "maxDeliveryFee": 0.5, "deliveries": [
            { "address": address, "productValue": 9.5, "window": { "from": from, "until": until }, "payment": payment,
              "onlinePayment": payment["method"] == "BITCOIN" },
        ] })
    };
    let cash = json!({ "method": "CASH" });
    let of = |deliver_at, from, until| order(&at(deliver_at), &at(from), &at(until), &cash);
    for body in [
        order(
            "x",
            "x",
            " ",
            &json!({ "method": "BITCOIN", "changeFor": 1 }),
        ),
        order(
            &at(300),
            &at(300),
            &at(300),
            &json!({ "method": "PIX", "changeFor": 20 }),
        ),
        order(
            &at(300),
            &at(300),
            &at(2_000),
            &json!({ "method": "CASH", "changeFor": 9.49 }),
        ),
        of(300, 301, 400),
        of(300, 200, 299),
        of(-1, -2, -1),
        of(43_201, 43_201, 43_202),
        of(1, 1, 2),
        json!({ "code": "S-1", "deliveries": [{ "address": address, "window": { "from": at(0), "until": at(1) } }] }),
        of(300, 300, 301),
    ] {
        checked.json(KEY, "POST /delivery/orders", &body);
    }
    checked.assert_codes(
        "invalid_time required unknown_value not_applicable out_of_range ends_before_start window_too_long conflicting_window \
         in_the_past too_late too_soon window_unreachable fee_above_maximum",
    );
}

#[test]
fn step_problems_follow_the_language_guide() {
    let mut checked = checked();
    let (preparing, carried) = (
        create_order(&checked.host, "T-1", 30, &[true]),
        create_allocated_order(&checked.host, "T-2", &[true, true]),
    );
    let (first, second) = (preparing.id, carried.id);
    let address = json!({ "street": "Rua A", "number": "1", "city": "São Paulo", "state": "SP", "latitude": -23.55, "longitude": -46.65 });
    let other = json!({ "code": "T-1", "deliveries": [{ "address": address }] });
    let quoted = json!({ "code": "T-3", "quoteId": "x", "deliveries": [{ "address": address }] });
    let stop = preparing.deliveries[0].id.get();
    for (key, line, body) in [
        (KEY, "POST /delivery/orders".to_owned(), other),
        (KEY, "POST /delivery/orders".to_owned(), quoted),
        (
            KEY,
            format!("POST /delivery/orders/{first}/waive"),
            json!({}),
        ),
        (
            KEY,
            format!("POST /delivery/orders/{second}/delay"),
            json!({ "minutes": 1 }),
        ),
        (
            KEY,
            format!("POST /delivery/orders/{first}/delay"),
            json!({ "minutes": 1_430 }),
        ),
        (
            KEY,
            format!("POST /delivery/orders/{first}/discard"),
            json!({ "deliveryId": 0 }),
        ),
        (
            KEY,
            "POST /delivery/orders/cancel".to_owned(),
            json!({ "orderId": first.get(), "deliveryId": stop }),
        ),
        (
            OPERATOR,
            format!("POST /admin/orders/{first}/cancel"),
            json!({}),
        ),
    ] {
        checked.json(key, &line, &body);
    }
    let step = |name: &str| format!("POST /courier/orders/{second}/{name}");
    let arrived = send(&checked.host, COURIER, &step("arrive"), &json!({}));
    assert_eq!(arrived.status, 200, "{}", arrived.body);
    // The codes are counted in both languages.
    (0..4).for_each(|_| checked.json(COURIER, &step("pickup"), &json!({ "code": "wrong" })));
    checked.assert_codes(
        "order_code_conflict quote_mismatch invalid_transition unknown_delivery out_of_range required code_incorrect code_locked",
    );
}

#[test]
fn account_problems_follow_the_language_guide() {
    let mut checked = checked();
    let sent = |checked: &Checked, key: &str, line: &str, body: &Value| {
        let response = send(&checked.host, key, line, body);
        assert!(response.status < 300, "{line}: {}", response.body);
        response.body
    };
    let address = json!({ "street": "Rua A", "number": "1", "city": "São Paulo", "state": "SP", "latitude": -23.55, "longitude": -46.65 });
    let store = |cnpj: &str, email: &str| {
        json!({
            "cnpj": cnpj, "name": "Loja Teste", "email": email, "password": "uma-senha-longa", "marketplaceBranchId": 1,
            "responsible": { "name": "Ana", "phone": "+5511999990000" }, "address": address, "prepaidFloor": -20,
        })
    };
    let prepaid = sent(
        &checked,
        OPERATOR,
        "POST /admin/matrices",
        &store("12.ABC.345/01DE-35", "a@loja.example"),
    );
    let key = prepaid["value"].as_str().unwrap();
    let order = json!({ "code": "T-1", "deliveries": vec![json!({ "address": address }); 20] });
    checked.json(key, "POST /delivery/orders", &order);
    let top_ups = format!(
        "POST /admin/stores/{}/top-ups",
        prepaid["storeId"].as_str().unwrap()
    );
    sent(
        &checked,
        OPERATOR,
        &top_ups,
        &json!({ "amount": 14.31, "reference": "a" }),
    );
    checked.json(
        OPERATOR,
        &top_ups,
        &json!({ "amount": 1, "reference": "a" }),
    );
    checked.json(
        OPERATOR,
        "POST /admin/matrices",
        &store("DE.SPA.CHO/0001-94", EMAIL),
    );
    let other = json!({ "cnpj": "12.ABC.345/01DE-35", "name": "Loja Teste", "email": "b@loja.example", "password": "uma-senha-longa",
        "marketplaceBranchId": 1, "responsible": { "name": "Ana", "phone": "+5511999990000" }, "address": address });
    checked.json(KEY, "POST /delivery/stores", &other);
    let session = sent(
        &checked,
        "",
        "POST /delivery/sessions",
        &json!({ "email": EMAIL, "password": PASSWORD }),
    );
    checked.json(
        session["value"].as_str().unwrap(),
        "POST /delivery/keys",
        &json!({}),
    );
    checked.json(
        session["value"].as_str().unwrap(),
        "POST /delivery/keys",
        &json!({ "currentPassword": "wrong" }),
    );
    for _ in 0..20 {
        sent(
            &checked,
            KEY,
            "POST /delivery/webhooks",
            &json!({ "url": "https://loja.example/" }),
        );
    }
    checked.json(
        KEY,
        "POST /delivery/webhooks",
        &json!({ "url": "https://loja.example/" }),
    );
    checked.assert_codes(
        "insufficient_balance reference_conflict cnpj_taken email_taken store_conflict password_required too_many_webhooks",
    );
}

#[test]
fn package_problems_follow_the_language_guide() {
    let order = br#"{"situation": 100, "deliveries": [], "events": []}"#;
    let event = br#"{"sequence": 5, "type": "order.ready", "situation": 120}"#;
    for (order, event) in [
        (&b"[]"[..], &event[..]),
        (b"{}", event),
        (order, b"{}"),
        (order, event),
    ] {
        assert_problem(&apply_event(order, event).unwrap_err());
    }
    let context = send(&host(), KEY, "GET /delivery/preview-context", &Value::Null).body;
    for (field, value) in [("/format", json!(2)), ("/store/id", json!(0))] {
        let mut context = context.clone();
        *context.pointer_mut(field).unwrap() = value;
        let problem = Previewer::new(
            serde_json::from_value(context).unwrap(),
            Gazetteer::embedded(),
        )
        .err()
        .unwrap();
        assert_problem(&problem);
    }
}
