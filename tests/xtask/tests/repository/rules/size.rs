//! The top level and the length of files. Clippy limits the length of functions.

use std::collections::BTreeSet;

use crate::{Finding, files::TextFile};

/// Lines that a file of code may have.
pub(crate) const FILE_LINES: usize = 500;
/// What the top level holds; names with a dot before them are a tool's and may stand there too.
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
/// Files that people write and read as code.
const CODE: [&str; 13] = ["rs", "ts", "tsx", "js", "mjs", "jsx", "css", "html", "sql", "py", "sh", "wit", "toml"];

/// The top level is what the client fixed and no more.
#[must_use]
pub(crate) fn top_level(paths: &[String]) -> Vec<Finding> {
    let entries: BTreeSet<&str> = paths.iter().filter_map(|path| path.split('/').next()).collect();
    let unexpected = entries.into_iter().filter(|entry| !entry.starts_with('.') && !TOP_LEVEL.contains(entry));
    unexpected.map(|entry| Finding::new(entry, "does not belong at the top level: put it into core, hosts, bindings or tests, or a tool's configuration into a dot-folder")).collect()
}

/// No file of code is longer than [`FILE_LINES`].
#[must_use]
pub(crate) fn files(texts: &[TextFile]) -> Vec<Finding> {
    let long = code(texts).filter(|(_, lines)| *lines > FILE_LINES);
    long.map(|(file, lines)| {
        Finding::new(
            &file.path,
            format!("has {lines} lines, at most {FILE_LINES} are allowed: what is the second thing in it?"),
        )
    })
    .collect()
}

/// The median length of the Rust files, for people to watch; 150 to 250 lines is a house one can live in.
#[must_use]
pub(crate) fn median(texts: &[TextFile]) -> usize {
    let mut lengths: Vec<usize> =
        texts.iter().filter(|file| file.is(&["rs"])).map(|file| file.text.lines().count()).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or(0)
}

fn code(texts: &[TextFile]) -> impl Iterator<Item = (&TextFile, usize)> {
    texts.iter().filter(|file| file.is(&CODE)).map(|file| (file, file.text.lines().count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stray_file_at_the_top_is_found() {
        let paths = ["core/src/lib.rs", ".ci/run", "docker-compose.yml"].map(str::to_owned);
        let found = top_level(&paths);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].at, "docker-compose.yml");
    }

    #[test]
    fn a_file_of_501_lines_is_found() {
        assert_eq!(files(&[TextFile::sample("a.rs", &"\n".repeat(500))]), []);
        assert_eq!(files(&[TextFile::sample("a.rs", &"\n".repeat(501))]).len(), 1);
        assert_eq!(files(&[TextFile::sample("a.json", &"\n".repeat(501))]), []);
    }

    #[test]
    fn the_median_is_of_rust_alone() {
        let sample = |path, lines: usize| TextFile::sample(path, &"\n".repeat(lines));
        assert_eq!(median(&[sample("a.rs", 1), sample("b.rs", 5), sample("c.rs", 9), sample("d.md", 900)]), 5);
    }
}
