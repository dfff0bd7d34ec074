//! The permitted dependencies between packages of the workspace.

use std::collections::BTreeSet;

use crate::{Finding, metadata::Package};

/// The packages that hosts share. Each may use those before it in this list. Hosts must not use
/// each other.
const SHARED: [&str; 7] = [
    "hosts/shared/simulator",
    "hosts/shared/roads",
    "hosts/shared/geo",
    "hosts/shared/shell",
    "hosts/shared/sql",
    "hosts/shared/sqlite",
    "hosts/shared/postgres",
];

/// Checks that every package depends only on those that its folder permits.
#[must_use]
pub(crate) fn packages(packages: &[Package]) -> Vec<Finding> {
    let mut found = Vec::new();
    for package in packages {
        // The tests of the core use the simulator's demo data, and tests that may be ignored record
        // it in one list.
        let is_fixture = |name: &str, dev: bool| {
            dev && match name {
                "despacho-simulator" => package.folder == "core",
                "despacho-xtask" => package.folder.starts_with("hosts/"),
                _ => false,
            }
        };
        let dependencies = package
            .dependencies
            .iter()
            .filter(|one| !is_fixture(&one.name, one.dev));
        let used: BTreeSet<&str> = dependencies.map(|one| &*one.name).collect();
        for other in packages.iter().filter(|other| used.contains(&*other.name)) {
            if !may_use(&package.folder, &other.folder) {
                let message = format!(
                    "{} must not depend on {} ({})",
                    package.name, other.name, other.folder
                );
                found.push(Finding::new(
                    format!("{}/Cargo.toml", package.folder),
                    message,
                ));
            }
        }
    }
    found
}

fn may_use(from: &str, to: &str) -> bool {
    match from.split('/').next() {
        Some("tests") => true,
        Some("bindings") => to == "core",
        // Shared packages are ordered: the SQL statements come before the drivers that run them.
        Some("hosts") => {
            to == "core"
                || SHARED
                    .iter()
                    .take_while(|folder| **folder != from)
                    .any(|folder| *folder == to)
        }
        // The route engine must not depend on the core.
        Some("core") => from == "core" && to == "core/route",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;

    #[test]
    fn forbidden_dependency_is_reported() {
        let package = |name: &str, folder: &str, used: &str| Package {
            name: name.to_owned(),
            folder: folder.to_owned(),
            dependencies: vec![Dependency {
                name: used.to_owned(),
                dev: true,
                conditional: false,
            }],
        };
        let all = |used: &str, folder: &str| {
            packages(&[
                package("core", "core", "serde"),
                package("sql", "hosts/shared/sql", "core"),
                package("warp", "hosts/warp", "sql"),
                package("suite", "tests/suite", "warp"),
                package("new", folder, used),
            ])
        };
        assert_eq!(all("warp", "hosts/spin").len(), 1);
        assert_eq!(all("suite", "hosts/spin").len(), 1);
        assert_eq!(all("sql", "bindings").len(), 1);
        assert_eq!(all("warp", "tests/bench"), []);
        assert_eq!(all("sql", "hosts/spin"), []);
        assert_eq!(all("sql", "hosts/shared/sqlite"), []);
        assert!(
            may_use("hosts/warp", "hosts/shared/sqlite")
                && !may_use("hosts/shared/sql", "hosts/shared/sqlite")
        );
    }
}
