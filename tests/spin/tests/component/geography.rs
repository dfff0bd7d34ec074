//! Locations and distances from services on loopback, through the built component.

use std::time::{Duration, Instant};

use despacho_core::model::Timestamp;
use despacho_spin_tests::{Options, Reuse};
use despacho_sql::{Value as SqlValue, delete_expired_geocoded, put_geocoded, trim_geocoded};
use serde_json::{Value, json};
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;

use crate::{
    support::{Response, TestDatabase, get, post, serve_ready},
    upstream::Upstream,
};

const STREET: &str = "Rua Martiniano de Carvalho";

/// Returns a house in Nominatim's format (jsonv2 with addressdetails).
pub(crate) fn house() -> String {
    json!([{"lat": "-23.5625917", "lon": "-46.6420750", "addresstype": "database",
        "address": {"house_number": "438", "road": STREET, "city": "São Paulo", "ISO3166-2-lvl4": "BR-SP",
            "postcode": "01321-000"},
        "boundingbox": ["-23.5626417", "-23.5625417", "-46.6421250", "-46.6420250"]}])
    .to_string()
}

pub(crate) fn with(database: &TestDatabase, variable: &str, upstream: &Upstream) -> Options {
    Options {
        outbound: vec![upstream.address],
        ..database.demo().variable(variable, &upstream.base())
    }
}

pub(crate) fn preview(base: &str, address: Value) -> Response {
    let stop = json!({"orderRoute": 1, "onlinePayment": true, "address": address});
    post(
        base,
        "/delivery/orders/preview",
        &json!({"deliveries": [stop]}),
    )
}

pub(crate) fn street() -> Value {
    json!({"street": STREET, "number": "438", "city": "São Paulo", "state": "SP", "zipCode": "01321-000"})
}

fn door() -> Value {
    json!({"latitude": -23.5700, "longitude": -46.6500})
}

#[test]
fn geocoder_result_is_cached_for_all_instances() {
    let (database, upstream) = (TestDatabase::new(), Upstream::fixed(200, &house()));
    let served = serve_ready(&Options {
        reuse: Reuse::NEVER,
        ..with(&database, "nominatim", &upstream)
    });
    for _ in 0..3 {
        let found = preview(&served.base, street());
        assert_eq!(
            (found.status, &found.body["deliveries"][0]["precision"]),
            (200, &json!("number")),
            "{found:?}"
        );
        assert_eq!(found.body["estimated"], false);
    }
    let requests = upstream.requests();
    let [request] = &requests[..] else {
        panic!("one request, not {requests:?}")
    };
    assert!(
        request
            .line
            .starts_with("GET /search?street=438+Rua+Martiniano+de+Carvalho&city="),
        "{request:?}"
    );
    assert!(
        request.headers["user-agent"].starts_with("despacho/"),
        "{request:?}"
    );
    assert_eq!(
        database.count("SELECT COUNT(*) FROM geocoded WHERE precision = 'number'"),
        1
    );
    assert_eq!(
        database.count("SELECT COUNT(*) FROM geocoded WHERE question LIKE '%artiniano%'"),
        0,
        "only a hash is stored"
    );
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn failing_or_slow_geocoder_falls_back_or_returns_503() {
    let slow = Upstream::start(|_| {
        std::thread::sleep(Duration::from_secs(5));
        (200, house())
    });
    for upstream in [Upstream::fixed(500, "down"), slow] {
        let database = TestDatabase::new();
        let settings = |more: &str| format!(r#"{{"geocoder": {{"timeout-ms": 200}}{more}}}"#);
        let lenient = serve_ready(
            &with(&database, "nominatim", &upstream).variable("settings", &settings("")),
        );
        let started = Instant::now();
        let found = preview(&lenient.base, street());
        assert!(
            started.elapsed() < Duration::from_secs(4),
            "{:?}",
            started.elapsed()
        );
        assert_eq!(
            (found.status, &found.body["estimated"]),
            (200, &json!(true)),
            "{found:?}"
        );
        assert_eq!(
            (upstream.requests().len(), lenient.stats().traps()),
            (3, 0),
            "three attempts"
        );
        drop(lenient);
        let strict = settings(r#", "places": {"min-precision": "street"}"#);
        let strict =
            serve_ready(&with(&database, "nominatim", &upstream).variable("settings", &strict));
        let rejected = preview(&strict.base, street());
        assert_eq!(
            (rejected.status, &rejected.body["code"]),
            (503, &json!("unavailable")),
            "{rejected:?}"
        );
        assert_eq!(strict.stats().traps(), 0);
    }
}

#[test]
fn mismatched_result_is_rejected_and_hosts_are_restricted() {
    let database = TestDatabase::new();
    let elsewhere = Upstream::fixed(200, &house().replace("São Paulo", "Osasco"));
    let served = serve_ready(&with(&database, "nominatim", &elsewhere));
    let found = preview(&served.base, street());
    assert_eq!(
        found.body["deliveries"][0]["precision"], "municipality",
        "{found:?}"
    );
    drop(served);
    let upstream = Upstream::fixed(200, &house());
    let served = serve_ready(&Options {
        outbound: Vec::new(),
        ..with(&database, "photon", &upstream)
    });
    let found = preview(&served.base, street());
    assert_eq!(
        (found.status, upstream.requests().len()),
        (200, 0),
        "{found:?}"
    );
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn forbidden_service_is_logged_once_with_its_setting() {
    let upstream = Upstream::fixed(200, &house());
    let address = upstream.address;
    for (outbound, blocked, setting) in [
        (vec![], vec![], "allowed_outbound_hosts"),
        (vec![address], vec![address], "block_networks"),
    ] {
        let (database, log) = (TestDatabase::new(), MemoryOutputPipe::new(1 << 20));
        // One instance serves all previews.
        let reuse = Reuse {
            idle: Duration::from_secs(60),
            ..Reuse::SPIN
        };
        let options = Options {
            outbound,
            blocked,
            log: Some(log.clone()),
            reuse,
            ..with(&database, "photon", &upstream)
        };
        let served = serve_ready(&options);
        for number in ["438", "440", "442"] {
            let mut address = street();
            address["number"] = number.into();
            assert_eq!(preview(&served.base, address).status, 200);
        }
        let log = String::from_utf8_lossy(&log.contents()).into_owned();
        assert!(
            log.contains("`photon`") && log.contains(setting) && !log.contains("Martiniano"),
            "{log}"
        );
        assert_eq!(log.matches(setting).count(), 1, "{log}");
        assert!(!log.contains("circuit breaker"), "{log}");
        assert_eq!((upstream.requests().len(), served.stats().traps()), (0, 0));
    }
}

#[test]
fn legs_use_the_road_service_or_the_estimate() {
    let table = json!({"code": "Ok", "distances": [[0, 4_321.4], [4_400, 0]], "durations": [[0, 600], [600, 0]]});
    let matrix = json!({"sources_to_targets": {"distances": [[0, 4.3214], [4.4, 0]], "durations": [[0, 600], [600, 0]]},
        "units": "kilometers"});
    for (variable, status, body, estimated) in [
        ("osrm", 200, table.to_string(), false),
        ("osrm", 503, String::new(), true),
        ("osrm", 200, "<html>".to_owned(), true),
        ("valhalla", 200, matrix.to_string(), false),
        (
            "valhalla",
            400,
            json!({"error_code": 171}).to_string(),
            true,
        ),
    ] {
        let (database, upstream) = (TestDatabase::new(), Upstream::fixed(status, &body));
        let served = serve_ready(&with(&database, variable, &upstream));
        let found = preview(&served.base, door());
        assert_eq!(
            (found.status, &found.body["estimated"]),
            (200, &json!(estimated)),
            "{variable} {body}: {found:?}"
        );
        assert_eq!(
            found.body["totalDistance"] == json!(4.321),
            !estimated,
            "{variable} {body}: {found:?}"
        );
        let request = &upstream.requests()[0];
        let received = if variable == "osrm" {
            request.line.contains("&radiuses=500;500")
        } else {
            request.body.len() > 9
        };
        assert!(received, "{request:?}");
        let context = get(&served.base, "/delivery/preview-context");
        assert_eq!(
            context.body["exact"], false,
            "the panel previews with the service: {}",
            context.body
        );
        assert_eq!(served.stats().traps(), 0);
    }
}

#[test]
fn expired_and_surplus_results_are_deleted() {
    let database = TestDatabase::new();
    drop(serve_ready(&database.demo()));
    let connection = rusqlite::Connection::open(database.file()).expect("the database");
    for write in fill_and_forget() {
        connection
            .prepare(&write)
            .and_then(|mut write| write.raw_query().next().map(drop))
            .expect("the statement runs");
    }
    assert_eq!(database.count("SELECT COUNT(*) FROM geocoded"), 3);
    assert_eq!(
        database.count("SELECT MIN(until) FROM geocoded"),
        8,
        "the first to expire are deleted"
    );
}

/// Returns statements that store ten results and delete two expired and five surplus ones.
pub(crate) fn fill_and_forget() -> Vec<String> {
    let at = Timestamp::from_millis;
    let stored = (1..=10).map(|until| put_geocoded(&until.to_string(), &None, at(until)));
    let again = put_geocoded("10", &None, at(10));
    let all = stored.chain([again, delete_expired_geocoded(at(2)), trim_geocoded(3)]);
    all.map(|query| with_params(&query.sql, &query.params))
        .collect()
}

/// Inlines the parameters of a statement, for clients that cannot send parameters.
fn with_params(sql: &str, params: &[SqlValue]) -> String {
    let literal = |value: &SqlValue| match value {
        SqlValue::Null => "NULL".to_owned(),
        SqlValue::Integer(number) => number.to_string(),
        SqlValue::Text(text) => format!("'{text}'"),
        SqlValue::Bytes(_) => panic!("geocoded rows have no bytes"),
    };
    (1..).zip(params).fold(sql.to_owned(), |sql, (n, value)| {
        sql.replace(&format!("${n}"), &literal(value))
    })
}
