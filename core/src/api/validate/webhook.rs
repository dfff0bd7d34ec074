//! Subscriptions and top-ups.

use super::checker::{Checker, Path};
use crate::{
    api::{problem::Problem, read::Body},
    model::{Money, MoneyError, order::EventKind},
    rules::webhooks::{MAX_URL_LENGTH, UrlError, check},
    wire::{CreateTopUp, CreateWebhook},
};

const REFERENCE: usize = 64;
const MAX_EVENTS: usize = 100;
const LARGEST_TOP_UP_CENTAVOS: i64 = 100_000_000;

/// A new subscription's URL and kinds of events, validated. With `loopback`, a receiver on this machine is fine.
///
/// # Errors
/// What is wrong with it, every field at once.
pub fn webhook(body: Body<CreateWebhook>, loopback: bool) -> Result<(String, Vec<EventKind>), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let path = root.member("url");
    let url = checker.required_text(&path, sent.url.as_ref(), MAX_URL_LENGTH);
    let url = checker.parsed(&path, url, |text| match check(text, loopback) {
        Ok(()) => Ok(text.to_owned()),
        Err(UrlError::Malformed) => Err((
            "invalid_url",
            "Expected an https URL in ASCII without user and fragment, such as https://loja.example/despacho."
                .to_owned(),
            "Esperada uma URL https em ASCII, sem usuário nem fragmento, como https://loja.example/despacho."
                .to_owned(),
        )),
        Err(UrlError::Insecure) => Err((
            "insecure_url",
            "Events are sent over https alone.".to_owned(),
            "Os eventos são enviados somente por https.".to_owned(),
        )),
        Err(UrlError::Private) => Err((
            "private_address",
            "Addresses in private networks are not called.".to_owned(),
            "Endereços de redes privadas não são chamados.".to_owned(),
        )),
    });
    let events = checker.event_kinds(&root.member("events"), &sent.events.unwrap_or_default());
    checker.finish(url.zip(events))
}

/// A top-up's amount and reference, validated.
///
/// # Errors
/// What is wrong with it, every field at once.
pub fn top_up(body: Body<CreateTopUp>) -> Result<(Money, String), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let amount = checker.top_up_amount(&root.member("amount"), sent.amount);
    let reference = checker.required_text(&root.member("reference"), sent.reference.as_ref(), REFERENCE);
    checker.finish(amount.zip(reference))
}

impl Checker {
    fn event_kinds(&mut self, path: &Path<'_>, names: &[String]) -> Option<Vec<EventKind>> {
        if names.len() > MAX_EVENTS {
            let (en, pt) = (format!("At most {MAX_EVENTS} types."), format!("No máximo {MAX_EVENTS} tipos."));
            self.reject(path, "out_of_range", en, pt);
            return None;
        }
        let mut kinds = Vec::new();
        let mut known = true;
        for (index, name) in names.iter().enumerate() {
            match EventKind::from_name(name.trim()) {
                Some(kind) => kinds.push(kind),
                None => {
                    known = false;
                    let (en, pt) = ("No event has this type.", "Nenhum evento tem este tipo.");
                    self.reject(&path.item(index), "unknown_event", en, pt);
                }
            }
        }
        kinds.sort_unstable();
        kinds.dedup();
        known.then_some(kinds)
    }

    fn top_up_amount(&mut self, path: &Path<'_>, amount: Option<f64>) -> Option<Money> {
        let Some(number) = amount else {
            self.required(path);
            return None;
        };
        match Money::from_number(number) {
            Ok(money) if (1..=LARGEST_TOP_UP_CENTAVOS).contains(&money.centavos()) => Some(money),
            Err(MoneyError::TooManyDecimals) => {
                let (en, pt) = ("Expected at most two decimals.", "Esperadas no máximo duas casas decimais.");
                self.reject(path, "too_many_decimals", en, pt);
                None
            }
            _ => {
                self.reject(path, "out_of_range", "Expected 0.01 to 1000000.", "Esperado de 0.01 a 1000000.");
                None
            }
        }
    }
}
