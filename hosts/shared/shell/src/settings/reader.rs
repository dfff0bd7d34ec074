//! Collects values from their sources, with every error, and builds a typed configuration.

use std::{collections::BTreeMap, fmt};

use despacho_core::json;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Host, Setting, SharedSettings, shared::is_shared, value::text};

/// The source of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// It was not set.
    #[default]
    Default,
    /// The configuration file at this path.
    File(String),
    /// An environment variable.
    Environment(String),
    /// A flag.
    Flag(String),
    /// A variable of the component.
    Variable(String),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Default => f.write_str("default"),
            Source::File(path) => write!(f, "file {path}"),
            Source::Environment(name) => write!(f, "environment {name}"),
            Source::Flag(name) => write!(f, "flag --{name}"),
            Source::Variable(name) => write!(f, "variable `{name}`"),
        }
    }
}

/// One error of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The setting, or the name of the source.
    pub key: String,
    /// The rejected value, if it is a number.
    pub value: Option<String>,
    /// The source of the value.
    pub source: Source,
    /// The problem and the allowed values.
    pub detail: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConfigError {
            key,
            value,
            source,
            detail,
        } = self;
        let value = value
            .as_ref()
            .map(|value| format!(" = {value}"))
            .unwrap_or_default();
        match source {
            Source::Default => write!(f, "{key}{value}: {detail}"),
            source => write!(f, "{key}{value} ({source}): {detail}"),
        }
    }
}

/// Every error of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl ConfigErrors {
    /// Creates one error, for a setting that is checked after all others.
    #[must_use]
    pub fn one(key: &str, detail: impl fmt::Display) -> ConfigErrors {
        let (key, detail) = (key.to_owned(), detail.to_string());
        ConfigErrors(vec![ConfigError {
            key,
            value: None,
            source: Source::Default,
            detail,
        }])
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "errors in the configuration: {}", self.0.len())?;
        self.0.iter().try_for_each(|error| writeln!(f, "  {error}"))
    }
}

/// A host's configuration, with the value and source of each setting.
#[derive(Debug)]
pub struct Loaded<T> {
    /// The settings that only this host has.
    pub own: T,
    /// The settings that every host has.
    pub shared: SharedSettings,
    /// For each key its value, empty if unset and `(redacted)` for a secret, and its source.
    pub values: BTreeMap<&'static str, (String, Source)>,
}

/// Collects the values of one host. A later value replaces an earlier one.
pub struct Reader {
    host: Host,
    values: BTreeMap<&'static str, (Value, Source)>,
    errors: Vec<ConfigError>,
}

impl Reader {
    /// Creates a reader without any value.
    #[must_use]
    pub fn new(host: Host) -> Reader {
        Reader {
            host,
            values: BTreeMap::new(),
            errors: Vec::new(),
        }
    }

    /// Sets a value. An invalid value is an error even if a later one replaces it.
    pub fn set(&mut self, setting: &'static Setting, text: &str, source: Source) {
        match setting.read(text) {
            Ok(value) => {
                self.values.insert(setting.key, (value, source));
            }
            Err(detail) => {
                let detail = detail.to_string();
                let value = setting.can_show(text).then(|| text.to_owned());
                self.errors.push(ConfigError {
                    key: setting.key.to_owned(),
                    value,
                    source,
                    detail,
                });
            }
        }
    }

    /// Sets every value of a file or of the variable `settings`: an object whose sections are
    /// objects.
    pub fn set_all(&mut self, object: &Map<String, Value>, source: &Source) {
        self.set_section(object, "", source);
    }

    fn set_section(&mut self, object: &Map<String, Value>, section: &str, source: &Source) {
        for (name, value) in object {
            let key = format!("{section}{name}");
            let prefix = format!("{key}.");
            let is_section = Setting::of(self.host).any(|setting| setting.key.starts_with(&prefix));
            // The component has a variable of its own for each key without a section.
            let is_elsewhere = section.is_empty() && self.host == Host::Component;
            let setting = Setting::find(self.host, &key).filter(|_| !is_elsewhere);
            match (setting, value, text(value)) {
                (Some(setting), _, Some(text)) => self.set(setting, &text, source.clone()),
                (None, Value::Object(inner), _) if is_section => {
                    self.set_section(inner, &prefix, source)
                }
                (Some(_), ..) => self.reject(
                    &key,
                    source,
                    "must be a string, a number, true, false or a list of strings",
                ),
                (None, ..) => self.reject(&key, source, "is not a setting"),
            }
        }
    }

    /// Records an error.
    pub fn reject(&mut self, key: &str, source: &Source, detail: impl Into<String>) {
        let error = ConfigError {
            key: key.to_owned(),
            value: None,
            source: source.clone(),
            detail: detail.into(),
        };
        self.errors.push(error);
    }

    /// Records an error if a setting has no value.
    pub fn require(&mut self, key: &str, source: &Source, detail: &str) {
        if self.value(key).is_none() && !self.errors.iter().any(|error| error.key == key) {
            self.reject(key, source, detail);
        }
    }

    /// Records an error of a setting's present value.
    pub fn reject_value(&mut self, key: &str, detail: impl Into<String>) {
        let source = self.source(key);
        self.reject(key, &source, detail);
    }

    /// The present value of a setting and its source.
    fn value(&self, key: &str) -> Option<(&Value, &Source)> {
        self.values.get(key).map(|(value, source)| (value, source))
    }

    /// The source of a setting's present value.
    #[must_use]
    pub fn source(&self, key: &str) -> Source {
        self.value(key)
            .map(|(_, source)| source.clone())
            .unwrap_or_default()
    }

    /// The present value of a setting as text; `None` if it is unset.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<String> {
        self.value(key).and_then(|(value, _)| text(value))
    }

    /// Converts a present value with a function of the host, and records its error.
    pub fn parse<T, E: fmt::Display>(
        &mut self,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let parsed = self.text(key).map(|text| parse(&text))?;
        parsed
            .map_err(|error| self.reject_value(key, error.to_string()))
            .ok()
    }

    /// Checks the settings together and builds the configuration.
    ///
    /// # Errors
    /// All recorded errors, and those of settings that exclude each other.
    pub fn finish<T: DeserializeOwned>(mut self) -> Result<Loaded<T>, ConfigErrors> {
        self.check_road_services();
        let (mut own, mut shared, mut values) = (Map::new(), Map::new(), BTreeMap::new());
        for setting in Setting::of(self.host) {
            let (section, name) = setting.path();
            let object = if is_shared(section) {
                &mut shared
            } else {
                &mut own
            };
            let (value, source) = self.values.get(setting.key).cloned().unwrap_or_default();
            let default = setting.default();
            let value = if value.is_null() && !default.is_empty() {
                setting.read(&default).unwrap_or_default()
            } else {
                value
            };
            let is_hidden = setting.is_secret && !value.is_null();
            let shown = if is_hidden {
                "(redacted)".to_owned()
            } else {
                text(&value).unwrap_or_default()
            };
            values.insert(setting.key, (shown, source));
            if value.is_null() {
                continue;
            }
            let target = match section {
                "" => Some(object),
                _ => object
                    .entry(section)
                    .or_insert_with(|| Map::new().into())
                    .as_object_mut(),
            };
            target.map(|target| target.insert(name.to_owned(), value));
        }
        let shared = self.build::<SharedSettings>(shared);
        let own = self.build(own);
        if let Some((key, detail)) = shared.as_ref().and_then(SharedSettings::conflict) {
            self.reject_value(key, detail);
        }
        match (own, shared) {
            (Some(own), Some(shared)) if self.errors.is_empty() => Ok(Loaded {
                own,
                shared,
                values,
            }),
            _ => Err(ConfigErrors(self.errors)),
        }
    }

    fn check_road_services(&mut self) {
        if self.value("osrm").is_some() && self.value("valhalla").is_some() {
            self.reject_value(
                "valhalla",
                "must not be set together with osrm: there is one road service",
            );
        }
    }

    /// Every value was checked before, so an error here is a mistake in the table or in `T`.
    fn build<T: DeserializeOwned>(&mut self, object: Map<String, Value>) -> Option<T> {
        // The core's decoder reads a section only from an object.
        let built = json::from_str(&Value::from(object).to_string());
        let record = |error: String| {
            if self.errors.is_empty() {
                self.reject("settings", &Source::Default, error);
            }
        };
        built.map_err(record).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(object: &Value, host: Host) -> Vec<String> {
        let mut reader = Reader::new(host);
        reader.set_all(
            object.as_object().unwrap(),
            &Source::Variable("settings".to_owned()),
        );
        let errors = reader
            .finish::<serde::de::IgnoredAny>()
            .err()
            .map(|errors| errors.0)
            .unwrap_or_default();
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_error_names_key_value_and_range() {
        let given = serde_json::json!({
            "limits": { "deliveries": 201, "body-bytes": "hunter2", "unknown": 1 }, "keys": 5, "demo": true,
            "dispatch": { "position-seconds": 200 }, "geocoder": { "timeout-ms": 49 },
        });
        assert_eq!(
            errors(&given, Host::Component),
            [
                "demo (variable `settings`): is not a setting",
                "geocoder.timeout-ms = 49 (variable `settings`): must be a whole number from 50 to 30000 milliseconds",
                "keys (variable `settings`): is not a setting",
                "limits.body-bytes (variable `settings`): must be a whole number from 1024 to 16777216 bytes",
                "limits.deliveries = 201 (variable `settings`): must be a whole number from 1 to 200",
                "limits.unknown (variable `settings`): is not a setting",
                "dispatch.position-seconds (variable `settings`): must be at most half of \
                 dispatch.max-position-age-minutes and of dispatch.silence-timeout-minutes: otherwise couriers who report their \
                 position are treated as lost",
            ]
        );
    }

    #[test]
    fn later_value_replaces_earlier_value() {
        let mut reader = Reader::new(Host::Server);
        let setting = Setting::find(Host::Server, "keys.days").unwrap();
        reader.set(setting, "12", Source::File("a.toml".to_owned()));
        reader.set(setting, "13", Source::Flag(setting.flag()));
        let loaded = reader.finish::<serde::de::IgnoredAny>().unwrap();
        assert_eq!(
            (loaded.shared.keys.days, loaded.shared.keys.session_hours),
            (13, 12)
        );
        assert_eq!(
            loaded.values["keys.days"],
            ("13".to_owned(), Source::Flag("keys-days".to_owned()))
        );
        assert_eq!(
            loaded.values["keys.session-hours"],
            ("12".to_owned(), Source::Default)
        );
    }
}
