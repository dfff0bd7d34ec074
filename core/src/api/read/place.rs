//! Where in a JSON text a parser stood when it gave up, whatever the text was read as.
//!
//! serde's errors say a line and a column. The text is walked to there by code that knows no type: it exists once, where a reader that
//! keeps its own path would exist once for every request.

use super::Step;

/// The byte that an error's line and column name.
pub(super) fn offset(text: &str, error: &serde_json::Error) -> usize {
    let before = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    before.map(str::len).sum::<usize>() + error.column()
}

/// The path of the value that ends at a byte, or of the list or object that begins there; between values, of the member whose name was
/// read last. The text must be valid JSON.
pub(super) fn path(text: &str, at: usize) -> Vec<Step> {
    let bytes = text.as_bytes();
    let (mut steps, mut from, mut is_name) = (Vec::new(), 0, false);
    while let Some(&byte) = bytes.get(from).filter(|_| from < at) {
        let end = token_end(bytes, from);
        match byte {
            b'{' => steps.push(Step::Member(String::new())),
            b'[' => steps.push(Step::Item(0)),
            b'}' | b']' => {
                steps.pop();
            }
            b',' => {
                if let Some(Step::Item(index)) = steps.last_mut() {
                    *index += 1;
                }
            }
            b'"' if is_name => {
                if let Some(Step::Member(name)) = steps.last_mut() {
                    *name = serde_json::from_str(&text[from..end]).unwrap_or_default();
                }
            }
            _ => {}
        }
        // A name comes after the brace or a comma; white space changes nothing.
        is_name = match byte {
            b'{' | b',' => matches!(steps.last(), Some(Step::Member(_))),
            b' ' | b'\t' | b'\r' | b'\n' => is_name,
            _ => false,
        };
        from = end;
    }
    steps
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
    use super::super::pointer;
    use super::*;

    #[test]
    fn a_byte_is_in_the_value_that_ends_there() {
        let text = r#" {"a" : [1, "x\"]", {"b~/": tru}], "c": {}, "d": [[2]]} "#;
        let found = |part: &str| pointer(&path(text, text.find(part).unwrap() + part.len()));
        for (part, expected) in [
            ("[1", "/a/0"),
            (r#""x\"]""#, "/a/1"),
            ("tru", "/a/2/b~0~1"),
            ("tru}", "/a/2"),
            ("tru}]", "/a"),
            (r#""c": {}"#, "/c"),
            ("[[2", "/d/0/0"),
            ("[[2]", "/d/0"),
            ("[[2]]", "/d"),
            ("[[2]]}", ""),
        ] {
            assert_eq!(found(part), expected, "{part}");
        }
    }

    #[test]
    fn a_list_or_an_object_begins_at_its_bracket_and_a_member_at_its_name() {
        let text = r#"{"a":[[1],{"b":2}],"c" : 3}"#;
        let found = |part: &str| pointer(&path(text, text.find(part).unwrap()));
        assert_eq!([found("[["), found("[1"), found("{\"b"), found(": 3")], ["/a", "/a/0", "/a/1", "/c"]);
        assert_eq!(pointer(&path(text, 0)), "");
        assert_eq!(pointer(&path("", 3)), "");
    }
}
