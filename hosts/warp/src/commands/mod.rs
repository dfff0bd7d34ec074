//! The operator's commands.

mod archive;
mod error;
mod gazetteer;
mod geography;
mod health;
mod init;
mod installs;
mod lines;
mod load;
mod migrate;
mod missing;
mod operator;
mod places;
mod privacy;
mod progress;
mod roads;
mod serve;

use std::{path::Path, process::ExitCode};

use clap::Parser;
use despacho_core::rules::{pricing::Tariff, push::VapidKey};
use despacho_roads::streets::{self, StreetReport};

pub use self::error::CommandError;
use self::load::{load, load_service};
use crate::{
    cli::{
        ArchiveCommand, Cli, Command, CourierCommand, GazetteerCommand, KeyCommand, PlacesCommand,
        PushCommand, StoreCommand, StreetsCommand, TariffCommand,
    },
    config::{self, Config},
    error::StartError,
    server::print,
    store,
};

/// Runs the command given on the command line.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            return exit_code(Err(CommandError::Failed(format!(
                "cannot start the asynchronous runtime: {error}"
            ))));
        }
    };
    exit_code(runtime.block_on(run(cli.command)))
}

fn exit_code(result: Result<(), CommandError>) -> ExitCode {
    let Err(error) = result else {
        return ExitCode::SUCCESS;
    };
    use std::io::Write as _;
    // If standard error is closed, the error cannot be reported.
    let _ = writeln!(std::io::stderr(), "despacho: {error}");
    match error {
        CommandError::Usage(_) => ExitCode::from(2),
        CommandError::Failed(_) => ExitCode::from(1),
    }
}

async fn run(command: Command) -> Result<(), CommandError> {
    match command {
        Command::Init {
            new_secret,
            overrides,
        } => init::init(&load(&overrides)?.config, new_secret).await,
        Command::Serve(overrides) => serve::serve(load(&overrides)?).await,
        Command::Distances(overrides) => geography::distances(&load(&overrides)?.config).await,
        Command::Store(StoreCommand::Create(create)) => operator::create_store(*create).await,
        Command::Key(KeyCommand::Issue {
            store,
            name,
            expires_in_days,
            json,
            overrides,
        }) => operator::issue_key(&overrides, store, name, expires_in_days, json).await,
        Command::Key(KeyCommand::List { store, overrides }) => {
            operator::list_keys(&overrides, store).await
        }
        Command::Key(KeyCommand::Revoke { id, overrides }) => {
            operator::revoke_key(&overrides, id).await
        }
        Command::Courier(CourierCommand::Add {
            name,
            phone,
            email,
            document,
            profile_id,
            json,
            overrides,
        }) => {
            let new = serde_json::json!({
                "name": name, "phone": phone, "email": email, "document": document, "profileId": profile_id,
            });
            operator::add_courier(&overrides, new, json).await
        }
        Command::Courier(CourierCommand::Link {
            id,
            json,
            overrides,
        }) => operator::link_courier(&overrides, id, json).await,
        Command::Courier(CourierCommand::List { cursor, overrides }) => {
            operator::list_couriers(&overrides, cursor.as_deref()).await
        }
        Command::Push(PushCommand::Key) => print_push_key(),
        Command::Tariff(TariffCommand::Check { file }) => check_tariff(file.as_deref()),
        Command::Archive(args) => match &args.command {
            Some(ArchiveCommand::Show { file, order }) => archive::show(file, *order),
            None => archive::archive(&args.run).await,
        },
        Command::Privacy(command) => privacy::run(command).await,
        Command::Migrate { from, to } => migrate::migrate(from, to).await,
        Command::Backup { file, overrides } => {
            backup(&load_service(&overrides)?.config, &file).await
        }
        Command::Gazetteer(GazetteerCommand::Build { output, inputs }) => {
            gazetteer::build(&inputs, &output)
        }
        Command::Gazetteer(GazetteerCommand::Info { pack }) => gazetteer::info(&pack),
        Command::Gazetteer(GazetteerCommand::Lookup(lookup)) => gazetteer::look_up(*lookup),
        Command::Places(PlacesCommand::Install { places, overrides }) => {
            places::install(&load(&overrides)?.config, &places)
        }
        Command::Places(PlacesCommand::List { overrides }) => {
            places::list(&load(&overrides)?.config)
        }
        Command::Places(PlacesCommand::Update { places, overrides }) => {
            places::update(&load(&overrides)?.config, &places)
        }
        Command::Places(PlacesCommand::Remove { places, overrides }) => {
            places::remove(&load(&overrides)?.config, &places)
        }
        Command::Roads(command) => roads::run(command).await,
        Command::Streets(StreetsCommand::Build { extract, output }) => {
            build_streets(&extract, &output)
        }
        Command::Locate { overrides } => geography::locate(&load(&overrides)?.config).await,
        Command::Route => lines::route(),
        Command::Assign => lines::assign(),
        Command::Config(overrides) => Ok(print(load(&overrides)?.file.trim_end())?),
        Command::Healthcheck { overrides } => health::check(&load(&overrides)?.config).await,
    }
}

fn check_tariff(file: Option<&Path>) -> Result<(), CommandError> {
    match file {
        Some(file) => {
            let tariff = config::read_tariff(file)?;
            Ok(print(&format!(
                "{} contains the valid tariff {}",
                file.display(),
                tariff.version
            ))?)
        }
        None => {
            let text = serde_json::to_string_pretty(&Tariff::default())
                .map_err(|error| error.to_string())?;
            Ok(print(&text)?)
        }
    }
}

fn build_streets(extract: &Path, output: &Path) -> Result<(), CommandError> {
    let built = streets::build(extract, output);
    let report = built
        .map_err(|error| format!("no streets were built from {}: {error}", extract.display()))?;
    let StreetReport {
        features,
        tiles,
        bytes,
    } = report;
    Ok(print(&format!(
        "{}: {bytes} bytes, {features} roads, waters and parks in {tiles} tiles",
        output.display()
    ))?)
}

/// Prints the key as an environment variable, because flags are visible to other users of the
/// machine.
fn print_push_key() -> Result<(), CommandError> {
    // Nearly all numbers of 256 bits are private keys.
    let key = loop {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(StartError::Random)?;
        if let Some(key) = VapidKey::new(bytes) {
            break key;
        }
    };
    Ok(print(&format!(
        "DESPACHO_PUSH_VAPID_KEY={}\n# public key: {}",
        key.private_key(),
        key.public_key()
    ))?)
}

async fn backup(config: &Config, file: &Path) -> Result<(), CommandError> {
    let report = store::backup(config, file)
        .await
        .map_err(|error| format!("backup failed: {error}"))?;
    Ok(print(&format!(
        "copied {} to {}: {report}",
        config.database_file().display(),
        file.display()
    ))?)
}
