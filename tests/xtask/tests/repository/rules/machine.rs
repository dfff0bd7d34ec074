//! Names that are valid only on one machine.

use crate::{Finding, files::TextFile};

/// Folders whose content differs between machines. Service files and container files may name them.
const FOLDERS: [&str; 4] = ["home", "root", "tmp", "work"];
/// Parts of host names that identify a package registry or its mirror.
const REGISTRY: [&str; 7] = [
    "artifactory",
    "pypi",
    "pythonhosted",
    "registry",
    "mirror",
    "index.crates",
    "static.crates",
];
const EXEMPT: [&str; 2] = ["Dockerfile", ".service"];

/// Checks that a file contains no absolute path of a developer's machine.
#[must_use]
pub(crate) fn paths(file: &TextFile) -> Vec<Finding> {
    if file.path.ends_with(".lock") || EXEMPT.iter().any(|name| file.path.ends_with(name)) {
        return Vec::new();
    }
    let here = |line: &str| {
        FOLDERS.iter().find(|folder| {
            let needle = format!("/{folder}/");
            line.match_indices(&needle).any(|(at, _)| {
                let before = line.get(..at).and_then(|text| text.chars().next_back());
                let after = line
                    .get(at + needle.len()..)
                    .and_then(|text| text.chars().next());
                // A URL path such as /api/home/x is not a folder.
                !before.is_some_and(|c| {
                    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '}' | '.')
                }) && after.is_some_and(|c| c.is_ascii_alphanumeric())
            })
        })
    };
    lines(file, |line| {
        here(line).map(|folder| {
            format!("names a path below /{folder} of one machine: make it relative, or an argument")
        })
    })
}

/// Checks that a file contains no address of a package registry, because mirrors differ between
/// machines.
#[must_use]
pub(crate) fn registries(file: &TextFile) -> Vec<Finding> {
    let message = "names a registry's host: remove it, the client is configured per machine (npm: omit-lockfile-registry-resolved)";
    lines(file, |line| {
        names_registry(line).then(|| message.to_owned())
    })
}

fn names_registry(line: &str) -> bool {
    let hosts = line
        .split("://")
        .skip(1)
        .filter_map(|rest| rest.split(['/', '"', '\'', ' ', ')', '>']).next());
    hosts
        .into_iter()
        .any(|host| REGISTRY.iter().any(|part| host.contains(part)))
}

fn lines(file: &TextFile, check: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let found = file
        .text
        .lines()
        .enumerate()
        .filter_map(|(index, line)| Some((index + 1, check(line)?)));
    found
        .map(|(line, message)| Finding::in_line(&file.path, line, message))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a line with a path. The path is assembled at run time because the lint also checks
    /// this file.
    fn below(folder: &str) -> String {
        format!("let data = \"/{folder}/despacho\";")
    }

    #[test]
    fn machine_specific_path_is_reported() {
        for folder in FOLDERS {
            assert_eq!(
                paths(&TextFile::sample("a.rs", &below(folder))).len(),
                1,
                "{folder}"
            );
        }
        assert_eq!(
            paths(&TextFile::sample("despacho.service", &below("home"))),
            []
        );
        assert_eq!(
            paths(&TextFile::sample(
                "a.rs",
                "GET https://a.example/home/x and target/tmp/x and /delivery/work"
            )),
            []
        );
    }

    #[test]
    fn registry_address_is_reported() {
        for host in [
            "registry.example.org",
            "pypi.example",
            "x.artifactory.example:443",
        ] {
            let line = format!("\"resolved\": \"https:{}{host}/preact.tgz\"", "//");
            assert_eq!(
                registries(&TextFile::sample("package-lock.json", &line)).len(),
                1,
                "{host}"
            );
        }
        assert_eq!(
            registries(&TextFile::sample(
                "a.md",
                "see https://example.org/registry/x"
            )),
            []
        );
    }
}
