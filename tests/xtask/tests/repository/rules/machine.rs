//! Nothing that holds on one machine alone.

use crate::{Finding, files::TextFile};

/// Folders of one machine. A program's own configuration may name them, so service files and container files are left out.
const FOLDERS: [&str; 4] = ["home", "root", "tmp", "work"];
/// Parts of a host's name that tell a package registry or a mirror of one.
const REGISTRY: [&str; 7] =
    ["artifactory", "pypi", "pythonhosted", "registry", "mirror", "index.crates", "static.crates"];
const EXEMPT: [&str; 2] = ["Dockerfile", ".service"];

/// No absolute path of a developer's machine.
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
                let after = line.get(at + needle.len()..).and_then(|text| text.chars().next());
                // A route such as /api/home/x is no folder of a machine.
                !before.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '}' | '.'))
                    && after.is_some_and(|c| c.is_ascii_alphanumeric())
            })
        })
    };
    lines(file, |line| {
        here(line)
            .map(|folder| format!("names a path below /{folder} of one machine: make it relative, or an argument"))
    })
}

/// No address of a package registry: every client knows its own, and a mirror is a matter of the machine.
#[must_use]
pub(crate) fn registries(file: &TextFile) -> Vec<Finding> {
    let what = "names a registry's host: leave it to the client's configuration (npm: omit-lockfile-registry-resolved)";
    lines(file, |line| names_registry(line).then(|| what.to_owned()))
}

fn names_registry(line: &str) -> bool {
    let hosts = line.split("://").skip(1).filter_map(|rest| rest.split(['/', '"', '\'', ' ', ')', '>']).next());
    hosts.into_iter().any(|host| REGISTRY.iter().any(|part| host.contains(part)))
}

fn lines(file: &TextFile, judge: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let judged = file.text.lines().enumerate().filter_map(|(index, line)| Some((index + 1, judge(line)?)));
    judged.map(|(line, what)| Finding::in_line(&file.path, line, what)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Built from parts, since this file is checked too.
    fn below(folder: &str) -> String {
        format!("let data = \"/{folder}/despacho\";")
    }

    #[test]
    fn a_path_of_this_machine_is_found() {
        for folder in FOLDERS {
            assert_eq!(paths(&TextFile::sample("a.rs", &below(folder))).len(), 1, "{folder}");
        }
        assert_eq!(paths(&TextFile::sample("despacho.service", &below("home"))), []);
        assert_eq!(
            paths(&TextFile::sample("a.rs", "GET https://a.example/home/x and target/tmp/x and /delivery/work")),
            []
        );
    }

    #[test]
    fn a_registry_address_is_found() {
        for host in ["registry.example.org", "pypi.example", "x.artifactory.example:443"] {
            let line = format!("\"resolved\": \"https:{}{host}/preact.tgz\"", "//");
            assert_eq!(registries(&TextFile::sample("package-lock.json", &line)).len(), 1, "{host}");
        }
        assert_eq!(registries(&TextFile::sample("a.md", "see https://example.org/registry/x")), []);
    }
}
