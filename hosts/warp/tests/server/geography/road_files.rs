//! `despacho roads build` and `despacho roads info`, and a service with their file.

use std::{path::PathBuf, process::Command};

use despacho_roads::testing::{Form, Sketch, write_region};
use tempfile::TempDir;

use super::commands::fails;
use crate::harness::{BINARY, Server, create_store, prepared, run, stdout};

/// Writes the extract of a street of 800 m around a corner.
fn extract(folder: &TempDir) -> PathBuf {
    let mut sketch = Sketch::new();
    sketch
        .node(1, 0.0, 0.0, &[])
        .node(2, 400.0, 0.0, &[])
        .node(3, 400.0, 400.0, &[])
        .street(1, &[1, 2, 3]);
    let path = folder.path().join("corner.osm.pbf");
    std::fs::write(
        &path,
        sketch.bytes(Form {
            dense: true,
            packed: true,
        }),
    )
    .unwrap();
    path
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn service_measures_with_a_built_road_file() {
    let folder = tempfile::tempdir().unwrap();
    create_store(&folder);
    let path = extract(&folder);
    let contents = "\n3 nodes, 2 directed edges, 2 turns, 1 MB of memory\n";
    let built = stdout(&run(&folder, &["roads", "build", &path.to_string_lossy()]));
    let file = folder.path().join("corner.roads");
    assert!(
        built.starts_with(&format!("{}: built in ", file.display())) && built.ends_with(contents),
        "{built}"
    );
    std::fs::remove_file(&path).unwrap();
    let info = stdout(&run(&folder, &["roads", "info", &file.to_string_lossy()]));
    assert!(
        info.contains("\nbox -23.5500,-46.6300,-23.5464,-46.6261\n") && info.ends_with(contents),
        "{info}"
    );
    let server = Server::start_in(folder, &["--roads", &file.to_string_lossy()]);
    assert!(
        server.log().contains("corner.roads: 2 directed edges"),
        "{}",
        server.log()
    );
}

#[test]
fn unusable_road_files_are_rejected_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    create_store(&folder);
    let path = extract(&folder);
    let file = folder.path().join("other.roads");
    let output = file.to_string_lossy();
    stdout(&run(
        &folder,
        &[
            "roads",
            "build",
            &path.to_string_lossy(),
            "--output",
            &output,
        ],
    ));
    let whole = std::fs::read(&file).unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        bytes
    };
    for (bytes, expected) in [
        (
            whole[..whole.len() - 1].to_vec(),
            "not a complete road file: file: it is truncated",
        ),
        (
            with(whole.len() - 1, 0x55),
            "it was altered; build it again with `despacho roads build`",
        ),
        (
            with(8, 9),
            "has format 9 of a newer program, and this one reads format 3; update the program",
        ),
        (
            b"%PDF-1.7 foreign".to_vec(),
            "not a complete .osm.pbf extract",
        ),
    ] {
        std::fs::write(&file, bytes).unwrap();
        fails(&run(&folder, &["roads", "info", &output]), 1, expected);
        fails(
            &run(
                &folder,
                &["serve", "--listen", "127.0.0.1:0", "--roads", &output],
            ),
            2,
            expected,
        );
    }
    fails(
        &run(&folder, &["roads", "info", "nowhere.roads"]),
        1,
        "nowhere.roads: the roads could not be read",
    );
    let itself = path.to_string_lossy();
    fails(
        &run(&folder, &["roads", "build", &itself, "--output", &itself]),
        2,
        "is the extract itself",
    );
}

/// A limit of the file size has the same effect as a full disk.
#[test]
#[cfg(target_os = "linux")]
fn full_disk_leaves_the_earlier_road_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("region.osm.pbf");
    write_region(std::fs::File::create(&path).unwrap(), 5_000, 1).unwrap();
    std::fs::write(folder.path().join("region.roads"), "earlier").unwrap();
    let before = names(&folder);
    let script = format!(
        "trap '' XFSZ; ulimit -f 64; exec {BINARY} roads build '{}'",
        path.display()
    );
    let output = prepared(Command::new("sh"), &folder)
        .args(["-c", &script])
        .output()
        .unwrap();
    fails(&output, 1, "region.roads: the roads could not be written");
    assert_eq!(
        (
            std::fs::read(folder.path().join("region.roads")).unwrap(),
            names(&folder)
        ),
        (b"earlier".to_vec(), before)
    );
}
