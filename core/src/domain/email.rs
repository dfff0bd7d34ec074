//! Email addresses, which are login names too.

use email_address::{EmailAddress, Options};
use serde::{Deserialize, Serialize};

/// An email address: a bare `local@domain` with a dotted domain, as sent.
///
/// Two addresses that differ in case alone are the same one: [`Email::key`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Email(String);

/// The text is no email address of the accepted form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidEmail;

impl Email {
    /// The address in a text; display names and address literals are refused.
    ///
    /// ```
    /// use despacho_core::domain::Email;
    /// assert!(Email::parse("loja@exemplo.com.br").is_ok());
    /// assert!(Email::parse("Loja <loja@exemplo.com.br>").is_err());
    /// assert!(Email::parse("loja@localhost").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Email, InvalidEmail> {
        let options = Options::default().with_required_tld().without_display_text().without_domain_literal();
        let text = text.trim();
        EmailAddress::parse_with_options(text, options).map(|_| Email(text.to_owned())).map_err(|_| InvalidEmail)
    }

    /// The address as sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form that is unique among stores: lower case.
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
    fn odd_addresses() {
        for bad in ["", "@", "a@", "@b.c", "a@b", "a b@c.d", "a@@b.c", "a@[127.0.0.1]", "a@b..c", "<a@b.c>"] {
            assert!(Email::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Email::parse(" Loja+1@Exemplo.com ").unwrap().key(), "loja+1@exemplo.com");
    }
}
