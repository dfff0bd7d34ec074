//! The layout of the cases: a step is a paragraph.
//!
//! No general formatter packs the members of an object into lines. The formatter changes only
//! white space between tokens, so numbers, escapes and duplicate members stay as they are.

use crate::{Finding, files::TextFile};

/// The maximum length of a line, except one with a single long token.
const WIDTH: usize = 110;

/// A value with the text of its tokens.
enum Value<'a> {
    Scalar(&'a str),
    List(Vec<Value<'a>>),
    Object(Vec<(&'a str, Value<'a>)>),
}

/// Checks that a file has the layout of the formatter.
#[must_use]
pub(crate) fn layout(file: &TextFile) -> Vec<Finding> {
    match formatted(&file.text) {
        Some(text) if text == file.text => Vec::new(),
        Some(_) => vec![Finding::new(
            &file.path,
            "is not formatted: run `DESPACHO_WRITE_CASES=1 cargo test -p despacho-xtask --test repository cases`",
        )],
        None => vec![Finding::new(&file.path, "is not JSON: correct it")],
    }
}

/// Returns the text of a case in its layout; `None` if it is not JSON.
#[must_use]
pub(crate) fn formatted(text: &str) -> Option<String> {
    let mut tokens = tokens(text)?.into_iter();
    let value = value(&mut tokens)?;
    if tokens.next().is_some() {
        return None;
    }
    let mut out = String::new();
    match &value {
        // Each member of the file begins a line, and so does each step.
        Value::Object(members) => {
            out.push_str("{\n");
            for (at, (name, member)) in members.iter().enumerate() {
                out.push_str(&format!("  {name}: "));
                write(&mut out, member, 2, *name == "\"steps\"");
                out.push_str(if at + 1 < members.len() { ",\n" } else { "\n" });
            }
            out.push('}');
        }
        other => write(&mut out, other, 0, true),
    }
    out.push('\n');
    Some(out)
}

/// Splits JSON into strings, scalars and punctuation.
fn tokens(text: &str) -> Option<Vec<&str>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            '"' => {
                let mut is_escaped = false;
                let end = rest[1..].char_indices().find(|(_, c)| {
                    let ends = *c == '"' && !is_escaped;
                    is_escaped = *c == '\\' && !is_escaped;
                    ends
                });
                end?.0 + 2
            }
            _ => rest
                .find(|c: char| c.is_whitespace() || "{}[],:\"".contains(c))
                .unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after.trim_start();
    }
    Some(tokens)
}

fn value<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Option<Value<'a>> {
    let first = tokens.next()?;
    value_from(first, tokens)
}

fn value_from<'a>(first: &'a str, tokens: &mut impl Iterator<Item = &'a str>) -> Option<Value<'a>> {
    match first {
        "{" => {
            let mut members = Vec::new();
            let mut next = tokens.next()?;
            while next != "}" {
                if !members.is_empty() {
                    next = (next == ",").then(|| tokens.next())??;
                }
                let name = next.starts_with('"').then_some(next)?;
                (tokens.next()? == ":").then_some(())?;
                members.push((name, value(tokens)?));
                next = tokens.next()?;
            }
            Some(Value::Object(members))
        }
        "[" => {
            let mut items = Vec::new();
            let mut next = tokens.next()?;
            while next != "]" {
                if !items.is_empty() {
                    next = (next == ",").then(|| tokens.next())??;
                }
                items.push(value_from(next, tokens)?);
                next = tokens.next()?;
            }
            Some(Value::List(items))
        }
        "}" | "]" | "," | ":" => None,
        scalar => Some(Value::Scalar(scalar)),
    }
}

/// Returns the text of a value in one line.
fn flat(value: &Value<'_>) -> String {
    match value {
        Value::Scalar(text) => (*text).to_owned(),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(flat).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, member)| format!("{name}: {}", flat(member)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
    }
}

/// Writes a value whose lines are indented by at least `indent`. A value that does not fit its line
/// is packed into several; the items of a list that is `split` begin a line each.
fn write(out: &mut String, value: &Value<'_>, indent: usize, split: bool) {
    let column = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
    let line = flat(value);
    if !split && column + line.chars().count() < WIDTH {
        return out.push_str(&line);
    }
    match value {
        Value::Scalar(text) => out.push_str(text),
        Value::List(items) => {
            let each_own = split || items.iter().any(|item| !matches!(item, Value::Scalar(_)));
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                let is_first = at == 0;
                let text = flat(item);
                if each_own || is_first || !fits(out, &text) {
                    break_line(out, indent + 2);
                } else {
                    out.push(' ');
                }
                write(out, item, indent + 2, false);
                if at + 1 < items.len() {
                    out.push(',');
                }
            }
            break_line(out, indent);
            out.push(']');
        }
        Value::Object(members) => {
            out.push_str("{ ");
            for (at, (name, member)) in members.iter().enumerate() {
                let text = format!("{name}: {}", flat(member));
                if at > 0 {
                    if fits(out, &text) {
                        out.push(' ');
                    } else {
                        break_line(out, indent + 2);
                    }
                }
                out.push_str(name);
                out.push_str(": ");
                write(out, member, indent + 2, false);
                if at + 1 < members.len() {
                    out.push(',');
                }
            }
            out.push_str(" }");
        }
    }
}

fn fits(out: &str, text: &str) -> bool {
    let line = &out[out.rfind('\n').map_or(0, |at| at + 1)..];
    line.chars().count() + text.chars().count() + 4 < WIDTH
}

fn break_line(out: &mut String, indent: usize) {
    out.push('\n');
    out.push_str(&" ".repeat(indent));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_is_a_paragraph() {
        let step =
            r#"{"name":"a","send":"POST /x","body":{"text":"BODY"},"expect":{"status":201}}"#;
        let text = format!(r#"{{"about":"b","steps":[{step},{{"advance_seconds":1}}]}}"#);
        let text = text.replace("BODY", &"x".repeat(80));
        let body = "x".repeat(80);
        let expected = format!(
            "{{\n  \"about\": \"b\",\n  \"steps\": [\n    {{ \"name\": \"a\", \"send\": \"POST /x\",\n      \
             \"body\": {{ \"text\": \"{body}\" }},\n      \"expect\": {{ \"status\": 201 }} }},\n    \
             {{ \"advance_seconds\": 1 }}\n  ]\n}}\n"
        );
        assert_eq!(formatted(&text).as_deref(), Some(expected.as_str()));
        assert_eq!(formatted(&expected).as_deref(), Some(expected.as_str()));
    }

    #[test]
    fn tokens_are_kept_as_written() {
        let text = r#"{"a": 1.50, "a": "\"\\\u0041", "c": [1e3, {}, []]}"#;
        let written = formatted(text).unwrap();
        assert_eq!(tokens(&written), tokens(text));
    }

    #[test]
    fn broken_json_is_reported() {
        for text in ["{", "{\"a\" 1}", "[1 2]", "[1],", "{\"a\": \"b}", ""] {
            assert_eq!(formatted(text), None, "{text}");
        }
    }
}
