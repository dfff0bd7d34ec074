//! Programs that read core/openapi.json: linters, generators of clients, and the converter to a
//! Postman collection. Each generated client creates an order on a real server and gets a typed
//! error. The programs and their versions are in tests/xtask/tools.

use std::path::{Path, PathBuf};

use despacho_xtask::{
    place,
    run::{self, Failure},
    server::{self, Server},
};

use crate::{needs::GENERATORS, package};

/// The folder of the programs.
const FOLDER: &str = "tests/xtask/tools";
const COLLECTION: &str = "despacho.postman_collection.json";

/// Writes the Postman collection and returns its path.
pub(crate) fn write_collection(root: &Path, out: Option<PathBuf>) -> Result<PathBuf, Failure> {
    let out = match out {
        Some(out) => std::path::absolute(&out)
            .map_err(|e| Failure::new(format!("{}: {e}", out.display())))?,
        None => place::target()?.join(COLLECTION),
    };
    let folder = root.join(FOLDER);
    package::install(&folder)?;
    let document = root.join("core/openapi.json");
    let words = [
        "node",
        "postman.mjs",
        &document.to_string_lossy(),
        &out.to_string_lossy(),
    ];
    run::show(run::command(&folder, &words))?;
    println!(
        "the Postman collection is {}; set its variables baseUrl and apiKey",
        out.display()
    );
    Ok(out)
}

/// Lints the document, generates and compiles every client, and runs each against a new server.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let collection = write_collection(root, None)?;
    let data = place::target()?.join("generators");
    if data.exists() {
        std::fs::remove_dir_all(&data)
            .map_err(|e| Failure::new(format!("{}: {e}", data.display())))?;
    }
    let server = Server::start(&server::checked()?, &data, &["--demo"], &[])?;
    let words = ["./check.sh", &collection.to_string_lossy()];
    let mut check = run::command(&root.join(FOLDER), &words);
    let programs = GENERATORS.program("python")?;
    let folders = programs.parent().map(Path::to_path_buf).into_iter();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path)));
    check
        .env(
            "PATH",
            path.map_err(|e| Failure::new(format!("PATH: {e}")))?,
        )
        .env("DESPACHO_URL", &server.base)
        .env("DESPACHO_KEY", server.key.as_deref().unwrap_or_default());
    run::show(check)
}
