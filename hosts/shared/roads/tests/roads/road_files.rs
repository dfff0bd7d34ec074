//! Road files: written, loaded, damaged, and the legs that they give.

use std::path::Path;

use despacho_core::model::Point;
use despacho_roads::testing::{Form, Rng, Sketch, at, in_format_2};
use despacho_roads::{Roads, RoadsError};

use crate::extract;

/// A town with every part of a network: a restriction that copies edges, a one-way street, a
/// private driveway and bounds.
fn town() -> Sketch {
    let mut sketch = Sketch::new();
    sketch
        .node(1, 0.0, 0.0, &[("highway", "stop")])
        .node(2, 0.0, 300.0, &[])
        .node(3, 300.0, 300.0, &[]);
    sketch.node(4, 300.0, 0.0, &[]).node(5, 350.0, 0.0, &[]);
    sketch
        .street(12, &[1, 2])
        .street(23, &[2, 3])
        .street(31, &[3, 1])
        .street(34, &[3, 4])
        .street(41, &[4, 1]);
    sketch.way(
        45,
        &[4, 5],
        &[
            ("highway", "service"),
            ("service", "driveway"),
            ("access", "private"),
        ],
    );
    sketch
        .restriction("no_left_turn", 12, 2, 23, false)
        .restriction("no_u_turn", 12, 23, 31, true);
    sketch.bounds(-100.0, -100.0, 400.0, 400.0);
    sketch
}

fn saved(folder: &Path) -> Vec<u8> {
    let path = folder.join("town.roads");
    town()
        .roads()
        .expect("roads")
        .save(&path)
        .expect("a written file");
    std::fs::read(path).expect("the written file")
}

fn points(count: i32) -> Vec<Point> {
    (0..count)
        .map(|step| at(f64::from(step * 37 % 300), f64::from(step * 53 % 300)))
        .collect()
}

#[test]
fn road_file_has_the_legs_and_paths_of_its_extract() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("town.roads");
    let built = town().roads().unwrap();
    // A file of that name is replaced.
    std::fs::write(&path, "earlier").unwrap();
    built.save(&path).unwrap();
    let loaded = Roads::load(&path).unwrap();
    assert_eq!((loaded.size(), loaded.area()), (built.size(), built.area()));
    let points = points(20);
    assert!(loaded.matrix(&points) == built.matrix(&points));
    assert_eq!(loaded.paths(&points, 10), built.paths(&points, 10));
    assert_eq!(
        Roads::from_bytes(&std::fs::read(&path).unwrap())
            .unwrap()
            .size(),
        built.size()
    );
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["town.roads"], "nothing else remains");
}

#[test]
fn road_file_of_a_city_has_its_legs() {
    let Some(path) = extract("spo_osm.pbf") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("spo.roads");
    let built = Roads::load(&path).unwrap();
    built.save(&file).unwrap();
    let loaded = Roads::load(&file).unwrap();
    let ((south, west), (north, east)) = {
        let (low, high) = built.area();
        (
            (low.latitude(), low.longitude()),
            (high.latitude(), high.longitude()),
        )
    };
    let mut rng = Rng::new(5);
    let mut random = || {
        let point = Point::from_degrees(
            south + rng.next_f64() * (north - south),
            west + rng.next_f64() * (east - west),
        );
        point.expect("a valid coordinate")
    };
    let points: Vec<Point> = (0..60).map(|_| random()).collect();
    assert!(loaded.matrix(&points) == built.matrix(&points));
}

#[test]
fn truncated_and_extended_road_files_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let whole = saved(folder.path());
    for length in 8..whole.len() {
        let error = Roads::from_bytes(&whole[..length])
            .expect_err("a truncated file")
            .to_string();
        assert!(
            error.starts_with("not a complete road file: ") && error.contains("truncated"),
            "{length}: {error}"
        );
    }
    // Without its magic, a file is read as an extract.
    for length in 0..8 {
        let error = Roads::from_bytes(&whole[..length])
            .expect_err("a truncated file")
            .to_string();
        assert!(
            error.starts_with("not a complete .osm.pbf extract"),
            "{length}: {error}"
        );
    }
    let error = Roads::from_bytes(&[&whole[..], b"!"].concat())
        .expect_err("a longer file")
        .to_string();
    assert!(
        error.contains("other bytes follow it") && error.contains("despacho roads build"),
        "{error}"
    );
}

#[test]
fn every_flipped_bit_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let whole = saved(folder.path());
    let mut parts = std::collections::BTreeSet::new();
    for bit in 8 * 8..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        match Roads::from_bytes(&bytes) {
            Err(RoadsError::DamagedRoadFile { part, .. }) => drop(parts.insert(part)),
            Err(RoadsError::RoadFileVersion { .. }) => assert!(bit / 8 < 12, "bit {bit}"),
            other => panic!("bit {bit}: {other:?}"),
        }
    }
    // The header and every part that is not empty.
    assert!(parts.len() >= 12, "{parts:?}");
}

#[test]
fn other_formats_name_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let whole = saved(folder.path());
    for (version, remedy) in [
        (4u32, "update the program"),
        (1, "has the earlier format 1"),
    ] {
        let mut bytes = whole.clone();
        bytes[8..12].copy_from_slice(&version.to_le_bytes());
        let error = Roads::from_bytes(&bytes)
            .expect_err("another format")
            .to_string();
        assert!(
            error.contains(remedy) && error.contains("despacho roads build"),
            "{error}"
        );
    }
    for foreign in [
        &b"DSPACHO1........................"[..],
        b"{\"type\": \"FeatureCollection\"}",
        b"",
    ] {
        let error = Roads::from_bytes(foreign)
            .expect_err("a foreign file")
            .to_string();
        assert!(
            error.starts_with("not a complete .osm.pbf extract"),
            "{error}"
        );
    }
}

#[test]
fn road_file_of_the_earlier_format_is_readable() {
    let folder = tempfile::tempdir().unwrap();
    let whole = saved(folder.path());
    let (old, new) = (
        Roads::from_bytes(&in_format_2(&whole)).unwrap(),
        Roads::from_bytes(&whole).unwrap(),
    );
    assert!(old.is_outdated() && !new.is_outdated());
    let points = points(20);
    assert!(old.matrix(&points) == new.matrix(&points));
    assert_eq!(old.paths(&points, 10), new.paths(&points, 10));
    let [(old_m, old_edges), (new_m, new_edges)] = [old, new].map(|roads| {
        let all: Vec<_> = roads.components().collect();
        assert_eq!(all.len(), 1);
        (all[0].metres, all[0].edges)
    });
    assert!(old_m.abs_diff(new_m) <= 1 && old_edges == new_edges);
}

#[test]
fn road_file_that_cannot_be_written_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let roads = town().roads().unwrap();
    let nowhere = folder.path().join("no-such-folder").join("town.roads");
    assert!(matches!(roads.save(&nowhere), Err(RoadsError::Write(_))));
    // A folder of the file's name: the rename fails after the file was written.
    let taken = folder.path().join("taken.roads");
    std::fs::create_dir_all(taken.join("inner")).unwrap();
    assert!(matches!(roads.save(&taken), Err(RoadsError::Write(_))));
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["taken.roads"]);
}

#[test]
fn extract_is_not_taken_for_a_road_file() {
    let bytes = town().bytes(Form {
        dense: true,
        packed: true,
    });
    assert_eq!(
        Roads::from_bytes(&bytes).unwrap().size(),
        town().roads().unwrap().size()
    );
}
