//! `cargo run --package despacho-spin-tests -- serve --database FILE [--listen ADDRESS] [--requests N] [--variable NAME=VALUE]... [--outbound ADDRESS]... [--application FOLDER]`
//! serves the component without the Spin CLI, with N requests per instance, and lets it call the
//! addresses; the mounted files are those of the application in the folder, by default the
//! repository without a panel. `-- bench [--seconds N]` compares it with a hello-world component.

#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{
    collections::BTreeMap,
    error::Error,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use despacho_spin_tests::{CompiledComponent, Options, TestServer, bench};
use lexopt::prelude::*;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            println!("despacho-spin-tests: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut arguments = lexopt::Parser::from_env();
    let mut options = Options::new(PathBuf::from("despacho.db"), "operator-token-of-a-test");
    let (mut task, mut seconds) = (String::new(), 2);
    while let Some(argument) = arguments.next()? {
        match argument {
            Value(word) => task = word.string()?,
            Long("database") => options.database = Some(arguments.value()?.into()),
            Long("listen") => options.listen = arguments.value()?.parse()?,
            Long("requests") => options.reuse.requests = arguments.value()?.parse()?,
            Long("seconds") => seconds = arguments.value()?.parse()?,
            Long("application") => {
                options.files = application_files(&PathBuf::from(arguments.value()?))
            }
            Long("outbound") => options.outbound.push(arguments.value()?.parse()?),
            Long("variable") => {
                let text = arguments.value()?.string()?;
                let (name, value) = text.split_once('=').ok_or("a variable is NAME=VALUE")?;
                options = options.variable(name, value);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    match task.as_str() {
        "serve" => serve(&options),
        "bench" => bench::run(seconds),
        _ => Err("usage: serve or bench".into()),
    }
}

/// Returns the folders that spin.toml mounts. As for Spin, the panel's folder need not exist.
fn application_files(folder: &Path) -> BTreeMap<&'static str, PathBuf> {
    let panel = Some(folder.join("hosts/panel/dist")).filter(|panel| panel.is_dir());
    panel
        .map(|panel| ("/hosts/panel/dist", panel))
        .into_iter()
        .collect()
}

fn serve(options: &Options) -> Result<(), Box<dyn Error + Send + Sync>> {
    let served = TestServer::start(&CompiledComponent::shipped()?, options)?;
    println!("ready {}", served.base);
    std::io::stdout().flush()?;
    loop {
        std::thread::park();
    }
}
