//! What measurements share: a client that costs little, orders to send, and problems for the route engine.

pub mod client;
pub mod orders;
pub mod parity;

/// What went wrong, in words.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
