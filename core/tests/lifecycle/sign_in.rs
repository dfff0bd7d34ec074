//! Sign-in of couriers: stored responses and stored data, and guessed codes and sessions.

use bytes::Bytes;
use despacho_core::{
    api::{self, CallerAddress},
    host::{Host, Storage},
    memory::MemoryHost,
    model::{CourierId, courier::Courier},
    rules::settings::Settings,
};
use despacho_simulator::demo;
use http::{Request, Response};
use serde_json::{Value, json};

use crate::support::{COURIER, OPERATOR, block_on, host, send, settings};

fn courier(host: &MemoryHost) -> Courier {
    block_on(host.courier(CourierId::new(7).unwrap()))
        .unwrap()
        .unwrap()
}

/// Issues a sign-in link for courier 7. Returns the response's body.
fn issue(host: &MemoryHost, settings: &Settings, idempotency_key: &str) -> Value {
    let request = Request::post("/admin/couriers/7/sign-in").header("x-api-token", OPERATOR);
    let request = request
        .header("idempotency-key", idempotency_key)
        .body(Bytes::new())
        .unwrap();
    let response = block_on(api::handle(host, settings, request));
    assert_eq!(response.status(), 201);
    serde_json::from_slice(response.body()).unwrap()
}

fn request(code: &str, address: [u8; 4]) -> Request<Bytes> {
    let request = Request::post("/courier/session").header("content-type", "application/json");
    let request = request
        .header("x-request-id", "r-1")
        .header("idempotency-key", "k-1");
    request
        .extension(CallerAddress(address.into()))
        .body(Bytes::from(json!({ "code": code }).to_string()))
        .unwrap()
}

fn exchange(
    host: &MemoryHost,
    settings: &Settings,
    code: &str,
    address: [u8; 4],
) -> Response<Bytes> {
    block_on(api::handle(host, settings, request(code, address)))
}

/// Returns status, headers and body, without the quota.
fn comparable(response: &Response<Bytes>) -> (u16, Vec<(String, String)>, Bytes) {
    let text = |value: &http::HeaderValue| value.to_str().unwrap().to_owned();
    let headers = response
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), text(value)))
        .collect();
    (response.status().as_u16(), headers, response.body().clone())
}

#[test]
fn code_and_session_are_not_stored() {
    let (host, settings) = (
        host(),
        Settings {
            public_url: Some("https://entregas.example".to_owned()),
            ..settings()
        },
    );
    let issued = issue(&host, &settings, "a");
    let code = issued["value"].as_str().unwrap();
    assert_eq!(
        issued["url"],
        format!("https://entregas.example/courier#{code}")
    );
    let claim = block_on(host.claim("operator", "a")).unwrap().unwrap();
    let stored = claim.response.unwrap().body;
    assert!(
        !stored.contains("dsp_") && stored.contains("https://entregas.example/courier#in_7_"),
        "{stored}"
    );
    assert_eq!(issue(&host, &settings, "a"), issued);
    let response = exchange(&host, &settings, code, [10, 0, 0, 1]);
    assert_eq!(response.status(), 201);
    assert!(
        response.headers()["set-cookie"]
            .to_str()
            .unwrap()
            .contains("=ses_7_dsp_")
    );
    assert!(!String::from_utf8_lossy(response.body()).contains("dsp_"));
    assert_eq!(
        block_on(host.claim("courier/7", "k-1")).unwrap(),
        None,
        "the exchange is never replayed"
    );
    let courier = courier(&host);
    let stored = serde_json::to_string(&courier).unwrap();
    assert!(
        courier.sessions.len() == 1 && courier.sign_in.is_none() && !stored.contains("dsp_"),
        "{stored}"
    );
}

#[test]
fn guessed_codes_are_limited_by_address_and_look_the_same() {
    let host = host();
    let mut settings = settings();
    settings.limits.unknown_keys_per_minute = 5;
    let replaced = issue(&host, &settings, "a")["value"]
        .as_str()
        .unwrap()
        .to_owned();
    let used = issue(&host, &settings, "b")["value"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        exchange(&host, &settings, &used, [10, 0, 0, 9]).status(),
        201
    );
    let valid = issue(&host, &settings, "c")["value"]
        .as_str()
        .unwrap()
        .to_owned();
    let guesses = [&*replaced, &used, "in_8_dsp_x", "in_999_dsp_x", COURIER];
    let results =
        guesses.map(|guess| comparable(&exchange(&host, &settings, guess, [10, 0, 0, 1])));
    assert_eq!(results[0].0, 401);
    assert!(
        results.iter().all(|result| *result == results[0]),
        "{results:?}"
    );
    for guess in guesses {
        let limited = exchange(&host, &settings, guess, [10, 0, 0, 1]);
        assert_eq!(
            (
                limited.status().as_u16(),
                limited.headers().contains_key("retry-after")
            ),
            (429, true)
        );
    }
    assert_eq!(
        exchange(&host, &settings, &used, [10, 0, 0, 2]).status(),
        401,
        "another address"
    );
    assert_eq!(
        exchange(&host, &settings, &valid, [10, 0, 0, 1]).status(),
        201,
        "a valid code"
    );
}

#[test]
fn demo_courier_signs_in_until_removed() {
    let (host, settings) = (host(), settings());
    let codes = [(); 2].map(|()| block_on(demo::sign_in(&host, &settings)).unwrap().unwrap());
    assert_eq!(
        exchange(&host, &settings, &codes[0], [10, 0, 0, 1]).status(),
        401,
        "the second code replaces the first"
    );
    let signed_in = exchange(&host, &settings, &codes[1], [10, 0, 0, 1]);
    let body: Value = serde_json::from_slice(signed_in.body()).unwrap();
    let id = body["id"].as_u64().and_then(CourierId::new).unwrap();
    let courier = block_on(host.courier(id)).unwrap().unwrap();
    // A simulated courier would have an expired key.
    assert!(courier.sandbox && courier.key.unwrap().expires_at > host.now());
    let removed = send(
        &host,
        OPERATOR,
        &format!("PATCH /admin/couriers/{id}"),
        &json!({ "removed": true }),
    );
    assert_eq!(removed.status, 200);
    assert_eq!(block_on(demo::sign_in(&host, &settings)), Ok(None));
}

#[test]
fn guessed_sessions_are_limited_by_address() {
    let host = host();
    let mut settings = settings();
    settings.limits.unknown_keys_per_minute = 3;
    let read = |session: &str, address: [u8; 4]| {
        let request =
            Request::get("/courier/me").header("cookie", format!("despacho-courier={session}"));
        let request = request
            .header("x-request-id", "r-1")
            .extension(CallerAddress(address.into()));
        block_on(api::handle(
            &host,
            &settings,
            request.body(Bytes::new()).unwrap(),
        ))
    };
    let code = issue(&host, &settings, "a")["value"]
        .as_str()
        .unwrap()
        .to_owned();
    let signed_in = exchange(&host, &settings, &code, [10, 0, 0, 1]);
    let cookie = signed_in.headers()["set-cookie"]
        .to_str()
        .unwrap()
        .to_owned();
    let session = cookie.split(['=', ';']).nth(1).unwrap();
    let results = ["ses_7_dsp_x", "ses_999_dsp_x", COURIER]
        .map(|guess| comparable(&read(guess, [10, 0, 0, 1])));
    assert_eq!(results[0].0, 401);
    assert!(
        results.iter().all(|result| *result == results[0]),
        "{results:?}"
    );
    assert_eq!(read("ses_7_dsp_x", [10, 0, 0, 1]).status(), 429);
    assert_eq!(
        read(session, [10, 0, 0, 1]).status(),
        200,
        "a valid session"
    );
}
