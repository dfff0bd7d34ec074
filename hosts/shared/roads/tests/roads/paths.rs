//! Paths along roads.

use despacho_core::model::Point;
use despacho_roads::Roads;
use despacho_roads::testing::{Rng, Sketch, at};

/// Returns the length of a path in metres.
fn length(path: &[Point]) -> f64 {
    let metres = |one: Point, other: Point| {
        let north = (other.latitude() - one.latitude()).to_radians();
        let east =
            (other.longitude() - one.longitude()).to_radians() * one.latitude().to_radians().cos();
        6_371_008.8 * north.hypot(east)
    };
    path.windows(2).map(|ends| metres(ends[0], ends[1])).sum()
}

fn path(roads: &Roads, from: Point, to: Point) -> Option<Vec<Point>> {
    roads.paths(&[from, to], 100).pop().flatten()
}

#[test]
fn path_follows_bends_and_directions() {
    let mut sketch = Sketch::new();
    sketch
        .node(1, 400.0, 0.0, &[])
        .node(2, 400.0, 400.0, &[])
        .node(3, 0.0, 400.0, &[])
        .node(4, 0.0, 0.0, &[]);
    sketch.way(
        12,
        &[1, 2],
        &[("highway", "residential"), ("oneway", "yes")],
    );
    sketch.street(23, &[2, 3]).street(341, &[3, 4, 1]);
    let roads = sketch.roads().expect("roads");
    let (west, east) = (at(400.0, 100.0), at(400.0, 300.0));
    assert_eq!(path(&roads, west, east), Some(vec![west, east]));
    let around = path(&roads, east, west).expect("a path");
    let corners = [
        at(400.0, 400.0),
        at(0.0, 400.0),
        at(0.0, 0.0),
        at(400.0, 0.0),
    ];
    assert_eq!(around.len(), 6, "{around:?}");
    for (found, corner) in around[1..5].iter().zip(corners) {
        assert!(length(&[*found, corner]) < 1.0, "{around:?}");
    }
    assert_eq!((around[0], around[5]), (east, west));
    assert!(
        roads.paths(&[east, west], 3)[0]
            .as_ref()
            .is_some_and(|path| path.len() <= 3)
    );
    assert_eq!(
        roads.paths(&[east, at(9_000.0, 0.0), west], 100),
        [None, None]
    );
    assert!(roads.paths(&[east], 100).is_empty());
}

#[test]
fn paths_of_real_roads_are_as_long_as_their_legs() {
    for name in ["spo_osm.pbf", "poa_osm.pbf"] {
        let Some(file) = crate::extract(name) else {
            return;
        };
        let roads = Roads::load(&file).expect("roads");
        let mut rng = Rng::new(7);
        let points: Vec<Point> = (0..60).filter_map(|_| rng.point(roads.area())).collect();
        // The inner points of a path are on a road.
        let found = roads.paths(&points, 100).into_iter().flatten();
        let points: Vec<Point> = found
            .filter(|path| path.len() > 4)
            .map(|path| path[path.len() / 2])
            .collect();
        let (matrix, paths) = (roads.matrix(&points), roads.paths(&points, 2_000));
        for (number, path) in paths.iter().enumerate() {
            let Some(leg) = matrix.leg(number, number + 1) else {
                assert_eq!(*path, None);
                continue;
            };
            let metres = path.as_deref().map_or(0.0, length);
            let difference = (metres - f64::from(leg.metres)).abs();
            assert!(
                difference < 10.0 + 0.02 * metres,
                "{number}: {metres} m, the leg has {} m",
                leg.metres
            );
        }
        assert!(paths.iter().flatten().count() > 20, "{} paths", paths.len());
    }
}

#[test]
fn path_over_restricted_turns_and_driveways_has_every_corner() {
    let corners = [
        at(400.0, 0.0),
        at(400.0, 400.0),
        at(0.0, 400.0),
        at(0.0, 0.0),
    ];
    let mut sketch = Sketch::new();
    sketch
        .node(1, 400.0, 0.0, &[])
        .node(2, 400.0, 400.0, &[])
        .node(3, 0.0, 400.0, &[])
        .node(4, 0.0, 0.0, &[]);
    sketch
        .node(5, 800.0, 400.0, &[])
        .node(6, 400.0, -400.0, &[])
        .street(25, &[2, 5])
        .street(61, &[6, 1]);
    sketch
        .street(12, &[1, 2])
        .street(23, &[2, 3])
        .street(34, &[3, 4])
        .street(41, &[4, 1]);
    let is_on =
        |path: &[Point], corner: Point| path.iter().any(|point| length(&[*point, corner]) < 1.0);
    // The way from the west over the northern side continues only to the north, so the path leads
    // around.
    sketch.restriction("no_right_turn", 61, 12, 23, true);
    let roads = sketch.roads().expect("roads");
    let (west, south) = (at(400.0, -200.0), at(0.0, 390.0));
    let found = path(&roads, west, south).expect("a path");
    assert!(
        is_on(&found, corners[0]) && is_on(&found, corners[3]) && !is_on(&found, corners[1]),
        "{found:?}"
    );
    let north = path(&roads, west, at(600.0, 400.0)).expect("a path");
    assert!(is_on(&north, corners[1]), "{north:?}");
    assert!((length(&north) - 800.0).abs() < 4.0, "{north:?}");
    let drive = [("highway", "service"), ("access", "private")];
    sketch
        .node(7, 400.0, 800.0, &[])
        .node(8, 0.0, 800.0, &[])
        .way(27, &[2, 7], &drive)
        .way(78, &[7, 8], &drive);
    sketch.street(83, &[8, 9]).node(9, 0.0, 1_200.0, &[]);
    let roads = sketch.roads().expect("roads");
    let through = path(&roads, at(600.0, 400.0), at(0.0, 1_000.0)).expect("a path");
    assert!(
        is_on(&through, at(400.0, 800.0)) && is_on(&through, at(0.0, 800.0)),
        "{through:?}"
    );
}

#[test]
fn work_of_one_call_is_limited() {
    let mut sketch = Sketch::new();
    let (side, spacing) = (12, 100.0);
    let id = |row: i64, column: i64| row * side + column + 1;
    for (row, north_m) in (0..side).zip((0..).map(|row| f64::from(row) * spacing)) {
        for (column, east_m) in (0..side).zip((0..).map(|column| f64::from(column) * spacing)) {
            sketch.node(id(row, column), north_m, east_m, &[]);
        }
        let (across, along): (Vec<i64>, Vec<i64>) =
            (0..side).map(|at| (id(row, at), id(at, row))).unzip();
        sketch.street(row, &across).street(side + row, &along);
    }
    let roads = sketch.roads().expect("roads");
    let points = [at(50.0, 0.0), at(950.0, 1_100.0)].repeat(2_000);
    let paths = roads.paths(&points, 10);
    assert_eq!(paths.len(), points.len() - 1);
    let first = paths.iter().take_while(|path| path.is_some()).count();
    assert!((100..3_000).contains(&first), "{first} paths");
    assert!(paths[first..].iter().all(Option::is_none));
}
