//! Layers: flags over environment over file over defaults. All faults are gathered before anything is refused.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches, Command, FromArgMatches, value_parser};

use super::{Config, Database, FIELDS, Field, read_tariff};

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nobody set it.
    Default,
    /// The configuration file.
    File(PathBuf),
    /// An environment variable.
    Environment(String),
    /// A flag.
    Flag(String),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Default => f.write_str("default"),
            Source::File(path) => write!(f, "file {}", path.display()),
            Source::Environment(variable) => write!(f, "environment {variable}"),
            Source::Flag(flag) => write!(f, "flag --{flag}"),
        }
    }
}

/// One thing that is wrong with the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The setting, or the file.
    pub what: String,
    /// Who set it.
    pub source: Source,
    /// What is wrong; never a secret's value.
    pub detail: String,
}

/// Everything that is wrong with the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the configuration has {} fault(s):", self.0.len())?;
        self.0.iter().try_for_each(|error| writeln!(f, "  {} ({}): {}", error.what, error.source, error.detail))
    }
}

/// The configuration and where each of its values came from, by key.
#[derive(Debug)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// The source of each value.
    pub sources: BTreeMap<&'static str, Source>,
    /// What deserves a line in the log: variables that look like settings and are none.
    pub warnings: Vec<String>,
}

/// What the command line gave.
#[derive(Clone, Debug, Default)]
pub struct CliOverrides {
    /// `--config`.
    pub file: Option<PathBuf>,
    /// The settings that flags gave, by key.
    pub values: Vec<(&'static str, String)>,
}

impl CliOverrides {
    /// Reads all layers.
    pub fn load(&self, environment: impl Iterator<Item = (OsString, OsString)>) -> Result<Loaded, ConfigErrors> {
        let environment: BTreeMap<String, String> = environment
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, value)| name.starts_with("DESPACHO_") && !value.is_empty())
            .collect();
        let file = self.file.clone().or_else(|| environment.get("DESPACHO_CONFIG").map(PathBuf::from));
        let mut reader = Reader::default();
        if let Some(file) = &file {
            reader.file(file);
        }
        for field in FIELDS {
            if let Some(text) = environment.get(&field.variable()) {
                reader.set(field, text, Source::Environment(field.variable()));
            }
            if let Some((_, text)) = self.values.iter().find(|(key, _)| *key == field.key) {
                reader.set(field, text, Source::Flag(field.flag()));
            }
        }
        let known = |name: &str| name == "DESPACHO_CONFIG" || FIELDS.iter().any(|field| field.variable() == name);
        let unknown = environment.keys().filter(|name| !known(name));
        let warnings = unknown.map(|name| format!("the environment variable {name} is no setting")).collect();
        reader.finish(warnings)
    }
}

/// A value that will hold unless a higher layer replaces it, or what is wrong with it.
#[derive(Default)]
struct Reader {
    values: BTreeMap<&'static str, (String, Source)>,
    errors: Vec<ConfigError>,
}

impl Reader {
    /// Keeps a value. A faulty one is a fault even where a higher layer replaces it: it was meant to be valid.
    fn set(&mut self, field: &'static Field, text: &str, source: Source) {
        match field.apply(&mut Config::default(), text) {
            Ok(()) => _ = self.values.insert(field.key, (text.to_owned(), source)),
            Err(detail) => self.errors.push(ConfigError { what: field.key.to_owned(), source, detail }),
        }
    }

    fn file(&mut self, path: &Path) {
        let source = Source::File(path.to_owned());
        let config_error = |detail: String| ConfigError { what: "config".to_owned(), source: source.clone(), detail };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => return self.errors.push(config_error(format!("cannot be read: {error}"))),
        };
        match text.parse::<toml::Table>() {
            Ok(table) => self.table(&table, "", &source),
            // The parser's own words quote the line, and the line may hold a secret.
            Err(error) => {
                self.errors.push(config_error(format!("is not TOML{}: {}", place(&text, &error), error.message())))
            }
        }
    }

    fn table(&mut self, table: &toml::Table, section: &str, source: &Source) {
        for (name, value) in table {
            let key = format!("{section}{name}");
            let prefix = format!("{key}.");
            let field = FIELDS.iter().find(|field| field.key == key);
            match (field, value, scalar(value)) {
                (Some(field), _, Some(text)) => self.set(field, &text, source.clone()),
                (None, toml::Value::Table(inner), _) if FIELDS.iter().any(|field| field.key.starts_with(&prefix)) => {
                    self.table(inner, &prefix, source);
                }
                (Some(_), ..) => self.reject(key, source, "must be a text, a number, true, false or a list of texts"),
                (None, ..) => self.reject(key, source, "is no setting; `despacho config` lists them all"),
            }
        }
    }

    fn reject(&mut self, what: String, source: &Source, detail: &str) {
        self.errors.push(ConfigError { what, source: source.clone(), detail: detail.to_owned() });
    }

    /// Builds the configuration, and checks what no field can check alone.
    fn finish(mut self, warnings: Vec<String>) -> Result<Loaded, ConfigErrors> {
        let (mut config, mut sources) = (Config::default(), BTreeMap::new());
        for field in FIELDS {
            let source = match self.values.get(field.key) {
                Some((text, source)) => {
                    // It was read once already.
                    let _ = field.apply(&mut config, text);
                    source.clone()
                }
                None => Source::Default,
            };
            sources.insert(field.key, source);
        }
        let missing = match (&config.tls_cert, &config.tls_key) {
            (Some(_), None) => Some(("tls.cert", "tls.key")),
            (None, Some(_)) => Some(("tls.key", "tls.cert")),
            _ => None,
        };
        if let Some((given, missing)) = missing {
            let source = sources.get(given).cloned().unwrap_or(Source::Default);
            self.reject(missing.to_owned(), &source, &format!("is needed where {given} is set"));
        }
        if config.geography.osrm.is_some() && config.geography.valhalla.is_some() {
            let source = sources.get("valhalla").cloned().unwrap_or(Source::Default);
            self.reject(
                "valhalla".to_owned(),
                &source,
                "stands beside osrm: one road service is asked, choose one of them",
            );
        }
        let heard_minutes = config.dispatch.max_position_age_minutes.min(config.dispatch.silence_timeout_minutes);
        if config.dispatch.position_seconds * 2 > heard_minutes * 60 {
            let key = "dispatch.position-seconds";
            let source = sources.get(key).cloned().unwrap_or(Source::Default);
            let detail = "must be at most half of dispatch.max-position-age-minutes and of dispatch.silence-timeout-minutes: \
                          couriers who say where they are would be taken for lost";
            self.reject(key.to_owned(), &source, detail);
        }
        self.shared_database(&config, &sources);
        if let Some(Err(detail)) = config.tariff.as_deref().map(read_tariff) {
            let source = sources.get("tariff").cloned().unwrap_or(Source::Default);
            self.reject("tariff".to_owned(), &source, &detail);
        }
        if self.errors.is_empty() { Ok(Loaded { config, sources, warnings }) } else { Err(ConfigErrors(self.errors)) }
    }
}

impl Reader {
    /// What a database that others share demands.
    fn shared_database(&mut self, config: &Config, sources: &BTreeMap<&'static str, Source>) {
        let Database::Postgres(address) = &config.database else { return };
        let source = sources.get("database").cloned().unwrap_or(Source::Default);
        if config.secret.is_none() {
            let detail = "is needed where the database is PostgreSQL: all instances sign with the same one. \
                          64 hexadecimal digits, as `openssl rand -hex 32` prints them";
            self.reject("secret".to_owned(), &source, detail);
        }
        if address.has_password() && matches!(source, Source::Flag(_)) {
            let detail = "has a password, and other users of the machine can read flags: \
                          put it into DESPACHO_DATABASE or the file";
            self.reject("database".to_owned(), &source, detail);
        }
    }
}

/// A scalar, or a list of texts, as the text that a flag would have.
fn scalar(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Float(number) => Some(number.to_string()),
        toml::Value::Boolean(value) => Some(value.to_string()),
        toml::Value::Array(items) => {
            items.iter().map(toml::Value::as_str).collect::<Option<Vec<_>>>().map(|texts| texts.join(","))
        }
        toml::Value::Datetime(_) | toml::Value::Table(_) => None,
    }
}

/// The line of a TOML fault.
fn place(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    before.map(|before| format!(" at line {}", before.matches('\n').count() + 1)).unwrap_or_default()
}

impl clap::Args for CliOverrides {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("A TOML file with settings, by the keys that `despacho config` lists [env: DESPACHO_CONFIG]");
        let flags = FIELDS.iter().filter(|field| !field.secret).map(|field| {
            let flag = Arg::new(field.key).long(field.flag()).value_name(field.unit).help(field.describe());
            let switch = field.unit == "true|false";
            let flag = flag.help_heading("Settings");
            if switch { flag.num_args(0..=1).require_equals(true).default_missing_value("true") } else { flag }
        });
        command.arg(file).args(flags)
    }

    fn augment_args_for_update(command: Command) -> Command {
        CliOverrides::augment_args(command)
    }
}

impl FromArgMatches for CliOverrides {
    fn from_arg_matches(matches: &ArgMatches) -> Result<CliOverrides, clap::Error> {
        let flags = FIELDS.iter().filter(|field| !field.secret);
        let values =
            flags.filter_map(|field| Some((field.key, matches.get_one::<String>(field.key)?.clone()))).collect();
        Ok(CliOverrides { file: matches.get_one::<PathBuf>("config").cloned(), values })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = CliOverrides::from_arg_matches(matches)?;
        Ok(())
    }
}
