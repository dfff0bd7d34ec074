//! The settings of the mail server.

use std::{fmt, time::Duration};

use lettre::{
    AsyncSmtpTransport, Tokio1Executor,
    message::Mailbox,
    transport::smtp::{AsyncSmtpTransportBuilder, Error, extension::ClientId},
};
use serde::Deserialize;

/// The mail server and the sender: both or neither.
#[derive(Clone, Debug, Default, Deserialize)]
#[expect(missing_docs, reason = "the table of settings describes the fields")]
pub struct Smtp {
    pub url: Option<Relay>,
    pub from: Option<Sender>,
}

/// The URL of the mail server, which can contain a password.
#[derive(Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Relay(String);

/// The sender of all mail.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Sender(Mailbox);

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Relay(…)")
    }
}

impl Relay {
    /// Parses `smtp://USER:PASSWORD@HOST:PORT` or the same with `smtps`.
    pub fn parse(text: &str) -> Result<Relay, String> {
        let expected = "must be smtps://USER:PASSWORD@HOST:PORT or smtp://USER:PASSWORD@HOST:PORT, with percent-encoded special characters";
        let relay = Relay(text.trim().to_owned());
        let has_rest = relay.0.contains(['?', '#'])
            || relay
                .authority()
                .is_some_and(|authority| authority.contains('/'));
        let is_complete = relay.authority().is_some_and(|authority| {
            let user = authority.rsplit_once('@').map(|(user, _)| user);
            user.is_none_or(|user| {
                user.split_once(':')
                    .is_some_and(|(name, password)| !name.is_empty() && !password.is_empty())
            })
        });
        // The parser's error could quote the URL.
        if has_rest || !is_complete || relay.builder().is_err() {
            return Err(expected.to_owned());
        }
        Ok(relay)
    }

    /// Builds the client, without a connection.
    pub(super) fn transport(
        &self,
        domain: &str,
        timeout: Duration,
    ) -> Result<AsyncSmtpTransport<Tokio1Executor>, Error> {
        let builder = self
            .builder()?
            .hello_name(ClientId::Domain(domain.to_owned()));
        Ok(builder.timeout(Some(timeout)).build())
    }

    fn builder(&self) -> Result<AsyncSmtpTransportBuilder, Error> {
        // A password must not be sent without TLS, and a certificate of this machine would have no
        // valid name.
        let starttls = if self.0.starts_with("smtp://") && !self.is_loopback() {
            "?tls=required"
        } else {
            ""
        };
        AsyncSmtpTransport::<Tokio1Executor>::from_url(&format!("{}{starttls}", self.0))
    }

    fn authority(&self) -> Option<&str> {
        self.0
            .strip_prefix("smtps://")
            .or_else(|| self.0.strip_prefix("smtp://"))
    }

    fn is_loopback(&self) -> bool {
        let authority = self.authority().unwrap_or_default();
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        let name =
            host.rsplit_once(':').map_or(
                host,
                |(name, port)| if port.ends_with(']') { host } else { name },
            );
        let address = name
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse::<std::net::IpAddr>();
        name == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }
}

impl Sender {
    /// Parses `ADDRESS` or `NAME <ADDRESS>`.
    pub fn parse(text: &str) -> Result<Sender, String> {
        let mailbox = text.trim().parse().ok().filter(|mailbox: &Mailbox| {
            !text.contains(['\r', '\n']) && mailbox.email.domain().contains('.')
        });
        mailbox.map(Sender).ok_or_else(|| {
            "must be ADDRESS or NAME <ADDRESS>, for example Entregas <entregas@loja.example>"
                .to_owned()
        })
    }

    pub(super) fn mailbox(&self) -> Mailbox {
        self.0.clone()
    }
}

impl TryFrom<String> for Relay {
    type Error = String;

    fn try_from(text: String) -> Result<Relay, String> {
        Relay::parse(&text)
    }
}

impl TryFrom<String> for Sender {
    type Error = String;

    fn try_from(text: String) -> Result<Sender, String> {
        Sender::parse(&text)
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn only_servers_of_this_machine_are_used_without_tls() {
        for (text, is_loopback) in [
            ("smtp://127.0.0.1:2525", true),
            ("smtp://[::1]:2525", true),
            ("smtp://u:p@localhost", true),
            ("smtp://u:p@mail.example:587", false),
            ("smtp://localhost.mail.example", false),
            ("smtps://u%40a:p%3A@mail.example", false),
        ] {
            let relay = Relay::parse(text).unwrap();
            assert_eq!(relay.is_loopback(), is_loopback, "{text}");
            let described = format!("{:?}", relay.builder().unwrap());
            assert_eq!(
                described.contains("Required") || described.contains("Wrapper"),
                !is_loopback,
                "{text}: {described}"
            );
            assert!(!format!("{relay:?}").contains('@'), "{text}");
        }
    }

    #[test]
    fn incomplete_url_is_rejected_without_its_password() {
        for text in [
            "",
            "smtp:",
            "smtp://",
            "mail.example",
            "https://mail.example",
            "smtp://segredo@mail.example",
            "smtp://u:@mail.example",
            "smtp://u:segredo@mail.example?tls=opportunistic",
            "smtp://u:segredo@mail.example/x",
            "smtp://u:segredo@mail.example:99999",
        ] {
            assert!(
                Relay::parse(text).is_err_and(|error| !error.contains("segredo")),
                "{text}"
            );
        }
    }

    #[test]
    fn sender_is_an_address_with_an_optional_name() {
        for text in [
            "entregas@loja.example",
            " Empório Central <entregas@loja.example> ",
        ] {
            assert!(Sender::parse(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "entregas",
            "entregas@localhost",
            "a@b.c, d@e.f",
            "A <a@b.c>\r\nBcc: d@e.f",
            "A\nB <a@b.c>",
        ] {
            assert!(Sender::parse(text).is_err(), "{text}");
        }
    }
}
