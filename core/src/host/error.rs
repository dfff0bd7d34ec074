//! Errors of hosts.
//!
//! Conflicts carry no detail: the retry loads the data again and determines the cause, so no driver
//! has to parse the messages of its database.

/// An error of a host. It is never caused by the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostError {
    /// A concurrent write won. Reload and retry.
    Conflict,
    /// A part is unavailable or overloaded and may recover.
    Unavailable {
        /// Name of the part in the documentation: `database`, `geocoder`.
        what: &'static str,
        /// Description for the log.
        detail: String,
    },
    /// A part did not respond in time.
    Timeout {
        /// The part.
        what: &'static str,
    },
    /// The host does not implement this method, and its default was called.
    Unsupported {
        /// The method of [`Storage`](super::Storage).
        method: &'static str,
    },
    /// An unexpected error. `detail` is only for the log.
    Internal {
        /// Description of the error.
        detail: String,
    },
}

/// Returns the error for a block of identifiers that is smaller than requested.
pub(crate) fn too_few_ids() -> HostError {
    HostError::Internal {
        detail: "fewer identifiers were reserved than requested".to_owned(),
    }
}

impl HostError {
    /// Creates the error of a method that the host does not implement.
    pub fn unsupported(method: &'static str) -> HostError {
        HostError::Unsupported { method }
    }

    /// Creates an internal error from another error.
    pub fn internal(error: impl std::fmt::Display) -> HostError {
        HostError::Internal {
            detail: error.to_string(),
        }
    }
}

impl std::fmt::Display for HostError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HostError::Conflict => f.write_str("conflict with a concurrent write"),
            HostError::Unavailable { what, detail } => write!(f, "{what} is unavailable: {detail}"),
            HostError::Timeout { what } => write!(f, "{what} did not respond in time"),
            HostError::Unsupported { method } => {
                write!(f, "this host does not implement `{method}`")
            }
            HostError::Internal { detail } => write!(f, "internal error: {detail}"),
        }
    }
}

impl std::error::Error for HostError {}
