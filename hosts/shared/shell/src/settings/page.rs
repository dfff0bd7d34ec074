//! Renders the table as a configuration file and as the page SETTINGS.md.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Host, Kind, Loaded, Setting, Unit, table};

/// Returns the server's effective configuration as a file: every setting with its value, source and
/// description. Unset values are commented out and secrets are redacted.
#[must_use]
pub fn config_file<T>(loaded: &Loaded<T>) -> String {
    let (mut text, mut section) = (String::new(), "");
    for setting in Setting::of(Host::Server) {
        let (own_section, name) = setting.path();
        if own_section != section {
            section = own_section;
            let _ = writeln!(text, "\n[{section}]");
        }
        let Some((value, source)) = loaded.values.get(setting.key) else {
            continue;
        };
        let line = match (setting.kind, value.as_str()) {
            (_, "") => format!("# {name} (none)"),
            _ if setting.is_secret => format!("# {name} {value}"),
            (Kind::Number { .. } | Kind::Switch, value) => format!("{name} = {value}"),
            // A JSON string is a TOML string.
            (_, value) => format!("{name} = {}", Value::from(value)),
        };
        let _ = writeln!(text, "# {}\n{line}  # {source}", setting.describe());
    }
    text
}

/// Returns SETTINGS.md.
#[must_use]
pub fn markdown() -> String {
    let mut page = String::from(INTRODUCTION);
    let mut section = "";
    for setting in table() {
        if setting.path().0 != section {
            section = setting.path().0;
            let _ = write!(page, "\n## {section}\n{HEADER}");
        }
        let secret = if setting.is_secret { "; a secret" } else { "" };
        let default = setting.default();
        let default = if default.is_empty() {
            "unset".to_owned()
        } else {
            format!("`{default}`")
        };
        let hosts = match (setting.is_on(Host::Server), setting.is_on(Host::Component)) {
            (true, true) => "both",
            (true, false) => "server",
            _ => "component",
        };
        let help = setting.help.replace('|', "\\|");
        let _ = writeln!(
            page,
            "| `{}` | {} | {default} | {hosts} | {help}{secret} |",
            setting.key,
            values(setting)
        );
    }
    page
}

fn values(setting: &Setting) -> String {
    match setting.kind {
        Kind::Number {
            unit: Unit::Count | Unit::Factor,
            min,
            max,
        } => format!("{min} to {max}"),
        Kind::Number { unit, min, max } => format!("{min} to {max} {}", unit.name()),
        Kind::Switch => "`true` or `false`".to_owned(),
        Kind::Choice(names) => names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", "),
        Kind::Text(..) | Kind::List(..) => {
            format!("`{}`", setting.placeholder().replace('|', "\\|"))
        }
    }
}

const HEADER: &str = "| key | values | default | host | description |\n|---|---|---|---|---|\n";

const INTRODUCTION: &str = "# Settings

This page is generated from the tables in [sections](src/settings/sections):
`DESPACHO_WRITE_SETTINGS=1 cargo test -p despacho-shell` writes it. `despacho config` prints the effective values with their sources.

- **Server.** A setting is a flag (`--limits-body-bytes`), an environment variable (`DESPACHO_LIMITS_BODY_BYTES`) or a key in the TOML
  file of `--config` (`body-bytes` in section `[limits]`), in this order of precedence. Secrets have no flag.
- **Component.** A key without a section is a variable of the application (`admin-token` is `admin_token`). Keys with a section are in
  the variable `settings`, as JSON: `{\"limits\": {\"body-bytes\": 65536}}`.
- Values of a list are separated by commas.
- If values are invalid, the server lists them with the allowed values and does not start. The component logs the list and returns 503.

## General
| key | values | default | host | description |
|---|---|---|---|---|
";
