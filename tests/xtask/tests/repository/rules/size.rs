//! The entries of the top level, and the length of files. Clippy limits the length of functions.

use std::collections::BTreeSet;

use crate::{Finding, files::TextFile};

/// The maximum number of lines of a code file.
pub(crate) const MAX_FILE_LINES: usize = 500;
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
/// The extensions of code files.
const CODE: [&str; 13] = ["rs", "ts", "tsx", "js", "mjs", "jsx", "css", "html", "sql", "py", "sh", "wit", "toml"];

/// Checks that the top level has only permitted entries.
#[must_use]
pub(crate) fn top_level(paths: &[String]) -> Vec<Finding> {
    let entries: BTreeSet<&str> = paths.iter().filter_map(|path| path.split('/').next()).collect();
    let unexpected = entries.into_iter().filter(|entry| !entry.starts_with('.') && !TOP_LEVEL.contains(entry));
    unexpected.map(|entry| Finding::new(entry, "is not permitted at the top level: move it into core, hosts, bindings or tests, or a tool's configuration into a dot-folder")).collect()
}

/// Checks that no code file is longer than [`MAX_FILE_LINES`].
#[must_use]
pub(crate) fn files(texts: &[TextFile]) -> Vec<Finding> {
    let long = code(texts).filter(|(_, lines)| *lines > MAX_FILE_LINES);
    long.map(|(file, lines)| {
        Finding::new(
            &file.path,
            format!("has {lines} lines, the maximum is {MAX_FILE_LINES}: split it by responsibility"),
        )
    })
    .collect()
}

/// Returns the median length of the Rust files in lines. 150 to 250 is a good range.
#[must_use]
pub(crate) fn median(texts: &[TextFile]) -> usize {
    let mut lengths: Vec<usize> =
        texts.iter().filter(|file| file.has_extension(&["rs"])).map(|file| file.text.lines().count()).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or(0)
}

fn code(texts: &[TextFile]) -> impl Iterator<Item = (&TextFile, usize)> {
    texts.iter().filter(|file| file.has_extension(&CODE)).map(|file| (file, file.text.lines().count()))
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

    #[test]
    fn file_of_501_lines_is_reported() {
        assert_eq!(files(&[TextFile::sample("a.rs", &"\n".repeat(500))]), []);
        assert_eq!(files(&[TextFile::sample("a.rs", &"\n".repeat(501))]).len(), 1);
        assert_eq!(files(&[TextFile::sample("a.json", &"\n".repeat(501))]), []);
    }

    #[test]
    fn median_counts_only_rust_files() {
        let sample = |path, lines: usize| TextFile::sample(path, &"\n".repeat(lines));
        assert_eq!(median(&[sample("a.rs", 1), sample("b.rs", 5), sample("c.rs", 9), sample("d.md", 900)]), 5);
    }
}
