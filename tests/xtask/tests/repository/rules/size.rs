//! The entries of the top level.

use std::collections::BTreeSet;

use crate::Finding;

/// The permitted entries of the top level. Entries that start with a dot are also permitted.
const TOP_LEVEL: [&str; 11] = [
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "bindings",
    "core",
    "hosts",
    "spin.toml",
    "tests",
];
/// Checks that the top level has only permitted entries.
#[must_use]
pub(crate) fn top_level(paths: &[String]) -> Vec<Finding> {
    let entries: BTreeSet<&str> = paths
        .iter()
        .filter_map(|path| path.split('/').next())
        .collect();
    let unexpected = entries
        .into_iter()
        .filter(|entry| !entry.starts_with('.') && !TOP_LEVEL.contains(entry));
    unexpected.map(|entry| Finding::new(entry, "is not permitted at the top level: move it into core, hosts, bindings or tests, or a tool's configuration into a dot-folder")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unexpected_top_level_file_is_reported() {
        let paths = ["core/src/lib.rs", ".ci/run", "docker-compose.yml"].map(str::to_owned);
        let found = top_level(&paths);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].at, "docker-compose.yml");
    }
}
