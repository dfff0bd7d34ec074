//! Email addresses, which are login names too.

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
        let text = text.trim();
        // An address in pointed brackets comes after a name, of a quoted one no less.
        let is_named = text.as_bytes().windows(2).any(|pair| pair == b" <") || text.starts_with('<');
        let parts = text.rsplit_once('@').filter(|_| !is_named);
        let is_address = parts.is_some_and(|(local, domain)| is_local(local) && is_domain(domain));
        if is_address { Ok(Email(text.to_owned())) } else { Err(InvalidEmail) }
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

/// What stands before the `@`, of RFC 5322: words between dots, with letters of any alphabet (RFC 6531), or a text in quotes; 64 bytes at
/// most (RFC 5321).
fn is_local(text: &str) -> bool {
    if text.len() > 64 {
        return false;
    }
    match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(quoted) => !quoted.is_empty() && is_quotable(quoted),
        None => text.split('.').all(is_word),
    }
}

/// At least two names between dots that begin and end with a letter or a digit; 63 bytes a name (RFC 1035), 254 in all.
fn is_domain(text: &str) -> bool {
    let is_name = |name: &str| {
        let ends = name.chars().next().into_iter().chain(name.chars().next_back());
        name.len() <= 63 && is_word(name) && ends.into_iter().all(char::is_alphanumeric)
    };
    text.len() <= 254 && text.bytes().any(|byte| byte == b'.') && text.split('.').all(is_name)
}

fn is_word(text: &str) -> bool {
    // By its bytes: a search for a letter brings the one for words with it.
    let is_sign = |letter: char| b"!#$%&'*+-/=?^_`{|}~".iter().any(|&sign| char::from(sign) == letter);
    let is_plain = |letter: char| letter.is_alphanumeric() || is_sign(letter);
    !text.is_empty() && text.chars().all(is_plain)
}

/// Whether a text stands between quotes as it is: printable ASCII, its quotes and backslashes behind a backslash.
fn is_quotable(text: &str) -> bool {
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let is_fine = match letter {
            '\\' => letters.next().is_some_and(|escaped| escaped.is_ascii_graphic()),
            '"' => false,
            ' ' | '\t' => true,
            _ => letter.is_ascii_graphic(),
        };
        if !is_fine {
            return false;
        }
    }
    true
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
        let long = |local: usize, domain: usize| format!("{}@{}.br", "a".repeat(local), "b".repeat(domain));
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
        assert_eq!(Email::parse(" Loja+1@Exemplo.com ").unwrap().key(), "loja+1@exemplo.com");
    }
}
