//! Email addresses, which are also login names.

use email_address::{EmailAddress, Options};
use serde::{Deserialize, Serialize};

/// An email address: a bare `local@domain` with a dotted domain, as sent.
///
/// Addresses that differ only in case are equivalent; see [`Email::key`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Email(String);

/// The string is not an email address of the accepted format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected an email address")]
pub struct EmailError;

impl Email {
    /// Parses an address. Display names and address literals are rejected.
    ///
    /// ```
    /// use despacho_core::model::Email;
    /// assert!(Email::parse("loja@exemplo.com.br").is_ok());
    /// assert!(Email::parse("Loja <loja@exemplo.com.br>").is_err());
    /// assert!(Email::parse("loja@localhost").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Email, EmailError> {
        let text = text.trim();
        // Not a literal: later versions of the library add options.
        let options = Options::default()
            .with_required_tld()
            .without_domain_literal()
            .without_display_text();
        match EmailAddress::parse_with_options(text, options) {
            Ok(_) => Ok(Email(text.to_owned())),
            Err(_) => Err(EmailError),
        }
    }

    /// Returns the address as sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the address in lower case, which is unique among stores.
    pub fn key(&self) -> String {
        self.0.to_lowercase()
    }
}

impl TryFrom<String> for Email {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Email, Self::Error> {
        Email::parse(&text).map_err(|_| "not an email address")
    }
}

impl From<Email> for String {
    fn from(email: Email) -> String {
        email.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_parser_accepts_and_rejects_edge_cases() {
        for bad in [
            "",
            "@",
            "a@",
            "@b.c",
            "a@b",
            "a b@c.d",
            "a@@b.c",
            "a@[127.0.0.1]",
            "a@b..c",
            "<a@b.c>",
        ] {
            assert!(Email::parse(bad).is_err(), "{bad}");
        }
        let long = |local: usize, domain: usize| {
            format!("{}@{}.br", "a".repeat(local), "b".repeat(domain))
        };
        for bad in [
            "Loja <a@b.c>",
            "\"x\" <a@b.c>",
            ".a@b.c",
            "a.@b.c",
            "a..b@c.d",
            "\"@b.c",
            "\"\"@b.c",
            "\"a\"b\"@b.c",
            "\"a\\\"@b.c",
            "a@-b.c",
            "a@b-.c",
            "a@b.c.",
            "a,b@c.d",
            "a@b_.c",
            &long(65, 3),
            &long(3, 64),
            &format!("a@{}b.c", "b.".repeat(127)),
        ] {
            assert!(Email::parse(bad).is_err(), "{bad}");
        }
        for good in [
            "a@b.c",
            "a.b+c@d-e.f",
            "josé@praça.com.br",
            "\"a b\"@c.d",
            "\"a\\\"b\"@c.d",
            "\"a@b\"@c.d",
            "!#$%&'*+-/=?^_`{|}~@b.c",
            "a@1.2",
            "a@b_c.d",
            &long(64, 63),
        ] {
            assert!(Email::parse(good).is_ok(), "{good}");
        }
        assert_eq!(
            Email::parse(" Loja+1@Exemplo.com ").unwrap().key(),
            "loja+1@exemplo.com"
        );
    }
}
