//! Device keys: the links that set up a phone, stored responses, and the effect of a reported
//! position.

use base64ct::{Base64, Encoding};
use bytes::Bytes;
use despacho_core::{
    api::{self, CallerAddress},
    host::{Host, Storage},
    memory::MemoryHost,
    model::{CourierId, Duration},
    rules::settings::Settings,
};
use http::Request;
use serde_json::{Value, json};

use crate::support::{COURIER, block_on, create_allocated_order, host, send, settings};

fn with_url() -> Settings {
    Settings {
        public_url: Some("https://entregas.example".to_owned()),
        ..settings()
    }
}

/// Issues a device key. Returns the response's body.
fn issue(host: &MemoryHost, settings: &Settings, idempotency_key: &str) -> Value {
    let request = Request::post("/courier/device").header("x-api-token", COURIER);
    let request = request
        .header("idempotency-key", idempotency_key)
        .body(Bytes::new())
        .unwrap();
    let response = block_on(api::handle(host, settings, request));
    assert_eq!(response.status(), 201);
    serde_json::from_slice(response.body()).unwrap()
}

/// Reports a position in the query from an IP address. Returns status, body and `Retry-After`.
fn report(
    host: &MemoryHost,
    settings: &Settings,
    key: &str,
    address: [u8; 4],
) -> (u16, Value, bool) {
    let uri = format!("/courier/positions/osmand?id={key}&lat=-23.5557&lon=-46.6396");
    let request = Request::get(uri)
        .header("x-request-id", "r-1")
        .extension(CallerAddress(address.into()));
    let response = block_on(api::handle(
        host,
        settings,
        request.body(Bytes::new()).unwrap(),
    ));
    let body = serde_json::from_slice(response.body()).unwrap();
    (
        response.status().as_u16(),
        body,
        response.headers().contains_key("retry-after"),
    )
}

#[test]
fn setup_links_contain_the_key_and_the_public_url() {
    let issued = issue(&host(), &with_url(), "a");
    let key = issued["value"].as_str().unwrap();
    let traccar = issued["setup"]["traccar"].as_str().unwrap();
    assert!(
        traccar.starts_with(&format!(
            "https://entregas.example/courier/positions/osmand?id={key}&"
        )),
        "{traccar}"
    );
    let own_tracks = issued["setup"]["ownTracks"].as_str().unwrap();
    let inline = own_tracks
        .strip_prefix("owntracks:///config?inline=")
        .unwrap();
    let configuration: Value =
        serde_json::from_slice(&Base64::decode_vec(inline).unwrap()).unwrap();
    assert_eq!(
        configuration,
        json!({
            "_type": "configuration", "mode": 3, "url": "https://entregas.example/courier/positions/owntracks", "auth": true,
            "username": "7", "password": key, "deviceId": "phone", "tid": "7", "monitoring": 2, "locatorInterval": 60,
        })
    );
    assert_eq!(
        issue(&host(), &settings(), "a")["setup"],
        Value::Null,
        "without a public URL"
    );
}

#[test]
fn repeated_request_returns_the_key_that_is_not_stored() {
    let (host, settings) = (host(), with_url());
    let issued = issue(&host, &settings, "a");
    let claim = block_on(host.claim("courier/7", "a")).unwrap().unwrap();
    let stored = claim.response.unwrap().body;
    assert!(
        !stored.contains("dsp_") && stored.contains(r#""setup":null"#),
        "{stored}"
    );
    assert_eq!(issue(&host, &settings, "a"), issued);
    let courier = block_on(host.courier(CourierId::new(7).unwrap()))
        .unwrap()
        .unwrap();
    let stored = serde_json::to_string(&courier).unwrap();
    assert!(
        courier.device.is_some() && !stored.contains("dsp_"),
        "{stored}"
    );
    assert_eq!(
        report(
            &host,
            &settings,
            issued["value"].as_str().unwrap(),
            [10, 0, 0, 1]
        )
        .0,
        200
    );
}

#[test]
fn guessed_device_keys_are_limited_by_address_and_look_the_same() {
    let host = host();
    let mut settings = settings();
    settings.limits.unknown_keys_per_minute = 4;
    let replaced = issue(&host, &settings, "a")["value"]
        .as_str()
        .unwrap()
        .to_owned();
    let valid = issue(&host, &settings, "b")["value"]
        .as_str()
        .unwrap()
        .to_owned();
    let guesses = [&*replaced, "dev_8_dsp_x", "dev_999_dsp_x", COURIER];
    let results = guesses.map(|guess| report(&host, &settings, guess, [10, 0, 0, 1]));
    assert_eq!(results[0].1["code"], "api_key_invalid");
    assert!(
        results.iter().all(|result| *result == results[0]),
        "{results:?}"
    );
    let limited = report(&host, &settings, &replaced, [10, 0, 0, 1]);
    assert_eq!(
        (limited.0, &limited.1["code"], limited.2),
        (429, &json!("rate_limited"), true)
    );
    assert_eq!(
        report(&host, &settings, &replaced, [10, 0, 0, 2]).0,
        401,
        "another address"
    );
    assert_eq!(
        report(&host, &settings, &valid, [10, 0, 0, 1]).0,
        200,
        "a valid key"
    );
}

#[test]
fn position_of_a_device_has_the_effect_of_the_couriers_own() {
    let reported = |line: &str, body: &dyn Fn(&str) -> Value| {
        let host = host();
        create_allocated_order(&host, "D-1", &[true]);
        let key = issue(&host, &settings(), "a")["value"]
            .as_str()
            .unwrap()
            .to_owned();
        host.advance(Duration::minutes(2));
        assert_eq!(send(&host, COURIER, line, &body(&key)).status, 200);
        let courier = block_on(host.courier(CourierId::new(7).unwrap()))
            .unwrap()
            .unwrap();
        (courier.position, courier.position_at, host.orders())
    };
    let own = reported(
        "POST /courier/position",
        &|_| json!({ "latitude": -23.5557, "longitude": -46.6396 }),
    );
    let device = reported(
        "POST /courier/positions/osmand",
        &|key| json!({ "device_id": key, "location": { "coords": { "latitude": -23.5557, "longitude": -46.6396 } } }),
    );
    assert!(own.0.is_some() && own == device, "{own:?}\n{device:?}");
}
