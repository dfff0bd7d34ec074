//! Builds the npm package `despacho`: compiles the bindings to WebAssembly, generates their
//! JavaScript and adds the handwritten files. `--out FOLDER` sets the output folder (default:
//! `target/package`). `--check` tests the package with Node.js, with `tsc --strict` and in a
//! browser. `--types` writes only the type declarations.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use despacho_xtask::{place, run::Failure};
use wasm_bindgen_cli_support::Bindgen;

/// The handwritten files of the package, in `bindings/npm`. The examples are those to which
/// README.md links.
const FILES: [&str; 20] = [
    "package.json",
    "README.md",
    "core.js",
    "node.js",
    "web.js",
    "index.d.ts",
    "preview-element.js",
    "preview-element.d.ts",
    "react.d.ts",
    "preact.d.ts",
    "preview-form.js",
    "preview-style.js",
    "preview-text.js",
    "examples/plain.html",
    "examples/vite.config.js",
    "examples/react/index.html",
    "examples/react/main.jsx",
    "examples/vue/index.html",
    "examples/vue/main.js",
    "examples/vue/Checkout.vue",
];
/// The programs that use the package's types, with the framework whose JSX each is written in.
const TYPE_TESTS: [(&str, Option<&str>); 3] = [
    ("types.ts", None),
    ("react.tsx", Some("react")),
    ("preact.tsx", Some("preact")),
];
const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "page";
/// The compiled module's file name, as wasm-bindgen writes it.
const MODULE: &str = "despacho_wasm_bg.wasm";
/// The core's tables that the gazetteer file contains.
const TABLES: [&str; 4] = ["municipalities.bin", "ceps.bin", "outline.bin", "land.bin"];
const GAZETTEER: &str = "gazetteer.bin";

/// The options of the task.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The output folder. The default is `package` in the build folder.
    pub(crate) out: Option<PathBuf>,
    /// Whether to test the package with Node.js, with tsc and in a browser.
    pub(crate) check: bool,
    /// Whether to write only the type declarations.
    pub(crate) types: bool,
}

/// Parses the rest of the command line.
pub(crate) fn parse(mut arguments: lexopt::Parser) -> Result<Options, lexopt::Error> {
    let mut options = Options::default();
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("out") => options.out = Some(arguments.value()?.into()),
            lexopt::Arg::Long("check") => options.check = true,
            lexopt::Arg::Long("types") => options.types = true,
            other => return Err(other.unexpected()),
        }
    }
    Ok(options)
}

/// Builds the package or only its types, and tests the package if requested.
pub(crate) fn run(root: &Path, options: Options) -> Result<(), Failure> {
    let target = place::target()?;
    let out = options.out.unwrap_or_else(|| target.join("package"));
    let written = fs::create_dir_all(&out).map_err(Into::into).and_then(|()| {
        match (options.types, options.check) {
            (true, _) => types(root, &out),
            (false, false) => build(root, &target, &out),
            (false, true) => build(root, &target, &out).and_then(|()| check(root, &target, &out)),
        }
    });
    written.map_err(|error| Failure::new(format!("the browser package was not built: {error}")))
}

fn build(root: &Path, target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    compile(root)?;
    let compiled = target
        .join(TARGET)
        .join(PROFILE)
        .join("despacho_bindings.wasm");
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(&compiled)
        .web(true)
        .map_err(|error| error.to_string())?;
    bindgen
        .typescript(true)
        .out_name("despacho_wasm")
        .remove_name_section(true)
        .remove_producers_section(true);
    bindgen
        .generate(out)
        .map_err(|error| format!("{error:#}"))?;
    types(root, out)?;
    write_gazetteer(root, out)?;
    for file in FILES {
        let (from, to) = (root.join("bindings/npm").join(file), out.join(file));
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(&from, to).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root.join(licence), out.join(licence))?;
    }
    // The gazetteer is derived from data under licences of its own.
    fs::copy(root.join("core/data/NOTICE.md"), out.join("NOTICE.md"))?;
    let size = |file: &str| fs::metadata(out.join(file)).map(|meta| meta.len());
    let (module, gazetteer) = (size(MODULE)?, size(GAZETTEER)?);
    println!(
        "the browser package is in {}: module {module} bytes, gazetteer {gazetteer} bytes",
        out.display()
    );
    Ok(())
}

/// Runs a program of the workspace and writes its output to a file.
fn write(file: &Path, program: &Path, arguments: &[&Path]) -> Result<(), Box<dyn Error>> {
    let written = Command::new(program)
        .args(arguments)
        .stdout(fs::File::create(file)?)
        .status()?;
    succeeded(written, &format!("writing {}", file.display()))
}

/// Compares the package's previews and routes with those of the native code, and checks its types.
fn check(root: &Path, target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let (previews, routes) = (target.join("previews.jsonl"), target.join("routes.jsonl"));
    let pack = target.join("street.pack");
    // The features equal those of the tests, because a different set would rebuild all
    // dependencies.
    let words = [
        "build",
        "--locked",
        "--workspace",
        "--all-features",
        "--bin",
        "previews",
        "--bin",
        "despacho-bench",
    ];
    succeeded(
        Command::new(cargo())
            .args(words)
            .current_dir(root)
            .status()?,
        "building the reference programs",
    )?;
    let program = |name: &str| {
        target
            .join("debug")
            .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    };
    write(
        &previews,
        &program("previews"),
        &["5000".as_ref(), "1".as_ref(), &pack],
    )?;
    write(&routes, &program("despacho-bench"), &["responses".as_ref()])?;
    let tests = root.join("bindings/npm/test");
    let mut node = Command::new("node");
    node.arg("--test").arg(&tests).env("DESPACHO_PACKAGE", out);
    node.env("DESPACHO_PREVIEWS", &previews)
        .env("DESPACHO_ROUTES", &routes)
        .env("DESPACHO_PACK", &pack);
    succeeded(node.status()?, "`node --test bindings/npm/test`")?;
    check_types(root, target, out)?;
    check_packed(root, out)?;
    check_pages(root, target, out)
}

/// Compiles programs that use the package's types. A line with `@ts-expect-error` must be an error.
fn check_types(root: &Path, target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let (npm_folder, project) = (root.join("bindings/npm"), target.join("package-types"));
    fs::create_dir_all(&project)?;
    let installed = |path: &str| npm_folder.join("node_modules").join(path);
    for (file, framework) in TYPE_TESTS {
        let mut paths = vec![("despacho".to_owned(), out.join("index.d.ts"))];
        for name in ["preview-element", "react", "preact"] {
            paths.push((format!("despacho/{name}"), out.join(format!("{name}.d.ts"))));
        }
        // The package imports the types of a framework from the shop's folder.
        paths.push(("react".to_owned(), installed("@types/react/index.d.ts")));
        paths.push((
            "react/jsx-runtime".to_owned(),
            installed("@types/react/jsx-runtime.d.ts"),
        ));
        paths.push(("preact".to_owned(), installed("preact/src/index.d.ts")));
        paths.push((
            "preact/jsx-runtime".to_owned(),
            installed("preact/jsx-runtime/src/index.d.ts"),
        ));
        let paths: serde_json::Map<_, _> = paths
            .into_iter()
            .map(|(name, path)| (name, serde_json::json!([path])))
            .collect();
        let mut options = serde_json::json!({
            "strict": true, "noEmit": true, "target": "es2022", "module": "nodenext", "types": [], "lib": ["es2022", "dom"], "paths": paths
        });
        if let Some(framework) = framework {
            options["jsx"] = "react-jsx".into();
            options["jsxImportSource"] = framework.into();
        }
        let files = [npm_folder.join("test").join(file)];
        let config = project.join(format!("{file}.json"));
        fs::write(
            &config,
            serde_json::json!({ "compilerOptions": options, "files": files }).to_string(),
        )?;
        npm(
            &npm_folder,
            &["exec", "--", "tsc", "--project", &config.to_string_lossy()],
        )?;
    }
    Ok(())
}

/// Fails if a file to which the package's README links is not among the files that npm would
/// publish.
fn check_packed(root: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let packed = Command::new("npm")
        .args(["pack", "--dry-run", "--json"])
        .current_dir(out)
        .output()?;
    let listed: serde_json::Value = serde_json::from_slice(&packed.stdout)?;
    let files = listed
        .pointer("/0/files")
        .and_then(serde_json::Value::as_array)
        .ok_or("`npm pack` lists no files")?;
    let is_packed = |path: &str| files.iter().any(|file| file["path"] == path);
    let readme = fs::read_to_string(root.join("bindings/npm/README.md"))?;
    let links = readme
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let missing =
        links.filter(|link| !link.contains("://") && !link.starts_with('#') && !is_packed(link));
    let missing: Vec<&str> = missing
        .chain(FILES.into_iter().filter(|file| !is_packed(file)))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(format!("the package lacks {}", missing.join(", ")).into())
    }
}

/// Builds the pages with the preview element and tests them in the system's Chromium. Screenshots
/// are written to `embed` in the build folder.
fn check_pages(root: &Path, target: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let folder = root.join("bindings/npm/examples");
    install(&folder)?;
    let mut tests = Command::new("npm");
    tests
        .arg("test")
        .current_dir(folder)
        .env("DESPACHO_PACKAGE", out);
    tests.env("DESPACHO_EMBED_SHOTS", target.join("embed"));
    succeeded(tests.status()?, "`npm test` in bindings/npm/examples")
}

fn succeeded(status: std::process::ExitStatus, step: &str) -> Result<(), Box<dyn Error>> {
    if status.success() {
        Ok(())
    } else {
        Err(format!("{step} failed").into())
    }
}

fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn compile(root: &Path) -> Result<(), Box<dyn Error>> {
    let words = [
        "build",
        "--locked",
        "--profile",
        PROFILE,
        "--target",
        TARGET,
        "--package",
        "despacho-bindings",
    ];
    let status = Command::new(cargo())
        .args(words)
        .current_dir(root)
        .status()?;
    succeeded(status, "compiling the bindings for the browser")
}

/// Writes the gazetteer's tables to one file, each after its length.
fn write_gazetteer(root: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut gazetteer = Vec::new();
    for name in TABLES {
        let table = fs::read(root.join("core/data").join(name))?;
        gazetteer.extend(u32::try_from(table.len())?.to_le_bytes());
        gazetteer.extend(table);
    }
    Ok(fs::write(out.join(GAZETTEER), gazetteer)?)
}

/// Generates the types of requests and responses from the service's OpenAPI document.
fn types(root: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let folder = root.join("bindings/npm");
    install(&folder)?;
    fs::copy(folder.join("index.d.ts"), out.join("index.d.ts"))?;
    let (document, types) = (root.join("core/openapi.json"), out.join("api.d.ts"));
    let words = [
        "exec",
        "--",
        "openapi-typescript",
        &document.to_string_lossy(),
        "--output",
        &types.to_string_lossy(),
    ];
    npm(&folder, &words)
}

/// Installs the locked packages of a folder, unless they are installed.
pub(crate) fn install(folder: &Path) -> Result<(), Failure> {
    let written = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified());
    let installed = written(&folder.join("node_modules/.package-lock.json"));
    let locked = written(&folder.join("package-lock.json"));
    match (installed, locked) {
        (Ok(installed), Ok(locked)) if installed >= locked => Ok(()),
        _ => npm(folder, &["ci", "--no-audit", "--no-fund"])
            .map_err(|error| Failure::new(format!("{}: {error}", folder.display()))),
    }
}

fn npm(folder: &Path, words: &[&str]) -> Result<(), Box<dyn Error>> {
    let status = Command::new("npm").args(words).current_dir(folder).status();
    let status = status
        .map_err(|error| format!("npm: {error}; install Node.js 20 or newer and run this again"))?;
    succeeded(status, &format!("`npm {}`", words.join(" ")))
}
