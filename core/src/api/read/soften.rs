//! A JSON text without what no tree holds, in fields that perhaps nobody reads.
//!
//! Numbers beyond a double, halves of a letter and a hundred thousand brackets are JSON. Where a field is not read, they are nobody's
//! business; where it is, the body is refused.

use crate::json::Tree;

/// How deep a tree is kept: no field that is read lies deeper by far.
const DEEPEST: usize = 100;
/// What stands for what no tree holds: nothing that is read is a list of lists.
const ODD: &str = "[[]]";

/// The same text with [`ODD`] in such places. The text must be valid JSON.
pub(super) fn softened(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut soft, mut from, mut depth) = (String::with_capacity(text.len()), 0, 0usize);
    while let Some(&byte) = bytes.get(from) {
        let end = token_end(bytes, from);
        let token = text.get(from..end).unwrap_or_default();
        let is_opening = matches!(byte, b'{' | b'[');
        depth += usize::from(is_opening);
        if depth <= DEEPEST {
            soft.push_str(if is_odd(token) && !is_name(&bytes[end..]) { ODD } else { token });
        } else if is_opening && depth == DEEPEST + 1 {
            soft.push_str(ODD);
        }
        depth = depth.saturating_sub(usize::from(matches!(byte, b'}' | b']')));
        from = end;
    }
    soft
}

fn is_odd(token: &str) -> bool {
    matches!(token.bytes().next(), Some(b'"' | b'-' | b'0'..=b'9')) && Tree::parse(token).is_err()
}

fn is_name(rest: &[u8]) -> bool {
    rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

/// Where the token that begins at `from` ends: one byte, but for texts, numbers and words.
fn token_end(bytes: &[u8], from: usize) -> usize {
    let rest = &bytes[from + 1..];
    let length = match bytes[from] {
        b'"' => {
            let mut is_escaped = false;
            let is_end = |&byte: &u8| {
                let is_end = byte == b'"' && !is_escaped;
                is_escaped = byte == b'\\' && !is_escaped;
                is_end
            };
            rest.iter().position(is_end).map_or(rest.len(), |quote| quote + 1)
        }
        b'-' | b'0'..=b'9' | b'a'..=b'z' => {
            let is_end = |byte: &u8| !matches!(byte, b'0'..=b'9' | b'.' | b'+' | b'-' | b'e' | b'E' | b'a'..=b'z');
            rest.iter().position(is_end).unwrap_or(rest.len())
        }
        _ => 0,
    };
    from + 1 + length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_tree_holds_is_a_list_of_lists() {
        for (text, expected) in [
            (r#" {"a": 1e999, "b": [-1, 1e999 ] }"#, r#" {"a": [[]], "b": [-1, [[]] ] }"#),
            (r#"{"a": "\ud800", "b\"": "\"é\ud83d\ude00"}"#, r#"{"a": [[]], "b\"": "\"é\ud83d\ude00"}"#),
        ] {
            assert_eq!(softened(text), expected);
        }
        let deep = format!("{{\"a\": {}1{}, \"b\": 2}}", "[".repeat(100_000), "]".repeat(100_000));
        let soft = softened(&deep);
        assert!(Tree::parse(&soft).is_ok() && soft.len() < 500 && soft.ends_with(", \"b\": 2}"), "{soft}");
    }
}
