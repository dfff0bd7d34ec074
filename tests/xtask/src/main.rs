//! The program behind `cargo up` and `cargo verify`.

#![expect(
    clippy::print_stdout,
    reason = "a command-line tool: its messages go to standard output"
)]

mod contract;
mod crates;
mod deploy;
mod generators;
mod needs;
mod package;
mod pages;
mod panel;
mod steps;
mod up;
mod verify;
mod webhooks;
mod woocommerce;

use std::{path::PathBuf, process::ExitCode};

use despacho_xtask::{place, run::Failure};
use lexopt::prelude::*;

const HELP: &str = "\
cargo up [--listen 127.0.0.1:8080] [--data DIR] [--no-panel] [--city 'São Paulo/SP']...
    Builds the server and starts it with demo data. Prints its address and an API key. With --city it
    first downloads the city's addresses and roads, as `despacho places install` and `despacho roads
    install` do. If that fails, it starts without them.

cargo verify [--list] [--quick] [--only STEP]... [--from STEP]
        Runs every check, or with --quick those that take at most three minutes after a first run,
        and installs missing tools. With DESPACHO_VERIFY_OFFLINE=1 it installs nothing, and reports steps
        with missing tools as SKIPPED. Skipped steps and ignored tests are listed at the end. With CI=true
        they fail, unless DESPACHO_ALLOW_SKIPS names what is missing: advisories,spin-up.

cargo run -p despacho-xtask -- package [--out DIR] [--check] [--types]
        Builds the browser package in DIR (default: target/package). --check tests it with Node.js and tsc;
        --types writes only the type declarations.

cargo run -p despacho-xtask -- woocommerce
    Builds the WooCommerce plugin as target/woocommerce/despacho-VERSION.zip.
cargo run -p despacho-xtask -- postman [--out FILE]
        Writes a Postman collection of the API (default: target/despacho.postman_collection.json).";

/// The task that the command line selects.
#[derive(Debug, PartialEq, Eq)]
enum Task {
    Help,
    Up(up::UpOptions),
    List,
    Verify(verify::Choice),
    Package(package::Options),
    Postman(Option<PathBuf>),
    WooCommerce,
}

fn main() -> ExitCode {
    let task =
        parse(lexopt::Parser::from_env()).map_err(|e| Failure::new(format!("{e}\n\n{HELP}")));
    let done = task.and_then(|task| match task {
        Task::Help => {
            println!("{HELP}");
            Ok(())
        }
        Task::Up(up_options) => up::up(&up_options),
        Task::List => {
            verify::list();
            Ok(())
        }
        Task::Verify(choice) => verify::verify(&choice),
        Task::Package(options) => package::run(&place::root()?, options),
        Task::Postman(out) => generators::write_collection(&place::root()?, out).map(drop),
        Task::WooCommerce => woocommerce::build(&place::root()?).map(|_| ()),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut arguments: lexopt::Parser) -> Result<Task, lexopt::Error> {
    match arguments.next()? {
        Some(Value(name)) if name == "up" => parse_up(arguments),
        Some(Value(name)) if name == "verify" => parse_verify(arguments),
        Some(Value(name)) if name == "package" => package::parse(arguments).map(Task::Package),
        Some(Value(name)) if name == "postman" => match arguments.next()? {
            None => Ok(Task::Postman(None)),
            Some(Long("out")) => Ok(Task::Postman(Some(arguments.value()?.into()))),
            Some(other) => Err(other.unexpected()),
        },
        Some(Value(name)) if name == "woocommerce" => match arguments.next()? {
            None => Ok(Task::WooCommerce),
            Some(other) => Err(other.unexpected()),
        },
        Some(Short('h') | Long("help")) | None => Ok(Task::Help),
        Some(other) => Err(other.unexpected()),
    }
}

fn parse_up(mut arguments: lexopt::Parser) -> Result<Task, lexopt::Error> {
    let mut up_options = up::UpOptions {
        listen: "127.0.0.1:8080".to_owned(),
        data: None,
        panel: true,
        cities: Vec::new(),
    };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("listen") => up_options.listen = arguments.value()?.string()?,
            Long("data") => up_options.data = Some(arguments.value()?.into()),
            Long("no-panel") => up_options.panel = false,
            Long("city") => up_options.cities.push(arguments.value()?.string()?),
            Short('h') | Long("help") => return Ok(Task::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Task::Up(up_options))
}

fn parse_verify(mut arguments: lexopt::Parser) -> Result<Task, lexopt::Error> {
    let mut choice = verify::Choice::default();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("list") => return Ok(Task::List),
            Long("only") => choice.only.push(arguments.value()?.string()?),
            Long("quick") => choice.only.extend(steps::QUICK.map(str::to_owned)),
            Long("from") => choice.from = Some(arguments.value()?.string()?),
            Short('h') | Long("help") => return Ok(Task::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Task::Verify(choice))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(arguments: &[&str]) -> Result<Task, String> {
        parse(lexopt::Parser::from_args(arguments)).map_err(|e| e.to_string())
    }

    #[test]
    fn arguments_select_task_and_options() {
        let cities = vec!["Campinas/SP".to_owned(), "RJ".to_owned()];
        let up_options = up::UpOptions {
            listen: "127.0.0.1:1".to_owned(),
            data: Some("d".into()),
            panel: false,
            cities,
        };
        let words = [
            "up",
            "--listen",
            "127.0.0.1:1",
            "--data=d",
            "--no-panel",
            "--city=Campinas/SP",
            "--city",
            "RJ",
        ];
        assert_eq!(task(&words), Ok(Task::Up(up_options)));
        let choice = verify::Choice {
            only: vec!["fmt".to_owned(), "doc".to_owned()],
            from: None,
        };
        assert_eq!(
            task(&["verify", "--only", "fmt", "--only=doc"]),
            Ok(Task::Verify(choice))
        );
        assert_eq!(task(&["verify", "--list"]), Ok(Task::List));
        assert_eq!(task(&["woocommerce"]), Ok(Task::WooCommerce));
        assert_eq!(
            task(&["postman", "--out", "c.json"]),
            Ok(Task::Postman(Some("c.json".into())))
        );
        assert_eq!(task(&[]), Ok(Task::Help));
    }

    #[test]
    fn unknown_arguments_are_rejected() {
        assert!(task(&["down"]).is_err());
        assert!(task(&["component", "again"]).is_err());
        assert!(task(&["up", "--port", "1"]).is_err());
        assert!(task(&["up", "--listen"]).is_err());
    }
}
