//! Where PostgreSQL's server is.

use std::path::PathBuf;

/// Where Debian keeps what it does not put on the path, a folder for each version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// The folder of initdb, pg_ctl and psql: of the newest version, or on the path.
#[must_use]
pub fn programs() -> Option<PathBuf> {
    let holds = |folder: &PathBuf| folder.join("pg_ctl").is_file();
    let versions = std::fs::read_dir(VERSIONS).into_iter().flatten();
    let mut found: Vec<PathBuf> =
        versions.filter_map(|entry| Some(entry.ok()?.path().join("bin"))).filter(holds).collect();
    found.sort();
    let on_path = || std::env::split_paths(&std::env::var_os("PATH")?).find(holds);
    found.pop().or_else(on_path)
}
