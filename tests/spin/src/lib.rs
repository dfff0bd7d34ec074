//! The test host.
