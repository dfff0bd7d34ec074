//! Cuts of an extract to the roads of an area.

use std::path::Path;

use despacho_core::model::Point;
use despacho_roads::testing::{Form, Rng, Sketch, at};
use despacho_roads::{Roads, RoadsError, cut};

use crate::extract;

/// Streets in a grid of 5 × 5 junctions at steps of 200 m, and a river without roads.
fn grid() -> Sketch {
    let mut sketch = Sketch::new();
    for (row, column) in (0..5i32).flat_map(|row| (0..5i32).map(move |column| (row, column))) {
        let signal: &[(&str, &str)] = if row == column {
            &[("highway", "traffic_signals")]
        } else {
            &[]
        };
        let metres = [row, column].map(|step| f64::from(step) * 200.0);
        sketch.node(i64::from(row * 10 + column), metres[0], metres[1], signal);
    }
    for line in 0..5 {
        let rows: Vec<i64> = (0..5).map(|column| line * 10 + column).collect();
        let columns: Vec<i64> = (0..5).map(|row| row * 10 + line).collect();
        // Each block of houses is a way, so that a cut can omit it.
        for (step, pair) in (0..).zip(rows.windows(2)) {
            sketch.street(100 + line * 10 + step, pair);
        }
        for (step, pair) in (0..).zip(columns.windows(2)) {
            sketch.street(200 + line * 10 + step, pair);
        }
    }
    sketch.way(900, &[0, 44], &[("waterway", "river")]);
    sketch
        .restriction("no_left_turn", 101, 2, 202, false)
        .restriction("no_right_turn", 143, 44, 243, false);
    sketch
}

/// Cuts a sketch and returns the path of the result.
fn cut_sketch(
    folder: &Path,
    sketch: &Sketch,
    form: Form,
    boxes: &[(Point, Point)],
) -> Result<Roads, RoadsError> {
    let (whole, part) = (folder.join("whole.osm.pbf"), folder.join("part.osm.pbf"));
    std::fs::write(&whole, sketch.bytes(form))?;
    cut(&whole, &part, boxes, &mut |_, _| {})?;
    Roads::load(&part)
}

#[test]
fn cut_has_the_roads_of_its_boxes_only() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, part) = (
        folder.path().join("whole.osm.pbf"),
        folder.path().join("part.osm.pbf"),
    );
    for (dense, packed) in [(true, true), (false, false)] {
        std::fs::write(&whole, grid().bytes(Form { dense, packed })).unwrap();
        let mut progress = Vec::new();
        let boxes = [(at(-50.0, -50.0), at(250.0, 250.0))];
        let report = cut(&whole, &part, &boxes, &mut |bytes, total| {
            progress.push((bytes, total))
        })
        .unwrap();
        // Two rows and two columns: a block inside and one across the border each.
        assert_eq!((report.ways, report.nodes), (8, 8));
        assert_eq!(report.bytes, std::fs::metadata(&part).unwrap().len());
        let last = progress.last().unwrap();
        assert!(
            last.0 == last.1 && last.1 == 3 * std::fs::metadata(&whole).unwrap().len(),
            "{last:?}"
        );
        let roads = Roads::load(&part).unwrap();
        assert_eq!(roads.area(), boxes[0]);
        let matrix = roads.matrix(&[at(0.0, 0.0), at(240.0, 240.0), at(400.0, 400.0)]);
        assert_eq!(
            [0, 1, 2].map(|point| matrix.is_snapped(point)),
            [true, true, false]
        );
    }
}

#[test]
fn cut_of_everything_equals_the_extract() {
    let folder = tempfile::tempdir().unwrap();
    let all = (at(-100.0, -100.0), at(900.0, 900.0));
    let boxes = [(all.0, at(900.0, 300.0)), (at(-100.0, 250.0), all.1)];
    let points: Vec<Point> = (0..20)
        .map(|step| at(f64::from(step * 37 % 800), f64::from(step * 53 % 800)))
        .collect();
    let expected = grid().roads().unwrap().matrix(&points);
    for (dense, packed) in [(true, true), (false, false)] {
        let roads = cut_sketch(folder.path(), &grid(), Form { dense, packed }, &boxes).unwrap();
        // Restrictions and signals are in the legs.
        assert!(roads.matrix(&points) == expected, "dense {dense}");
        assert_eq!(roads.size(), grid().roads().unwrap().size());
    }
}

#[test]
fn cut_of_locations_on_ways_equals_that_of_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let boxes = [(at(-50.0, -50.0), at(450.0, 450.0))];
    let form = Form {
        dense: true,
        packed: true,
    };
    let expected = cut_sketch(folder.path(), &grid(), form, &boxes).unwrap();
    let points: Vec<Point> = (0..20)
        .map(|step| at(f64::from(step * 37 % 400), f64::from(step * 53 % 400)))
        .collect();
    for dense in [true, false] {
        let form = Form {
            dense,
            packed: dense,
        };
        let found = cut_sketch(folder.path(), grid().locations_on_ways(), form, &boxes).unwrap();
        assert_eq!(
            (found.size(), found.area()),
            (expected.size(), expected.area())
        );
        assert!(
            found.matrix(&points) == expected.matrix(&points),
            "dense {dense}"
        );
    }
}

#[test]
fn cut_without_roads_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let form = Form {
        dense: true,
        packed: true,
    };
    let far = [(at(5_000.0, 5_000.0), at(6_000.0, 6_000.0))];
    assert!(matches!(
        cut_sketch(folder.path(), &grid(), form, &far),
        Err(RoadsError::NoRoads)
    ));
    let (whole, part) = (
        folder.path().join("whole.osm.pbf"),
        folder.path().join("part.osm.pbf"),
    );
    let bytes = std::fs::read(&whole).unwrap();
    std::fs::write(&whole, &bytes[..bytes.len() - 9]).unwrap();
    let all = [(at(-100.0, -100.0), at(900.0, 900.0))];
    assert!(matches!(
        cut(&whole, &part, &all, &mut |_, _| {}),
        Err(RoadsError::Damaged { .. })
    ));
    let absent = folder.path().join("no-such-folder").join("part.osm.pbf");
    std::fs::write(&whole, bytes).unwrap();
    assert!(matches!(
        cut(&whole, &absent, &all, &mut |_, _| {}),
        Err(RoadsError::Write(_))
    ));
}

/// The legs of the cut differ only if the fastest route leaves the box.
#[test]
fn legs_well_inside_a_cut_equal_those_of_the_extract() {
    let Some(path) = extract("poa_osm.pbf") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("part.osm.pbf");
    let whole = Roads::load(&path).unwrap();
    let (low, high) = whole.area();
    let inner = |percent: i32| {
        let shrink = |low: i32, high: i32| (high - low) / 200 * percent;
        let (lat, lon) = (
            shrink(low.lat_e7, high.lat_e7),
            shrink(low.lon_e7, high.lon_e7),
        );
        let moved = |point: Point, sign: i32| Point {
            lat_e7: point.lat_e7 + sign * lat,
            lon_e7: point.lon_e7 + sign * lon,
        };
        (moved(low, 1), moved(high, -1))
    };
    cut(&path, &part, &[inner(20)], &mut |_, _| {}).unwrap();
    let roads = Roads::load(&part).unwrap();
    assert!(
        roads.size().edges * 10 < whole.size().edges * 9,
        "{:?} of {:?}",
        roads.size(),
        whole.size()
    );
    let mut rng = Rng::new(9);
    let points: Vec<Point> = (0..60).filter_map(|_| rng.point(inner(60))).collect();
    let (expected, found) = (whole.matrix(&points), roads.matrix(&points));
    let pairs = (0..points.len()).flat_map(|from| (0..points.len()).map(move |to| (from, to)));
    let legs: Vec<_> = pairs
        .filter_map(|(from, to)| expected.leg(from, to).zip(found.leg(from, to)))
        .collect();
    let different = legs.iter().filter(|(whole, part)| whole != part).count();
    assert!(
        legs.len() > 2_000 && different == 0,
        "{different} of {} differ",
        legs.len()
    );
}
