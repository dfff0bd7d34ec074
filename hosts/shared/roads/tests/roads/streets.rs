//! Street maps of hand-made extracts.

use std::path::Path;

use despacho_roads::{
    RoadsError,
    streets::{StreetsError, build},
    testing::{Form, Sketch},
};

const FORM: Form = Form {
    dense: true,
    packed: true,
};

/// A street of 400 m across a park, and a sidewalk.
fn town() -> Sketch {
    let mut sketch = Sketch::new();
    sketch.node(1, 0.0, 0.0, &[]).node(2, 0.0, 400.0, &[]);
    sketch
        .node(3, 100.0, 100.0, &[])
        .node(4, 100.0, 200.0, &[])
        .node(5, -100.0, 200.0, &[])
        .node(6, -100.0, 100.0, &[]);
    sketch.way(
        1,
        &[1, 2],
        &[("highway", "secondary"), ("name", "Avenida Central")],
    );
    sketch.way(
        2,
        &[3, 4, 5, 6, 3],
        &[("leisure", "park"), ("name", "Praça")],
    );
    sketch.way(
        3,
        &[3, 4],
        &[("highway", "footway"), ("footway", "sidewalk")],
    );
    sketch.way(4, &[3, 4, 5], &[("building", "yes")]);
    sketch
}

fn built(
    sketch: &Sketch,
    folder: &Path,
) -> Result<despacho_roads::streets::StreetReport, StreetsError> {
    let extract = folder.join("town.osm.pbf");
    std::fs::write(&extract, sketch.bytes(FORM)).expect("the folder is writable");
    build(&extract, &folder.join("town.pmtiles"))
}

#[test]
fn file_contains_each_zoom_and_the_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let report = built(&town(), folder.path()).unwrap();
    let file = std::fs::read(folder.path().join("town.pmtiles")).unwrap();
    assert_eq!((report.features, report.bytes), (2, file.len() as u64));
    assert!(report.tiles >= 5, "{report:?}");
    assert_eq!(&file[..8], b"PMTiles\x03");
    // The header has the zooms, then west, south, east and north in 10^-7 degrees.
    assert_eq!(file[100..102], [10, 14]);
    let degrees = |at: usize| i32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let [west, south, east, north] = [102, 106, 110, 114].map(degrees);
    for (read, expected) in [
        (west, -466_300_000),
        (south, -235_509_000),
        (east, -466_260_800),
        (north, -235_491_000),
    ] {
        assert!((read - expected).abs() < 300, "{read} {expected}");
    }
    assert!(!folder.path().join("town.pmtiles.part").exists());
    let again = built(&town(), folder.path()).unwrap();
    assert_eq!(
        (again, file),
        (
            report,
            std::fs::read(folder.path().join("town.pmtiles")).unwrap()
        )
    );
}

#[test]
fn unusable_extract_replaces_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let (extract, output) = (
        folder.path().join("x.osm.pbf"),
        folder.path().join("town.pmtiles"),
    );
    std::fs::write(&output, "an earlier file").unwrap();
    let missing = build(&extract, &output).unwrap_err();
    assert!(
        matches!(missing, StreetsError::Extract(RoadsError::Read(_))),
        "{missing}"
    );
    let bytes = town().bytes(FORM);
    std::fs::write(&extract, &bytes[..bytes.len() - 9]).unwrap();
    let damaged = build(&extract, &output).unwrap_err();
    assert!(
        damaged
            .to_string()
            .contains("not a complete .osm.pbf extract"),
        "{damaged}"
    );
    let empty = built(Sketch::new().node(1, 0.0, 0.0, &[]), folder.path()).unwrap_err();
    assert!(
        matches!(empty, StreetsError::Extract(RoadsError::NoRoads)),
        "{empty}"
    );
    let elsewhere = folder.path().join("none").join("town.pmtiles");
    std::fs::write(&extract, &bytes).unwrap();
    assert!(
        build(&extract, &elsewhere)
            .unwrap_err()
            .to_string()
            .contains("cannot be written")
    );
    assert_eq!(std::fs::read_to_string(&output).unwrap(), "an earlier file");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}
