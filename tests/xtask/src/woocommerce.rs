//! Builds the WooCommerce plugin as `target/woocommerce/despacho-VERSION.zip`, and tests it: the
//! PHP classes alone, and the built archive in a real WordPress with a browser.

use std::{
    fs,
    io::{Cursor, Write},
    path::{Path, PathBuf},
};

use despacho_xtask::{
    place,
    run::{self, Failure},
    server, skip,
};

use zip::{CompressionMethod, DateTime, ZipWriter, result::ZipError, write::SimpleFileOptions};

use crate::{needs::Need, package};

const FOLDER: &str = "bindings/woocommerce";
/// The files of the plugin and the folders with PHP files.
const PARTS: [&str; 4] = ["despacho.php", "readme.txt", "src", "uninstall.php"];
const CATALOGUE: &str = "languages/despacho-pt_BR";
/// The version in the sources, which the build replaces.
const PLACEHOLDER: &str = "0.0.0";
/// The files that contain the version.
const VERSIONED: [&str; 2] = ["despacho.php", "readme.txt"];
/// WordPress as Debian installs it.
const WORDPRESS: &str = "/usr/share/wordpress";

/// Writes the archive and returns its path.
pub(crate) fn build(root: &Path) -> Result<PathBuf, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    let folder = root.join(FOLDER);
    let mut names = Vec::new();
    for part in PARTS {
        list(&folder, part, &mut names)?;
    }
    let mut files = vec![(format!("{CATALOGUE}.mo"), compile_catalogue(root)?)];
    for name in names {
        let mut text = read(&folder.join(&name))?;
        if VERSIONED.contains(&&*name) {
            text = text.replace(PLACEHOLDER, version);
        }
        files.push((name, text.into_bytes()));
    }
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        files.push((licence.to_owned(), read(&root.join(licence))?.into_bytes()));
    }
    files.sort();
    for (name, _) in &mut files {
        *name = format!("despacho/{name}");
    }
    let out = output()?;
    let path = out.join(format!("despacho-{version}.zip"));
    let bytes = zip(&files).map_err(|e| Failure::new(format!("{}: {e}", path.display())))?;
    fs::create_dir_all(&out)
        .and_then(|()| fs::write(&path, &bytes))
        .map_err(|e| error(&path, &e))?;
    println!(
        "the WooCommerce plugin is {}: {} files, {} bytes",
        path.display(),
        files.len(),
        bytes.len()
    );
    Ok(path)
}

/// Compiles the translations with gettext. An untranslated message is an error, because WordPress
/// would show an empty text.
fn compile_catalogue(root: &Path) -> Result<Vec<u8>, Failure> {
    Need::Program("msgfmt", "gettext").ensure(root, false)?;
    let source = root.join(FOLDER).join(format!("{CATALOGUE}.po"));
    let source = source.to_string_lossy();
    let untranslated = run::stdout(&["msgattrib", "--untranslated", "--no-obsolete", &source]);
    if untranslated.as_deref() != Some("") {
        return Err(Failure::new(format!(
            "{source} has untranslated messages:\n{}",
            untranslated.unwrap_or_default()
        )));
    }
    let out = output()?.join("catalogue.mo");
    let written = fs::create_dir_all(output()?);
    written.map_err(|e| error(&out, &e))?;
    let mut compile = run::command(root, &["msgfmt", "--check-format", "--output-file"]);
    compile.arg(&out).arg(&*source);
    run::show(compile)?;
    fs::read(&out).map_err(|e| error(&out, &e))
}

/// Returns an archive that has the same bytes for the same files: uncompressed, with a fixed time.
fn zip(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, ZipError> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(name, options)?;
        archive.write_all(bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// Builds the archive and runs the tests for which the programs are installed.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let archive = build(root)?;
    if !run::succeeds(&["php", "--version"]) {
        let reason = "the plugin's tests: PHP is missing (`apt-get install php-cli`)";
        return skip::record("woocommerce", reason);
    }
    let mut names = Vec::new();
    for part in [&PARTS[..], &["tests"]].concat() {
        list(&root.join(FOLDER), part, &mut names)?;
    }
    let scripts: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| name.ends_with(".php"))
        .collect();
    for script in &scripts {
        if !run::succeeds(&[
            "php",
            "-l",
            &root.join(FOLDER).join(script).to_string_lossy(),
        ]) {
            return Err(Failure::new(format!(
                "{FOLDER}/{script}: run `php -l` for the syntax error"
            )));
        }
    }
    println!("  php -l accepts {} files", scripts.len());
    run::show(run::command(
        &root.join(FOLDER),
        &["php", "tests/unit/run.php"],
    ))?;
    if let Some(missing) = missing() {
        let packages = "php-mysql php-curl php-mbstring php-xml php-zip mariadb-server wordpress chromium nodejs";
        let reason =
            format!("the plugin in a browser: {missing} is missing (`apt-get install {packages}`)");
        return skip::record("woocommerce", &reason);
    }
    package::install(&root.join("hosts/panel"))?;
    let mut tests = run::command(
        &root.join(FOLDER),
        &[
            "node",
            "--test",
            "--test-reporter=spec",
            "tests/shop.test.mjs",
        ],
    );
    tests
        .env("DESPACHO_WOOCOMMERCE", output()?)
        .env("DESPACHO_WOOCOMMERCE_ZIP", archive);
    tests
        .env(server::BINARY, server::checked()?)
        .env("DESPACHO_WORDPRESS", WORDPRESS);
    run::show(tests)
}

/// Returns what the tests in a browser need and the machine does not have.
fn missing() -> Option<String> {
    if !Path::new(WORDPRESS).join("wp-load.php").is_file() {
        return Some("WordPress".to_owned());
    }
    if let Some(program) = ["mariadbd", "node", "npm", "chromium"]
        .into_iter()
        .find(|name| !run::succeeds(&[name, "--version"]))
    {
        return Some(program.to_owned());
    }
    let modules = run::stdout(&["php", "-m"]).unwrap_or_default();
    let needed = ["curl", "mbstring", "mysqli", "xml", "zip"];
    let module = needed
        .into_iter()
        .find(|name| !modules.lines().any(|line| line == *name));
    module.map(|name| format!("the PHP module {name}"))
}

fn output() -> Result<PathBuf, Failure> {
    Ok(place::target()?.join("woocommerce"))
}

/// Adds the paths of the files below `part`, relative to the folder.
fn list(folder: &Path, part: &str, names: &mut Vec<String>) -> Result<(), Failure> {
    let path = folder.join(part);
    if path.is_file() {
        names.push(part.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(&path).map_err(|e| error(&path, &e))? {
        let entry = entry.map_err(|e| error(&path, &e))?;
        list(
            folder,
            &format!("{part}/{}", entry.file_name().to_string_lossy()),
            names,
        )?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|e| error(path, &e))
}

fn error(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{}: {error}", path.display()))
}
