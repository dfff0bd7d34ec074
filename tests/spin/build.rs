//! Generates the bindings of Spin's interfaces from the WIT files in the `spin-sdk` crate, in the
//! version with which the component is built.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A resource and its type in the host.
type HostResource = (&'static str, &'static str);

/// The interfaces that the component imports: package, interface, and the resources that the host
/// defines.
const INTERFACES: [(&str, &str, &[HostResource]); 3] = [
    (
        "spin-sqlite",
        "spin:sqlite/sqlite",
        &[("connection", "crate::sqlite::Connection")],
    ),
    (
        "spin-postgres",
        "spin:postgres/postgres",
        &[
            ("connection", "crate::postgres::Connection"),
            ("connection-builder", "crate::postgres::Builder"),
        ],
    ),
    ("spin-variables", "spin:variables/variables", &[]),
];

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../..");
    println!("cargo:rerun-if-changed=build.rs");
    println!(
        "cargo:rerun-if-changed={}",
        root.join("Cargo.lock").display()
    );
    let wit = sdk_folder(&root)?.join("wit/deps");
    let (mut paths, mut imports, mut resources) = (Vec::new(), String::new(), String::new());
    for (package, interface, host_resources) in INTERFACES {
        let (folder, version) = newest(&wit, package)?;
        paths.push(format!("{:?}", folder.to_string_lossy()));
        imports.push_str(&format!("import {interface}@{version}; "));
        for (resource, kind) in host_resources {
            resources.push_str(&format!("\"{interface}.{resource}\": {kind}, "));
        }
    }
    let code = format!(
        "wasmtime::component::bindgen!({{ path: [{}], \
         inline: \"package despacho:test-host; world host {{ {imports} }}\", world: \"despacho:test-host/host\", \
         imports: {{ default: async | trappable }}, with: {{ {resources} }} }});",
        paths.join(", ")
    );
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("bindings.rs"),
        code,
    )?;
    Ok(())
}

/// Returns cargo's folder of the locked `spin-sdk`.
fn sdk_folder(root: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let output = Command::new(env::var("CARGO")?)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--filter-platform",
            "wasm32-wasip2",
        ])
        .current_dir(root)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().ok_or("no packages")?;
    let sdk = packages
        .iter()
        .find(|package| package["name"] == "spin-sdk")
        .ok_or("no package depends on spin-sdk")?;
    let manifest = sdk["manifest_path"]
        .as_str()
        .ok_or("spin-sdk has no manifest path")?;
    Ok(Path::new(manifest)
        .parent()
        .ok_or("spin-sdk has no folder")?
        .to_owned())
}

/// Returns the newest folder `package@version` and its version.
fn newest(wit: &Path, package: &str) -> Result<(PathBuf, String), Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(wit)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some((_, version)) = name.split_once('@').filter(|(known, _)| *known == package) {
            found.push((wit.join(&name), version.to_owned()));
        }
    }
    found.sort();
    found
        .pop()
        .ok_or_else(|| format!("spin-sdk has no {package}").into())
}
