//! Paths along the roads of extracts.

use std::path::PathBuf;

use despacho_core::model::Point;
use despacho_roads::testing::{Form, Sketch, at};
use despacho_warp::config::Config;

use super::{open, test_config};

/// A street of 800 m around a corner, 10 km or more from any other one.
fn corner(north_m: f64) -> Sketch {
    let mut sketch = Sketch::new();
    sketch
        .node(1, north_m, 0.0, &[])
        .node(2, north_m + 400.0, 0.0, &[])
        .node(3, north_m + 400.0, 400.0, &[]);
    sketch.street(1, &[1, 2, 3]);
    sketch
}

#[tokio::test]
async fn path_comes_from_the_first_extract_that_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, sketch: &Sketch| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(
            &path,
            sketch.bytes(Form {
                dense: true,
                packed: true,
            }),
        )
        .unwrap();
        path
    };
    let roads = vec![
        write("south.osm.pbf", &corner(0.0)),
        write("north.osm.pbf", &corner(20_000.0)),
    ];
    let geography = open(
        folder.path(),
        Config {
            roads,
            ..test_config()
        },
    );
    let points = [
        at(0.0, 0.0),
        at(400.0, 400.0),
        at(20_000.0, 0.0),
        at(20_400.0, 400.0),
    ];
    let paths = geography.road_paths(&points, 10).await;
    let lengths: Vec<Option<usize>> = paths
        .iter()
        .map(|path| path.as_ref().map(Vec::len))
        .collect();
    assert_eq!(
        lengths,
        [Some(3), None, Some(3)],
        "no extract has a road between both streets"
    );
    let turn = paths[2].as_ref().unwrap()[1];
    let near = |one: Point, other: Point| {
        (one.lat_e7 - other.lat_e7).abs() + (one.lon_e7 - other.lon_e7).abs() < 20
    };
    assert!(near(turn, at(20_400.0, 0.0)), "{turn:?}");
    assert_eq!(
        open(folder.path(), test_config())
            .road_paths(&points, 10)
            .await,
        [None, None, None]
    );
}
