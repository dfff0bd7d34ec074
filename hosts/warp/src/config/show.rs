//! The effective configuration as text that is itself a configuration file.

use std::fmt::Write as _;

use super::{FIELDS, Loaded};

/// Every setting with its value, its source and what it does. Values that nobody set are commented out, secrets redacted.
pub fn show(loaded: &Loaded) -> String {
    let (mut text, mut section) = (String::new(), "");
    for field in FIELDS {
        let (head, name) = field.key.split_once('.').unwrap_or(("", field.key));
        if head != section {
            section = head;
            let _ = writeln!(text, "\n[{section}]");
        }
        let source = loaded.sources.get(field.key).map(ToString::to_string).unwrap_or_default();
        let value = field.value(&loaded.config);
        let shown = match value.as_str() {
            "(none)" | "(redacted)" => format!("# {name} {value}"),
            number if field.range.is_some() || matches!(number, "true" | "false") => format!("{name} = {number}"),
            text => format!("{name} = {}", toml::Value::from(text)),
        };
        let _ = writeln!(text, "# {}\n{shown}  # {source}", field.describe());
    }
    text
}
