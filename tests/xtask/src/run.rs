//! Running other programs, in the open: every command is printed before it runs, so that it can be repeated by hand.

use std::{
    ffi::OsStr,
    fmt,
    path::Path,
    process::{Command, Stdio},
};

/// Why something did not work, as a sentence for the person at the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    /// A failure with its sentence.
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

/// A command that prints to the terminal and reads nothing.
#[must_use]
pub fn command(folder: &Path, words: &[&str]) -> Command {
    let (program, arguments) = words.split_first().unwrap_or((&"true", &[]));
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs a command to its end and shows what it prints; anything but success is a failure.
pub fn show(mut command: Command) -> Result<(), Failure> {
    let line = line_of(&command);
    println!("  $ {line}");
    let status = command.status().map_err(|e| Failure::new(format!("`{line}` could not start: {e}")))?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("`{line}` ended with {status}"))) }
}

/// Whether a command succeeds, without showing what it prints; a program that is not there does not.
#[must_use]
pub fn succeeds(words: &[&str]) -> bool {
    let quiet = command(Path::new("."), words).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

/// What a command prints, trimmed; `None` where it fails or is not there.
#[must_use]
pub fn response(words: &[&str]) -> Option<String> {
    let output = command(Path::new("."), words).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The command as one would type it: the variables set for it, the program, its arguments.
fn line_of(command: &Command) -> String {
    let text = |part: &OsStr| {
        let part = part.to_string_lossy();
        if part.is_empty() || part.contains([' ', '"', '$', '*']) { format!("'{part}'") } else { part.into_owned() }
    };
    let variables = command.get_envs().filter_map(|(name, value)| Some(format!("{}={}", text(name), text(value?))));
    let words = std::iter::once(command.get_program()).chain(command.get_args()).map(text);
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_typed_again() {
        let mut doc = command(Path::new("."), &["cargo", "doc", "--no-deps"]);
        doc.env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(line_of(&doc), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
    }

    #[test]
    fn a_missing_program_neither_succeeds_nor_answers() {
        assert!(!succeeds(&["no-such-program-anywhere"]));
        assert_eq!(response(&["no-such-program-anywhere"]), None);
        let failure = show(command(Path::new("."), &["no-such-program-anywhere"])).expect_err("it is not there");
        assert!(failure.to_string().contains("could not start"), "{failure}");
    }
}
