//! Builds the WooCommerce plugin as `target/woocommerce/despacho-VERSION.zip`, and tests it: the
//! PHP classes alone, and the built archive in a real WordPress with a browser.

use std::{
    fs,
    path::{Path, PathBuf},
};

use despacho_xtask::{
    place,
    run::{self, Failure},
    server,
};

use crate::{archive, catalogue};

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
    let mut files = vec![(
        format!("{CATALOGUE}.mo"),
        catalogue::compile(&read(&folder.join(format!("{CATALOGUE}.po")))?)?,
    )];
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
    let bytes = archive::zip(&files)?;
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

/// Builds the archive and runs the tests for which the programs are installed.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let archive = build(root)?;
    if !run::succeeds(&["php", "--version"]) {
        println!(
            "  SKIPPED: the tests of the WooCommerce plugin, because PHP is missing (`apt-get install php-cli`)"
        );
        return Ok(());
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
        println!(
            "  SKIPPED: the WooCommerce plugin in a browser, because {missing} is missing (`apt-get install php-mysql php-curl php-mbstring php-xml php-zip mariadb-server wordpress chromium nodejs`)"
        );
        return Ok(());
    }
    let panel = root.join("hosts/panel");
    if !panel.join("node_modules/playwright-core").is_dir() {
        run::show(run::command(
            &panel,
            &["npm", "ci", "--no-audit", "--no-fund"],
        ))?;
    }
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
