//! Webhooks: what is sent when, how it is signed, and when a receiver counts as failed.

mod plan;
mod settle;
mod sign;
mod target;
mod terms;
#[cfg(test)]
mod tests;

pub use plan::{PAGE, Round, plan};
pub use settle::{Settled, Tried, settle};
pub use sign::{SECRET_PREFIX, secret_text, signature};
pub use target::{LONGEST_URL, UrlError, check, is_public};
pub use terms::WebhookTerms;
