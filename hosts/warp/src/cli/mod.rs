//! The command line.

mod geography;
mod privacy;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use despacho_core::model::Timestamp;

pub use self::{
    geography::{
        GazetteerCommand, Lookup, PlacesCommand, RoadsCommand, RoadsInstall, StreetsCommand,
    },
    privacy::PrivacyCommand,
};
use crate::config::CliOverrides;

/// Despacho: delivery dispatch for merchants.
#[derive(Debug, Parser)]
#[command(
    name = "despacho",
    version,
    max_term_width = 120,
    after_help = "Settings come from flags, then environment variables DESPACHO_*, then the file of --config, then defaults; \
                  `despacho config` prints them all.\n\nExit codes: 0 success; 1 failure; 2 invalid command line or configuration."
)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a new service: the data folder, its secret and its database.
    ///
    /// Run it once, before `despacho serve`, which rejects a folder without a database: a mistyped
    /// path must not create a second, empty service. Existing files are not changed. On PostgreSQL
    /// it creates the tables.
    Init {
        /// Create a new secret for an existing database whose secret is lost. Quoted prices and all
        /// webhook secrets become invalid; API keys stay valid.
        #[arg(long)]
        new_secret: bool,
        /// Settings. Only the data folder and the database are used.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// Serve the API until SIGTERM or SIGINT.
    ///
    /// Prints `ready http://ADDRESS:PORT` on standard output when it accepts connections; the log
    /// goes to standard error. On a signal it accepts no more connections, completes the requests
    /// in progress and closes the database. A second signal stops it at once.
    Serve(CliOverrides),
    /// Measure road distances and durations as the service does, one JSON object per line.
    ///
    /// Input: `{"points": [[latitude, longitude]]}`, at most 1000. Output:
    /// `{"metres": [[…]], "seconds": [[…]], "estimated": [[…]], "ms"}`, one row for each origin and
    /// one column for each destination. `estimated` is true for a leg that the configured road
    /// service could not measure and the embedded model estimated. Without a road service the model
    /// computes all legs and none is marked. Errors are reported as by `route`.
    Distances(CliOverrides),
    /// Manage stores.
    #[command(subcommand)]
    Store(StoreCommand),
    /// Manage the API keys of stores.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Manage couriers.
    #[command(subcommand)]
    Courier(CourierCommand),
    /// Create keys for pushes to couriers.
    #[command(subcommand)]
    Push(PushCommand),
    /// Check tariffs.
    #[command(subcommand)]
    Tariff(TariffCommand),
    /// Write a copy of the SQLite database to a file, also while a server uses it.
    ///
    /// The copy is complete and consistent, and can replace the database. The file must not exist.
    /// The secret in the data folder is not included: back it up separately.
    Backup {
        /// The file to write.
        file: PathBuf,
        /// Settings.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// Move the history of old ended orders from the database to files; or, with `show`, print such
    /// a file.
    ///
    /// The orders themselves, their ledger entries and all open orders stay in the database.
    /// `GET /delivery/orders/{id}` returns an archived order without events, and a journal cursor
    /// before archived events returns `events_archived`. A file contains one JSON object per line:
    /// an order with its events. It is flushed before its rows are deleted: an interrupted run
    /// loses nothing, and the next run writes the remaining orders again. Works while a server uses
    /// the database.
    #[command(args_conflicts_with_subcommands = true)]
    Archive(Box<ArchiveArgs>),
    /// Export or erase the personal data of a recipient, and list erasures.
    ///
    /// Works on the configured database, also while a server uses it.
    #[command(subcommand)]
    Privacy(PrivacyCommand),
    /// Copy a database to another one, SQLite or PostgreSQL, and compare both row by row.
    ///
    /// The target must be empty; its tables are created. A source file is locked against writes
    /// during the copy and is not changed. Stop all servers on a PostgreSQL source. The new service
    /// needs the secret of the old one.
    Migrate {
        /// The source: a file or a postgres:// URL. Default: the environment variable
        /// DESPACHO_MIGRATE_FROM, for a URL with a password.
        #[arg(long, value_name = "DATABASE")]
        from: Option<String>,
        /// The target: a file or a postgres:// URL. Default: the environment variable
        /// DESPACHO_MIGRATE_TO.
        #[arg(long, value_name = "DATABASE")]
        to: Option<String>,
    },
    /// Compute stop orders: one JSON object per line on standard input, one per line on standard
    /// output.
    ///
    /// Input: `{"matrix": [[metres]], "closed": false, "start": 0}`, where null is a missing road;
    /// `"pins": [{"stop": 2, "pin": "last"}]` fixes a stop as first or last; `"work"` limits the
    /// search, in units of about a nanosecond. Output:
    /// `{"order": [every index but start], "cost": metres, "proven": true if no order is shorter, "bound": a lower bound of the cost, "ms"}`.
    /// A line that fails returns `{"error": code, "detail"}`, and the exit code is then 1.
    Route,
    /// Compute assignments: one JSON object per line on standard input, one per line on standard
    /// output.
    ///
    /// Input: `{"costs": [[number]]}`, where null is a forbidden pair; `"unassigned"` is the cost
    /// of a row without a column. Output:
    /// `{"assign": [column or -1, one for each row], "cost", "ms"}`. Errors are reported as by
    /// `route`.
    Assign,
    /// Download the national address register of cities and states, so that addresses are located
    /// by street and number.
    #[command(subcommand)]
    Places(PlacesCommand),
    /// Download the roads around the stores from OpenStreetMap, so that distances are measured on
    /// roads.
    #[command(subcommand)]
    Roads(RoadsCommand),
    /// Build and inspect gazetteer packs: addresses by street and number, CEP and CEP5, from the
    /// national register.
    #[command(subcommand)]
    Gazetteer(GazetteerCommand),
    /// Build the streets of the panel's map.
    #[command(subcommand)]
    Streets(StreetsCommand),
    /// Locate addresses as the service does: one JSON object per line on standard input, one per
    /// line on standard output.
    ///
    /// Input: an address of the API,
    /// `{"street", "number", "neighborhood", "city", "state", "zipCode", "latitude", "longitude"}`;
    /// all fields are optional. Output:
    /// `{"latitude", "longitude", "precision", "radiusMetres", "source"}`, where `source` is
    /// `coordinates`, `gazetteer`, `embedded` or the name of a geocoder. An address without an
    /// accepted location returns `{"error": code, "detail"}`, with the location if there is one.
    /// The exit code is then 1.
    Locate {
        /// Settings. Only those of locations are used.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// Print the effective configuration as a configuration file: each setting, its source and its
    /// meaning. Secrets are redacted.
    Config(CliOverrides),
    /// Check that the server with this configuration is ready; exit code 0 if it is. For
    /// containers.
    Healthcheck {
        /// Settings. Only the address and the certificate are used.
        #[command(flatten)]
        overrides: CliOverrides,
    },
}

/// Arguments of `archive`.
#[derive(Debug, Args)]
pub struct ArchiveArgs {
    /// Work with existing files.
    #[command(subcommand)]
    pub command: Option<ArchiveCommand>,
    /// The orders to archive.
    #[command(flatten)]
    pub run: ArchiveRun,
}

/// The orders to archive and the target folder.
#[derive(Debug, Args)]
pub struct ArchiveRun {
    /// Archive orders whose last event is older than this day (midnight UTC) or timestamp.
    #[arg(long, value_name = "2026-06-01", value_parser = day, conflicts_with = "older_than")]
    pub before: Option<Timestamp>,
    /// Archive orders whose last event is older than this number of days, at least 7d.
    #[arg(long, value_name = "180d", value_parser = days)]
    pub older_than: Option<u32>,
    /// The folder for the files, which must exist.
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
    /// Only print what would be archived.
    #[arg(long)]
    pub dry_run: bool,
    /// Settings.
    #[command(flatten)]
    pub overrides: CliOverrides,
}

/// Commands for existing archive files.
#[derive(Debug, Subcommand)]
pub enum ArchiveCommand {
    /// Print a file's records as JSON, one order per line.
    Show {
        /// The file.
        file: PathBuf,
        /// Print only this order; exit code 1 if the file does not contain it.
        #[arg(long, value_name = "ID")]
        order: Option<u64>,
    },
}

fn day(text: &str) -> Result<Timestamp, String> {
    let whole = Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}T00:00:00Z")));
    whole.ok_or_else(|| {
        "expected a day such as 2026-06-01, or a timestamp such as 2026-06-01T03:00:00Z".to_owned()
    })
}

fn days(text: &str) -> Result<u32, String> {
    let days = text.strip_suffix('d').and_then(|days| days.parse().ok());
    days.ok_or_else(|| "expected a number of days such as 180d".to_owned())
}

/// Stores.
#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Create a parent store, the first store of a merchant, and print its ID and its API key. The
    /// key is shown only once.
    ///
    /// Works on the configured database, also while a server uses it.
    Create(Box<CreateStore>),
}

/// The first store of a merchant.
#[derive(Debug, Args)]
pub struct CreateStore {
    /// The business registration number (CNPJ), numeric or alphanumeric, with or without
    /// punctuation.
    #[arg(long)]
    pub cnpj: String,
    /// The store's name, 5 to 255 characters.
    #[arg(long)]
    pub name: String,
    /// The name of the person in charge.
    #[arg(long, value_name = "NAME")]
    pub responsible: String,
    /// The phone number of the person in charge, such as +5592991000000.
    #[arg(long, value_name = "E.164")]
    pub phone: String,
    /// The email address for contact and login.
    #[arg(long)]
    pub email: String,
    /// Read the login password, 10 to 128 characters, from the first line of standard input.
    /// Default: generate and print one.
    #[arg(long)]
    pub password_stdin: bool,
    /// The street of the store's address.
    #[arg(long)]
    pub street: String,
    /// The house number; S/N if there is none.
    #[arg(long)]
    pub number: String,
    /// Floor, suite or other details.
    #[arg(long)]
    pub complement: Option<String>,
    /// The neighbourhood.
    #[arg(long)]
    pub neighborhood: Option<String>,
    /// The city.
    #[arg(long)]
    pub city: String,
    /// The two letters of the state, such as AM or SP.
    #[arg(long, value_name = "UF")]
    pub state: String,
    /// The postal code, 8 digits.
    #[arg(long, value_name = "CEP")]
    pub zip_code: Option<String>,
    /// The latitude in degrees; requires --longitude. Default: located from the address.
    #[arg(long, allow_negative_numbers = true, requires = "longitude")]
    pub latitude: Option<f64>,
    /// The longitude in degrees; requires --latitude.
    #[arg(long, allow_negative_numbers = true, requires = "latitude")]
    pub longitude: Option<f64>,
    /// The kind of business: 1 food, 2 pharmacy, 3 groceries, 4 beverages, 5 pets, 6 flowers and
    /// gifts, 7 documents, 8 other.
    #[arg(long, default_value_t = 1, value_name = "1-8")]
    pub category: u32,
    /// Create a sandbox store for testing an integration: simulated couriers carry its orders, and
    /// its fees are never billed.
    #[arg(long)]
    pub sandbox: bool,
    /// Print the complete response as JSON.
    #[arg(long)]
    pub json: bool,
    /// Settings.
    #[command(flatten)]
    pub overrides: CliOverrides,
}

/// API keys of stores.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Issue a key for a store and print it. The key is shown only once.
    Issue {
        /// The store's ID.
        #[arg(long)]
        store: u64,
        /// A name to recognise the key by.
        #[arg(long)]
        name: Option<String>,
        /// Days until the key expires. Default: the setting keys.days.
        #[arg(long, value_name = "DAYS")]
        expires_in_days: Option<u32>,
        /// Print the complete response as JSON.
        #[arg(long)]
        json: bool,
        /// Settings.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// List a store's keys as JSON, newest first, without their values.
    List {
        /// The store's ID.
        #[arg(long)]
        store: u64,
        /// Settings.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// Revoke a key by its ID: the service rejects it from then on.
    Revoke {
        /// The key's ID, as `key list` prints it.
        id: u64,
        /// Settings.
        #[command(flatten)]
        overrides: CliOverrides,
    },
}

/// Pushes to couriers.
#[derive(Debug, Subcommand)]
pub enum PushCommand {
    /// Print a new private key for the setting push.vapid-key, and its public key. Nothing is
    /// stored.
    Key,
}

/// Tariffs.
#[derive(Debug, Subcommand)]
pub enum TariffCommand {
    /// Check a tariff file and print all its errors.
    Check {
        /// The tariff as JSON. Default: print the built-in tariff, as a template for your own.
        file: Option<PathBuf>,
    },
}

/// Couriers.
#[derive(Debug, Subcommand)]
pub enum CourierCommand {
    /// Register a courier and print the ID and the API key. The key is shown only once.
    Add {
        /// Full name.
        #[arg(long)]
        name: String,
        /// The courier's phone number, such as +5511990000001.
        #[arg(long, value_name = "E.164")]
        phone: String,
        /// The contact email address.
        #[arg(long)]
        email: Option<String>,
        /// CPF or another document.
        #[arg(long)]
        document: Option<String>,
        /// The ID of the courier's profile in your own records.
        #[arg(long, value_name = "ID")]
        profile_id: Option<u64>,
        /// Print the complete response as JSON.
        #[arg(long)]
        json: bool,
        /// Settings.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// Issue a link with which a courier signs in to the courier's app, and print it. The link
    /// works once.
    ///
    /// It replaces the courier's previous link, and expires after the setting
    /// couriers.sign-in-minutes. Without the setting public-url, only the code of the link is
    /// printed. Works on the configured database, also while a server uses it.
    Link {
        /// The courier's ID.
        id: u64,
        /// Print the complete response as JSON.
        #[arg(long)]
        json: bool,
        /// Settings.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// List couriers as JSON, 100 per page, including removed ones.
    List {
        /// `nextCursor` of the previous page.
        #[arg(long)]
        cursor: Option<String>,
        /// Settings.
        #[command(flatten)]
        overrides: CliOverrides,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_starts_at_midnight_and_days_need_a_suffix() {
        assert_eq!(day("2026-06-01"), day("2026-06-01T00:00:00Z"));
        assert!(day("2026-06-01").is_ok() && day("June").is_err() && day("2026-13-01").is_err());
        assert_eq!(days("180d"), Ok(180));
        assert!(days("180").is_err() && days("-1d").is_err() && days("d").is_err());
    }
}
