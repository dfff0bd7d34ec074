//! Tests with the two real extracts in ../shared/data. Each test is ignored if its extract is
//! missing.

use crate::extract;
use despacho_core::{geo::great_circle_m, model::Point};
use despacho_roads::Roads;
use despacho_roads::testing::Rng;

fn roads(name: &str) -> Option<Roads> {
    Some(Roads::load(&extract(name)?).expect("a valid extract"))
}

fn at(latitude: f64, longitude: f64) -> Point {
    Point::from_degrees(latitude, longitude).expect("a valid coordinate")
}

/// Legs computed by OSRM 26.10 on the same extract: start, end, metres, seconds.
type ExpectedLegs = [((f64, f64), (f64, f64), f64, f64)];

/// Trips of nearly equal duration can differ in length, so the tolerance of seconds is smaller than
/// that of metres.
fn assert_like_osrm(roads: &Roads, expected: &ExpectedLegs) {
    let mut errors = Vec::new();
    for (from, to, metres, seconds) in expected {
        let matrix = roads.matrix(&[at(from.0, from.1), at(to.0, to.1)]);
        let leg = matrix.leg(0, 1).expect("a leg");
        let (own_m, own_s) = (f64::from(leg.metres), f64::from(leg.ms) / 1_000.0);
        errors.push((own_m - metres).abs() / metres);
        assert!(
            (own_m - metres).abs() < metres * 0.05,
            "{from:?} to {to:?}: {own_m} m, OSRM {metres} m"
        );
        assert!(
            (own_s - seconds).abs() < seconds * 0.01,
            "{from:?} to {to:?}: {own_s} s, OSRM {seconds} s"
        );
    }
    errors.sort_by(f64::total_cmp);
    assert!(errors[errors.len() / 2] < 0.005, "{errors:?}");
}

#[test]
fn porto_alegre_legs_match_osrm() {
    let Some(roads) = roads("poa_osm.pbf") else {
        return;
    };
    let (market, pucrs) = ((-30.027_565, -51.227_811), (-30.057_972, -51.176_073));
    let (mall, stadium) = ((-30.026_512, -51.162_409), (-30.064_94, -51.236_591));
    let (ufrgs, station) = ((-30.033_402, -51.220_278), (-29.997_721, -51.197_618));
    let (hall, hospital) = ((-30.028_004, -51.228_65), (-30.030_426, -51.222_396));
    let expected = [
        (market, pucrs, 7_846.5, 711.9),
        (pucrs, market, 8_368.3, 777.2),
        (mall, stadium, 10_991.3, 1_164.8),
        (stadium, mall, 11_493.9, 1_161.0),
        (ufrgs, station, 5_224.6, 531.0),
        (station, ufrgs, 4_532.2, 430.3),
        (hall, hospital, 1_558.8, 249.4),
        (hospital, hall, 2_013.9, 249.1),
    ];
    assert_like_osrm(&roads, &expected);
}

#[test]
fn sao_paulo_legs_match_osrm() {
    let Some(roads) = roads("spo_osm.pbf") else {
        return;
    };
    let (cathedral, paulista, station) = (
        (-23.5505, -46.6333),
        (-23.5614, -46.656),
        (-23.535, -46.625),
    );
    let expected = [
        (cathedral, paulista, 3_461.7, 365.7),
        (paulista, cathedral, 4_410.8, 475.9),
        (cathedral, station, 2_492.3, 233.4),
        (station, cathedral, 2_720.7, 324.6),
        (paulista, station, 6_385.2, 617.1),
        (station, paulista, 5_177.1, 493.5),
    ];
    assert_like_osrm(&roads, &expected);
}

#[test]
fn far_point_is_not_snapped() {
    let Some(roads) = roads("poa_osm.pbf") else {
        return;
    };
    let here = at(-30.0265, -51.1628);
    assert!(roads.matrix(&[here]).is_snapped(0));
    for (far, name) in [
        // OSRM returns 'Ok' and 6,779.8 m for this point, 3,118 km away, unless the request has a
        // radius.
        (at(-3.119, -60.0217), "Manaus"),
        (at(-30.06, -51.30), "the lake"),
        (at(-29.95, -51.20), "3 km north of the extract"),
        (at(-51.2278, -30.0276), "latitude and longitude swapped"),
        (at(-23.5505, -46.6333), "São Paulo"),
        (at(0.0, 0.0), "null island"),
    ] {
        let matrix = roads.matrix(&[here, far]);
        assert!(matrix.is_snapped(0) && !matrix.is_snapped(1), "{name}");
        assert_eq!(
            (matrix.leg(0, 1), matrix.leg(1, 0), matrix.leg(1, 1)),
            (None, None, None),
            "{name}"
        );
    }
}

#[test]
fn every_snapped_point_reaches_every_other() {
    for name in ["poa_osm.pbf", "spo_osm.pbf"] {
        let Some(roads) = roads(name) else { return };
        let mut rng = Rng::new(5);
        // Porto Alegre's islands are networks of their own.
        let is_of_city = |point: &Point| {
            roads
                .component_near(*point)
                .is_none_or(|component| component == 0)
        };
        let random = std::iter::repeat_with(|| rng.point(roads.area())).flatten();
        let points: Vec<Point> = random.filter(is_of_city).take(60).collect();
        let matrix = roads.matrix(&points);
        assert!(matrix == roads.matrix(&points));
        let mut uneven = 0;
        for (from, to) in (0..60).flat_map(|from| (0..60).map(move |to| (from, to))) {
            let both = matrix.is_snapped(from) && matrix.is_snapped(to);
            let leg = matrix.leg(from, to);
            assert_eq!(leg.is_some(), both, "{name}: {from} to {to}");
            let Some(leg) = leg else { continue };
            uneven += usize::from(
                matrix
                    .leg(to, from)
                    .is_some_and(|back| back.metres.abs_diff(leg.metres) > 50),
            );
            // Both ends can be up to the snap limit away from their roads.
            assert!(
                leg.metres + 700 >= great_circle_m(points[from], points[to]),
                "{name}: {from} to {to}"
            );
        }
        assert!(
            uneven > 200,
            "{name}: only {uneven} legs differ by direction"
        );
    }
}

#[test]
fn islands_of_porto_alegre_have_legs() {
    let Some(roads) = roads("poa_osm.pbf") else {
        return;
    };
    let mut rng = Rng::new(8);
    let island = roads.components().nth(1).expect("an island");
    let is_there = |point: &Point| roads.component_near(*point) == Some(1);
    let points: Vec<Point> = std::iter::repeat_with(|| rng.point(island.area))
        .flatten()
        .filter(is_there)
        .take(10)
        .collect();
    let matrix = roads.matrix(&points);
    let legs = (0..10).flat_map(|from| (0..10).map(move |to| (from, to)));
    assert!(legs.into_iter().all(|(from, to)| {
        matrix
            .leg(from, to)
            .is_some_and(|leg| leg.metres < island.metres)
    }));
}

#[test]
fn legs_do_not_depend_on_other_points() {
    let Some(roads) = roads("spo_osm.pbf") else {
        return;
    };
    let mut rng = Rng::new(6);
    let points: Vec<Point> = (0..20).filter_map(|_| rng.point(roads.area())).collect();
    let whole = roads.matrix(&points);
    for (from, to) in (0..20).flat_map(|from| (0..20).map(move |to| (from, to))) {
        let pair = roads.matrix(&[points[from], points[to]]);
        assert_eq!(
            pair.leg(0, 1).filter(|_| from != to),
            whole.leg(from, to).filter(|_| from != to),
            "{from} {to}"
        );
    }
}
