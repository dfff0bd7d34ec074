//! How a command fails.

use std::fmt;

/// How a command ended where it did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// The command line or the configuration is wrong: exit code 2.
    Usage(String),
    /// It could not be done: exit code 1.
    Failed(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(text) | Failure::Failed(text) => f.write_str(text.trim_end()),
        }
    }
}

impl From<String> for Failure {
    fn from(text: String) -> Failure {
        Failure::Failed(text)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Failed(error.to_string())
    }
}
