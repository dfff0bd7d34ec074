//! Builds the npm package `despacho`: compiles the bindings to WebAssembly, writes their JavaScript, and puts the package's own files
//! beside them. The first argument is the folder to write, `target/package` where there is none.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use wasm_bindgen_cli_support::Bindgen;

/// The files of the package that are written by hand, in `bindings/npm`.
const FILES: [&str; 6] = ["package.json", "README.md", "core.js", "node.js", "web.js", "index.d.ts"];
const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "page";

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("the browser package was not built: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let out = std::env::args_os().nth(1).map_or_else(|| target.join("package"), PathBuf::from);
    compile(&root)?;
    fs::create_dir_all(&out)?;
    let compiled = target.join(TARGET).join(PROFILE).join("despacho_bindings.wasm");
    let mut bindgen = Bindgen::new();
    bindgen.input_path(&compiled).web(true).map_err(|fault| fault.to_string())?;
    bindgen.typescript(true).out_name("despacho_wasm").remove_name_section(true).remove_producers_section(true);
    bindgen.generate(&out).map_err(|fault| format!("{fault:#}"))?;
    for file in FILES {
        let from = root.join("bindings/npm").join(file);
        fs::copy(&from, out.join(file)).map_err(|fault| format!("{}: {fault}", from.display()))?;
    }
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root.join(licence), out.join(licence))?;
    }
    types(&root, &out)?;
    // Derived data of the embedded gazetteer carries licences of its own.
    fs::copy(root.join("core/data/NOTICE.md"), out.join("NOTICE.md"))?;
    let size = fs::metadata(out.join("despacho_wasm_bg.wasm"))?.len();
    println!("the browser package is in {}, {size} bytes of WebAssembly", out.display());
    Ok(())
}

fn compile(root: &Path) -> Result<(), Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let words = ["build", "--locked", "--profile", PROFILE, "--target", TARGET, "--package", "despacho-bindings"];
    let status = Command::new(cargo).args(words).current_dir(root).status()?;
    if status.success() { Ok(()) } else { Err("the bindings do not compile for the browser".into()) }
}

/// The types of requests and answers, from the service's own document.
fn types(root: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let folder = root.join("bindings/npm");
    let written = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified());
    let installed = written(&folder.join("node_modules/.package-lock.json"));
    if !matches!((installed, written(&folder.join("package-lock.json"))), (Ok(there), Ok(wanted)) if there >= wanted) {
        npm(&folder, &["ci", "--no-audit", "--no-fund"])?;
    }
    let (document, types) = (root.join("core/openapi.json"), out.join("api.d.ts"));
    let words = ["exec", "--", "openapi-typescript", &document.to_string_lossy(), "--output", &types.to_string_lossy()];
    npm(&folder, &words)
}

fn npm(folder: &Path, words: &[&str]) -> Result<(), Box<dyn Error>> {
    let status = Command::new("npm").args(words).current_dir(folder).status();
    let status = status.map_err(|fault| format!("npm: {fault}; install Node.js 20 or newer and run this again"))?;
    if status.success() { Ok(()) } else { Err(format!("`npm {}` failed", words.join(" ")).into()) }
}
