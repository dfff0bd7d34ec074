//! What the tests and the comparison of the in-process roads share.

pub mod compare;
pub mod osrm;
pub mod sample;
pub mod sketch;

use std::path::PathBuf;

/// The path of an extract of ../shared/data/osm, or `None`, said on standard error, where it is not.
#[must_use]
pub fn extract(name: &str) -> Option<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let found = here.ancestors().map(|folder| folder.join("shared/data/osm").join(name)).find(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: shared/data/osm/{name}, an OpenStreetMap extract, is not here");
    }
    found
}
