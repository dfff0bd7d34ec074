//! The command line.

mod privacy;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use despacho_core::model::Timestamp;

pub use self::privacy::PrivacyCommand;
use crate::config::CliOverrides;

/// Despacho: delivery dispatch for merchants.
#[derive(Debug, Parser)]
#[command(
    name = "despacho",
    version,
    max_term_width = 120,
    after_help = "Settings come from flags, then environment variables DESPACHO_*, then the file of --config, then defaults; \
                  `despacho config` prints them all.\n\nExit codes: 0 done; 1 it failed; 2 the command line or the configuration is wrong."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a new service: the data folder, its secret and its database.
    ///
    /// Once, before `despacho serve`, which rejects a folder without a database: a mistyped path must not become a second, empty
    /// service. What exists already is left as it is. On PostgreSQL it creates the tables.
    Init {
        /// Create a secret beside an existing database whose own is lost. Promised prices and the secrets of all webhooks become
        /// invalid; keys stay valid.
        #[arg(long)]
        new_secret: bool,
        /// Settings, of which the folder and the database matter.
        #[command(flatten)]
        given: CliOverrides,
    },
    /// Serve the API until SIGTERM or SIGINT.
    ///
    /// Prints `ready http://ADDRESS:PORT` on standard output once it accepts connections; the log goes to standard error. Told
    /// to stop, it accepts no more, finishes what it accepted, and closes the database. Told twice, it stops at once.
    Serve(CliOverrides),
    /// Measure road legs as the service does, one JSON object per line.
    ///
    /// In, on standard input: `{"points": [[latitude, longitude]]}`, at most 1000. Out: `{"metres": [[…]], "seconds": [[…]],
    /// "estimated": [[…]], "ms"}`, row by row from each point to each; estimated is true where a road network is configured and
    /// could not tell, so that the embedded model stands in. Without a road network every leg is the model's, and none is marked.
    /// Errors as in `route`.
    Matrix(CliOverrides),
    /// Stores.
    #[command(subcommand)]
    Store(StoreCommand),
    /// API keys of stores.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Couriers.
    #[command(subcommand)]
    Courier(CourierCommand),
    /// Tariffs.
    #[command(subcommand)]
    Tariff(TariffCommand),
    /// Write a copy of the database to a file, while it is being served or not.
    ///
    /// The copy is whole and consistent, and can be put in the place of the database. The file must not exist. The secret in the
    /// data folder is not part of it: keep a copy of that as well.
    Backup {
        /// The file to write.
        file: PathBuf,
        /// Settings.
        #[command(flatten)]
        given: CliOverrides,
    },
    /// Move the history of orders that ended long ago from the database to files; or, with `show`, print such a file.
    ///
    /// The orders themselves stay, as do money and everything that has not ended: `GET /delivery/orders/{id}` gives an archived order
    /// without events, and who reads the journal from before them is told `events_archived`. A file holds one order a line, with its
    /// events, in JSON. It is flushed before its rows go: an interrupted run loses nothing, and the next one writes again what had not
    /// gone yet. Works while the database is being served.
    #[command(args_conflicts_with_subcommands = true)]
    Archive(Box<ArchiveArgs>),
    /// Export or erase the personal data of a recipient, and list what was erased.
    ///
    /// Works on the configured database, while it is being served or not.
    #[command(subcommand)]
    Privacy(PrivacyCommand),
    /// Copy everything from one database to another, SQLite or PostgreSQL, and compare both row by row.
    ///
    /// The target must be empty; it gets the tables it needs. A file that is copied from is kept from being written to meanwhile, and
    /// left as it is; servers on PostgreSQL must be stopped. Take the secret along.
    Migrate {
        /// A file, or postgres://...; without it the environment variable DESPACHO_MIGRATE_FROM, for an address with a password.
        #[arg(long, value_name = "DATABASE")]
        from: Option<String>,
        /// The same; without it DESPACHO_MIGRATE_TO.
        #[arg(long, value_name = "DATABASE")]
        to: Option<String>,
    },
    /// Answer visiting orders: one JSON object a line on standard input, one a line on standard output.
    ///
    /// In: `{"matrix": [[metres]], "closed": false, "start": 0}`, where null is a road that does not exist;
    /// `"pins": [{"stop": 2, "pin": "last"}]` holds a stop first or last; `"work"` limits the search (about a nanosecond each).
    /// Out: `{"order": [every index but start], "cost": metres, "proven": whether no order is shorter, "bound": no order is
    /// shorter than that, "ms"}`. A line without an answer gives `{"error": code, "detail"}`, and the exit code is 1 at the end.
    Route,
    /// Answer assignments: one JSON object a line on standard input, one a line on standard output.
    ///
    /// In: `{"costs": [[number]]}`, where null is a pair that is not allowed; `"unassigned"` is the price of a row without a
    /// column. Out: `{"assign": [column or -1, one for each row], "cost", "ms"}`. Errors as in `route`.
    Assign,
    /// Gazetteer packs: addresses by street and number, CEP and CEP5, from the national register.
    #[command(subcommand)]
    Gazetteer(GazetteerCommand),
    /// Say where the service sees addresses: one JSON object a line on standard input, one a line on standard output.
    ///
    /// In: the API's address, `{"street", "number", "neighborhood", "city", "state", "zipCode", "latitude", "longitude"}`, as much
    /// of it as there is. Out: `{"latitude", "longitude", "precision", "radiusMetres", "source"}`, where source is coordinates,
    /// gazetteer, embedded or a geocoder's name. A line without a place that the service accepts gives `{"error": code, "detail"}`,
    /// beside the place where there is one, and the exit code is 1 at the end.
    Locate {
        /// Settings, of which those of places matter.
        #[command(flatten)]
        given: CliOverrides,
    },
    /// Print the effective configuration as a configuration file: each setting, its source and its meaning. Secrets are redacted.
    Config(CliOverrides),
    /// Ask the server that runs with this configuration whether it is ready; exit code 0 says yes. For containers.
    Healthcheck {
        /// Settings, of which the address and whether it speaks HTTPS matter.
        #[command(flatten)]
        given: CliOverrides,
    },
}

/// Archiving, or looking into an archive.
#[derive(Debug, Args)]
pub struct ArchiveArgs {
    /// Archives that were written.
    #[command(subcommand)]
    pub command: Option<ArchiveCommand>,
    /// What is archived.
    #[command(flatten)]
    pub run: ArchiveRun,
}

/// What is archived, and where to.
#[derive(Debug, Args)]
pub struct ArchiveRun {
    /// Orders whose last event happened before this: a day, which begins at midnight UTC, or an instant.
    #[arg(long, value_name = "2026-06-01", value_parser = day, conflicts_with = "older_than")]
    pub before: Option<Timestamp>,
    /// The same by how long ago; at least seven days.
    #[arg(long, value_name = "180d", value_parser = days)]
    pub older_than: Option<u32>,
    /// The folder for the files, which must be there.
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
    /// Only say what would be archived.
    #[arg(long)]
    pub dry_run: bool,
    /// Settings.
    #[command(flatten)]
    pub given: CliOverrides,
}

/// Archives that were written.
#[derive(Debug, Subcommand)]
pub enum ArchiveCommand {
    /// Print a file's records as JSON, one order a line.
    Show {
        /// The file.
        file: PathBuf,
        /// Only this order; exit code 1 says that the file does not hold it.
        #[arg(long, value_name = "NUMBER")]
        order: Option<u64>,
    },
}

fn day(text: &str) -> Result<Timestamp, String> {
    let whole = Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}T00:00:00Z")));
    whole.ok_or_else(|| "a day such as 2026-06-01, or an instant such as 2026-06-01T03:00:00Z".to_owned())
}

fn days(text: &str) -> Result<u32, String> {
    let days = text.strip_suffix('d').and_then(|days| days.parse().ok());
    days.ok_or_else(|| "a number of days such as 180d".to_owned())
}

/// Stores.
#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Create a parent store, the first store of a merchant, and print its ID and its key. The key is returned only once.
    ///
    /// Works on the configured database, also while it is being served.
    Create(Box<CreateStore>),
}

/// The first store of a merchant.
#[derive(Debug, Args)]
pub struct CreateStore {
    /// The business registration number, in digits or with letters; punctuation is tolerated.
    #[arg(long)]
    pub cnpj: String,
    /// The store's name, 5 to 255 characters.
    #[arg(long)]
    pub name: String,
    /// The person in charge.
    #[arg(long, value_name = "NAME")]
    pub responsible: String,
    /// That person's telephone, +5592991000000.
    #[arg(long, value_name = "E.164")]
    pub phone: String,
    /// Contact and login address.
    #[arg(long)]
    pub email: String,
    /// Read the login password, 10 to 128 characters, from the first line of standard input. Without it one is made and printed.
    #[arg(long)]
    pub password_stdin: bool,
    /// Where the store is: street.
    #[arg(long)]
    pub street: String,
    /// The house number; S/N where there is none.
    #[arg(long)]
    pub number: String,
    /// Floor, suite and the like.
    #[arg(long)]
    pub complement: Option<String>,
    /// The neighbourhood.
    #[arg(long)]
    pub neighborhood: Option<String>,
    /// The city.
    #[arg(long)]
    pub city: String,
    /// The state's two letters, as AM or SP.
    #[arg(long, value_name = "UF")]
    pub state: String,
    /// The postal code, 8 digits.
    #[arg(long, value_name = "CEP")]
    pub zip_code: Option<String>,
    /// Degrees north; needs --longitude.
    #[arg(long, allow_negative_numbers = true, requires = "longitude")]
    pub latitude: Option<f64>,
    /// Degrees east; needs --latitude.
    #[arg(long, allow_negative_numbers = true, requires = "latitude")]
    pub longitude: Option<f64>,
    /// The business: 1 food, 2 pharmacy, 3 groceries, 4 beverages, 5 pets, 6 flowers and gifts, 7 documents, 8 other.
    #[arg(long, default_value_t = 1, value_name = "1-8")]
    pub category: u32,
    /// Create a sandbox store for testing an integration: simulated couriers carry its orders, and its fees are never billed.
    #[arg(long)]
    pub sandbox: bool,
    /// Print the whole answer as JSON.
    #[arg(long)]
    pub json: bool,
    /// Settings.
    #[command(flatten)]
    pub given: CliOverrides,
}

/// API keys of stores.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Issue a key for a store and print it; it is told this once.
    Issue {
        /// The store's number.
        #[arg(long)]
        store: u64,
        /// What people call the key.
        #[arg(long)]
        name: Option<String>,
        /// Days that it is valid; without it as long as the setting keys.days says.
        #[arg(long, value_name = "DAYS")]
        expires_in_days: Option<u32>,
        /// Print the whole answer as JSON.
        #[arg(long)]
        json: bool,
        /// Settings.
        #[command(flatten)]
        given: CliOverrides,
    },
    /// List a store's keys as JSON, newest first, without their text.
    List {
        /// The store's number.
        #[arg(long)]
        store: u64,
        /// Settings.
        #[command(flatten)]
        given: CliOverrides,
    },
    /// Revoke a key by its number: from then on it is refused.
    Revoke {
        /// The key's number, as `key list` prints it.
        id: u64,
        /// Settings.
        #[command(flatten)]
        given: CliOverrides,
    },
}

/// Gazetteer packs.
#[derive(Debug, Subcommand)]
pub enum GazetteerCommand {
    /// Make a pack from files of the register (IBGE CNEFE 2022): zip or csv, or folders of them.
    ///
    /// Reads any number of rows in bounded memory, with unfinished work in a folder beside the pack. Malformed rows are left out,
    /// counted and named. The pack appears under its name when it is whole; an older one of that name is replaced.
    Build {
        /// The pack to write.
        #[arg(long, value_name = "PACK")]
        output: PathBuf,
        /// Files, and folders whose csv and zip files are read.
        #[arg(required = true, value_name = "FILE|FOLDER")]
        inputs: Vec<PathBuf>,
    },
    /// Check a pack byte by byte and print what is in it.
    Info {
        /// The pack.
        pack: PathBuf,
    },
    /// Look an address up in a pack alone, and print the place; exit code 1 says that the pack does not know it.
    Lookup(Box<Lookup>),
}

/// An address to look up.
#[derive(Debug, Args)]
pub struct Lookup {
    /// The pack.
    pub pack: PathBuf,
    /// Street with its kind.
    #[arg(long)]
    pub street: Option<String>,
    /// The house number.
    #[arg(long)]
    pub number: Option<String>,
    /// The city; with --state.
    #[arg(long, requires = "state")]
    pub city: Option<String>,
    /// The state's two letters, as AM or SP.
    #[arg(long, value_name = "UF")]
    pub state: Option<String>,
    /// The postal code, 8 digits.
    #[arg(long, value_name = "CEP")]
    pub zip_code: Option<String>,
}

/// Tariffs.
#[derive(Debug, Subcommand)]
pub enum TariffCommand {
    /// Check a tariff file and print everything that is wrong with it.
    Check {
        /// The tariff as JSON; without it the built-in tariff is printed, to start one's own from.
        file: Option<PathBuf>,
    },
}

/// Couriers.
#[derive(Debug, Subcommand)]
pub enum CourierCommand {
    /// Register a courier and print the number and the key, which is told this once.
    Add {
        /// Full name.
        #[arg(long)]
        name: String,
        /// The courier's telephone, +5511990000001.
        #[arg(long, value_name = "E.164")]
        phone: String,
        /// Contact address.
        #[arg(long)]
        email: Option<String>,
        /// CPF or another document.
        #[arg(long)]
        document: Option<String>,
        /// The courier's profile in your own records.
        #[arg(long, value_name = "NUMBER")]
        profile_id: Option<u64>,
        /// Print the whole answer as JSON.
        #[arg(long)]
        json: bool,
        /// Settings.
        #[command(flatten)]
        given: CliOverrides,
    },
    /// List couriers as JSON, a hundred at once, removed ones too.
    List {
        /// `nextCursor` of the page before.
        #[arg(long)]
        cursor: Option<String>,
        /// Settings.
        #[command(flatten)]
        given: CliOverrides,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_and_days_have_their_letter() {
        assert_eq!(day("2026-06-01"), day("2026-06-01T00:00:00Z"));
        assert!(day("2026-06-01").is_ok() && day("June").is_err() && day("2026-13-01").is_err());
        assert_eq!(days("180d"), Ok(180));
        assert!(days("180").is_err() && days("-1d").is_err() && days("d").is_err());
    }
}
