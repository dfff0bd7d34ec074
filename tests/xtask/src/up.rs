//! `cargo up`: from a fresh clone to a server that answers.

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

/// How to come up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UpOptions {
    /// The address to listen on.
    pub(crate) listen: String,
    /// The database's folder; `.despacho` in the repository where none is named.
    pub(crate) data: Option<PathBuf>,
    /// Whether the panel is wanted.
    pub(crate) panel: bool,
}

/// Builds the server, and the panel where there is one, and becomes the server.
pub(crate) fn up(options: &UpOptions) -> Result<(), Failure> {
    let root = place::root()?;
    println!("building despacho (the first time takes a few minutes)");
    let binary = server::build(&root)?;
    let panel = if options.panel { panel(&root)? } else { None };
    let data = options.data.clone().unwrap_or_else(|| root.join(".despacho"));
    println!("starting despacho on {}, its data in {} (Ctrl-C ends it)", options.listen, data.display());
    let mut server = Command::new(binary);
    server.args(arguments(&options.listen, &data, panel.as_deref()));
    exec_server(server)
}

/// What the server is started with.
fn arguments(listen: &str, data: &Path, panel: Option<&Path>) -> Vec<OsString> {
    let mut words: Vec<OsString> = ["serve", "--demo", "--listen", listen, "--data"].map(OsString::from).into();
    words.push(data.into());
    if let Some(panel) = panel {
        words.extend(["--panel".into(), panel.into()]);
    }
    words
}

/// Builds the panel and returns its files; `None`, with the reason said, where it cannot be had.
fn panel(root: &Path) -> Result<Option<PathBuf>, Failure> {
    if let Some(missing) = ["node", "npm"].into_iter().find(|program| !run::succeeds(&[program, "--version"])) {
        println!("{missing} is missing, so the panel is left out; the API is served all the same.");
        println!("For the panel install Node.js 20.19 or newer and run `cargo up` again; `--no-panel` silences this.");
        return Ok(None);
    }
    println!("building the panel");
    panel::build(root).map(Some)
}

/// The server takes this process's place, so that every signal reaches it.
#[cfg(unix)]
fn exec_server(mut server: Command) -> Result<(), Failure> {
    use std::os::unix::process::CommandExt;
    let error = server.exec();
    Err(Failure::new(format!("{} could not start: {error}", server.get_program().to_string_lossy())))
}

/// Where a process cannot be replaced the server shares the console, which sends Ctrl-C to both.
#[cfg(not(unix))]
fn exec_server(server: Command) -> Result<(), Failure> {
    run::show(server)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_told_address_and_folder() {
        let words = arguments("127.0.0.1:9", Path::new("here"), None);
        assert_eq!(words, ["serve", "--demo", "--listen", "127.0.0.1:9", "--data", "here"]);
        let with_panel = arguments("127.0.0.1:9", Path::new("here"), Some(Path::new("files")));
        assert_eq!(with_panel[6..], ["--panel", "files"]);
    }
}
