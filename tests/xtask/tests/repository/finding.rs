//! What a lint reports.

use std::fmt;

/// A place where a rule does not hold, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The file, with the line where there is one: `core/src/host.rs:12`.
    pub(crate) at: String,
    /// What is wrong there and what to do.
    pub(crate) what: String,
}

impl Finding {
    /// A finding about a whole file or folder.
    pub(crate) fn new(at: impl Into<String>, what: impl Into<String>) -> Finding {
        Finding { at: at.into(), what: what.into() }
    }

    /// A finding in a line.
    pub(crate) fn in_line(file: &str, line: usize, what: impl Into<String>) -> Finding {
        Finding::new(format!("{file}:{line}"), what)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.what)
    }
}
