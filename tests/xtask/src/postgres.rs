//! Finds the programs of the PostgreSQL server.

use std::path::PathBuf;

/// Debian's folder of PostgreSQL versions, which are not on PATH.
const VERSIONS: &str = "/usr/lib/postgresql";

/// Returns the folder of initdb, pg_ctl and psql: of the newest version that Debian installed, or
/// on PATH.
#[must_use]
pub fn programs() -> Option<PathBuf> {
    let holds = |folder: &PathBuf| folder.join("pg_ctl").is_file();
    let versions = std::fs::read_dir(VERSIONS).into_iter().flatten();
    let mut found: Vec<PathBuf> = versions
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(holds)
        .collect();
    found.sort();
    let on_path = || std::env::split_paths(&std::env::var_os("PATH")?).find(holds);
    found.pop().or_else(on_path)
}
