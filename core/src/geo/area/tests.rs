//! Tests of service areas against an oracle in floating point.

use super::*;
use crate::model::{Entropy, Precision};

fn point(lat_e7: i32, lon_e7: i32) -> Point {
    Point { lat_e7, lon_e7 }
}

fn ring(corners: &[(i32, i32)]) -> Ring {
    let mut points: Vec<_> = corners
        .iter()
        .map(|(lat, lon)| point(-235_000_000 + lat, -466_000_000 + lon))
        .collect();
    points.extend(points.first().copied());
    Ring(points)
}

/// Sums the angles under which a point sees the edges: a full turn inside, zero outside.
fn winds_around(Ring(points): &Ring, at: Point) -> bool {
    let angle = |point: Point| {
        libm::atan2(
            f64::from(point.lat_e7 - at.lat_e7),
            f64::from(point.lon_e7 - at.lon_e7),
        )
    };
    let turn = |(from, to): (Point, Point)| {
        let difference = angle(to) - angle(from);
        difference - (difference / std::f64::consts::TAU).round() * std::f64::consts::TAU
    };
    edges(points).map(turn).sum::<f64>().abs() > std::f64::consts::PI
}

fn random(entropy: &mut Entropy, below: u32) -> i32 {
    let bytes = entropy.bytes::<4>();
    i32::try_from(u32::from_le_bytes(bytes) % below).unwrap()
}

#[expect(clippy::cast_possible_truncation, reason = "at most a million")]
fn whole(number: f64) -> i32 {
    number.round() as i32
}

/// Returns a ring around the origin: corners at ascending angles, so it does not cross itself.
fn star(entropy: &mut Entropy, corners: i32, size: u32) -> Ring {
    let corner = |at: i32| {
        let angle = f64::from(at) / f64::from(corners) * std::f64::consts::TAU;
        let radius = f64::from(1_000 + random(entropy, size));
        (
            whole(radius * libm::sin(angle)),
            whole(radius * libm::cos(angle)),
        )
    };
    ring(&(0..corners).map(corner).collect::<Vec<_>>())
}

#[test]
fn containment_equals_the_winding_number() {
    let mut entropy = Entropy::new([5; 32]);
    let mut inside = 0;
    for round in 0..400 {
        let outer = star(&mut entropy, 3 + round % 40, 900_000);
        assert_eq!(first_crossing(&outer.0), None, "{outer:?}");
        let hole = star(&mut entropy, 3, 30_000);
        let area = ServiceArea(vec![vec![outer.clone(), hole.clone()]]);
        for _ in 0..50 {
            let at = point(
                -235_000_000 - 900_000 + random(&mut entropy, 1_800_000),
                -466_000_000 - 900_000 + random(&mut entropy, 1_800_000),
            );
            if side(&outer, at) == Side::OnEdge || side(&hole, at) == Side::OnEdge {
                continue;
            }
            let expected = winds_around(&outer, at) && !winds_around(&hole, at);
            assert_eq!(area.contains(at), expected, "{at:?} {area:?}");
            inside += u32::from(expected);
        }
    }
    assert!(
        (3_000..16_000).contains(&inside),
        "{inside} of 20,000 points are inside"
    );
}

#[test]
fn edges_belong_to_the_area_and_holes_do_not() {
    let outer = ring(&[(0, 0), (0, 1_000), (1_000, 1_000), (1_000, 0)]);
    let hole = ring(&[(400, 400), (400, 600), (600, 600), (600, 400)]);
    let other = ring(&[(2_000, 0), (2_000, 1_000), (3_000, 0)]);
    let area = ServiceArea(vec![vec![outer, hole], vec![other]]);
    let contains = |lat, lon| area.contains(point(-235_000_000 + lat, -466_000_000 + lon));
    assert!(
        contains(0, 0)
            && contains(500, 0)
            && contains(1_000, 999)
            && contains(400, 500)
            && contains(200, 200)
    );
    assert!(
        !contains(500, 500) && !contains(-1, 500) && !contains(500, 1_001) && contains(2_100, 100)
    );
    assert!(
        !area.contains(point(900_000_000, 1_800_000_000))
            && !area.contains(point(-900_000_000, -1_800_000_000))
    );
}

#[test]
fn hole_leaves_its_outer_ring() {
    // A U, open to the north.
    let outer = ring(&[
        (0, 0),
        (9, 0),
        (9, 3),
        (3, 3),
        (3, 6),
        (9, 6),
        (9, 9),
        (0, 9),
    ]);
    for (name, hole, expected) in [
        ("inside", &[(1, 1), (2, 1), (2, 8)][..], None),
        (
            "a corner on the outer edge",
            &[(0, 1), (2, 1), (2, 8)],
            None,
        ),
        ("a position outside", &[(1, 1), (2, 1), (2, 11)], Some(1)),
        (
            "an edge across the gap",
            &[(1, 1), (8, 1), (8, 8), (1, 8)],
            Some(1),
        ),
        ("elsewhere", &[(20, 20), (20, 30), (30, 30)], Some(0)),
    ] {
        assert_eq!(first_outside(&outer, &ring(hole)), expected, "{name}");
    }
}

#[test]
fn imprecise_location_is_outside_only_with_its_whole_circle() {
    let area = ServiceArea(vec![vec![ring(&[
        (0, 0),
        (0, 100_000),
        (100_000, 100_000),
        (100_000, 0),
    ])]]);
    // 50,000 units of latitude are about 556 m.
    let located = |radius_m| Located {
        point: point(-235_050_000, -465_950_000),
        precision: Precision::Municipality,
        radius_m,
    };
    assert!(
        !area.may_contain(&located(0))
            && !area.may_contain(&located(500))
            && area.may_contain(&located(600))
    );
}

#[test]
fn crossing_touching_and_reversing_edges_are_found() {
    for (name, corners, crossing) in [
        ("a square", &[(0, 0), (0, 9), (9, 9), (9, 0)][..], None),
        (
            "a square with a repeated corner",
            &[(0, 0), (0, 9), (0, 9), (9, 9), (9, 0), (0, 0)],
            None,
        ),
        (
            "a corner on a straight edge",
            &[(0, 0), (0, 4), (0, 9), (9, 9)],
            None,
        ),
        ("a bow tie", &[(0, 0), (9, 9), (9, 0), (0, 9)], Some(2)),
        (
            "a corner that touches an edge",
            &[(0, 0), (0, 9), (9, 9), (0, 5), (9, 0)],
            Some(2),
        ),
        (
            "a corner that occurs twice",
            &[(0, 0), (0, 9), (5, 5), (9, 9), (9, 0), (5, 5)],
            Some(4),
        ),
        ("a spike", &[(0, 0), (0, 9), (0, 4), (9, 4)], Some(1)),
        (
            "a spike at the start",
            &[(0, 5), (0, 9), (9, 9), (0, 20)],
            Some(3),
        ),
        ("a longer spike", &[(0, 2), (0, 9), (0, 0), (9, 4)], Some(1)),
    ] {
        assert_eq!(first_crossing(&ring(corners).0), crossing, "{name}");
    }
    assert!(
        !has_three_edges(&ring(&[(0, 0), (0, 9), (0, 9)]).0)
            && has_three_edges(&ring(&[(0, 0), (0, 9), (9, 9)]).0)
    );
}

#[test]
fn box_contains_brazil_and_its_islands() {
    for (latitude, longitude, expected) in [
        (5.27, -60.2, true),
        (-33.75, -53.37, true),
        (-7.5, -73.99, true),
        (-20.5, -28.85, true),
        (-23.5, 46.6, false),
    ] {
        assert_eq!(
            is_in_box(Point::from_degrees(latitude, longitude).unwrap()),
            expected,
            "{latitude} {longitude}"
        );
    }
}

/// Compares every two edges, without a sweep.
fn first_crossing_of_all_pairs(points: &[Point]) -> Option<usize> {
    let edges: Vec<_> = edges(points)
        .enumerate()
        .filter(|(_, (from, to))| from != to)
        .collect();
    let last = edges.len().saturating_sub(1);
    let crosses = |at: usize, other: usize| match (edges[at].1, edges[other].1) {
        (edge, earlier) if other + 1 == at => reverses(earlier, edge),
        (edge, earlier) if other == 0 && at == last => reverses(edge, earlier),
        (edge, earlier) => meet(earlier, edge),
    };
    let at = (0..edges.len()).find(|at| (0..*at).any(|other| crosses(*at, other)))?;
    Some(edges[at].0)
}

#[test]
fn sweep_finds_the_same_crossing_as_all_pairs() {
    let mut entropy = Entropy::new([6; 32]);
    let mut crossing = 0;
    for round in 0..3_000 {
        // Few different coordinates, so that points repeat and edges touch, overlap and cross.
        let below = 2 + u32::try_from(round).unwrap() % 40;
        let corners: Vec<_> = (0..3 + round % 9)
            .map(|_| (random(&mut entropy, below), random(&mut entropy, below)))
            .collect();
        let ring = ring(&corners);
        let expected = first_crossing_of_all_pairs(&ring.0);
        assert_eq!(first_crossing(&ring.0), expected, "{ring:?}");
        crossing += u32::from(expected.is_some());
    }
    assert!(
        (500..2_900).contains(&crossing),
        "{crossing} of 3,000 rings cross themselves"
    );
}

#[test]
fn sweep_compares_few_edges_of_a_ring_of_the_largest_size() {
    let mut entropy = Entropy::new([7; 32]);
    let ring = star(&mut entropy, 499, 900_000);
    let lines: Vec<Line> = edges(&ring.0).collect();
    let mut pairs = 0;
    near_pairs(&lines, |_, _| pairs += 1);
    // All pairs are 124,251.
    assert!(pairs < 20_000, "{pairs} pairs of {} edges", lines.len());
    assert_eq!(first_crossing(&ring.0), None);
}
