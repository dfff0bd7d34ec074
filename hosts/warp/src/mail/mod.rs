//! Sends the messages of webhooks with the URL `smtp:` to a mail server.

mod relay;
#[cfg(test)]
mod tests;

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use despacho_core::{
    drivers::outbox::Job,
    model::webhook::{AttemptResult, SendError},
    rules::webhooks::{Mail, mail},
};
use lettre::{
    Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{
        Mailbox, SinglePart,
        header::{Header, HeaderName, HeaderValue},
    },
    transport::smtp::Error,
};
use tokio::{sync::Semaphore, time::timeout};

pub use self::relay::{Relay, Sender, Smtp};
use crate::error::StartError;

/// Maximum number of connections to the mail server. Each sends one message: the cancelled
/// transaction of a timeout would leave a shared connection in an unknown state.
const MAX_CONNECTIONS: usize = 8;
/// Maximum time that a request waits for the mail server.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// Maximum number of characters of a subject and of a name.
const MAX_HEADER_CHARS: usize = 200;
/// The result for a message without a recipient's address: there is nothing to send.
const NO_RECIPIENT: AttemptResult = AttemptResult::Status(204);
/// The mail server accepted the message.
const ACCEPTED: AttemptResult = AttemptResult::Status(250);
/// The status of a mail server for an invalid address.
const INVALID_ADDRESS: AttemptResult = AttemptResult::Status(553);

/// Sends mail.
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    timeout: Duration,
    connections: Arc<Semaphore>,
}

/// RFC 3834: other programs do not reply to the message.
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<AutoSubmitted, Box<dyn std::error::Error + Send + Sync>> {
        Ok(AutoSubmitted)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(AutoSubmitted::name(), "auto-generated".to_owned())
    }
}

impl Mailer {
    /// Creates a mailer if a mail server is configured. No connection is opened.
    pub fn new(smtp: &Smtp, timeout: Duration) -> Result<Option<Mailer>, StartError> {
        let Some((relay, from)) = smtp.url.as_ref().zip(smtp.from.as_ref()) else {
            return Ok(None);
        };
        let from = from.mailbox();
        let transport = relay
            .transport(from.email.domain(), timeout)
            .map_err(StartError::Mail)?;
        Ok(Some(Mailer {
            transport,
            from,
            timeout,
            connections: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
        }))
    }

    /// Sends a message as mail and returns the result of the attempt, with the status of the mail
    /// server.
    pub async fn send(&self, job: &Job) -> AttemptResult {
        let Some(mail) = mail(&job.body) else {
            return NO_RECIPIENT;
        };
        // Repeated attempts send the same message, so that mail programs recognise a duplicate by
        // its ID.
        let id = format!("<{}@{}>", job.message.name, self.from.email.domain());
        let since = u64::try_from(job.message.since.millis()).unwrap_or_default();
        self.transfer(
            &mail,
            Some(id),
            SystemTime::UNIX_EPOCH + Duration::from_millis(since),
        )
        .await
    }

    /// Sends a mail once, and returns whether the mail server accepted it.
    pub async fn send_now(&self, mail: &Mail) -> bool {
        let limit = self.timeout.min(MAX_WAIT);
        let result = timeout(limit, self.transfer(mail, None, SystemTime::now())).await;
        let accepted = result.is_ok_and(|result| result == ACCEPTED);
        if !accepted {
            tracing::warn!("a mail with a password link was not accepted by the mail server");
        }
        accepted
    }

    async fn transfer(&self, mail: &Mail, id: Option<String>, date: SystemTime) -> AttemptResult {
        let Some(message) = self.message(mail, id, date) else {
            return INVALID_ADDRESS;
        };
        let sending = async {
            let _connection = self.connections.acquire().await;
            self.transport.send(message).await
        };
        match timeout(self.timeout, sending).await {
            Ok(Ok(_)) => ACCEPTED,
            Ok(Err(error)) => result(&error),
            Err(_) => AttemptResult::Failed(SendError::Timeout),
        }
    }

    /// Builds the message. Without an ID it gets a random one.
    fn message(&self, mail: &Mail, id: Option<String>, date: SystemTime) -> Option<Message> {
        let to: Address = mail.to.parse().ok()?;
        let name = mail
            .name
            .as_deref()
            .map(header_text)
            .filter(|name| !name.is_empty());
        let message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(name, to))
            .subject(header_text(&mail.subject))
            .date(date)
            .message_id(id)
            .header(AutoSubmitted)
            .singlepart(SinglePart::plain(body_text(&mail.text)));
        message.ok()
    }
}

/// Returns a text for a body: without control characters except line breaks and tabs.
fn body_text(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect()
}

/// Returns a text for a header: on one line, without control characters and encoded words (RFC
/// 2047), and of limited length.
fn header_text(text: &str) -> String {
    let is_plain = |c: char| !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}');
    let plain: String = text
        .chars()
        .map(|c| if is_plain(c) { c } else { ' ' })
        .take(MAX_HEADER_CHARS)
        .collect();
    plain.trim().replace("=?", "= ?")
}

/// Returns the result of a failed attempt. The log has the status, and never the text of the mail
/// server, which can quote credentials.
fn result(error: &Error) -> AttemptResult {
    let status = error.status().map(u16::from);
    match status {
        // The mail server rejects the login or requires one: the operator must correct it, and the
        // message is sent again.
        Some(status @ (530 | 534 | 535 | 538)) => {
            tracing::error!(
                status,
                "mail server rejected the login; mail is not sent until smtp.url is corrected"
            );
            AttemptResult::Failed(SendError::Connect)
        }
        Some(status) => AttemptResult::Status(status),
        None if error.is_timeout() => AttemptResult::Failed(SendError::Timeout),
        None if error.is_tls() => AttemptResult::Failed(SendError::Tls),
        None if error.is_client() || error.is_response() => {
            AttemptResult::Failed(SendError::Broken)
        }
        None => AttemptResult::Failed(SendError::Connect),
    }
}
