//! The server's road distances from an OSM extract, with estimates for points outside the extract.

use std::{
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use despacho_roads::testing::{Form, Sketch, at};
use serde_json::{Value, json};

/// Returns an extract with two junctions one kilometre apart. The only way from the first to the
/// second follows three sides of a square; the direct way back is one-way.
fn detour() -> Vec<u8> {
    let mut sketch = Sketch::new();
    for (id, (north, east)) in (1..).zip([
        (0.0, 0.0),
        (1_000.0, 0.0),
        (1_000.0, 1_000.0),
        (0.0, 1_000.0),
    ]) {
        sketch.node(id, north, east, &[]);
    }
    sketch.way(
        10,
        &[1, 2, 3, 4],
        &[("highway", "residential"), ("oneway", "yes")],
    );
    sketch.way(
        11,
        &[4, 1],
        &[("highway", "residential"), ("oneway", "yes")],
    );
    for (id, (north, east), corner) in [
        (5, (0.0, -200.0), 1),
        (6, (0.0, 1_200.0), 4),
        (7, (1_200.0, 0.0), 2),
    ] {
        sketch
            .node(id, north, east, &[])
            .street(id + 10, &[corner, id]);
    }
    sketch.bytes(Form {
        dense: true,
        packed: true,
    })
}

fn distances(extract: &Path, points: &[(f64, f64)]) -> Output {
    let binary = despacho_xtask::server::binary().expect("a build of the server");
    let mut command = Command::new(binary);
    command
        .args(["distances", "--data"])
        .arg(extract.parent().expect("a folder"))
        .arg("--roads")
        .arg(extract);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let request = json!({ "points": points }).to_string();
    // The program does not read its input if it rejects the extract.
    let _ = child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(request.as_bytes());
    child.wait_with_output().expect("the program exits")
}

#[test]
fn distances_follow_the_extract_and_flag_estimates() {
    let folder = tempfile::tempdir().unwrap();
    let extract = folder.path().join("square.osm.pbf");
    std::fs::write(&extract, detour()).unwrap();
    let point = |north: f64, east: f64| (at(north, east).latitude(), at(north, east).longitude());
    let output = distances(
        &extract,
        &[point(0.0, 0.0), point(0.0, 1_000.0), point(300_000.0, 0.0)],
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let response: Value = serde_json::from_slice(&output.stdout).unwrap();
    let metres = |from: usize, to: usize| response["metres"][from][to].as_i64().unwrap();
    let estimated = |from: usize, to: usize| response["estimated"][from][to].as_bool().unwrap();
    assert!(
        (2_980..3_020).contains(&metres(0, 1)) && !estimated(0, 1),
        "the route follows three sides: {response}"
    );
    assert!(
        (980..1_020).contains(&metres(1, 0)) && !estimated(1, 0),
        "the way back is direct: {response}"
    );
    for (from, to) in [(0, 2), (2, 0), (1, 2), (2, 1)] {
        assert!(
            estimated(from, to) && metres(from, to) > 300_000,
            "a point outside the extract is estimated: {response}"
        );
    }
}

#[test]
fn damaged_extract_is_rejected_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let extract = folder.path().join("cut.osm.pbf");
    let whole = detour();
    std::fs::write(&extract, &whole[..whole.len() - 40]).unwrap();
    let output = distances(&extract, &[(0.0, 0.0), (0.0, 0.1)]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && text.contains("cut.osm.pbf"),
        "{text}"
    );
}
