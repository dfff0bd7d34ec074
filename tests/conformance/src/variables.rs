//! Values that steps capture, and their use in later steps: `${orderId}`.

use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use despacho_core::model::{Duration, Timestamp};
use serde_json::{Map, Value};

/// Captured values by name.
#[derive(Clone, Debug, Default)]
pub struct Variables(BTreeMap<String, Value>);

impl Variables {
    /// Stores a value and replaces an earlier one with the same name.
    pub fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// Returns `text` with every `${name}` replaced.
    pub fn text(&self, text: &str) -> Result<String, String> {
        let mut output = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let (name, after) = after
                .split_once('}')
                .ok_or_else(|| format!("`{text}` has `${{` without `}}`"))?;
            output.push_str(before);
            match self.value(name)? {
                Value::String(text) => output.push_str(&text),
                other => output.push_str(&other.to_string()),
            }
            rest = after;
        }
        output.push_str(rest);
        Ok(output)
    }

    /// Returns `value` with every `${name}` in its strings replaced. A string that is only one name
    /// becomes the captured value with its type.
    pub fn resolve(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => match text
                .strip_prefix("${")
                .and_then(|rest| rest.strip_suffix('}'))
            {
                Some(name) if !name.contains('}') => self.value(name)?,
                _ => Value::String(self.text(text)?),
            },
            Value::Array(items) => Value::Array(
                items
                    .iter()
                    .map(|item| self.resolve(item))
                    .collect::<Result<_, _>>()?,
            ),
            Value::Object(object) => {
                let entries = object
                    .iter()
                    .map(|(key, value)| Ok((key.clone(), self.resolve(value)?)));
                Value::Object(entries.collect::<Result<Map<_, _>, String>>()?)
            }
            plain => plain.clone(),
        })
    }

    /// Returns the value of `name`; `name:text` and `name:number` convert an ID between its two
    /// forms, and `name:basic` returns the credentials of HTTP Basic authentication with the value
    /// as the password. `name:path` returns the path of a URL, `name:+60` a timestamp some seconds
    /// later, and `name:weekday+3` the day of the week some days later, in the local time of
    /// Brasília.
    fn value(&self, name: &str) -> Result<Value, String> {
        let (name, form) = name.split_once(':').unwrap_or((name, ""));
        let value = self
            .0
            .get(name)
            .ok_or_else(|| format!("no value was captured as `{name}`"))?;
        match (form, value) {
            ("", _) | ("text", Value::String(_)) | ("number", Value::Number(_)) => {
                Ok(value.clone())
            }
            ("basic", Value::String(text)) => {
                Ok(Value::String(STANDARD.encode(format!("courier:{text}"))))
            }
            ("path", Value::String(url)) => {
                let after_scheme = url.split_once("://").map(|(_, rest)| rest);
                let path = after_scheme.and_then(|rest| rest.find('/').map(|start| &rest[start..]));
                path.map(Value::from)
                    .ok_or_else(|| format!("`{name}` is `{url}`, which is not a URL with a path"))
            }
            (seconds, Value::String(time)) if seconds.starts_with(['+', '-']) => {
                let time = Timestamp::parse(time)
                    .ok_or_else(|| format!("`{name}` is `{time}`, which is not a time"))?;
                let seconds = seconds
                    .parse()
                    .map_err(|e| format!("`{seconds}` is not a number of seconds: {e}"))?;
                Ok(Value::from(
                    time.after(Duration::seconds(seconds)).to_string(),
                ))
            }
            (form, Value::String(time)) if form.starts_with("weekday+") => {
                let time = Timestamp::parse(time)
                    .ok_or_else(|| format!("`{name}` is `{time}`, which is not a time"))?;
                let days = form.trim_start_matches("weekday+").parse();
                let days: i64 = days.map_err(|e| format!("`{form}` has no number of days: {e}"))?;
                Ok(Value::from(weekday(time, days)))
            }
            ("text", other) => Ok(Value::String(other.to_string())),
            ("number", Value::String(text)) => serde_json::from_str(text)
                .map_err(|e| format!("`{name}` is `{text}`, which is not a number: {e}")),
            _ => Err(format!("`{name}` has no form `{form}`")),
        }
    }
}

/// Returns the day of the week some days later in the local time of Brasília, three hours behind
/// UTC.
fn weekday(time: Timestamp, days: i64) -> &'static str {
    let day = time
        .before(Duration::minutes(180))
        .millis()
        .div_euclid(24 * 3_600_000)
        + days;
    // The first day of 1970 was a Thursday.
    match day.rem_euclid(7) {
        0 => "thu",
        1 => "fri",
        2 => "sat",
        3 => "sun",
        4 => "mon",
        5 => "tue",
        _ => "wed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn variables() -> Variables {
        let mut variables = Variables::default();
        variables.set("orderId", json!(1001));
        variables.set("storeId", json!("7"));
        variables
    }

    #[test]
    fn names_in_strings_are_replaced_and_sole_names_keep_their_type() {
        let resolved = variables().resolve(
            &json!({"a": "${orderId}", "b": ["x-${orderId}-${storeId}"], "c": "${storeId:number}"}),
        );
        assert_eq!(resolved, Ok(json!({"a": 1001, "b": ["x-1001-7"], "c": 7})));
        assert_eq!(
            variables().resolve(&json!("${orderId:text}")),
            Ok(json!("1001"))
        );
        assert_eq!(
            variables().text("Basic ${storeId:basic}"),
            Ok("Basic Y291cmllcjo3".to_owned())
        );
        assert_eq!(
            variables().text("/delivery/orders/${orderId}"),
            Ok("/delivery/orders/1001".to_owned())
        );
    }

    #[test]
    fn seconds_are_added_to_a_timestamp() {
        let mut variables = variables();
        variables.set("at", json!("2026-11-21T12:00:00.000Z"));
        assert_eq!(
            variables.resolve(&json!("${at:+90}")),
            Ok(json!("2026-11-21T12:01:30.000Z"))
        );
        assert_eq!(
            variables.resolve(&json!("${at:-1}")),
            Ok(json!("2026-11-21T11:59:59.000Z"))
        );
        assert!(
            variables.resolve(&json!("${storeId:+1}")).is_err()
                && variables.resolve(&json!("${at:+x}")).is_err()
        );
    }

    #[test]
    fn weekday_is_that_of_brasilia() {
        let mut variables = variables();
        // A Saturday, 23:59 and midnight in Brasília.
        for (at, days, expected) in [
            ("2026-11-22T02:59:59.999Z", 0, "sat"),
            ("2026-11-22T03:00:00.000Z", 0, "sun"),
            ("2026-11-22T02:59:59.999Z", 3, "tue"),
            ("2026-11-22T03:00:00.000Z", 12, "fri"),
        ] {
            variables.set("at", json!(at));
            assert_eq!(
                variables.resolve(&json!(format!("${{at:weekday+{days}}}"))),
                Ok(json!(expected)),
                "{at}"
            );
        }
        assert!(variables.resolve(&json!("${at:weekday+x}")).is_err());
    }

    #[test]
    fn unknown_name_is_rejected() {
        assert_eq!(
            variables().text("/${gone}"),
            Err("no value was captured as `gone`".to_owned())
        );
        assert!(variables().text("${orderId").is_err());
        assert!(variables().resolve(&json!("${orderId:date}")).is_err());
    }
}
