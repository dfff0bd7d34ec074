//! Telephone numbers and email addresses. A required one is an error if it is invalid; an optional
//! one of a recipient never prevents an order.

use super::checker::{Checker, Path};
use crate::model::{
    Email, Phone, PhoneError, Text,
    order::{Notice, NoticeCode},
};

/// The longest contact that is read. A longer one is no telephone number and no email address.
const MAX_READ: usize = 400;
/// The characters of an invalid contact that are kept for the courier.
const MAX_KEPT: usize = 100;

/// An optional contact of a recipient.
#[derive(Debug)]
pub(super) enum Contact<T> {
    /// It was not sent, or is blank.
    Absent,
    /// It is valid.
    Valid(T),
    /// It is not valid. The text without line breaks and control characters.
    Invalid(String),
}

impl<T> Contact<T> {
    /// Returns the contact, or what the courier reads instead of it.
    pub(super) fn split(self, label: &str) -> (Option<T>, Option<String>) {
        match self {
            Contact::Absent => (None, None),
            Contact::Valid(contact) => (Some(contact), None),
            Contact::Invalid(text) => (None, Some(format!("{label}: {text}"))),
        }
    }
}

/// The labels of contacts in the instructions for couriers, which are in Portuguese.
pub(super) const PHONE: &str = "Telefone";
pub(super) const EMAIL: &str = "E-mail";

/// Replaces control characters and white space by single spaces.
pub(super) fn one_line(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_KEPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn contact<T>(sent: Option<&String>, read: impl FnOnce(&str) -> Option<T>) -> Contact<T> {
    let text = one_line(sent.map(String::as_str).unwrap_or_default());
    if text.is_empty() {
        return Contact::Absent;
    }
    let is_short = text.chars().count() <= MAX_READ;
    let contact = if is_short { read(&text) } else { None };
    contact.map_or_else(|| Contact::Invalid(shortened(&text)), Contact::Valid)
}

/// Returns the instructions for the courier, each on a line of its own.
pub(super) fn instructions<const N: usize>(parts: [Option<String>; N]) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

impl Checker {
    /// Reads the phone number of a recipient.
    pub(super) fn recipient_phone(
        &mut self,
        path: &Path<'_>,
        sent: Option<&String>,
    ) -> Contact<Phone> {
        let contact = contact(sent, Phone::read);
        if let Contact::Invalid(_) = contact {
            let en = "This is not a telephone number, so the order was created without it. The courier reads it with the \
                      instructions. Send the number with its area code, and a foreign one with a plus sign and the country code.";
            let pt = "Não é um número de telefone; o pedido foi criado sem ele. O entregador lê o texto nas instruções. Envie o \
                      número com o DDD; se for de outro país, com o sinal + e o código do país.";
            self.omitted(path, en, pt);
        }
        contact
    }

    /// Reads the email address of a recipient.
    pub(super) fn recipient_email(
        &mut self,
        path: &Path<'_>,
        sent: Option<&String>,
    ) -> Contact<Email> {
        let contact = contact(sent, |text| Email::parse(text).ok());
        if let Contact::Invalid(_) = contact {
            let en = "This is not an email address, so the order was created without it. The courier reads it with the \
                      instructions. Send an address such as maria@exemplo.com.br.";
            let pt = "Não é um e-mail; o pedido foi criado sem ele. O entregador lê o texto nas instruções. Envie um endereço \
                      como maria@exemplo.com.br.";
            self.omitted(path, en, pt);
        }
        contact
    }

    fn omitted(&mut self, path: &Path<'_>, en: &str, pt: &str) {
        let notice = Notice {
            code: NoticeCode::ContactOmitted,
            pointer: path.pointer(),
            detail: Text::new(en, pt),
        };
        self.notices.push(notice);
    }

    /// Reads a telephone number in E.164 format.
    pub(super) fn phone(&mut self, path: &Path<'_>, text: Option<String>) -> Option<Phone> {
        self.parsed(path, text, |text| {
            Phone::parse(text).map_err(|PhoneError { hint }| match hint.as_ref().map(Phone::as_str) {
                Some(hint) => {
                    ("invalid_phone", format!("Send the phone as {hint}."), format!("Envie o telefone assim: {hint}."))
                }
                None => (
                    "invalid_phone",
                    "Expected a telephone number with country code and area code, such as +5592991000000.".to_owned(),
                    "Esperado um telefone com código do país e DDD, como +5592991000000.".to_owned(),
                ),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_contact_is_kept_as_one_short_line() {
        let (mut checker, root) = (Checker::default(), Path::Root);
        let mut phone = |text: &str| {
            checker
                .recipient_phone(&root, Some(&text.to_owned()))
                .split(PHONE)
        };
        assert_eq!(
            phone("(11) 98765-4321").0.map(String::from).as_deref(),
            Some("+5511987654321")
        );
        assert_eq!(phone(" \u{0}\t"), (None, None));
        assert_eq!(phone("3333-4444").1.as_deref(), Some("Telefone: 3333-4444"));
        assert_eq!(
            phone("ramal\u{b}21\r\n").1.as_deref(),
            Some("Telefone: ramal 21")
        );
        let long = phone(&"é".repeat(1_000)).1.unwrap_or_default();
        assert_eq!(long, format!("Telefone: {}…", "é".repeat(100)));
        assert_eq!(checker.notices.len(), 3);
        for text in [
            "maria..silva@gmail.com",
            "maria.@uol.com.br",
            "maria",
            &format!("{}@b.c", "a".repeat(500)),
        ] {
            let (email, kept) = checker
                .recipient_email(&root, Some(&text.to_owned()))
                .split(EMAIL);
            assert!(
                email.is_none() && kept.is_some_and(|kept| kept.starts_with("E-mail: ")),
                "{text}"
            );
        }
        assert!(checker.errors.is_empty());
    }
}
