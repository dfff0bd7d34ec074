//! Reads the settings: flags over environment over file over defaults, with all errors at once.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches, Command, FromArgMatches, value_parser};
use despacho_shell::settings::{self, ConfigErrors, Host, Kind, Reader, Setting, Source};
use serde_json::Value;

use super::{
    prepare::read_tariff,
    types::{Config, Database},
};
use crate::{
    mail::{Relay, Sender},
    peer::Network,
};

/// The configuration, with the value and source of each setting.
#[derive(Debug)]
pub struct LoadedConfig {
    /// The configuration.
    pub config: Config,
    /// The configuration as a file.
    pub file: String,
    /// For each key its value, empty if unset and redacted if secret, and its source.
    pub values: BTreeMap<&'static str, (String, Source)>,
    /// Lines for the log: variables with the prefix of settings that are not settings.
    pub warnings: Vec<String>,
}

/// The settings on the command line.
#[derive(Clone, Debug, Default)]
pub struct CliOverrides {
    /// `--config`.
    pub file: Option<PathBuf>,
    /// The settings given by flags.
    pub values: Vec<(&'static Setting, String)>,
}

impl CliOverrides {
    /// Reads all sources.
    pub fn load(
        &self,
        environment: impl Iterator<Item = (OsString, OsString)>,
    ) -> Result<LoadedConfig, ConfigErrors> {
        let environment: BTreeMap<String, String> = environment
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, value)| name.starts_with("DESPACHO_") && !value.is_empty())
            .collect();
        let file = self
            .file
            .clone()
            .or_else(|| environment.get("DESPACHO_CONFIG").map(PathBuf::from));
        let mut reader = Reader::new(Host::Server);
        if let Some(file) = &file {
            read_file(&mut reader, file);
        }
        for setting in Setting::of(Host::Server) {
            let name = setting.environment();
            if let Some(text) = environment.get(&name) {
                reader.set(setting, text, Source::Environment(name));
            }
        }
        for (setting, text) in &self.values {
            reader.set(setting, text, Source::Flag(setting.flag()));
        }
        finish(
            reader,
            environment
                .keys()
                .filter_map(|name| unknown_variable(name))
                .collect(),
        )
    }
}

impl Config {
    /// Returns the default of every setting.
    ///
    /// # Errors
    /// An error of the table of settings.
    pub fn defaults() -> Result<Config, ConfigErrors> {
        CliOverrides::default()
            .load(std::iter::empty())
            .map(|loaded| loaded.config)
    }
}

/// Returns the warning about a variable that is not a setting, with the nearest name of one. It is
/// not an error, because platforms set variables of their own with the name of a service, such as
/// `DESPACHO_SERVICE_HOST` in Kubernetes.
fn unknown_variable(name: &str) -> Option<String> {
    let known = Setting::of(Host::Server)
        .map(Setting::environment)
        .chain(["DESPACHO_CONFIG".to_owned()]);
    let mut nearest: Option<(usize, String)> = None;
    for known in known {
        let distance = strsim::osa_distance(name, &known);
        if distance == 0 {
            return None;
        }
        if nearest.as_ref().is_none_or(|(least, _)| distance < *least) {
            nearest = Some((distance, known));
        }
    }
    // All names share their first nine letters.
    let nearest = nearest
        .filter(|(distance, _)| distance * 3 <= name.len().saturating_sub("DESPACHO_".len()));
    let hint = nearest
        .map(|(_, known)| format!("; did you mean {known}?"))
        .unwrap_or_default();
    Some(format!(
        "the environment variable {name} is not a setting and has no effect{hint}"
    ))
}

fn read_file(reader: &mut Reader, path: &Path) {
    let source = Source::File(path.display().to_string());
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return reader.reject("config", &source, format!("cannot be read: {error}")),
    };
    match text.parse::<toml::Table>().map(serde_json::to_value) {
        Ok(Ok(Value::Object(object))) => reader.set_all(&object, &source),
        Ok(_) => reader.reject("config", &source, "has values that are not settings"),
        // The parser's Display quotes the line, which can contain a secret.
        Err(error) => {
            reader.reject(
                "config",
                &source,
                format!("is not TOML{}: {}", line(&text, &error), error.message()),
            );
        }
    }
}

/// Checks what only this host can check, and builds the configuration.
fn finish(mut reader: Reader, warnings: Vec<String>) -> Result<LoadedConfig, ConfigErrors> {
    for (first, second) in [("tls.cert", "tls.key"), ("smtp.url", "smtp.from")] {
        let missing = match (reader.text(first), reader.text(second)) {
            (Some(_), None) => Some((first, second)),
            (None, Some(_)) => Some((second, first)),
            _ => None,
        };
        if let Some((given, missing)) = missing {
            reader.reject(
                missing,
                &reader.source(given),
                format!("is required with {given}"),
            );
        }
    }
    permit_loopback_in_demo(&mut reader);
    reader.parse("smtp.url", |text| Relay::parse(text).map(drop));
    reader.parse("smtp.from", |text| Sender::parse(text).map(drop));
    reader.parse("trusted-proxies", |text| {
        text.split(',').try_for_each(check_network)
    });
    reader.parse("tariff", |file| {
        read_tariff(Path::new(file)).map_err(|error| error.to_string())
    });
    if let Some(Database::Postgres(address)) = reader.parse("database", |text| {
        Database::parse(text).map_err(|error| error.to_string())
    }) {
        let source = reader.source("database");
        let detail = "is required with PostgreSQL, because all instances must sign with the same secret: \
                      64 hexadecimal digits, as `openssl rand -hex 32` prints them";
        reader.require("secret", &source, detail);
        if address.has_password() && matches!(source, Source::Flag(_)) {
            let detail = "has a password, and other users of the machine can read flags: \
                          put it into DESPACHO_DATABASE or the file";
            reader.reject("database", &source, detail);
        }
    }
    let mut loaded = reader.finish::<Config>()?;
    if let (Database::Postgres(address), Some((shown, _))) =
        (&loaded.own.database, loaded.values.get_mut("database"))
    {
        *shown = address.to_string();
    }
    let file = settings::config_file(&loaded);
    Ok(LoadedConfig {
        config: Config {
            shared: loaded.shared,
            ..loaded.own
        },
        file,
        values: loaded.values,
        warnings,
    })
}

/// Permits webhooks to this machine in a demo that only this machine can reach, unless the setting
/// has a value: the first receiver of an integration usually runs here. A demo that others can
/// reach has a public key, with which they would call services of this machine.
fn permit_loopback_in_demo(reader: &mut Reader) {
    const LOOPBACK: &str = "webhooks.loopback";
    let is_demo = reader.text("demo").is_some_and(|text| text == "true");
    let listen = reader
        .text("listen")
        .or_else(|| Setting::find(Host::Server, "listen").map(Setting::default));
    let is_local = listen
        .and_then(|text| text.parse::<SocketAddr>().ok())
        .is_some_and(|at| at.ip().is_loopback());
    if is_demo
        && is_local
        && reader.text(LOOPBACK).is_none()
        && let Some(setting) = Setting::find(Host::Server, LOOPBACK)
    {
        let source = reader.source("demo");
        reader.set(setting, "true", source);
    }
}

fn check_network(text: &str) -> Result<(), String> {
    Network::parse_proxies(text).map(drop)
}

/// Formats the line of a TOML error.
fn line(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    before
        .map(|before| format!(" at line {}", before.matches('\n').count() + 1))
        .unwrap_or_default()
}

/// Returns the settings that have a flag.
fn flags() -> impl Iterator<Item = &'static Setting> {
    Setting::of(Host::Server).filter(|setting| !setting.is_secret)
}

impl clap::Args for CliOverrides {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help(
                "TOML file with settings; `despacho config` lists the keys [env: DESPACHO_CONFIG]",
            );
        let flags = flags().map(|setting| {
            let flag = Arg::new(setting.key)
                .long(setting.flag())
                .value_name(setting.placeholder());
            let flag = flag.help(setting.describe()).help_heading("Settings");
            match setting.kind {
                Kind::Switch => flag
                    .num_args(0..=1)
                    .require_equals(true)
                    .default_missing_value("true"),
                _ => flag,
            }
        });
        command.arg(file).args(flags)
    }

    fn augment_args_for_update(command: Command) -> Command {
        CliOverrides::augment_args(command)
    }
}

impl FromArgMatches for CliOverrides {
    fn from_arg_matches(matches: &ArgMatches) -> Result<CliOverrides, clap::Error> {
        let values = flags()
            .filter_map(|setting| Some((setting, matches.get_one::<String>(setting.key)?.clone())));
        Ok(CliOverrides {
            file: matches.get_one::<PathBuf>("config").cloned(),
            values: values.collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = CliOverrides::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_variable_is_named_with_the_nearest_setting() {
        let of = |name: &str| unknown_variable(name);
        assert_eq!(
            (of("DESPACHO_CONFIG"), of("DESPACHO_TRUSTED_PROXIES")),
            (None, None)
        );
        for (name, nearest) in [
            (
                "DESPACHO_TRUSTED_PROXY",
                "; did you mean DESPACHO_TRUSTED_PROXIES?",
            ),
            ("DESPACHO_TLS_CERTS", "; did you mean DESPACHO_TLS_CERT?"),
            ("DESPACHO_SERVICE_HOST", ""),
            ("DESPACHO_X", ""),
        ] {
            let expected = format!(
                "the environment variable {name} is not a setting and has no effect{nearest}"
            );
            assert_eq!(of(name), Some(expected));
        }
    }
}
