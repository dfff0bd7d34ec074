//! The packages of the workspace and their dependencies, from cargo.

use std::{path::Path, process::Command};

use serde_json::Value;

/// A package of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    /// Its folder, relative to the repository's root.
    pub(crate) folder: String,
    /// Its direct dependencies.
    pub(crate) dependencies: Vec<Dependency>,
}

/// A direct dependency of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// The package's name.
    pub(crate) name: String,
    /// Whether it is a dev-dependency.
    pub(crate) dev: bool,
    /// Whether it applies only to some targets.
    pub(crate) conditional: bool,
}

/// Returns the packages of the workspace, from `cargo metadata`.
pub(crate) fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let text = cargo(root, &["metadata", "--no-deps", "--format-version", "1"])?;
    let value: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let base = value["workspace_root"].as_str().unwrap_or_default();
    let packages = value["packages"]
        .as_array()
        .ok_or("cargo metadata lists no packages")?;
    Ok(packages
        .iter()
        .map(|package| read_package(package, base))
        .collect())
}

/// Returns the names of all packages in the core's build for browsers, with the given features.
pub(crate) fn core_tree(root: &Path, features: &[&str]) -> Result<Vec<String>, String> {
    let tree = [
        "tree",
        "--package",
        "despacho-core",
        "--target",
        "wasm32-unknown-unknown",
        "--edges",
        "normal",
    ];
    let plain = ["--prefix", "none", "--format", "{p}"];
    let text = cargo(root, &[&tree[..], &plain, features].concat())?;
    let mut names: Vec<String> = text
        .lines()
        .filter_map(|line| Some(line.split(' ').next()?.to_owned()))
        .collect();
    names.sort();
    names.dedup();
    Ok(names)
}

fn read_package(package: &Value, base: &str) -> Package {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let manifest = text(&package["manifest_path"]);
    let folder = manifest
        .trim_start_matches(base)
        .trim_start_matches('/')
        .trim_end_matches("/Cargo.toml")
        .to_owned();
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    let dependencies = dependencies
        .map(|one| Dependency {
            name: text(&one["name"]),
            dev: one["kind"] == "dev",
            conditional: !one["target"].is_null(),
        })
        .collect();
    Package {
        name: text(&package["name"]),
        folder,
        dependencies,
    }
}

fn cargo(root: &Path, words: &[&str]) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(words)
        .current_dir(root)
        .output()
        .map_err(|e| format!("cargo: {e}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!(
        "`cargo {}`: {}",
        words.join(" "),
        String::from_utf8_lossy(&output.stderr)
    ))
}
