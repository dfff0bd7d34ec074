//! A row of the table of settings, and its allowed values.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::{ValueError, shared};

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The key in a file, with its section: `limits.body-bytes`.
    pub key: &'static str,
    /// The allowed values.
    pub kind: Kind,
    /// One sentence for an operator.
    pub help: &'static str,
    /// Whether its value is hidden. A secret has no flag, because other users of the machine can
    /// read flags.
    pub is_secret: bool,
    default: &'static str,
    hosts: &'static [Host],
}

/// A host that has settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// `despacho serve` and the operator's commands.
    Server,
    /// The Spin component.
    Component,
}

/// The allowed values of a setting.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A whole number within a range.
    Number {
        /// The unit.
        unit: Unit,
        /// The smallest value.
        min: u64,
        /// The largest value.
        max: u64,
    },
    /// `true` or `false`.
    Switch,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// A string of the given form, with a function that checks and normalizes it.
    Text(&'static str, Parse),
    /// Strings of the given form, separated by commas.
    List(&'static str, Parse),
}

/// Checks a string and returns its normal form.
pub type Parse = fn(&str) -> Result<String, ValueError>;

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A count, or a rate that the key names.
    Count,
    /// A multiple.
    Factor,
    /// Hundredths.
    Percent,
    /// Thousandths of a second.
    Milliseconds,
    /// Seconds.
    Seconds,
    /// Minutes.
    Minutes,
    /// Hours.
    Hours,
    /// Days of 24 hours.
    Days,
    /// Bytes.
    Bytes,
    /// 1,048,576 bytes.
    Mebibytes,
    /// Metres.
    Metres,
    /// Kilometres.
    Kilometres,
}

impl Unit {
    /// Returns the end of every key with this unit.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Unit::Count | Unit::Factor => "",
            Unit::Percent => "percent",
            Unit::Milliseconds => "ms",
            Unit::Seconds => "seconds",
            Unit::Minutes => "minutes",
            Unit::Hours => "hours",
            Unit::Days => "days",
            Unit::Bytes => "bytes",
            Unit::Mebibytes => "mib",
            Unit::Metres => "m",
            Unit::Kilometres => "km",
        }
    }

    /// Returns the unit in a sentence; empty for a plain number.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Unit::Count | Unit::Factor => "",
            Unit::Milliseconds => "milliseconds",
            Unit::Mebibytes => "MiB",
            Unit::Metres => "metres",
            Unit::Kilometres => "kilometres",
            _ => self.suffix(),
        }
    }

    /// Returns the placeholder of a value in help texts.
    #[must_use]
    pub fn placeholder(self) -> &'static str {
        match self {
            Unit::Count => "COUNT",
            Unit::Factor => "FACTOR",
            Unit::Percent => "PERCENT",
            Unit::Milliseconds => "MILLISECONDS",
            Unit::Seconds => "SECONDS",
            Unit::Minutes => "MINUTES",
            Unit::Hours => "HOURS",
            Unit::Days => "DAYS",
            Unit::Bytes => "BYTES",
            Unit::Mebibytes => "MIB",
            Unit::Metres => "METRES",
            Unit::Kilometres => "KILOMETRES",
        }
    }
}

impl Setting {
    pub(super) const fn new(key: &'static str, kind: Kind, help: &'static str) -> Setting {
        Setting {
            key,
            kind,
            help,
            is_secret: false,
            default: "",
            hosts: &[Host::Server, Host::Component],
        }
    }

    pub(super) const fn number(
        key: &'static str,
        unit: Unit,
        range: RangeInclusive<u64>,
        help: &'static str,
    ) -> Setting {
        Setting::new(
            key,
            Kind::Number {
                unit,
                min: *range.start(),
                max: *range.end(),
            },
            help,
        )
    }

    pub(super) const fn on(mut self, host: Host) -> Setting {
        self.hosts = match host {
            Host::Server => &[Host::Server],
            Host::Component => &[Host::Component],
        };
        self
    }

    /// Sets the default of a setting that is not one of [`SharedSettings`](super::SharedSettings).
    pub(super) const fn default_to(mut self, text: &'static str) -> Setting {
        self.default = text;
        self
    }

    pub(super) const fn secret(mut self) -> Setting {
        self.is_secret = true;
        self
    }

    /// Whether the host has this setting.
    #[must_use]
    pub fn is_on(&self, host: Host) -> bool {
        self.hosts.contains(&host)
    }

    /// Returns the section and the name in a file. Settings without a section are at the start of
    /// the file.
    #[must_use]
    pub fn path(&self) -> (&'static str, &'static str) {
        self.key.split_once('.').unwrap_or(("", self.key))
    }

    /// Returns the server's flag, without its hyphens: `limits-body-bytes`.
    #[must_use]
    pub fn flag(&self) -> String {
        self.key.replace('.', "-")
    }

    /// Returns the server's environment variable: `DESPACHO_LIMITS_BODY_BYTES`.
    #[must_use]
    pub fn environment(&self) -> String {
        format!(
            "DESPACHO_{}",
            self.key.replace(['.', '-'], "_").to_uppercase()
        )
    }

    /// Returns the component's variable: its own, or `settings` for a key with a section.
    #[must_use]
    pub fn variable(&self) -> String {
        if self.path().0.is_empty() {
            self.key.replace('-', "_")
        } else {
            "settings".to_owned()
        }
    }

    /// Returns the default as a string; empty if the setting is unset by default. The defaults of
    /// the settings in [`SharedSettings`](super::SharedSettings) are those of that type.
    #[must_use]
    pub fn default(&self) -> String {
        shared::default(self.path()).unwrap_or_else(|| self.default.to_owned())
    }

    /// Returns the form of a value in help texts: its unit or its shape.
    #[must_use]
    pub fn placeholder(&self) -> String {
        match self.kind {
            Kind::Number { unit, .. } => unit.placeholder().to_owned(),
            Kind::Switch => "true|false".to_owned(),
            Kind::Choice(names) => names.join("|"),
            Kind::Text(shape, _) => shape.to_owned(),
            Kind::List(shape, _) => format!("{shape},..."),
        }
    }

    /// Returns the description, range, default and environment variable in one paragraph.
    #[must_use]
    pub fn describe(&self) -> String {
        let range = match self.kind {
            Kind::Number { min, max, .. } => format!(", {min} to {max}"),
            _ => String::new(),
        };
        let default = self.default();
        let default = if default.is_empty() {
            "(none)"
        } else {
            &default
        };
        format!(
            "{}{range} [default: {default}] [env: {}]",
            self.help,
            self.environment()
        )
    }

    /// Reads a value.
    ///
    /// # Errors
    /// The value is not allowed.
    pub fn read(&self, text: &str) -> Result<Value, ValueError> {
        match self.kind {
            Kind::Number { unit, min, max } => {
                let number = text
                    .trim()
                    .replace('_', "")
                    .parse()
                    .ok()
                    .filter(|number| (min..=max).contains(number));
                let unit = if unit.name().is_empty() {
                    String::new()
                } else {
                    format!(" {}", unit.name())
                };
                let error = || {
                    ValueError::new(format_args!(
                        "must be a whole number from {min} to {max}{unit}"
                    ))
                };
                number.map(Value::from).ok_or_else(error)
            }
            Kind::Switch => match text.trim() {
                "true" => Ok(true.into()),
                "false" => Ok(false.into()),
                _ => Err(ValueError::new("must be true or false")),
            },
            Kind::Choice(names) => {
                let name = names.iter().find(|name| **name == text.trim());
                let error = || ValueError::new(format_args!("must be one of {}", names.join(", ")));
                name.map(|name| Value::from(*name)).ok_or_else(error)
            }
            Kind::Text(_, parse) => parse(text).map(Value::from),
            Kind::List(_, parse) => text
                .split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .map(parse)
                .collect(),
        }
    }

    /// Whether an error can show this value. It must be a number, because a string can contain a
    /// secret.
    pub(super) fn can_show(&self, text: &str) -> bool {
        let is_numeric = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | '_');
        matches!(self.kind, Kind::Number { .. })
            && (1..=24).contains(&text.len())
            && text.chars().all(is_numeric)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::table, *};

    #[test]
    fn keys_are_unique_and_end_in_their_unit() {
        for (index, setting) in table().enumerate() {
            let Kind::Number { unit, min, max } = setting.kind else {
                continue;
            };
            assert!(min < max, "{}", setting.key);
            let name = setting.path().1;
            let is_named =
                unit.suffix().is_empty() || name.rsplit('-').next() == Some(unit.suffix());
            assert!(
                is_named,
                "{} does not end in -{}",
                setting.key,
                unit.suffix()
            );
            let shares_host = |other: &Setting| other.hosts.iter().any(|host| setting.is_on(*host));
            let is_repeated = |other: &&Setting| other.key == setting.key && shares_host(other);
            assert!(
                !table().skip(index + 1).any(|other| is_repeated(&other)),
                "{}",
                setting.key
            );
        }
    }

    #[test]
    fn defaults_are_values_of_their_settings() {
        for setting in table() {
            let default = setting.default();
            assert!(
                default.is_empty() || setting.read(&default).is_ok(),
                "{}: {default}",
                setting.key
            );
            assert!(
                !setting.help.is_empty() && !setting.help.ends_with('.'),
                "{}",
                setting.key
            );
        }
    }

    #[test]
    fn numbers_outside_their_range_are_rejected_with_range_and_unit() {
        let setting = Setting::find(Host::Server, "timing.search-minutes").unwrap();
        assert_eq!(setting.read("1_440"), Ok(1_440.into()));
        for text in ["", "0", "-1", "1441", "1.5", "1e3", "99999999999999999999"] {
            let error = setting.read(text).unwrap_err().to_string();
            assert_eq!(
                error, "must be a whole number from 1 to 1440 minutes",
                "{text}"
            );
        }
    }
}
