//! OSRM and Valhalla: units, limits, locations off the roads, and the marked fallback to the model.

use std::path::Path;

use despacho_core::{
    geo::leg_located,
    model::{DistanceMatrix, Leg, Located, Point, Precision},
};
use despacho_warp::{config::Config, geo::Geography};
use serde_json::{Value, json};

use super::{metrics, open, short_timeouts, test_config};
use crate::upstream::{ReceivedRequest, Upstream, captured};

fn place(latitude: f64, longitude: f64) -> Located {
    let point = Point::from_degrees(latitude, longitude).unwrap();
    Located {
        point,
        precision: Precision::Coordinates,
        radius_m: 0,
    }
}

/// Returns three locations in Porto Alegre.
fn places() -> [Located; 3] {
    [
        place(-30.0277, -51.2287),
        place(-30.0346, -51.2402),
        place(-30.0262, -51.1633),
    ]
}

/// Returns locations along a parallel at steps of 0.001 degrees.
fn row(count: u32) -> Vec<Located> {
    (0..count)
        .map(|step| place(-30.03, -51.30 + f64::from(step) * 0.001))
        .collect()
}

fn osrm(upstream: &Upstream, more: impl FnOnce(&mut Config)) -> Geography {
    let mut with = Config {
        osrm: Some(upstream.base.clone()),
        ..test_config()
    };
    more(&mut with);
    open(Path::new("."), with)
}

fn valhalla(upstream: &Upstream, more: impl FnOnce(&mut Config)) -> Geography {
    let mut with = Config {
        valhalla: Some(upstream.base.clone()),
        ..test_config()
    };
    more(&mut with);
    open(Path::new("."), with)
}

fn assert_all_estimated(matrix: &DistanceMatrix, places: &[Located]) {
    for (from, start) in places.iter().enumerate() {
        for (to, end) in places.iter().enumerate() {
            assert_eq!(matrix.is_estimated(from, to), from != to);
            assert_eq!(
                matrix.leg(from, to),
                Some(if from == to {
                    Leg::default()
                } else {
                    leg_located(start, end)
                })
            );
        }
    }
}

/// Converts a longitude to units of 0.001 degrees, for which the services below return a kilometre
/// and a hundred seconds.
fn thousandths(longitude: f64) -> f64 {
    (longitude * 1_000.0).round()
}

/// Simulates OSRM with a table limit and, at `off_road`, no roads.
fn table(request: &ReceivedRequest, max: usize, off_road: Option<f64>) -> (u16, String) {
    let path = request.line.split(['?', ' ']).nth(1).unwrap();
    let coordinates = path.strip_prefix("/table/v1/driving/").unwrap();
    let longitudes: Vec<f64> = coordinates
        .split(';')
        .map(|pair| thousandths(pair.split(',').next().unwrap().parse().unwrap()))
        .collect();
    assert_eq!(
        request.query("radiuses").unwrap().split(';').count(),
        longitudes.len(),
        "a radius for each"
    );
    assert_eq!(
        request.query("annotations").as_deref(),
        Some("duration,distance")
    );
    let listed = |name: &str| -> Vec<usize> {
        let all = || (0..longitudes.len()).collect();
        request.query(name).map_or_else(all, |list| {
            list.split(';').map(|n| n.parse().unwrap()).collect()
        })
    };
    if longitudes.len() > max {
        return (
            400,
            json!({"code": "TooBig", "message": "Too many table coordinates"}).to_string(),
        );
    }
    if let Some(index) = longitudes
        .iter()
        .position(|longitude| Some(*longitude) == off_road.map(thousandths))
    {
        let message = format!("Could not find a matching segment for coordinate {index}");
        return (
            400,
            json!({"code": "NoSegment", "message": message}).to_string(),
        );
    }
    let (sources, destinations) = (listed("sources"), listed("destinations"));
    let grid = |unit: f64| -> Vec<Vec<f64>> {
        let cell = |from: usize, to: usize| (longitudes[to] - longitudes[from]).abs() * unit;
        sources
            .iter()
            .map(|from| destinations.iter().map(|to| cell(*from, *to)).collect())
            .collect()
    };
    let ends = |indices: &[usize]| -> Vec<Value> {
        indices.iter().map(|_| json!({"distance": 3.2})).collect()
    };
    let response = json!({
        "code": "Ok", "distances": grid(1_000.4), "durations": grid(100.0),
        "sources": ends(&sources), "destinations": ends(&destinations),
    });
    (200, response.to_string())
}

#[tokio::test]
async fn osrm_gives_metres_and_free_flow_seconds() {
    let upstream = Upstream::start(|request| table(request, 100, None));
    let places = row(3);
    let matrix = osrm(&upstream, |_| {}).distance_matrix(&places).await;
    assert_eq!(
        matrix.leg(0, 2),
        Some(Leg {
            metres: 2_001,
            seconds: 300
        }),
        "150 % of the free-flow time"
    );
    assert_eq!(matrix.leg(1, 1), Some(Leg::default()));
    assert!(!matrix.is_estimated(0, 2));
    let requests = upstream.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(
        requests[0].query("radiuses").as_deref(),
        Some("500;500;500")
    );
    let free = osrm(&upstream, |with| with.shared.routing.duration_percent = 100)
        .distance_matrix(&places)
        .await;
    assert_eq!(
        free.leg(0, 2),
        Some(Leg {
            metres: 2_001,
            seconds: 200
        })
    );
}

#[tokio::test]
async fn large_matrix_is_split_into_requests_within_the_limit() {
    let upstream = Upstream::start(|request| table(request, 100, None));
    let places = row(230);
    let geography = osrm(&upstream, |_| {});
    let matrix = geography.distance_matrix(&places).await;
    for from in 0..230_usize {
        for to in 0..230 {
            let metres = u32::try_from(from.abs_diff(to)).unwrap() * 10_004 / 10;
            let leg = matrix.leg(from, to).unwrap();
            assert!(
                leg.metres.abs_diff(metres) <= 1 && !matrix.is_estimated(from, to),
                "{from} {to} {leg:?}"
            );
        }
    }
    assert_eq!(upstream.requests().len(), 25, "blocks of fifty by fifty");
    let too_big = Upstream::start(|request| table(request, 50, None));
    let rejected = osrm(&too_big, |_| {}).distance_matrix(&row(60)).await;
    assert!(
        rejected.is_estimated(0, 1),
        "a wrong limit falls back to the model"
    );
    let small = osrm(&too_big, |with| with.shared.routing.osrm_points = 50)
        .distance_matrix(&row(60))
        .await;
    assert!(!small.is_estimated(0, 59));
}

#[tokio::test]
async fn only_location_off_the_roads_is_estimated() {
    let places = row(5);
    let upstream = Upstream::start(|request| table(request, 100, Some(-51.298)));
    let matrix = osrm(&upstream, |_| {}).distance_matrix(&places).await;
    for (from, to) in [(0, 2), (2, 0), (2, 4)] {
        assert!(matrix.is_estimated(from, to));
        assert_eq!(
            matrix.leg(from, to),
            Some(leg_located(&places[from], &places[to]))
        );
    }
    assert_eq!(
        (
            matrix.is_estimated(0, 4),
            matrix.leg(0, 4).map(|leg| leg.metres)
        ),
        (false, Some(4_002))
    );
    assert_eq!(upstream.requests().len(), 2);
}

#[tokio::test]
async fn location_snapped_too_far_is_rejected() {
    // An OSRM that ignores radiuses snaps by 3,118 km and returns a plausible distance from there.
    let own = json!({
        "code": "Ok", "distances": [[0, 6_779.8], [7_552.3, 0]], "durations": [[0, 696.4], [852.3, 0]],
        "sources": [{"distance": 3_118_613.8}, {"distance": 52.2}],
        "destinations": [{"distance": 3_118_613.8}, {"distance": 52.2}],
    });
    for response in [
        Some(own.to_string()),
        captured("osrm_table_far_snap_trap.json"),
    ]
    .into_iter()
    .flatten()
    {
        let upstream = Upstream::fixed(200, &response);
        let places = [place(-3.119, -60.0217), places()[2]];
        assert_all_estimated(
            &osrm(&upstream, |_| {}).distance_matrix(&places).await,
            &places,
        );
    }
}

#[tokio::test]
async fn cells_without_a_road_are_estimated() {
    let response = json!({
        "code": "Ok", "distances": [[0, null, 8_174.7], [2_332.9, 0, 9_774.9], [9_550.2, 10_295.4, 0]],
        "durations": [[0, null, 826.4], [246.4, 0, 982.8], [934.5, 987.4, 0]],
    });
    let geography = osrm(&Upstream::fixed(200, &response.to_string()), |_| {});
    let matrix = geography.distance_matrix(&places()).await;
    assert!(matrix.is_estimated(0, 1) && !matrix.is_estimated(1, 0));
    assert_eq!(
        matrix.leg(1, 0),
        Some(Leg {
            metres: 2_333,
            seconds: 370
        })
    );
    let text = metrics(&geography);
    assert!(
        text.contains(r#"despacho_geography_legs_total{source="model"} 1"#),
        "{text}"
    );
    assert!(
        text.contains(r#"despacho_geography_legs_total{source="osrm"} 5"#),
        "{text}"
    );
}

#[tokio::test]
async fn failing_road_service_falls_back_and_opens_the_breaker() {
    for upstream in [
        Upstream::fixed(500, "{}"),
        Upstream::slow(),
        Upstream::fixed(200, "<html>"),
        Upstream::fixed(200, "{}"),
    ] {
        let geography = osrm(&upstream, |with| {
            with.shared.routing.timeout_ms = short_timeouts().shared.routing.timeout_ms
        });
        assert_all_estimated(&geography.distance_matrix(&places()).await, &places());
    }
    let upstream = Upstream::fixed(502, "");
    let geography = osrm(&upstream, |_| {});
    for _ in 0..8 {
        assert_all_estimated(&geography.distance_matrix(&places()).await, &places());
    }
    assert_eq!(
        upstream.requests().len(),
        10,
        "five requests with two attempts each"
    );
    let unknown = open(
        Path::new("."),
        Config {
            osrm: Some("http://127.0.0.1:9".to_owned()),
            ..test_config()
        },
    );
    assert_all_estimated(&unknown.distance_matrix(&places()).await, &places());
}

#[tokio::test]
async fn overlapping_imprecise_locations_use_a_typical_distance() {
    let upstream = Upstream::start(|request| table(request, 100, None));
    let town = Located {
        precision: Precision::Municipality,
        radius_m: 8_000,
        ..row(1)[0]
    };
    let matrix = osrm(&upstream, |_| {}).distance_matrix(&[town, town]).await;
    assert!(matrix.leg(0, 1).unwrap().metres > 5_000);
}

#[tokio::test]
async fn captured_osrm_responses_are_parsed() {
    let (Some(ok), Some(rejected)) = (
        captured("osrm_table_ok.json"),
        captured("osrm_nosegment.json"),
    ) else {
        return;
    };
    let matrix = osrm(&Upstream::fixed(200, &ok), |_| {})
        .distance_matrix(&places())
        .await;
    assert_eq!(
        matrix.leg(0, 1),
        Some(Leg {
            metres: 1_917,
            seconds: 299
        })
    );
    assert_eq!(
        matrix.leg(2, 1),
        Some(Leg {
            metres: 10_295,
            seconds: 1_482
        })
    );
    // The service rejects one coordinate after the other until none is left.
    assert_all_estimated(
        &osrm(&Upstream::fixed(400, &rejected), |_| {})
            .distance_matrix(&places())
            .await,
        &places(),
    );
}

/// Simulates Valhalla with a limit of pairs.
fn sources_to_targets(request: &ReceivedRequest, max: usize) -> (u16, String) {
    assert_eq!(request.line, "POST /sources_to_targets");
    let requests: Value = serde_json::from_str(&request.body).unwrap();
    assert_eq!(
        (
            &requests["verbose"],
            &requests["costing"],
            &requests["units"]
        ),
        (&json!(false), &json!("auto"), &json!("kilometers"))
    );
    let longitudes = |name: &str| -> Vec<f64> {
        let places = requests[name].as_array().unwrap();
        assert!(
            places.iter().all(|place| place["search_cutoff"] == 500),
            "{places:?}"
        );
        places
            .iter()
            .map(|place| thousandths(place["lon"].as_f64().unwrap()))
            .collect()
    };
    let (sources, targets) = (longitudes("sources"), longitudes("targets"));
    if sources.len() * targets.len() > max {
        return (
            400,
            json!({"error_code": 150, "error": "Exceeded max locations", "status_code": 400})
                .to_string(),
        );
    }
    let grid = |unit: f64| -> Vec<Vec<f64>> {
        sources
            .iter()
            .map(|from| targets.iter().map(|to| (to - from).abs() * unit).collect())
            .collect()
    };
    let cells = json!({"distances": grid(1.0004), "durations": grid(100.0)});
    (
        200,
        json!({"sources_to_targets": cells, "units": "kilometers", "algorithm": "costmatrix"})
            .to_string(),
    )
}

#[tokio::test]
async fn valhalla_gives_kilometres_within_its_limit_of_pairs() {
    let upstream = Upstream::start(|request| sources_to_targets(request, 2_500));
    let geography = valhalla(&upstream, |_| {});
    let matrix = geography.distance_matrix(&row(3)).await;
    assert_eq!(
        (matrix.leg(0, 2), upstream.requests().len()),
        (
            Some(Leg {
                metres: 2_001,
                seconds: 300
            }),
            1
        )
    );
    let large = geography.distance_matrix(&row(51)).await;
    assert_eq!(large.leg(50, 0).map(|leg| leg.metres), Some(50_020));
    assert_eq!(
        (large.is_estimated(50, 0), upstream.requests().len()),
        (false, 3),
        "2,601 pairs are two requests"
    );
    let wrong = valhalla(
        &Upstream::start(|request| sources_to_targets(request, 100)),
        |_| {},
    );
    assert!(wrong.distance_matrix(&row(20)).await.is_estimated(0, 1));
    let small = Upstream::start(|request| sources_to_targets(request, 7));
    let small = valhalla(&small, |with| with.shared.routing.valhalla_pairs = 7)
        .distance_matrix(&row(20))
        .await;
    assert_eq!(
        (
            small.is_estimated(19, 0),
            small.leg(19, 0).map(|leg| leg.metres)
        ),
        (false, Some(19_008))
    );
}

#[tokio::test]
async fn valhalla_errors_fall_back_to_the_estimate() {
    for code in [154, 170, 171] {
        let rejection =
            json!({"error_code": code, "error": "x", "status_code": 400, "status": "Bad Request"});
        let geography = valhalla(&Upstream::fixed(400, &rejection.to_string()), |_| {});
        assert_all_estimated(&geography.distance_matrix(&places()).await, &places());
    }
    let miles = json!({"sources_to_targets": {"durations": [[0, 9], [9, 0]], "distances": [[0, 1], [1, 0]]}, "units": "miles"});
    let two = [places()[0], places()[1]];
    assert_all_estimated(
        &valhalla(&Upstream::fixed(200, &miles.to_string()), |_| {})
            .distance_matrix(&two)
            .await,
        &two,
    );
}

#[tokio::test]
async fn captured_valhalla_responses_are_parsed() {
    let names = ["valhalla_matrix_compact.json", "valhalla_toofar.json"];
    let [Some(compact), Some(too_far)] = names.map(captured) else {
        return;
    };
    // The captured request had one source and two targets, so the response has the wrong size here.
    assert_all_estimated(
        &valhalla(&Upstream::fixed(200, &compact), |_| {})
            .distance_matrix(&places())
            .await,
        &places(),
    );
    assert_all_estimated(
        &valhalla(&Upstream::fixed(400, &too_far), |_| {})
            .distance_matrix(&places())
            .await,
        &places(),
    );
    // With two pairs per request, each has one source and two targets.
    let two = [places()[0], places()[1]];
    let matrix = valhalla(&Upstream::fixed(200, &compact), |with| {
        with.shared.routing.valhalla_pairs = 2
    })
    .distance_matrix(&two)
    .await;
    assert_eq!(
        matrix.leg(0, 1),
        Some(Leg {
            metres: 9_746,
            seconds: 1_148
        }),
        "765 s at free flow"
    );
}
