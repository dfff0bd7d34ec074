//! What every host of Despacho has around the core, without I/O.
//!
//! Hosts differ in how they read requests and files. Their settings, the endpoints beside the API, the limits of bodies and the
//! responses to requests that never reach the core are the same, and are here.

pub mod body;
pub mod early;
pub mod files;
pub mod panel;
pub mod probes;
pub mod settings;
pub mod webhooks;
