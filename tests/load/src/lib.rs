//! What measurements share: a client that costs little, and orders to send.

pub mod client;
pub mod orders;

/// What went wrong, in words.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
