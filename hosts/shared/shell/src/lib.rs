//! The parts around the core that all hosts share, without I/O.
//!
//! Each host reads requests and files in its own way. The settings, the endpoints outside the API,
//! the limits of bodies and the responses to requests that do not reach the core are the same on
//! all hosts.

pub mod body;
pub mod early;
pub mod files;
pub mod panel;
pub mod probes;
pub mod settings;
pub mod webhooks;
