//! Expected values against actual ones: what is named must be there, what is not named may be.

use regex_lite::Regex;
use serde_json::{Map, Value};

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Where the two differ, a line each: `/deliveryFee: expected 12.5, got 13`.
    pub errors: Vec<String>,
    /// What `$capture` kept.
    pub captures: Vec<(String, Value)>,
}

/// Compares a value with a pattern; `None` is a value that is not there. `at` is where it stands, for the messages.
#[must_use]
pub fn compare(pattern: &Value, actual: Option<&Value>, at: &str) -> Comparison {
    let mut comparison = Comparison::default();
    comparison.value(pattern, actual, at);
    comparison
}

impl Comparison {
    fn value(&mut self, pattern: &Value, actual: Option<&Value>, at: &str) {
        match (pattern, actual) {
            (Value::Object(object), actual) if object.keys().any(|key| key.starts_with('$')) => {
                self.directives(object, actual, at);
            }
            (expected, None) => self.mismatch(at, &format!("expected {}, but it is missing", short(expected))),
            (Value::Object(expected), Some(Value::Object(actual))) => {
                for (key, value) in expected {
                    self.value(value, actual.get(key), &below(at, key));
                }
            }
            (Value::Array(expected), Some(Value::Array(actual))) => {
                if expected.len() != actual.len() {
                    self.mismatch(at, &format!("expected {} elements, got {}", expected.len(), actual.len()));
                }
                for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                    self.value(expected, Some(actual), &below(at, &index.to_string()));
                }
            }
            (expected, Some(actual)) if same(expected, actual) => {}
            (expected, Some(actual)) => self.differ(at, &short(expected), actual),
        }
    }

    fn directives(&mut self, pattern: &Map<String, Value>, actual: Option<&Value>, at: &str) {
        if pattern.get("$absent") == Some(&Value::Bool(true)) {
            if let Some(actual) = actual {
                self.differ(at, "nothing", actual);
            }
            return;
        }
        let Some(actual) = actual else {
            return self
                .mismatch(at, &format!("expected {}, but it is missing", short(&Value::Object(pattern.clone()))));
        };
        for (key, argument) in pattern.iter().filter(|(key, _)| key.starts_with('$')) {
            self.directive(key, argument, actual, at);
        }
        let plain: Map<String, Value> =
            pattern.iter().filter(|(key, _)| !key.starts_with('$')).map(|(k, v)| (k.clone(), v.clone())).collect();
        if pattern.get("$only") == Some(&Value::Bool(true)) {
            self.only(&plain, actual, at);
        }
        if !plain.is_empty() {
            self.value(&Value::Object(plain), Some(actual), at);
        }
    }

    fn directive(&mut self, name: &str, argument: &Value, actual: &Value, at: &str) {
        let holds = match (name, argument) {
            // Both were looked at where all of the pattern is in sight.
            ("$only", Value::Bool(true)) => return,
            ("$capture", Value::String(name)) => return self.captures.push((name.clone(), actual.clone())),
            ("$each", pattern) => return self.each(pattern, actual, at),
            ("$type", Value::String(kind)) => is_of(kind, actual),
            ("$type", Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(|kind| is_of(kind, actual)),
            ("$matches", Value::String(pattern)) => match Regex::new(pattern) {
                Ok(regex) => actual.as_str().is_some_and(|text| regex.is_match(text)),
                Err(error) => return self.mismatch(at, &format!("`{pattern}` is no regular expression: {error}")),
            },
            ("$exact", expected) => identical(expected, actual),
            ("$length", Value::Number(wanted)) => length(actual).is_some_and(|length| Some(length) == wanted.as_u64()),
            ("$contains", Value::String(part)) if actual.is_string() => {
                actual.as_str().is_some_and(|text| text.contains(part.as_str()))
            }
            ("$contains", pattern) => {
                actual.as_array().is_some_and(|items| items.iter().any(|item| fits(pattern, item)))
            }
            ("$between", Value::Array(ends)) => match (&ends[..], actual.as_f64()) {
                ([low, high], Some(number)) => low.as_f64() <= Some(number) && Some(number) <= high.as_f64(),
                _ => false,
            },
            ("$not", pattern) => !fits(pattern, actual),
            _ => {
                return self.mismatch(at, &format!("`{name}` with {} is nothing that the format has", short(argument)));
            }
        };
        if !holds {
            self.differ(at, &format!("{name} {}", short(argument)), actual);
        }
    }

    fn each(&mut self, pattern: &Value, actual: &Value, at: &str) {
        let Some(items) = actual.as_array() else { return self.differ(at, "an array", actual) };
        for (index, item) in items.iter().enumerate() {
            self.value(pattern, Some(item), &below(at, &index.to_string()));
        }
    }

    fn only(&mut self, expected: &Map<String, Value>, actual: &Value, at: &str) {
        let Some(actual) = actual.as_object() else { return self.differ(at, "an object", actual) };
        for (key, value) in actual.iter().filter(|(key, _)| !expected.contains_key(*key)) {
            self.differ(&below(at, key), "nothing", value);
        }
    }

    fn differ(&mut self, at: &str, expected: &str, actual: &Value) {
        self.mismatch(at, &format!("expected {expected}, got {}", short(actual)));
    }

    fn mismatch(&mut self, at: &str, what: &str) {
        let at = if at.is_empty() { "(the whole)" } else { at };
        self.errors.push(format!("{at}: {what}"));
    }
}

fn fits(pattern: &Value, actual: &Value) -> bool {
    compare(pattern, Some(actual), "").errors.is_empty()
}

/// Plain values: numbers by what they say, so that 1 is 1.0.
fn same(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Number(expected), Value::Number(actual)) if expected.is_f64() || actual.is_f64() => {
            expected.as_f64() == actual.as_f64()
        }
        _ => expected == actual,
    }
}

/// Whole values, nothing more and nothing less.
fn identical(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            expected.len() == actual.len()
                && expected.iter().all(|(key, value)| actual.get(key).is_some_and(|other| identical(value, other)))
        }
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len() && expected.iter().zip(actual).all(|(one, other)| identical(one, other))
        }
        _ => same(expected, actual),
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    // JSON numbers above this are not the same in every client.
    const SAFE: u64 = 1 << 53;
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "id" => value.as_u64().is_some_and(|id| id > 0 && id < SAFE),
        "time" => value.as_str().is_some_and(is_time),
        _ => false,
    }
}

/// RFC 3339 in UTC with milliseconds: `2026-11-21T14:30:00.000Z`.
fn is_time(text: &str) -> bool {
    let shape = "dddd-dd-ddTdd:dd:dd.dddZ";
    text.len() == shape.len()
        && text
            .chars()
            .zip(shape.chars())
            .all(|(c, wanted)| if wanted == 'd' { c.is_ascii_digit() } else { c == wanted })
}

fn length(value: &Value) -> Option<u64> {
    let length = match value {
        Value::Array(items) => items.len(),
        Value::String(text) => text.chars().count(),
        Value::Object(object) => object.len(),
        _ => return None,
    };
    u64::try_from(length).ok()
}

fn below(at: &str, key: &str) -> String {
    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// A value in one line, and no longer than people read.
fn short(value: &Value) -> String {
    const READABLE: usize = 200;
    let text = value.to_string();
    match text.char_indices().nth(READABLE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn errors(pattern: Value, actual: Value) -> Vec<String> {
        compare(&pattern, Some(&actual), "").errors
    }

    #[test]
    fn what_is_not_named_may_be_there() {
        assert_eq!(errors(json!({"a": 1}), json!({"a": 1.0, "b": 2})), [""; 0]);
        assert_eq!(
            errors(json!({"a": {"b": [1, {"c": 2}]}}), json!({"a": {"b": [1, {"c": 2, "d": 3}], "e": 4}})),
            [""; 0]
        );
    }

    #[test]
    fn what_is_named_must_be_there_and_the_same() {
        assert_eq!(errors(json!({"a": {"b": 1}}), json!({"a": {}})), ["/a/b: expected 1, but it is missing"]);
        assert_eq!(errors(json!({"a": null}), json!({})), ["/a: expected null, but it is missing"]);
        assert_eq!(errors(json!({"fee": 57.9}), json!({"fee": 57.900000000000006})).len(), 1);
        assert_eq!(errors(json!({"a": "1"}), json!({"a": 1})), ["/a: expected \"1\", got 1"]);
        assert_eq!(errors(json!([1]), json!([1, 2])), ["(the whole): expected 1 elements, got 2"]);
        assert_eq!(errors(json!({"x/y": 1}), json!({"x/y": 2})), ["/x~1y: expected 1, got 2"]);
    }

    #[test]
    fn types_are_told_apart() {
        let of = |kind: &str, value: Value| errors(json!({"$type": kind}), value).is_empty();
        assert!(of("number", json!(1.5)) && !of("number", json!("1.5")));
        assert!(of("integer", json!(2)) && !of("integer", json!(2.5)));
        assert!(of("id", json!(1)) && !of("id", json!(0)) && !of("id", json!(1_u64 << 53)));
        assert!(of("time", json!("2026-11-21T14:30:00.000Z")) && !of("time", json!("2026-11-21T14:30:00Z")));
        assert!(of("null", json!(null)) && !of("null", json!(0)) && !of("sting", json!("a")));
        assert_eq!(errors(json!({"$type": ["string", "null"]}), json!(null)), [""; 0]);
        assert_eq!(errors(json!({"$type": ["string", "null"]}), json!(1)).len(), 1);
    }

    #[test]
    fn directives_hold_and_fail() {
        let table = [
            (json!({"$matches": "^dsp_[A-Za-z0-9_-]+$"}), json!("dsp_aB-1"), json!("dsp_ ")),
            (json!({"$exact": {"a": [1, {"b": 2}]}}), json!({"a": [1, {"b": 2}]}), json!({"a": [1, {"b": 2, "c": 3}]})),
            (json!({"$length": 4}), json!("çãõé"), json!("abc")),
            (json!({"$length": 2}), json!([1, 2]), json!(2)),
            (
                json!({"$contains": {"code": "x"}}),
                json!([{"code": "y"}, {"code": "x", "d": 1}]),
                json!([{"code": "y"}]),
            ),
            (json!({"$contains": "ab"}), json!("cabd"), json!("a b")),
            (json!({"$each": {"id": {"$type": "id"}}}), json!([{"id": 1}, {"id": 2}]), json!([{"id": 1}, {}])),
            (json!({"$between": [1, 2.5]}), json!(2.5), json!(2.6)),
            (json!({"$not": {"a": 1}}), json!({"a": 2}), json!({"a": 1, "b": 2})),
            (json!({"$only": true, "a": 1}), json!({"a": 1}), json!({"a": 1, "b": 2})),
            (json!({"a": {"$absent": true}}), json!({"b": 1}), json!({"a": null})),
            (json!({"$type": "string", "$length": 4}), json!("1234"), json!(1234)),
        ];
        for (pattern, good, bad) in table {
            assert_eq!(errors(pattern.clone(), good), [""; 0], "{pattern}");
            assert!(!errors(pattern.clone(), bad.clone()).is_empty(), "{pattern} accepts {bad}");
        }
    }

    #[test]
    fn a_directive_on_what_is_missing_is_a_fault() {
        assert_eq!(errors(json!({"a": {"$type": "null"}}), json!({})).len(), 1);
        assert_eq!(errors(json!({"a": {"$not": 1}}), json!({})).len(), 1);
        assert_eq!(errors(json!({"a": {"$capture": "x"}}), json!({})).len(), 1);
    }

    #[test]
    fn an_unknown_directive_is_a_fault() {
        assert_eq!(errors(json!({"$typ": "string"}), json!("a")).len(), 1);
        assert_eq!(errors(json!({"$matches": "("}), json!("a")).len(), 1);
    }

    #[test]
    fn captures_are_kept() {
        let pattern = json!({"id": {"$capture": "orderId", "$type": "id"}});
        let comparison = compare(&pattern, Some(&json!({"id": 5})), "");
        assert_eq!(comparison, Comparison { errors: vec![], captures: vec![("orderId".to_owned(), json!(5))] });
    }
}
