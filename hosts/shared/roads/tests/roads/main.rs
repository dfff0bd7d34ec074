//! Road legs of small networks, damaged files and real extracts.

mod components;
mod cuts;
mod damage;
mod extracts;
mod networks;
mod paths;
mod road_files;
mod streets;

use std::path::PathBuf;

use despacho_xtask::skip;

/// Returns the path of an extract in ../shared/data/osm, or `None` to ignore the test if it is
/// missing.
fn extract(name: &str) -> Option<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let found = here
        .ancestors()
        .map(|folder| folder.join("shared/data/osm").join(name))
        .find(|path| path.exists());
    if found.is_none() {
        let reason = format!("shared/data/osm/{name}, an OpenStreetMap extract, is missing");
        skip::test("shared-data", reason);
    }
    found
}
