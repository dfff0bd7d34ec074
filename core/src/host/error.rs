//! Errors of hosts.
//!
//! Conflicts carry no detail: the retry loads the data again and determines the cause, so no driver
//! has to parse the messages of its database.

/// An error of a host. It is never caused by the client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// A concurrent write won. Reload and retry.
    #[error("conflict with a concurrent write")]
    Conflict,
    /// A part is unavailable or overloaded and may recover.
    #[error("{what} is unavailable: {detail}")]
    Unavailable {
        /// Name of the part in the documentation: `database`, `geocoder`.
        what: &'static str,
        /// Description for the log.
        detail: String,
    },
    /// A part did not respond in time.
    #[error("{what} did not respond in time")]
    Timeout {
        /// The part.
        what: &'static str,
    },
    /// The host does not implement this method, and its default was called.
    #[error("this host does not implement `{method}`")]
    Unsupported {
        /// The method of [`Storage`](super::Storage).
        method: &'static str,
    },
    /// An unexpected error. `detail` is only for the log.
    #[error("internal error: {detail}")]
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
