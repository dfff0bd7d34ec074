//! Who may know whom: `domain ← order, store, courier, route, quote ← api ← sql ← hosts`.

use std::collections::BTreeSet;

use crate::{Finding, files::TextFile, metadata::Package, syntax};

/// The core's modules from the bottom up. A module may know those below it, and in a shared row its neighbours.
const ROWS: [&[&str]; 5] = [
    &["domain", "json"],
    &["geo", "limits", "route"],
    // One row: host.rs names the aggregates, whose drivers are generic over Host, and each aggregate's part of Settings.
    &["courier", "order", "store", "quote", "webhook", "privacy", "host", "settings"],
    &["api"],
    // The reference host is for tests: not even the API may know it.
    &["memory"],
];

/// What several hosts stand on, each knowing those before it; hosts themselves do not know each other.
const SHARED: [&str; 8] = [
    "hosts/shared/simulator",
    "hosts/files",
    "hosts/roads",
    "hosts/geo",
    "hosts/sql",
    "hosts/sqlite",
    "hosts/postgres",
    "hosts/gazetteer",
];

/// A file of the core names only modules below its own or beside it.
pub fn modules(file: &TextFile) -> Result<Vec<Finding>, String> {
    let Some(module) = module_of(&file.path) else { return Ok(Vec::new()) };
    let Some(own) = module.first() else { return Ok(Vec::new()) };
    let Some(own_row) = row(own) else {
        return Ok(vec![Finding::new(
            &file.path,
            format!("`{own}` has no row in tests/house/src/rules/direction.rs: say there what it may know"),
        )]);
    };
    let parsed = syntax::parse(file)?;
    let mut found = Vec::new();
    for mention in syntax::paths(&parsed, &module) {
        let Some(other) = mention.name.strip_prefix("crate::").and_then(|rest| rest.split("::").next()) else {
            continue;
        };
        if row(other).is_some_and(|row| row > own_row) {
            let what = format!(
                "`{own}` names {}, which stands above it: pass what it needs as an argument, or move the code",
                mention.name
            );
            found.push(Finding::in_line(&file.path, mention.line, what));
        }
    }
    Ok(found)
}

fn row(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

/// `["order", "drive"]` for `core/src/order/drive.rs`, nothing for what is not a module of the core.
fn module_of(path: &str) -> Option<Vec<String>> {
    let inside = path.strip_prefix("core/src/")?.strip_suffix(".rs")?;
    let inside = if inside == "lib" { "" } else { inside.strip_suffix("/mod").unwrap_or(inside) };
    Some(inside.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect())
}

/// A package of the workspace depends only on those that its place allows.
#[must_use]
pub fn packages(packages: &[Package]) -> Vec<Finding> {
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

    fn found(path: &str, text: &str) -> usize {
        modules(&TextFile::sample(path, text)).expect("it parses").len()
    }

    #[test]
    fn a_look_upwards_is_found() {
        assert_eq!(found("core/src/domain/money.rs", "use crate::order::Order;"), 1);
        assert_eq!(found("core/src/order/drive.rs", "use super::super::api::Body;"), 1);
        assert_eq!(found("core/src/host.rs", "fn f() -> crate::api::Outcome { g() }"), 1);
        assert_eq!(found("core/src/api/mod.rs", "use crate::memory::MemoryHost;"), 1);
        assert_eq!(found("core/src/limits.rs", "use crate::settings::Settings;"), 1);
    }

    #[test]
    fn a_look_down_or_beside_is_fine() {
        assert_eq!(found("core/src/order/drive.rs", "use crate::{domain::Money, host::Host, quote::Fee};"), 0);
        assert_eq!(found("core/src/lib.rs", "pub use api::handle; pub use crate::settings::Settings;"), 0);
        assert_eq!(found("core/src/domain/money.rs", "#[cfg(test)] mod tests { use crate::memory::MemoryHost; }"), 0);
    }

    #[test]
    fn a_module_without_a_row_is_found() {
        assert_eq!(found("core/src/misc.rs", ""), 1);
    }

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
                package("sql", "hosts/sql", "core"),
                package("warp", "hosts/warp", "sql"),
                package("suite", "tests/suite", "warp"),
                package("new", folder, knows),
            ])
        };
        assert_eq!(all("warp", "hosts/spin").len(), 1);
        assert_eq!(all("suite", "hosts/spin").len(), 1);
        assert_eq!(all("sql", "bindings").len(), 1);
        assert_eq!(all("warp", "tests/load"), []);
        assert_eq!(all("sql", "hosts/spin"), []);
        assert_eq!(all("sql", "hosts/sqlite"), []);
        assert!(may_know("hosts/warp", "hosts/sqlite") && !may_know("hosts/sql", "hosts/sqlite"));
    }
}
