//! Compares the responses that a page shows with those of its commands, so that they do not become
//! outdated.

use serde_json::Value;

/// A response that a page shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Response {
    /// Whether it is JSON.
    pub(super) is_json: bool,
    pub(super) text: String,
}

/// The shell function behind [`with_expected_numbers`].
pub(super) const EXPECT: &str = "expect() { [ \"$2\" = \"$1\" ] || { echo \"expected $1, found $2\" >&2; return 1; }; echo \"$2\"; }\n";

/// Makes each command whose line ends with a comment of three digits, such as `# 210` or
/// `# 210: text`, fail if it prints another number.
pub(super) fn with_expected_numbers(commands: &str) -> String {
    let line = |line: &str| match expected_number(line) {
        Some((command, number)) => format!("expect {number} \"$({command})\"\n"),
        None => format!("{line}\n"),
    };
    commands.lines().map(line).collect()
}

fn expected_number(line: &str) -> Option<(&str, &str)> {
    let (command, comment) = line.rsplit_once("  # ")?;
    let number = comment
        .split_once(':')
        .map_or(comment, |(number, _)| number);
    let is_number = number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| (command.trim_end(), number))
}

impl Response {
    /// Returns an error unless the output of the commands contains this response.
    pub(super) fn check(&self, output: &str) -> Result<(), String> {
        if !self.is_json {
            let found: Vec<&str> = output.lines().collect();
            let wanted: Vec<&str> = self.text.lines().collect();
            let is_shown = found
                .windows(wanted.len().max(1))
                .any(|lines| lines == wanted);
            return if is_shown {
                Ok(())
            } else {
                Err(format!(
                    "the page shows\n{}but the output is\n{output}",
                    self.text
                ))
            };
        }
        let wanted: Value = serde_json::from_str(&self.text)
            .map_err(|e| format!("the shown response is not JSON: {e}"))?;
        if json_values(output)
            .iter()
            .any(|found| matches(&wanted, found))
        {
            return Ok(());
        }
        Err(format!(
            "the page shows\n{}but the output is\n{output}",
            self.text
        ))
    }
}

/// Returns the JSON documents in an output, which can follow one another without a line break.
fn json_values(output: &str) -> Vec<Value> {
    let (mut values, mut rest) = (Vec::new(), output);
    while let Some(start) = rest.find(['{', '[']) {
        rest = &rest[start..];
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => values.push(value),
            _ => {
                rest = &rest[1..];
                continue;
            }
        }
        rest = &rest[stream.byte_offset()..];
    }
    values
}

/// Returns whether a response has the shown form: the same members, texts, booleans and whole
/// numbers. Amounts with decimals can differ, as can times and codes, which are digits.
pub(super) fn matches(shown: &Value, found: &Value) -> bool {
    match (shown, found) {
        (Value::Object(shown), Value::Object(found)) => {
            shown.len() == found.len()
                && shown
                    .iter()
                    .all(|(name, value)| found.get(name).is_some_and(|other| matches(value, other)))
        }
        (Value::Array(shown), Value::Array(found)) => {
            shown.len() == found.len()
                && shown
                    .iter()
                    .zip(found)
                    .all(|(value, other)| matches(value, other))
        }
        (Value::String(shown), Value::String(found)) => {
            let is_code = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            let is_time =
                |text: &str| text.len() == 24 && text.as_bytes()[10] == b'T' && text.ends_with('Z');
            let are =
                |is: &dyn Fn(&str) -> bool| is(shown) && is(found) && shown.len() == found.len();
            shown == found || are(&is_code) || are(&is_time)
        }
        (Value::Number(shown), Value::Number(found)) => {
            shown == found || shown.is_f64() || found.is_f64()
        }
        _ => shown == found,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_codes_times_and_amounts_can_differ() {
        let shown = json!({"situation": 110, "fee": 14.74, "code": "3730", "at": "2026-11-22T23:21:09.717Z", "mode": "free"});
        let with = |name: &str, value: Value| {
            let mut found = shown.clone();
            found[name] = value;
            matches(&shown, &found)
        };
        assert!(with("fee", json!(17.69)) && with("fee", json!(15)) && with("code", json!("0161")));
        assert!(with("at", json!("2026-11-30T02:33:57.951Z")));
        assert!(
            !with("situation", json!(120))
                && !with("mode", json!("paid"))
                && !with("code", json!("none"))
        );
        assert!(!with("more", json!(1)) && !with("at", json!(null)));
    }

    #[test]
    fn shown_response_is_found_in_the_output() {
        let json = |text: &str| Response {
            is_json: true,
            text: text.to_owned(),
        };
        let output = "ready\n{\"a\":1}true\n{\"stored\":true,\"next\":20}== 3\n";
        assert_eq!(
            json("{\"stored\": true, \"next\": 20}").check(output),
            Ok(())
        );
        let error = json("{\"stored\": true}")
            .check(output)
            .expect_err("a member is missing");
        assert!(error.contains("\"next\":20"), "{error}");
        let text = |text: &str| {
            Response {
                is_json: false,
                text: text.to_owned(),
            }
            .check("1\ta\n2\tb\n3\tc\n")
            .is_ok()
        };
        assert!(text("2\tb\n3\tc\n") && !text("2\tb\n3\td\n"));
    }

    #[test]
    fn trailing_numbers_are_expected_outputs() {
        let commands = "step a \"{ \\\"b\\\": 1 }\" | jq .c    # 300: the merchant gives the code\nid=1   # a comment\n";
        assert_eq!(
            with_expected_numbers(commands),
            "expect 300 \"$(step a \"{ \\\"b\\\": 1 }\" | jq .c)\"\nid=1   # a comment\n"
        );
        assert_eq!(
            with_expected_numbers("a  # 20\nb  # 2000\n"),
            "a  # 20\nb  # 2000\n"
        );
    }
}
