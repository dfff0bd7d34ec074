//! Messages of webhooks that a host sends as mail.

use crate::{json::Tree, model::order::EventKind};

/// The only event type of such a webhook.
pub const MAIL_EVENT: EventKind = EventKind::RecipientNotify;

/// The content of a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// The recipient's name, if it is known.
    pub name: Option<String>,
    /// The recipient's address.
    pub to: String,
    /// The subject.
    pub subject: String,
    /// The text.
    pub text: String,
}

/// Reads the mail from the body of a message, so that it has what other receivers get. Returns `None` if the recipient has no address, or
/// the message has no recipient: a test.
pub fn mail(body: &[u8]) -> Option<Mail> {
    let body = Tree::parse(std::str::from_utf8(body).ok()?).ok()?;
    let recipient = body.get("data")?.get("recipient")?;
    let text = |name| recipient.get(name).and_then(Tree::as_str).map(str::to_owned);
    let to = text("email").filter(|to| !to.is_empty())?;
    Some(Mail { name: text("name"), to, subject: text("subject").unwrap_or_default(), text: text("text")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_is_read_from_the_recipient_of_a_message() {
        let body = r#"{"type":"recipient.notify","data":{"recipient":{"name":"Rita","email":"rita@a.example","subject":"Olá","text":"Já vai."}}}"#;
        let owned = str::to_owned;
        let (name, to) = (Some(owned("Rita")), owned("rita@a.example"));
        let read = Mail { name, to, subject: owned("Olá"), text: owned("Já vai.") };
        assert_eq!(mail(body.as_bytes()), Some(read));
        for without in [
            r#"{"data":{"recipient":{"email":null,"subject":"a","text":"b"}}}"#,
            r#"{"data":{"recipient":{"email":"","subject":"a","text":"b"}}}"#,
            r#"{"data":{"recipient":{"email":"a@b.example","subject":"a","text":null}}}"#,
            r#"{"data":{"recipient":null},"type":"webhook.test"}"#,
            r#"{"data":null,"type":"webhook.test"}"#,
        ] {
            assert_eq!(mail(without.as_bytes()), None, "{without}");
        }
    }
}
