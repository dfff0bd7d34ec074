//! Runs other programs. Commands whose output is shown are printed first, so that they can be
//! repeated by hand.

use std::{
    cell::Cell,
    ffi::OsStr,
    fmt,
    path::Path,
    process::{Command, Stdio},
};

/// An error message for the user at the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    /// Creates a failure with a message.
    pub fn new(text: impl Into<String>) -> Failure {
        Failure(text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

/// Creates a command that inherits the terminal's output and has no input.
#[must_use]
pub fn command(folder: &Path, words: &[&str]) -> Command {
    let (program, arguments) = words.split_first().unwrap_or((&"true", &[]));
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}

thread_local! {
    /// Whether another thread shows outputs at the same time as this one.
    static IN_ONE_PIECE: Cell<bool> = const { Cell::new(false) };
}

/// Makes [`show`] show the output of each command of this thread in one piece, not mixed with those
/// of other threads.
pub fn show_in_one_piece() {
    IN_ONE_PIECE.set(true);
}

/// Runs a command to completion and shows its output. Returns a failure unless the command
/// succeeds.
pub fn show(mut command: Command) -> Result<(), Failure> {
    if IN_ONE_PIECE.get() {
        return show_at_end(command, None);
    }
    let line = line_of(&command);
    println!("  $ {line}");
    let status = command
        .status()
        .map_err(|e| Failure::new(format!("`{line}` could not start: {e}")))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!("`{line}` ended with {status}")))
    }
}

/// Runs a command to completion, and then shows its output in one piece, not mixed with that of
/// concurrent commands. Returns a failure unless the command succeeds, with the part of its output
/// that begins with `summary`, if there is one.
pub fn show_at_end(mut command: Command, summary: Option<&str>) -> Result<(), Failure> {
    let line = line_of(&command);
    let output = command
        .output()
        .map_err(|e| Failure::new(format!("`{line}` could not start: {e}")))?;
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    println!("  $ {line}\n{text}");
    if output.status.success() {
        return Ok(());
    }
    let summary = summary
        .and_then(|summary| text.get(text.find(summary)?..))
        .unwrap_or_default();
    Err(Failure::new(
        format!("`{line}` ended with {}\n{summary}", output.status).trim_end(),
    ))
}

/// Returns whether a command succeeds, and hides its output. A missing program counts as
/// unsuccessful.
#[must_use]
pub fn succeeds(words: &[&str]) -> bool {
    let quiet = command(Path::new("."), words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    quiet.is_ok_and(|status| status.success())
}

/// Returns a command's standard output, trimmed, or `None` if it fails or is missing.
#[must_use]
pub fn stdout(words: &[&str]) -> Option<String> {
    let output = command(Path::new("."), words)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Formats a command for a shell: its variables, the program, its arguments.
fn line_of(command: &Command) -> String {
    let text = |part: &OsStr| {
        let part = part.to_string_lossy();
        if part.is_empty() || part.contains([' ', '"', '$', '*']) {
            format!("'{part}'")
        } else {
            part.into_owned()
        }
    };
    let variables = command
        .get_envs()
        .filter_map(|(name, value)| Some(format!("{}={}", text(name), text(value?))));
    let words = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(text);
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_command_can_be_repeated_in_a_shell() {
        let mut doc = command(Path::new("."), &["cargo", "doc", "--no-deps"]);
        doc.env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(
            line_of(&doc),
            "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps"
        );
    }

    #[test]
    fn failure_contains_the_summary_of_the_output() {
        let shell = |script: &str| {
            show_at_end(
                command(Path::new("."), &["sh", "-c", script]),
                Some("failed:"),
            )
        };
        assert_eq!(shell("echo failed: nothing"), Ok(()));
        let failure = shell("echo passed; echo failed: two; echo details; exit 3")
            .expect_err("it exits with 3");
        assert!(
            failure
                .to_string()
                .ends_with("exit status: 3\nfailed: two\ndetails"),
            "{failure}"
        );
    }

    #[test]
    fn missing_program_fails_without_output() {
        assert!(!succeeds(&["no-such-program-anywhere"]));
        assert_eq!(stdout(&["no-such-program-anywhere"]), None);
        let failure = show(command(Path::new("."), &["no-such-program-anywhere"]))
            .expect_err("the program is missing");
        assert!(failure.to_string().contains("could not start"), "{failure}");
    }
}
