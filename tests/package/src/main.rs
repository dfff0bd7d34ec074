//! Builds the npm package `despacho`: compiles the bindings to WebAssembly, writes their JavaScript, and puts the package's own files
//! beside them. `--out FOLDER` says where to, `target/package` without it; `--check` tests it then, under Node.js and `tsc --strict`.

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
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("the browser package was not built: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let (mut out, mut checked) = (target.join("package"), false);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Long("out") => out = parser.value()?.into(),
            lexopt::Arg::Long("check") => checked = true,
            other => return Err(other.unexpected().into()),
        }
    }
    build(&root, &target, &out)?;
    if checked { check(&root, &target, &out) } else { Ok(()) }
}

fn build(root: &Path, target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    compile(root)?;
    fs::create_dir_all(out)?;
    let compiled = target.join(TARGET).join(PROFILE).join("despacho_bindings.wasm");
    let mut bindgen = Bindgen::new();
    bindgen.input_path(&compiled).web(true).map_err(|fault| fault.to_string())?;
    bindgen.typescript(true).out_name("despacho_wasm").remove_name_section(true).remove_producers_section(true);
    bindgen.generate(out).map_err(|fault| format!("{fault:#}"))?;
    for file in FILES {
        let from = root.join("bindings/npm").join(file);
        fs::copy(&from, out.join(file)).map_err(|fault| format!("{}: {fault}", from.display()))?;
    }
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root.join(licence), out.join(licence))?;
    }
    types(root, out)?;
    // Derived data of the embedded gazetteer carries licences of its own.
    fs::copy(root.join("core/data/NOTICE.md"), out.join("NOTICE.md"))?;
    let size = fs::metadata(out.join("despacho_wasm_bg.wasm"))?.len();
    println!("the browser package is in {}, {size} bytes of WebAssembly", out.display());
    Ok(())
}

/// Previews that the service answered, the tests beside the package, and its types.
fn check(root: &Path, target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let previews = target.join("previews.jsonl");
    let written = Command::new(cargo())
        .args(["run", "--quiet", "--locked", "--package", "despacho-page-tests", "--", "5000", "1"])
        .current_dir(root)
        .stdout(fs::File::create(&previews)?)
        .status()?;
    succeeded(written, "writing previews")?;
    let tests = root.join("bindings/npm/test");
    let mut node = Command::new("node");
    node.arg("--test").arg(&tests).env("DESPACHO_PACKAGE", out).env("DESPACHO_PREVIEWS", &previews);
    succeeded(node.status()?, "`node --test bindings/npm/test`")?;
    let project = target.join("package-types");
    fs::create_dir_all(&project)?;
    let options = format!(
        r#"{{"compilerOptions":{{"strict":true,"noEmit":true,"target":"es2022","module":"nodenext","types":[],
"lib":["es2022","dom"],"paths":{{"despacho":[{:?}]}}}},"files":[{:?}]}}"#,
        out.join("index.d.ts"),
        tests.join("types.ts")
    );
    fs::write(project.join("tsconfig.json"), options)?;
    npm(&root.join("bindings/npm"), &["exec", "--", "tsc", "--project", &project.to_string_lossy()])
}

fn succeeded(status: std::process::ExitStatus, what: &str) -> Result<(), Box<dyn Error>> {
    if status.success() { Ok(()) } else { Err(format!("{what} failed").into()) }
}

fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn compile(root: &Path) -> Result<(), Box<dyn Error>> {
    let words = ["build", "--locked", "--profile", PROFILE, "--target", TARGET, "--package", "despacho-bindings"];
    let status = Command::new(cargo()).args(words).current_dir(root).status()?;
    succeeded(status, "compiling the bindings for the browser")
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
    succeeded(status, &format!("`npm {}`", words.join(" ")))
}
