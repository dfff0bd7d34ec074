//! Checks that SETTINGS.md and the component's manifest match the table.

use std::{collections::BTreeSet, path::Path};

use despacho_shell::settings::{Host, Setting, markdown};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/SETTINGS.md");
const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../spin.toml");

#[test]
fn page_has_every_row_of_the_table() {
    if std::env::var_os("DESPACHO_WRITE_SETTINGS").is_some() {
        std::fs::write(PAGE, markdown()).unwrap();
    }
    let page = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(
        page == markdown(),
        "SETTINGS.md is out of date: DESPACHO_WRITE_SETTINGS=1 cargo test -p despacho-shell writes it"
    );
}

/// The manifest must pass every variable to the component and mark secrets.
#[test]
fn manifest_declares_the_components_variables() {
    let manifest = std::fs::read_to_string(Path::new(MANIFEST)).unwrap();
    let passed = manifest
        .split("[component.despacho.variables]")
        .nth(1)
        .unwrap();
    let passed = passed
        .lines()
        .skip(1)
        .map_while(|line| line.split_once(" = "))
        .map(|(name, _)| name.to_owned());
    let passed: BTreeSet<String> = passed.collect();
    let rows: BTreeSet<String> = Setting::of(Host::Component)
        .map(Setting::variable)
        .collect();
    assert_eq!(passed, rows);
    for setting in Setting::of(Host::Component) {
        // The variable `settings` has several settings.
        let shares = |other: &&Setting| other.variable() == setting.variable();
        let is_secret = Setting::of(Host::Component)
            .filter(shares)
            .any(|other| other.is_secret);
        let line = manifest
            .lines()
            .find(|line| line.starts_with(&format!("{} = {{", setting.variable())))
            .unwrap();
        assert_eq!(line.contains("secret = true"), is_secret, "{line}");
    }
}
