//! Log lines. Spin prints the component's standard error.

use std::{
    fmt,
    io::{self, Write as _},
};

/// Writes one line. A message may quote a database or a service, so line breaks and other control
/// characters are escaped. The line is written in one call, because other instances write to the
/// same log.
pub(crate) fn line(message: fmt::Arguments<'_>) {
    let line = one_line(&message.to_string()) + "\n";
    // A failed log write must not fail the request.
    let _ = io::stderr().write_all(line.as_bytes());
}

fn one_line(text: &str) -> String {
    let escape = |c: char| {
        if is_break(c) {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    };
    text.chars().map(escape).collect()
}

/// Returns whether a terminal or a log collector may interpret this character as a line break or a
/// command.
fn is_break(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(
            one_line("não: a\nb\r\u{1b}[0m\u{2028}c"),
            "não: a\\nb\\r\\u{1b}[0m\\u{2028}c"
        );
    }
}
