//! Which package of the workspace may depend on which.

use std::collections::BTreeSet;

use crate::{Finding, metadata::Package};

/// Packages that several hosts use, each may use those before it; hosts do not use each other.
const SHARED: [&str; 7] = [
    "hosts/shared/simulator",
    "hosts/shared/roads",
    "hosts/shared/geo",
    "hosts/shared/shell",
    "hosts/shared/sql",
    "hosts/shared/sqlite",
    "hosts/shared/postgres",
];

/// A package of the workspace depends only on those that its place allows.
#[must_use]
pub(crate) fn packages(packages: &[Package]) -> Vec<Finding> {
    let mut found = Vec::new();
    for package in packages {
        // The tests of the core start from the simulator's demo data.
        let is_fixture = |name: &str, dev: bool| dev && package.folder == "core" && name == "despacho-simulator";
        let dependencies = package.dependencies.iter().filter(|one| !is_fixture(&one.name, one.dev));
        let wanted: BTreeSet<&str> = dependencies.map(|one| &*one.name).collect();
        for other in packages.iter().filter(|other| wanted.contains(&*other.name)) {
            if !may_know(&package.folder, &other.folder) {
                let what = format!("{} must not depend on {} ({})", package.name, other.name, other.folder);
                found.push(Finding::new(format!("{}/Cargo.toml", package.folder), what));
            }
        }
    }
    found
}

fn may_know(from: &str, to: &str) -> bool {
    match from.split('/').next() {
        Some("tests") => true,
        Some("bindings") => to == "core",
        // What hosts share stands in an order of its own: the statements, then the drivers that run them.
        Some("hosts") => {
            to == "core" || SHARED.iter().take_while(|folder| **folder != from).any(|folder| *folder == to)
        }
        // The route engine is a package of the core's own, and needs nothing of it.
        Some("core") => from == "core" && to == "core/route",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;

    #[test]
    fn packages_that_know_too_much_are_found() {
        let package = |name: &str, folder: &str, knows: &str| Package {
            name: name.to_owned(),
            folder: folder.to_owned(),
            dependencies: vec![Dependency { name: knows.to_owned(), dev: true, conditional: false }],
        };
        let all = |knows: &str, folder: &str| {
            packages(&[
                package("core", "core", "serde"),
                package("sql", "hosts/shared/sql", "core"),
                package("warp", "hosts/warp", "sql"),
                package("suite", "tests/suite", "warp"),
                package("new", folder, knows),
            ])
        };
        assert_eq!(all("warp", "hosts/spin").len(), 1);
        assert_eq!(all("suite", "hosts/spin").len(), 1);
        assert_eq!(all("sql", "bindings").len(), 1);
        assert_eq!(all("warp", "tests/bench"), []);
        assert_eq!(all("sql", "hosts/spin"), []);
        assert_eq!(all("sql", "hosts/shared/sqlite"), []);
        assert!(may_know("hosts/warp", "hosts/shared/sqlite") && !may_know("hosts/shared/sql", "hosts/shared/sqlite"));
    }
}
