//! Payments at the door: the settings of stores, and payments that were received.

use super::checker::{Checker, Path};
use crate::{
    api::{bounds, problem::Problem, read::Body},
    model::{
        DeliveryId, PixKey, PixKeyError, PixRecipient,
        store::{Settle, Store, StorePayments},
    },
    rules::lifecycle::Receipt,
    wire::{ReceivePayment, RecordPayment, SetPix, SetStorePayments},
};

/// Validates settings for payments at the door of a store, whose name and city are the defaults.
///
/// # Errors
/// Every invalid field.
pub fn store_payments(
    body: Body<SetStorePayments>,
    store: &Store,
) -> Result<StorePayments, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let path = Path::Root.member("settle");
    let settle = checker.text(&path, sent.settle.as_ref(), bounds::FORMATTED);
    let settle = settle.and_then(|name| {
        let names: Vec<&str> = Settle::ALL.iter().map(|one| one.name()).collect();
        Settle::from_name(&name).or_else(|| checker.unknown_value(&path, &names.join(", ")))
    });
    let pix = sent.pix.as_ref();
    let pix = pix.and_then(|sent| checker.pix(&Path::Root.member("pix"), sent, store));
    checker.finish(Some(StorePayments {
        settle: settle.unwrap_or_default(),
        pix,
    }))
}

/// Validates a payment that was received. The inner `None` is a number that is not a valid delivery
/// ID.
///
/// # Errors
/// Every invalid field.
pub fn received_payment(
    body: Body<RecordPayment>,
) -> Result<(Option<DeliveryId>, Receipt), Problem> {
    let mut checker = Checker::new(body.wrong);
    let stop = checker.stop_id(body.value.delivery_id);
    let RecordPayment {
        method,
        received,
        reference,
        ..
    } = body.value;
    let payment = ReceivePayment {
        method,
        received,
        reference,
    };
    let receipt = checker.receipt(&Path::Root, &payment);
    checker.finish(stop.zip(receipt))
}

impl Checker {
    /// Reads a payment that was received.
    pub(super) fn receipt(&mut self, path: &Path<'_>, sent: &ReceivePayment) -> Option<Receipt> {
        let method = match &sent.method {
            Some(_) => self.method(path, sent.method.as_ref()),
            None => None,
        };
        let amount = path.member("received");
        if sent.received.is_none() {
            self.required(&amount);
        }
        let received = self.value(&amount, sent.received);
        let reference = self.text(
            &path.member("reference"),
            sent.reference.as_ref(),
            bounds::CODE,
        );
        Some(Receipt {
            method,
            amount: received?,
            reference,
        })
    }

    fn pix(&mut self, path: &Path<'_>, sent: &SetPix, store: &Store) -> Option<PixRecipient> {
        let at = path.member("key");
        let key = self.required_text(&at, sent.key.as_ref(), bounds::PIX_KEY);
        let key = self.parsed(&at, key, |text| PixKey::parse(text).map_err(invalid_key));
        let (at, own) = (path.member("name"), Some(store.name.clone()));
        let name = self.printable(&at, sent.name.as_ref(), own);
        let (at, own) = (path.member("city"), store.address.city.clone());
        let city = self.printable(&at, sent.city.as_ref(), own);
        Some(PixRecipient {
            key: key?,
            name: name?,
            city: city?,
        })
    }

    /// Reads a text of a code, which needs a letter or a digit.
    fn printable(
        &mut self,
        path: &Path<'_>,
        sent: Option<&String>,
        own: Option<String>,
    ) -> Option<String> {
        let errors = self.errors.len();
        let text = self.text(path, sent, bounds::NAME);
        if self.errors.len() > errors {
            return None;
        }
        let text = text.or(own).filter(|text| PixRecipient::is_printable(text));
        if text.is_none() {
            let en = "Expected a letter or a digit.";
            let pt = "Esperada uma letra ou um dígito.";
            self.reject(path, "invalid_characters", en, pt);
        }
        text
    }
}

fn invalid_key(error: PixKeyError) -> (&'static str, String, String) {
    let (en, pt) = match error {
        PixKeyError::Malformed => (
            "This is no Pix key. Send a CPF, a CNPJ, an email address, a phone number such as +5511999990000, or a random key.",
            "Isto não é uma chave Pix. Envie um CPF, um CNPJ, um e-mail, um telefone como +5511999990000 ou uma chave aleatória.",
        ),
        PixKeyError::WrongCheckDigits => (
            "The check digits of the CPF or CNPJ do not match. Send a phone number with +55.",
            "Os dígitos verificadores do CPF ou CNPJ não conferem. Envie um telefone com +55.",
        ),
        PixKeyError::Ambiguous => (
            "These digits are a CPF and a phone number. Send the CPF as 123.456.789-09, or the phone number with +55.",
            "Estes dígitos são um CPF e um telefone. Envie o CPF como 123.456.789-09 ou o telefone com +55.",
        ),
    };
    ("invalid_pix_key", en.to_owned(), pt.to_owned())
}
