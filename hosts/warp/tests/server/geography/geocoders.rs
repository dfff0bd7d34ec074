//! Nominatim and Photon: requests, responses and errors.

use std::path::Path;

use despacho_core::{
    geo::LocateError,
    host::HostError,
    model::{Address, Precision},
};
use despacho_warp::{
    config::Config,
    geo::{Geography, SourcedLocation},
};

use super::{address, metrics, open, short_timeouts, test_config};
use crate::upstream::{Upstream, captured};

const STREET: &str = "Rua Martiniano de Carvalho";

/// Returns a house in Nominatim's format (jsonv2 with addressdetails).
fn house(number: &str, city: &str, postcode: &str) -> String {
    format!(
        r#"[{{"place_id": 1, "osm_type": "node", "lat": "-23.5625917", "lon": "-46.6420750", "category": "place", "type": "house",
          "addresstype": "place", "name": "", "display_name": "x",
          "address": {{"house_number": "{number}", "road": "{STREET}", "suburb": "Bela Vista", "city": "{city}",
            "state": "São Paulo", "ISO3166-2-lvl4": "BR-SP", "postcode": "{postcode}", "country_code": "br"}},
          "boundingbox": ["-23.5626417", "-23.5625417", "-46.6421250", "-46.6420250"]}}]"#
    )
}

/// Returns a street in the same format.
fn road() -> String {
    format!(
        r#"[{{"lat": "-23.5653603", "lon": "-46.6427012", "addresstype": "road", "name": "{STREET}",
          "address": {{"road": "{STREET}", "city": "São Paulo", "ISO3166-2-lvl4": "BR-SP", "postcode": "01321-001"}},
          "boundingbox": ["-23.5683990", "-23.5623251", "-46.6435440", "-46.6418356"]}}]"#
    )
}

fn nominatim(folder: &Path, upstream: &Upstream) -> Geography {
    open(
        folder,
        Config {
            nominatim: Some(upstream.base.clone()),
            ..test_config()
        },
    )
}

async fn locate(geography: &Geography, address: &Address) -> Result<SourcedLocation, LocateError> {
    geography.locate(&[address]).await.unwrap().remove(0)
}

#[tokio::test]
async fn nominatim_structured_query_finds_a_house() {
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::fixed(200, &house("438", "São Paulo", "01321-000"));
    let geography = nominatim(folder.path(), &upstream);
    let found = locate(&geography, &address(STREET, "438", "01321-000"))
        .await
        .unwrap();
    assert_eq!(
        (found.located.precision, found.source),
        (Precision::Number, "nominatim")
    );
    assert_eq!(
        (found.located.point.lat_e7, found.located.point.lon_e7),
        (-235_625_917, -466_420_750)
    );
    let requests = upstream.requests();
    let [request] = &requests[..] else {
        panic!("one request, not {requests:?}")
    };
    assert!(request.line.starts_with("GET /search?"), "{request:?}");
    for (name, value) in [
        ("street", "438 Rua Martiniano de Carvalho"),
        ("city", "São Paulo"),
        ("state", "SP"),
        ("postalcode", "01321-000"),
        ("countrycodes", "br"),
        ("format", "jsonv2"),
        ("addressdetails", "1"),
    ] {
        assert_eq!(request.query(name).as_deref(), Some(value), "{request:?}");
    }
    assert!(
        request
            .header("user-agent")
            .unwrap()
            .starts_with("despacho/"),
        "{}",
        request.headers
    );
    let text = metrics(&geography);
    assert!(
        text.contains(
            r#"despacho_geography_places_total{source="nominatim",precision="number"} 1"#
        ),
        "{text}"
    );
    assert!(
        text.contains(
            r#"despacho_geography_attempts_total{service="nominatim",outcome="Succeeded"} 1"#
        ),
        "{text}"
    );
}

#[tokio::test]
async fn unknown_house_number_falls_back_to_street() {
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::start(|request| {
        let street = request.query("street").unwrap();
        (
            200,
            if street.starts_with(char::is_numeric) {
                "[]".to_owned()
            } else {
                road()
            },
        )
    });
    let found = locate(
        &nominatim(folder.path(), &upstream),
        &address(STREET, "9999", "01321-000"),
    )
    .await
    .unwrap();
    assert_eq!(found.located.precision, Precision::Street);
    assert!(
        (200..600).contains(&found.located.radius_m),
        "about half of the street: {found:?}"
    );
    assert_eq!(upstream.requests().len(), 2);
}

#[tokio::test]
async fn mismatched_geocoder_result_is_rejected() {
    for (response, mismatch) in [
        (house("438", "São Paulo", "05010-000"), "other_cep"),
        (house("438", "Osasco", "01321-000"), "other_city"),
        ("[]".to_owned(), "nothing"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let upstream = Upstream::fixed(200, &response);
        let geography = nominatim(folder.path(), &upstream);
        let found = locate(&geography, &address(STREET, "438", "01321-000"))
            .await
            .unwrap();
        assert_eq!(
            (found.located.precision, found.source),
            (Precision::Municipality, "embedded"),
            "{mismatch}"
        );
        let line = format!(
            r#"despacho_geography_mismatches_total{{service="nominatim",mismatch="{mismatch}"}} 1"#
        );
        assert!(metrics(&geography).contains(&line), "{line}");
    }
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::fixed(200, &house("438", "São Paulo", "01321-000"));
    let other = locate(
        &nominatim(folder.path(), &upstream),
        &address("Rua Vergueiro", "438", ""),
    )
    .await
    .unwrap();
    assert_eq!(
        other.located.precision,
        Precision::Municipality,
        "another street"
    );
}

#[tokio::test]
async fn known_or_contradictory_address_is_not_geocoded() {
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::fixed(200, "[]");
    let geography = nominatim(folder.path(), &upstream);
    let exact = Address {
        point: despacho_core::model::Point::from_degrees(-23.56, -46.64),
        ..address(STREET, "1", "")
    };
    let elsewhere = address(STREET, "1", "69005-070");
    let no_street = address("", "", "01321-000");
    let responses = geography
        .locate(&[&exact, &elsewhere, &no_street])
        .await
        .unwrap();
    assert_eq!(responses[0].map(|found| found.source), Ok("coordinates"));
    assert!(matches!(
        responses[1],
        Err(LocateError::CepElsewhere { .. })
    ));
    assert_eq!(responses[2].map(|found| found.source), Ok("embedded"));
    assert_eq!(upstream.requests().len(), 0);
}

#[tokio::test]
async fn results_are_cached_across_restarts_and_failures_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let broken = Upstream::fixed(500, "down");
    let found = locate(
        &nominatim(folder.path(), &broken),
        &address(STREET, "438", ""),
    )
    .await
    .unwrap();
    assert_eq!(
        (found.located.precision, broken.requests().len()),
        (Precision::Municipality, 3),
        "tried three times"
    );
    let upstream = Upstream::fixed(200, &house("438", "São Paulo", "01321-000"));
    let requests = address(STREET, "438", "");
    for _ in 0..2 {
        let geography = nominatim(folder.path(), &upstream);
        let found = locate(&geography, &requests).await.unwrap();
        assert_eq!(found.located.precision, Precision::Number);
    }
    assert_eq!(upstream.requests().len(), 1);
    let cache = std::fs::read(folder.path().join("geocoder.db")).unwrap();
    assert!(
        !String::from_utf8_lossy(&cache).contains("Martiniano"),
        "addresses are stored only as hashes"
    );
}

#[tokio::test]
async fn repeated_failures_open_the_circuit_breaker() {
    for upstream in [
        Upstream::fixed(503, ""),
        Upstream::fixed(429, ""),
        Upstream::slow(),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let with = Config {
            nominatim: Some(upstream.base.clone()),
            ..short_timeouts()
        };
        let geography = open(folder.path(), with);
        for number in 1..=8 {
            let found = locate(&geography, &address(STREET, &number.to_string(), ""))
                .await
                .unwrap();
            assert_eq!(found.located.precision, Precision::Municipality);
        }
        assert_eq!(
            upstream.requests().len(),
            15,
            "five requests with three attempts each"
        );
        assert!(
            metrics(&geography).contains(r#"outcome="CircuitOpen"} 3"#),
            "{}",
            metrics(&geography)
        );
    }
}

#[tokio::test]
async fn malformed_geocoder_response_is_ignored() {
    for (status, body) in [
        (200, "<html>"),
        (200, "{}"),
        (400, r#"{"error": {"code": 400}}"#),
        (302, ""),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let upstream = Upstream::fixed(status, body);
        let found = locate(
            &nominatim(folder.path(), &upstream),
            &address(STREET, "438", ""),
        )
        .await
        .unwrap();
        assert_eq!(
            found.located.precision,
            Precision::Municipality,
            "{status} {body}"
        );
    }
}

#[tokio::test]
async fn unavailable_geocoder_is_not_a_client_error() {
    let folder = tempfile::tempdir().unwrap();
    let with = |upstream: &Upstream| {
        let mut config = Config {
            nominatim: Some(upstream.base.clone()),
            ..test_config()
        };
        config.shared.places.min_precision = Precision::Street;
        open(folder.path(), config)
    };
    let requests = address(STREET, "438", "");
    let down = with(&Upstream::fixed(500, "")).locate(&[&requests]).await;
    assert!(
        matches!(
            down,
            Err(HostError::Unavailable {
                what: "geocoder",
                ..
            })
        ),
        "{down:?}"
    );
    // The geocoder responds that the street does not exist: a client error.
    let unknown = with(&Upstream::fixed(200, "[]"))
        .locate(&[&requests])
        .await
        .unwrap();
    assert_eq!(
        unknown[0].map(|found| found.located.precision),
        Ok(Precision::Municipality)
    );
}

#[tokio::test]
async fn geocoder_rate_limit_is_respected() {
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::fixed(200, "[]");
    let mut config = Config {
        nominatim: Some(upstream.base.clone()),
        ..short_timeouts()
    };
    config.shared.geocoder.per_second = 5;
    let geography = open(folder.path(), config);
    let addresses: Vec<Address> = (1..=10)
        .map(|number| address(&format!("Rua {number}"), "", ""))
        .collect();
    let start = std::time::Instant::now();
    geography
        .locate(&addresses.iter().collect::<Vec<_>>())
        .await
        .unwrap();
    // One request per 200 ms: requests that would wait longer than the timeout of 400 ms are not
    // sent.
    assert!(
        upstream.requests().len() <= 4 && start.elapsed().as_millis() >= 380,
        "{} in {:?}",
        upstream.requests().len(),
        start.elapsed()
    );
    assert!(metrics(&geography).contains(r#"outcome="RateLimited""#));
}

#[tokio::test]
async fn photon_structured_query_reads_longitude_first() {
    let folder = tempfile::tempdir().unwrap();
    let feature = |kind: &str, more: &str| {
        format!(
            r#"{{"type": "FeatureCollection", "features": [{{"type": "Feature",
              "geometry": {{"type": "Point", "coordinates": [-46.6600, -23.5578]}},
              "properties": {{"osm_key": "highway", "type": "{kind}", {more}, "city": "São Paulo", "state": "São Paulo",
                "postcode": "01304-001", "countrycode": "BR", "country": "Brasil"}}}}]}}"#
        )
    };
    let house = feature("house", r#""street": "Rua Augusta", "housenumber": "1508""#);
    let street = feature(
        "street",
        r#""name": "Rua Augusta", "extent": [-46.6650, -23.5500, -46.6500, -23.5650]"#,
    );
    for (response, precision) in [(house, Precision::Number), (street, Precision::Street)] {
        let upstream = Upstream::fixed(200, &response);
        let geography = open(
            folder.path(),
            Config {
                photon: Some(upstream.base.clone()),
                ..test_config()
            },
        );
        let requests = Address {
            neighborhood: Some("Consolação".to_owned()),
            ..address("Rua Augusta", "1508", "01304-001")
        };
        let found = locate(&geography, &requests).await.unwrap();
        assert_eq!(
            (found.located.precision, found.source),
            (precision, "photon")
        );
        assert_eq!(
            (found.located.point.lat_e7, found.located.point.lon_e7),
            (-235_578_000, -466_600_000)
        );
        let request = upstream.requests().remove(0);
        assert!(request.line.starts_with("GET /structured?"), "{request:?}");
        for (name, value) in [
            ("housenumber", "1508"),
            ("district", "Consolação"),
            ("state", "São Paulo"),
            ("countrycode", "BR"),
        ] {
            assert_eq!(request.query(name).as_deref(), Some(value), "{request:?}");
        }
    }
}

#[tokio::test]
async fn photon_is_queried_if_nominatim_has_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (
        Upstream::fixed(200, "[]"),
        Upstream::fixed(200, r#"{"features": []}"#),
    );
    let both = Config {
        nominatim: Some(first.base.clone()),
        photon: Some(second.base.clone()),
        ..test_config()
    };
    let found = locate(&open(folder.path(), both), &address("Rua Augusta", "", ""))
        .await
        .unwrap();
    assert_eq!(
        (
            found.source,
            first.requests().len(),
            second.requests().len()
        ),
        ("embedded", 1, 1)
    );
}

#[tokio::test]
async fn captured_nominatim_responses_are_parsed() {
    let responses = [
        "nominatim_house.json",
        "nominatim_road.json",
        "nominatim_none.json",
    ]
    .map(captured);
    let [Some(house), Some(road), Some(none)] = responses else {
        return;
    };
    for (response, zip_code, precision) in [
        (&house, "01321-000", Precision::Number),
        (&house, "05010-000", Precision::Municipality),
        (&road, "01323-000", Precision::Street),
        (&none, "01321-000", Precision::Municipality),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let upstream = Upstream::fixed(200, response);
        let found = locate(
            &nominatim(folder.path(), &upstream),
            &address(STREET, "438", zip_code),
        )
        .await
        .unwrap();
        assert_eq!(found.located.precision, precision, "{zip_code} {response}");
    }
}
