//! Log lines. Spin prints what the component writes to standard error.

use std::{
    fmt,
    io::{self, Write as _},
};

/// Writes one line. A message may quote a database or a service, so line breaks and other control characters are escaped. All of it is
/// written at once, since the lines of other instances would come between its parts.
pub(crate) fn line(message: fmt::Arguments<'_>) {
    let line = one_line(&message.to_string()) + "\n";
    // A log that cannot be written is no reason to fail a request.
    let _ = io::stderr().write_all(line.as_bytes());
}

fn one_line(text: &str) -> String {
    let escape = |c: char| if is_break(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escape).collect()
}

/// Whether a terminal or a log collector may read this character as a line's end or as a command.
fn is_break(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(one_line("não: a\nb\r\u{1b}[0m\u{2028}c"), "não: a\\nb\\r\\u{1b}[0m\\u{2028}c");
    }
}
