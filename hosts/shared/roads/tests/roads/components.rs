//! Networks of several components: cities of one region, islands, one-way links and fragments.

use despacho_core::model::Point;
use despacho_roads::testing::{Form, Sketch, at};
use despacho_roads::{RoadMatrix, Roads, cut};

/// Adds streets in a grid of `side` × `side` junctions at steps of 100 m, and returns its corners
/// in the south-west and the north-east.
fn grid(sketch: &mut Sketch, base: i64, side: i64, north: f64, east: f64) -> (i64, i64) {
    let metres = |step: i64| f64::from(i32::try_from(step).expect("a small grid")) * 100.0;
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        sketch.node(
            base + row * side + column,
            north + metres(row),
            east + metres(column),
            &[],
        );
    }
    for line in 0..side {
        let row: Vec<i64> = (0..side)
            .map(|column| base + line * side + column)
            .collect();
        let column: Vec<i64> = (0..side).map(|row| base + row * side + line).collect();
        sketch
            .street(base + line, &row)
            .street(base + side + line, &column);
    }
    (base, base + side * side - 1)
}

fn metres(matrix: &RoadMatrix, from: usize, to: usize) -> Option<u32> {
    matrix.leg(from, to).map(|leg| leg.metres)
}

fn is_near(found: Option<u32>, expected: u32) -> bool {
    found.is_some_and(|found| found.abs_diff(expected) <= 4)
}

fn lengths(roads: &Roads) -> Vec<u32> {
    roads.components().map(|one| one.metres).collect()
}

#[test]
fn both_cities_of_a_region_keep_their_roads() {
    let mut sketch = Sketch::new();
    let (_, exit) = grid(&mut sketch, 1_000, 25, 0.0, 0.0);
    let (entry, _) = grid(&mut sketch, 10_000, 20, 70_000.0, 340_000.0);
    // A road of many short ways, so that a cut around the cities does not contain its middle.
    let mut last = exit;
    for step in 1..100 {
        let share = f64::from(step) / 100.0;
        let next = 100_000 + i64::from(step);
        sketch.node(
            next,
            2_400.0 + share * 67_600.0,
            2_400.0 + share * 337_600.0,
            &[],
        );
        sketch.street(next, &[last, next]);
        last = next;
    }
    sketch.street(200_000, &[last, entry]);
    let points = [
        at(50.0, 0.0),
        at(2_350.0, 2_400.0),
        at(70_050.0, 340_000.0),
        at(71_850.0, 341_900.0),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, part) = (
        folder.path().join("whole.osm.pbf"),
        folder.path().join("part.osm.pbf"),
    );
    std::fs::write(
        &whole,
        sketch.bytes(Form {
            dense: true,
            packed: true,
        }),
    )
    .expect("a written file");
    let boxes = [
        (at(-2_000.0, -2_000.0), at(6_000.0, 6_000.0)),
        (at(66_000.0, 336_000.0), at(74_000.0, 344_000.0)),
    ];
    cut(&whole, &part, &boxes, &mut |_, _| {}).expect("a cut");
    let roads = Roads::load(&part).expect("roads");
    // In the north, 100 m east of the sketch's origin are 100.5 m.
    // The pieces of the connecting road in the boxes belong to the cities.
    assert_eq!(roads.components().count(), 2, "{:?}", lengths(&roads));
    assert_eq!(
        points.map(|point| roads.component_near(point)),
        [Some(0), Some(0), Some(1), Some(1)]
    );
    assert!(boxes.iter().all(|area| roads.has_road_in(*area)));
    assert!(!roads.has_road_in((at(30_000.0, 100_000.0), at(40_000.0, 200_000.0))));
    let matrix = roads.matrix(&points);
    assert!((0..4).all(|point| matrix.is_snapped(point)));
    for (from, to, expected) in [(0, 1, 4_700), (1, 0, 4_700), (2, 3, 3_709), (3, 2, 3_709)] {
        assert!(
            is_near(metres(&matrix, from, to), expected),
            "{from} {to}: {matrix:?}"
        );
    }
    for (from, to) in [(0, 2), (1, 2), (2, 1), (3, 0)] {
        assert_eq!(matrix.leg(from, to), None, "{from} {to}");
    }
    let paths = roads.paths(&points, 20);
    assert_eq!(
        paths.iter().map(Option::is_some).collect::<Vec<_>>(),
        [true, false, true]
    );
    // The whole extract connects the cities.
    let whole = Roads::load(&whole).expect("roads");
    let matrix = whole.matrix(&points);
    assert_eq!(whole.components().count(), 1);
    assert!(
        metres(&matrix, 0, 3).is_some_and(|metres| metres > 340_000)
            && is_near(metres(&matrix, 2, 3), 3_709)
    );
    let far = whole.paths(&points, 20);
    assert!(far.iter().all(Option::is_some));
}

#[test]
fn islands_of_every_size_have_legs() {
    for side in [2, 3, 5, 20] {
        let mut sketch = Sketch::new();
        grid(&mut sketch, 1_000, 12, 0.0, 0.0);
        grid(&mut sketch, 10_000, side, 0.0, 3_100.0);
        if side == 2 {
            // A village along one road.
            sketch
                .node(20_000, 0.0, 3_500.0, &[])
                .street(20_000, &[10_001, 20_000]);
        }
        let roads = sketch.roads().expect("roads");
        let last = f64::from(i32::try_from(side - 1).expect("a small grid")) * 100.0;
        let points = [
            at(0.0, 0.0),
            at(500.0, 1_100.0),
            at(0.0, 3_100.0),
            at(last, 3_100.0 + last),
        ];
        let matrix = roads.matrix(&points);
        let expected = u32::try_from((side - 1) * 200).expect("a small grid");
        assert!(
            is_near(metres(&matrix, 2, 3), expected),
            "{side}: {matrix:?}"
        );
        assert!(is_near(metres(&matrix, 0, 1), 1_600), "{side}: {matrix:?}");
        assert_eq!((matrix.leg(0, 2), matrix.leg(3, 1)), (None, None), "{side}");
    }
}

/// A yard of 3 × 3 junctions without a way into the streets around it, or a larger one beside them.
fn with_yard(side: i64, north: f64, east: f64) -> Roads {
    let mut sketch = Sketch::new();
    grid(&mut sketch, 1_000, 12, 0.0, 0.0);
    grid(&mut sketch, 10_000, side, north, east);
    sketch.roads().expect("roads")
}

#[test]
fn fragments_within_reach_of_longer_roads_are_left_out() {
    // Lanes 50 m from the streets.
    let roads = with_yard(3, 450.0, 450.0);
    assert_eq!(roads.components().count(), 1, "{:?}", lengths(&roads));
    let matrix = roads.matrix(&[at(450.0, 440.0), at(650.0, 660.0)]);
    assert!(
        metres(&matrix, 0, 1).is_some_and(|metres| (300..520).contains(&metres)),
        "{matrix:?}"
    );
    // The same lanes where the streets are out of reach, and many lanes beside the streets.
    assert_eq!(with_yard(3, 450.0, 1_500.0).components().count(), 2);
    assert_eq!(with_yard(8, 0.0, 1_150.0).components().count(), 2);
}

#[test]
fn points_are_snapped_to_one_component_within_reach_of_all() {
    // Two banks, 200 m apart, without a bridge.
    let mut sketch = Sketch::new();
    grid(&mut sketch, 1_000, 12, 0.0, 0.0);
    grid(&mut sketch, 10_000, 12, 0.0, 1_300.0);
    let roads = sketch.roads().expect("roads");
    // The third point is nearer to the eastern bank.
    let (west, near_west, middle, east) = (
        at(0.0, 0.0),
        at(0.0, 1_000.0),
        at(0.0, 1_250.0),
        at(0.0, 2_000.0),
    );
    assert_eq!(
        [west, middle, east].map(|point| roads.component_near(point)),
        [Some(0), Some(1), Some(1)]
    );
    let matrix = roads.matrix(&[west, near_west, middle]);
    assert!(
        is_near(metres(&matrix, 0, 2), 1_100) && is_near(metres(&matrix, 2, 1), 100),
        "{matrix:?}"
    );
    let matrix = roads.matrix(&[east, middle]);
    assert!(
        is_near(metres(&matrix, 0, 1), 700) && is_near(metres(&matrix, 1, 0), 700),
        "{matrix:?}"
    );
    // No bank is within reach of all: each leg is measured on the bank of both of its ends.
    let points = [west, middle, east];
    let matrix = roads.matrix(&points);
    assert!(
        is_near(metres(&matrix, 0, 1), 1_100) && is_near(metres(&matrix, 1, 2), 700),
        "{matrix:?}"
    );
    assert_eq!((matrix.leg(0, 2), matrix.leg(2, 0)), (None, None));
    assert_eq!(roads.paths(&points, 20).iter().flatten().count(), 2);
    assert_eq!(roads.paths(&[west, east], 20), [None]);
}

#[test]
fn one_way_links_connect_in_their_direction_only() {
    let mut sketch = Sketch::new();
    let (_, exit) = grid(&mut sketch, 1_000, 12, 0.0, 0.0);
    let (_, far) = grid(&mut sketch, 10_000, 10, 1_100.0, 3_100.0);
    let one_way = [("highway", "residential"), ("oneway", "yes")];
    sketch
        .node(20_000, 1_100.0, 2_000.0, &[])
        .way(20_000, &[exit, 20_000], &one_way);
    sketch.way(20_001, &[20_000, 10_000], &one_way);
    // A one-way dead end.
    sketch
        .node(20_001, 1_600.0, 1_100.0, &[])
        .way(20_002, &[exit, 20_001], &one_way);
    let roads = sketch.roads().expect("roads");
    assert_eq!(roads.components().count(), 2, "{:?}", lengths(&roads));
    let points = [at(1_100.0, 0.0), at(1_100.0, 3_500.0)];
    let matrix = roads.matrix(&points);
    assert!(is_near(metres(&matrix, 0, 1), 3_500), "{matrix:?}");
    assert_eq!(matrix.leg(1, 0), None, "there is no way back");
    let paths = roads.paths(&[points[0], points[1], points[0]], 50);
    assert!(paths[0].is_some() && paths[1].is_none());
    // The link has a shape, but no point is snapped to it.
    let lon = |point: &Point| point.lon_e7;
    assert!(
        paths[0]
            .as_ref()
            .is_some_and(|path| path.iter().map(lon).is_sorted()),
        "{paths:?}"
    );
    assert!(roads.component_near(at(1_100.0, 2_000.0)).is_none());
    assert!(roads.component_near(at(1_600.0, 1_100.0)).is_none() && far > 10_000);
}

#[test]
fn road_files_keep_all_components() {
    let mut sketch = Sketch::new();
    let (_, exit) = grid(&mut sketch, 1_000, 12, 0.0, 0.0);
    let (entry, _) = grid(&mut sketch, 10_000, 10, 1_100.0, 3_100.0);
    grid(&mut sketch, 20_000, 4, 9_000.0, 0.0);
    sketch.way(
        30_000,
        &[exit, entry],
        &[("highway", "residential"), ("oneway", "yes")],
    );
    let built = sketch.roads().expect("roads");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("three.roads");
    built.save(&path).expect("a written file");
    let loaded = Roads::load(&path).expect("roads");
    assert_eq!(lengths(&loaded), lengths(&built));
    assert!(loaded.components().eq(built.components()) && loaded.components().count() == 3);
    assert!(!built.is_outdated() && !loaded.is_outdated());
    let points = [
        at(0.0, 0.0),
        at(1_100.0, 3_500.0),
        at(9_000.0, 0.0),
        at(9_300.0, 300.0),
    ];
    assert!(loaded.matrix(&points) == built.matrix(&points));
    assert_eq!(loaded.paths(&points, 20), built.paths(&points, 20));
}
