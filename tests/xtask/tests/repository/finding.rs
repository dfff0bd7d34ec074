//! The findings of a lint.

use std::fmt;

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The file, with a line number if there is one: `core/src/host.rs:12`.
    pub(crate) at: String,
    /// The violation and its remedy.
    pub(crate) message: String,
}

impl Finding {
    /// Creates a finding about a whole file or folder.
    pub(crate) fn new(at: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding {
            at: at.into(),
            message: message.into(),
        }
    }

    /// Creates a finding about a line.
    pub(crate) fn in_line(file: &str, line: usize, message: impl Into<String>) -> Finding {
        Finding::new(format!("{file}:{line}"), message)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.message)
    }
}
