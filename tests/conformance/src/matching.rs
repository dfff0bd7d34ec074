//! Compares a value with a pattern. Keys of the pattern are required; other keys are permitted.

use regex_lite::Regex;
use serde_json::{Map, Value};

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The differences, one line each: `/deliveryFee: expected 12.5, got 13`.
    pub errors: Vec<String>,
    /// The values that `$capture` stores.
    pub captures: Vec<(String, Value)>,
}

/// Compares a value with a pattern. `None` is a missing value. `at` is the JSON Pointer of the
/// value, for the messages.
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
            (expected, None) => self.mismatch(
                at,
                &format!("expected {}, but it is missing", shorten(expected)),
            ),
            (Value::Object(expected), Some(Value::Object(actual))) => {
                for (key, value) in expected {
                    self.value(value, actual.get(key), &child_pointer(at, key));
                }
            }
            (Value::Array(expected), Some(Value::Array(actual))) => {
                if expected.len() != actual.len() {
                    self.mismatch(
                        at,
                        &format!("expected {} elements, got {}", expected.len(), actual.len()),
                    );
                }
                for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                    self.value(
                        expected,
                        Some(actual),
                        &child_pointer(at, &index.to_string()),
                    );
                }
            }
            (expected, Some(actual)) if is_equal(expected, actual) => {}
            (expected, Some(actual)) => self.differ(at, &shorten(expected), actual),
        }
    }

    fn directives(&mut self, pattern: &Map<String, Value>, actual: Option<&Value>, at: &str) {
        if pattern.get("$absent") == Some(&Value::Bool(true)) {
            if let Some(actual) = actual {
                self.differ(at, "no value", actual);
            }
            return;
        }
        let Some(actual) = actual else {
            return self.mismatch(
                at,
                &format!(
                    "expected {}, but it is missing",
                    shorten(&Value::Object(pattern.clone()))
                ),
            );
        };
        for (key, argument) in pattern.iter().filter(|(key, _)| key.starts_with('$')) {
            self.directive(key, argument, actual, at);
        }
        let plain: Map<String, Value> = pattern
            .iter()
            .filter(|(key, _)| !key.starts_with('$'))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        if pattern.get("$only") == Some(&Value::Bool(true)) {
            self.only(&plain, actual, at);
        }
        if !plain.is_empty() {
            self.value(&Value::Object(plain), Some(actual), at);
        }
    }

    fn directive(&mut self, name: &str, argument: &Value, actual: &Value, at: &str) {
        let is_match = match (name, argument) {
            // `directives` handles this one, because it needs the other keys of the pattern.
            ("$only", Value::Bool(true)) => return,
            ("$capture", Value::String(name)) => {
                return self.captures.push((name.clone(), actual.clone()));
            }
            ("$each", pattern) => return self.each(pattern, actual, at),
            ("$type", Value::String(kind)) => has_type(kind, actual),
            ("$type", Value::Array(kinds)) => kinds
                .iter()
                .filter_map(Value::as_str)
                .any(|kind| has_type(kind, actual)),
            ("$matches", Value::String(pattern)) => match Regex::new(pattern) {
                Ok(regex) => actual.as_str().is_some_and(|text| regex.is_match(text)),
                Err(error) => {
                    return self.mismatch(
                        at,
                        &format!("`{pattern}` is not a regular expression: {error}"),
                    );
                }
            },
            ("$exact", expected) => is_identical(expected, actual),
            ("$length", Value::Number(expected)) => {
                length(actual).is_some_and(|length| Some(length) == expected.as_u64())
            }
            ("$contains", Value::String(part)) if actual.is_string() => actual
                .as_str()
                .is_some_and(|text| text.contains(part.as_str())),
            ("$contains", pattern) => actual
                .as_array()
                .is_some_and(|items| items.iter().any(|item| matches(pattern, item))),
            ("$between", Value::Array(ends)) => match (&ends[..], actual.as_f64()) {
                ([low, high], Some(number)) => {
                    low.as_f64() <= Some(number) && Some(number) <= high.as_f64()
                }
                _ => false,
            },
            ("$not", pattern) => !matches(pattern, actual),
            _ => {
                return self.mismatch(
                    at,
                    &format!("the format has no `{name}` with {}", shorten(argument)),
                );
            }
        };
        if !is_match {
            self.differ(at, &format!("{name} {}", shorten(argument)), actual);
        }
    }

    fn each(&mut self, pattern: &Value, actual: &Value, at: &str) {
        let Some(items) = actual.as_array() else {
            return self.differ(at, "an array", actual);
        };
        for (index, item) in items.iter().enumerate() {
            self.value(pattern, Some(item), &child_pointer(at, &index.to_string()));
        }
    }

    fn only(&mut self, expected: &Map<String, Value>, actual: &Value, at: &str) {
        let Some(actual) = actual.as_object() else {
            return self.differ(at, "an object", actual);
        };
        for (key, value) in actual
            .iter()
            .filter(|(key, _)| !expected.contains_key(*key))
        {
            self.differ(&child_pointer(at, key), "no value", value);
        }
    }

    fn differ(&mut self, at: &str, expected: &str, actual: &Value) {
        self.mismatch(at, &format!("expected {expected}, got {}", shorten(actual)));
    }

    fn mismatch(&mut self, at: &str, message: &str) {
        let at = if at.is_empty() { "(entire value)" } else { at };
        self.errors.push(format!("{at}: {message}"));
    }
}

fn matches(pattern: &Value, actual: &Value) -> bool {
    compare(pattern, Some(actual), "").errors.is_empty()
}

/// Returns whether two scalars are equal. Numbers are compared by value: 1 equals 1.0.
fn is_equal(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Number(expected), Value::Number(actual))
            if expected.is_f64() || actual.is_f64() =>
        {
            expected.as_f64() == actual.as_f64()
        }
        _ => expected == actual,
    }
}

/// Returns whether two values are equal, without further keys at any depth.
fn is_identical(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            expected.len() == actual.len()
                && expected.iter().all(|(key, value)| {
                    actual
                        .get(key)
                        .is_some_and(|other| is_identical(value, other))
                })
        }
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len()
                && expected
                    .iter()
                    .zip(actual)
                    .all(|(one, other)| is_identical(one, other))
        }
        _ => is_equal(expected, actual),
    }
}

fn has_type(kind: &str, value: &Value) -> bool {
    // Clients with 64-bit floats cannot represent every integer from here on.
    const FIRST_UNSAFE_INTEGER: u64 = 1 << 53;
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "id" => value
            .as_u64()
            .is_some_and(|id| id > 0 && id < FIRST_UNSAFE_INTEGER),
        "time" => value.as_str().is_some_and(is_time),
        _ => false,
    }
}

/// Returns whether the text is a time in RFC 3339, in UTC with milliseconds:
/// `2026-11-21T14:30:00.000Z`.
fn is_time(text: &str) -> bool {
    let shape = "dddd-dd-ddTdd:dd:dd.dddZ";
    text.len() == shape.len()
        && text.chars().zip(shape.chars()).all(|(c, expected)| {
            if expected == 'd' {
                c.is_ascii_digit()
            } else {
                c == expected
            }
        })
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

fn child_pointer(at: &str, key: &str) -> String {
    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// Returns a value as one line of at most `READABLE` characters.
fn shorten(value: &Value) -> String {
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
    fn unlisted_keys_are_permitted() {
        assert_eq!(errors(json!({"a": 1}), json!({"a": 1.0, "b": 2})), [""; 0]);
        assert_eq!(
            errors(
                json!({"a": {"b": [1, {"c": 2}]}}),
                json!({"a": {"b": [1, {"c": 2, "d": 3}], "e": 4}})
            ),
            [""; 0]
        );
    }

    #[test]
    fn listed_keys_must_exist_and_be_equal() {
        assert_eq!(
            errors(json!({"a": {"b": 1}}), json!({"a": {}})),
            ["/a/b: expected 1, but it is missing"]
        );
        assert_eq!(
            errors(json!({"a": null}), json!({})),
            ["/a: expected null, but it is missing"]
        );
        assert_eq!(
            errors(json!({"fee": 57.9}), json!({"fee": 57.900000000000006})).len(),
            1
        );
        assert_eq!(
            errors(json!({"a": "1"}), json!({"a": 1})),
            ["/a: expected \"1\", got 1"]
        );
        assert_eq!(
            errors(json!([1]), json!([1, 2])),
            ["(entire value): expected 1 elements, got 2"]
        );
        assert_eq!(
            errors(json!({"x/y": 1}), json!({"x/y": 2})),
            ["/x~1y: expected 1, got 2"]
        );
    }

    #[test]
    fn types_are_distinguished() {
        let of = |kind: &str, value: Value| errors(json!({"$type": kind}), value).is_empty();
        assert!(of("number", json!(1.5)) && !of("number", json!("1.5")));
        assert!(of("integer", json!(2)) && !of("integer", json!(2.5)));
        assert!(of("id", json!(1)) && !of("id", json!(0)) && !of("id", json!(1_u64 << 53)));
        assert!(
            of("time", json!("2026-11-21T14:30:00.000Z"))
                && !of("time", json!("2026-11-21T14:30:00Z"))
        );
        assert!(of("null", json!(null)) && !of("null", json!(0)) && !of("sting", json!("a")));
        assert_eq!(
            errors(json!({"$type": ["string", "null"]}), json!(null)),
            [""; 0]
        );
        assert_eq!(
            errors(json!({"$type": ["string", "null"]}), json!(1)).len(),
            1
        );
    }

    #[test]
    fn directives_match_and_reject() {
        let table = [
            (
                json!({"$matches": "^dsp_[A-Za-z0-9_-]+$"}),
                json!("dsp_aB-1"),
                json!("dsp_ "),
            ),
            (
                json!({"$exact": {"a": [1, {"b": 2}]}}),
                json!({"a": [1, {"b": 2}]}),
                json!({"a": [1, {"b": 2, "c": 3}]}),
            ),
            (json!({"$length": 4}), json!("çãõé"), json!("abc")),
            (json!({"$length": 2}), json!([1, 2]), json!(2)),
            (
                json!({"$contains": {"code": "x"}}),
                json!([{"code": "y"}, {"code": "x", "d": 1}]),
                json!([{"code": "y"}]),
            ),
            (json!({"$contains": "ab"}), json!("cabd"), json!("a b")),
            (
                json!({"$each": {"id": {"$type": "id"}}}),
                json!([{"id": 1}, {"id": 2}]),
                json!([{"id": 1}, {}]),
            ),
            (json!({"$between": [1, 2.5]}), json!(2.5), json!(2.6)),
            (
                json!({"$not": {"a": 1}}),
                json!({"a": 2}),
                json!({"a": 1, "b": 2}),
            ),
            (
                json!({"$only": true, "a": 1}),
                json!({"a": 1}),
                json!({"a": 1, "b": 2}),
            ),
            (
                json!({"a": {"$absent": true}}),
                json!({"b": 1}),
                json!({"a": null}),
            ),
            (
                json!({"$type": "string", "$length": 4}),
                json!("1234"),
                json!(1234),
            ),
        ];
        for (pattern, good, bad) in table {
            assert_eq!(errors(pattern.clone(), good), [""; 0], "{pattern}");
            assert!(
                !errors(pattern.clone(), bad.clone()).is_empty(),
                "{pattern} accepts {bad}"
            );
        }
    }

    #[test]
    fn directive_on_missing_value_is_an_error() {
        assert_eq!(errors(json!({"a": {"$type": "null"}}), json!({})).len(), 1);
        assert_eq!(errors(json!({"a": {"$not": 1}}), json!({})).len(), 1);
        assert_eq!(errors(json!({"a": {"$capture": "x"}}), json!({})).len(), 1);
    }

    #[test]
    fn unknown_directive_is_an_error() {
        assert_eq!(errors(json!({"$typ": "string"}), json!("a")).len(), 1);
        assert_eq!(errors(json!({"$matches": "("}), json!("a")).len(), 1);
    }

    #[test]
    fn captured_value_is_returned() {
        let pattern = json!({"id": {"$capture": "orderId", "$type": "id"}});
        let comparison = compare(&pattern, Some(&json!({"id": 5})), "");
        assert_eq!(
            comparison,
            Comparison {
                errors: vec![],
                captures: vec![("orderId".to_owned(), json!(5))]
            }
        );
    }
}
