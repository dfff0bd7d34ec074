//! Programs that read core/openapi.json: linters, generators of clients, and the converter to a
//! Postman collection. Each generated client creates an order on a real server and gets a typed
//! error. The programs and their versions are in tests/xtask/tools.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use despacho_xtask::{
    place,
    run::{self, Failure},
    server::{self, Server},
};

use crate::{needs::GENERATORS, package};

/// The folder of the programs. The generated files are in its subfolder `dist`.
const FOLDER: &str = "tests/xtask/tools";
const DOCUMENT: &str = "core/openapi.json";
const COLLECTION: &str = "despacho.postman_collection.json";

/// Creates a command that runs in the folder of the programs.
fn command(root: &Path, words: &[&str]) -> Command {
    run::command(&root.join(FOLDER), words)
}

/// Creates a command for a program of npm.
fn node(root: &Path, words: &[&str]) -> Command {
    command(root, &[&["npx", "--no-install"], words].concat())
}

/// Creates a command for a program of the virtual environment, which finds the generated modules.
fn python(root: &Path, words: &[&str]) -> Result<Command, Failure> {
    let (name, arguments) = words.split_first().unwrap_or((&"python", &[]));
    let program = GENERATORS.program(name)?;
    let mut command = command(root, &[&[&*program.to_string_lossy()], arguments].concat());
    // The client's generator formats its files with ruff, which it looks up on PATH.
    let folders = program.parent().map(Path::to_path_buf).into_iter();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path)));
    command.env(
        "PATH",
        path.map_err(|e| Failure::new(format!("PATH: {e}")))?,
    );
    command.env("PYTHONPATH", "dist").env("MYPYPATH", "dist");
    Ok(command)
}

fn install(root: &Path) -> Result<(), Failure> {
    package::install(&root.join(FOLDER)).map_err(|e| Failure::new(format!("{FOLDER}: {e}")))
}

/// Writes the Postman collection.
pub(crate) fn write_collection(root: &Path, out: Option<PathBuf>) -> Result<(), Failure> {
    let out = match out {
        Some(out) => std::path::absolute(&out)
            .map_err(|e| Failure::new(format!("{}: {e}", out.display())))?,
        None => place::target()?.join(COLLECTION),
    };
    install(root)?;
    let document = root.join(DOCUMENT);
    let words = [
        "node",
        "postman.mjs",
        &document.to_string_lossy(),
        &out.to_string_lossy(),
    ];
    run::show(command(root, &words))?;
    println!(
        "the Postman collection is {}; set its variables baseUrl and apiKey",
        out.display()
    );
    Ok(())
}

/// Lints the document, generates and compiles every client, and runs each against a new server.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    install(root)?;
    let (target, dist) = (place::target()?, root.join(FOLDER).join("dist"));
    let (data, document) = (
        target.join("generators"),
        root.join(DOCUMENT).to_string_lossy().into_owned(),
    );
    for folder in [&dist, &data] {
        if folder.exists() {
            std::fs::remove_dir_all(folder)
                .map_err(|e| Failure::new(format!("{}: {e}", folder.display())))?;
        }
    }
    lint(root, &document)?;
    generate(root, &document)?;
    let server = Server::start(&server::checked()?, &data, &["--demo"], &[])?;
    let key = server.key.as_deref().unwrap_or_default();
    let programs = [
        command(root, &["node", "dist/js/with-openapi-fetch.js"]),
        command(root, &["node", "dist/js/with-hey-api.js"]),
        python(root, &["python", "with_python_client.py"])?,
        python(root, &["python", "with_python_models.py"])?,
    ];
    for mut program in programs {
        program
            .env("DESPACHO_URL", &server.base)
            .env("DESPACHO_KEY", key);
        run::show(program)?;
    }
    write_collection(root, None)?;
    let collection = target.join(COLLECTION);
    run::show(command(
        root,
        &[
            "node",
            "run-collection.mjs",
            &collection.to_string_lossy(),
            &server.base,
            key,
        ],
    ))
}

/// Fails on every error and warning.
fn lint(root: &Path, document: &str) -> Result<(), Failure> {
    run::show(node(
        root,
        &["redocly", "lint", "--max-problems", "20", document],
    ))?;
    run::show(node(
        root,
        &[
            "spectral",
            "lint",
            "--fail-severity",
            "hint",
            "--ruleset",
            ".spectral.yaml",
            document,
        ],
    ))
}

fn generate(root: &Path, document: &str) -> Result<(), Failure> {
    run::show(node(
        root,
        &["openapi-typescript", document, "--output", "dist/api.d.ts"],
    ))?;
    run::show(node(
        root,
        &["openapi-ts", "--input", document, "--output", "dist/hey"],
    ))?;
    run::show(node(root, &["tsc", "--project", "."]))?;
    let client = [
        "--config",
        "python-client.yaml",
        "--meta",
        "none",
        "--output-path",
        "dist/despacho_client",
    ];
    let generate = [
        "openapi-python-client",
        "generate",
        "--fail-on-warning",
        "--path",
        document,
    ];
    run::show(python(root, &[&generate[..], &client].concat())?)?;
    // Two warnings drop no type: this generator does not know formats such as `cep`, whose fields
    // are strings, and omits patterns of times and UUIDs, which have types. Every other warning is
    // an error.
    let warnings = [
        "-W",
        "error::UserWarning",
        "-W",
        "ignore:format of",
        "-W",
        "ignore:Pydantic does not take",
    ];
    let generator = [
        &["python"],
        &warnings[..],
        &["-m", "datamodel_code_generator"],
    ]
    .concat();
    let generate = [
        "--input",
        document,
        "--input-file-type",
        "openapi",
        "--output",
        "dist/despacho_models.py",
    ];
    let options = [
        "--output-model-type",
        "pydantic_v2.BaseModel",
        "--use-annotated",
        "--disable-timestamp",
    ];
    run::show(python(
        root,
        &[
            &generator[..],
            &generate,
            &options,
            &["--formatters", "builtin"],
        ]
        .concat(),
    )?)?;
    run::show(python(
        root,
        &[
            "python",
            "-m",
            "compileall",
            "-q",
            "dist/despacho_client",
            "dist/despacho_models.py",
        ],
    )?)?;
    let mypy = [
        "mypy",
        "--strict",
        "--follow-imports=silent",
        "--cache-dir",
        "dist/mypy",
    ];
    let programs = [
        "with_python_client.py",
        "with_python_models.py",
        "rejected_types.py",
    ];
    run::show(python(root, &[&mypy[..], &programs].concat())?)
}
