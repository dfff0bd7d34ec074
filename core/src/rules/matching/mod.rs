//! Which courier serves which order.

pub(crate) mod assign;
pub(crate) mod nearby;
mod terms;

pub use assign::matches;
pub use terms::Dispatch;
