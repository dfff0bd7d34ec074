//! The error of a command.

use std::fmt;

use crate::error::StartError;

/// The error of a command, which determines its exit code.
#[derive(Debug)]
pub enum CommandError {
    /// The command line or the configuration is invalid: exit code 2.
    Usage(String),
    /// The command failed: exit code 1.
    Failed(String),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::Usage(text) | CommandError::Failed(text) => f.write_str(text.trim_end()),
        }
    }
}

impl CommandError {
    /// Reports an invalid command line or configuration.
    pub fn usage(error: impl fmt::Display) -> CommandError {
        CommandError::Usage(error.to_string())
    }
}

impl From<StartError> for CommandError {
    fn from(error: StartError) -> CommandError {
        CommandError::Failed(error.to_string())
    }
}

impl From<String> for CommandError {
    fn from(text: String) -> CommandError {
        CommandError::Failed(text)
    }
}

impl From<std::io::Error> for CommandError {
    fn from(error: std::io::Error) -> CommandError {
        CommandError::Failed(error.to_string())
    }
}
