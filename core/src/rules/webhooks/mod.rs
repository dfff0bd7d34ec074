//! Webhooks: the schedule of messages, their signatures, and the handling of failures.

mod config;
mod mail;
mod plan;
mod settle;
mod sign;
mod target;
#[cfg(test)]
mod tests;

pub use crate::model::webhook::MAIL_URL;
pub use config::WebhookConfig;
pub use mail::{MAIL_EVENT, Mail, mail, without_links};
pub use plan::{PAGE, WebhookPass, plan};
pub use settle::{MessageResult, Settlement, settle};
pub use sign::{SECRET_PREFIX, secret_text, signature};
pub use target::{UrlError, check, is_public};
