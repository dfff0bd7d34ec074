//! `cargo up`: builds and starts a demo server from a new clone.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use despacho_xtask::{
    place,
    run::{self, Failure},
    server,
};

use crate::panel;

/// The options of `cargo up`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UpOptions {
    /// The address to listen on.
    pub(crate) listen: String,
    /// The data folder. The default is `.despacho` in the repository.
    pub(crate) data: Option<PathBuf>,
    /// Whether to build and serve the panel.
    pub(crate) panel: bool,
    /// The cities and states whose addresses are downloaded, and the roads of the cities.
    pub(crate) cities: Vec<String>,
}

/// Builds the server and the panel, and replaces this process with the server.
pub(crate) fn up(options: &UpOptions) -> Result<(), Failure> {
    let root = place::root()?;
    println!("building despacho (the first time takes a few minutes)");
    let binary = server::build_dev(&root)?;
    let panel = if options.panel { panel(&root)? } else { None };
    let data = options
        .data
        .clone()
        .unwrap_or_else(|| root.join(".despacho"));
    for (install, consequence) in installs(&binary, &data, &options.cities) {
        // The demo also works without the data, for example offline.
        if let Err(failure) = run::show(install) {
            println!("{failure}; continuing without it: {consequence}");
        }
    }
    println!(
        "starting despacho on {} with its data in {} (Ctrl-C stops it)",
        options.listen,
        data.display()
    );
    let mut server = Command::new(binary);
    server.args(arguments(&options.listen, &data, panel.as_deref()));
    exec_server(server)
}

/// Returns the commands that download the addresses and roads of places, each with the consequence
/// of its failure.
fn installs(binary: &Path, data: &Path, places: &[String]) -> Vec<(Command, &'static str)> {
    // A state by its two letters has no single area of roads.
    let cities: Vec<&String> = places.iter().filter(|place| place.len() > 2).collect();
    let mut commands = Vec::new();
    let mut add = |topic: &str, words: Vec<&String>, consequence| {
        let mut install = Command::new(binary);
        install.args([topic, "install", "--data"]).arg(data);
        for word in words {
            if topic == "roads" {
                install.arg("--city");
            }
            install.arg(word);
        }
        commands.push((install, consequence));
    };
    if !places.is_empty() {
        add(
            "places",
            places.iter().collect(),
            "addresses are located by CEP or city only",
        );
    }
    if !cities.is_empty() {
        add("roads", cities, "distances are estimated");
    }
    commands
}

/// Returns the server's arguments.
fn arguments(listen: &str, data: &Path, panel: Option<&Path>) -> Vec<OsString> {
    let mut words: Vec<OsString> = ["serve", "--demo", "--listen", listen, "--data"]
        .map(OsString::from)
        .into();
    words.push(data.into());
    // Links to the courier's app and to recipients' pages contain it.
    words.extend(["--public-url".into(), format!("http://{listen}").into()]);
    if let Some(panel) = panel {
        words.extend(["--panel".into(), panel.into()]);
    }
    words
}

/// Builds the panel and returns its folder, or prints a message and returns `None` if Node.js or
/// npm is missing.
fn panel(root: &Path) -> Result<Option<PathBuf>, Failure> {
    if let Some(missing) = ["node", "npm"]
        .into_iter()
        .find(|program| !run::succeeds(&[program, "--version"]))
    {
        println!(
            "{missing} is missing, so the panel is not built; the server serves only the API."
        );
        println!(
            "To get the panel, install Node.js 20.19 or newer and run `cargo up` again; `--no-panel` hides this message."
        );
        return Ok(None);
    }
    println!("building the panel");
    panel::build(root).map(Some)
}

/// Replaces this process with the server, so that the server receives every signal.
#[cfg(unix)]
fn exec_server(mut server: Command) -> Result<(), Failure> {
    use std::os::unix::process::CommandExt;
    let error = server.exec();
    Err(Failure::new(format!(
        "{} could not start: {error}",
        server.get_program().to_string_lossy()
    )))
}

/// Runs the server as a child process, because this platform cannot replace a process. The console
/// sends Ctrl-C to both.
#[cfg(not(unix))]
fn exec_server(server: Command) -> Result<(), Failure> {
    run::show(server)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_roads_of_cities_are_installed() {
        let places = ["São Paulo/SP", "RJ"].map(str::to_owned);
        let commands = installs(Path::new("despacho"), Path::new("d"), &places);
        let words: Vec<Vec<&std::ffi::OsStr>> = commands
            .iter()
            .map(|(one, _)| one.get_args().collect())
            .collect();
        assert_eq!(
            words[0],
            ["places", "install", "--data", "d", "São Paulo/SP", "RJ"]
        );
        assert_eq!(
            words[1],
            ["roads", "install", "--data", "d", "--city", "São Paulo/SP"]
        );
        assert_eq!(
            installs(Path::new("despacho"), Path::new("d"), &places[1..]).len(),
            1
        );
        assert!(installs(Path::new("despacho"), Path::new("d"), &[]).is_empty());
    }

    #[test]
    fn server_arguments_contain_address_and_folder() {
        let words = arguments("127.0.0.1:9", Path::new("here"), None);
        let url = ["--public-url", "http://127.0.0.1:9"];
        assert_eq!(
            words[..6],
            [
                "serve",
                "--demo",
                "--listen",
                "127.0.0.1:9",
                "--data",
                "here"
            ]
        );
        assert_eq!(words[6..], url);
        let with_panel = arguments("127.0.0.1:9", Path::new("here"), Some(Path::new("files")));
        assert_eq!(with_panel[8..], ["--panel", "files"]);
    }
}
