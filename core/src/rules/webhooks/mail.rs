//! Messages of webhooks that a host sends as mail.

use linkify::{LinkFinder, LinkKind};

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

/// Reads the mail from the body of a message, so that it has what other receivers get. Returns
/// `None` if the recipient has no address, or the message has no recipient: a test.
pub fn mail(body: &[u8]) -> Option<Mail> {
    let body = Tree::parse(std::str::from_utf8(body).ok()?).ok()?;
    let recipient = body.get("data")?.get("recipient")?;
    let text = |name| {
        recipient
            .get(name)
            .and_then(Tree::as_str)
            .map(str::to_owned)
    };
    let to = text("email").filter(|to| !to.is_empty())?;
    let name = text("name").map(|name| without_links(&name));
    Some(Mail {
        name,
        to,
        subject: text("subject").unwrap_or_default(),
        text: text("text")?,
    })
}

/// Returns a name without anything that a mail program shows as a link. Everyone can choose names,
/// and a mail with a stranger's link would come from the operator. Of a link only the words of its
/// domain remain: `Pizza.com` becomes `Pizza com`.
pub fn without_links(name: &str) -> String {
    let mut text: String = name
        .chars()
        .filter(|c| !is_invisible(*c))
        .map(|c| if is_dot(c) { '.' } else { c })
        .collect();
    let mut finder = LinkFinder::new();
    finder
        .url_must_have_scheme(false)
        .url_can_be_iri(true)
        .kinds(&[LinkKind::Url, LinkKind::Email]);
    // The words around a link that was broken up can form another one.
    while finder.links(&text).next().is_some() {
        let broken = finder.spans(&text).map(|span| match span.kind() {
            Some(_) => words(span.as_str()),
            None => span.as_str().to_owned(),
        });
        text = broken.collect();
    }
    text.replace("://", " ").trim().to_owned()
}

/// Returns the words of the domain of a link.
fn words(link: &str) -> String {
    let rest = link.split_once("://").map_or(link, |(_, rest)| rest);
    let rest = rest.strip_prefix("mailto:").unwrap_or(rest);
    let domain = rest.split(['/', '?', '#']).next().unwrap_or_default();
    domain.replace(['.', '@', ':'], " ")
}

/// Returns whether a character is a full stop in a domain (RFC 3490), in another script.
fn is_dot(c: char) -> bool {
    matches!(c, '\u{3002}' | '\u{ff0e}' | '\u{ff61}' | '\u{2024}')
}

/// Returns whether a character is not visible, but could separate the parts of a link or reverse
/// its direction.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_links() {
        for (name, expected) in [
            ("Cantina da Praça", "Cantina da Praça"),
            ("Pizzaria do Zé Ltda.", "Pizzaria do Zé Ltda."),
            ("St. John 24.7", "St. John 24.7"),
            ("Pizza.com", "Pizza com"),
            (
                "Ganhe em https://evil.example/p?id=1 agora",
                "Ganhe em evil example agora",
            ),
            ("HTTP://EVIL.EXAMPLE", "EVIL EXAMPLE"),
            ("www.evil.example", "www evil example"),
            ("evil\u{3002}example", "evil example"),
            ("evil\u{200b}.example/x", "evil example"),
            ("escreva a ana@evil.example", "escreva a ana evil example"),
            ("ftp://evil.example:21/x", "evil example 21"),
            ("javascript://x", "x"),
        ] {
            let plain = without_links(name);
            assert_eq!(plain, expected, "{name}");
            assert_eq!(without_links(&plain), plain, "{name}");
        }
    }

    #[test]
    fn mail_is_read_from_the_recipient_of_a_message() {
        let body = r#"{"type":"recipient.notify","data":{"recipient":{"name":"Rita","email":"rita@a.example","subject":"Olá","text":"Já vai."}}}"#;
        let owned = str::to_owned;
        let (name, to) = (Some(owned("Rita")), owned("rita@a.example"));
        let read = Mail {
            name,
            to,
            subject: owned("Olá"),
            text: owned("Já vai."),
        };
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
