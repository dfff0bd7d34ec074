//! Webhooks and top-ups.

use super::checker::{Checker, Path};
use crate::{
    api::{bounds, problem::Problem, read::Body},
    model::{Money, MoneyError, order::EventKind},
    rules::webhooks::{MAIL_EVENT, MAIL_URL, UrlError, check},
    wire::{CreateTopUp, CreateWebhook, RequestTopUp},
};

/// A valid new webhook.
pub struct NewWebhook {
    /// URL of the receiver.
    pub url: String,
    /// Types of events to send. Empty means all.
    pub events: Vec<EventKind>,
    /// The merchant's ID, if the webhook is a connection of Open Delivery.
    pub merchant: Option<String>,
}

/// Validates a new webhook. With `loopback`, the receiver can be on this machine; with `mail`, the
/// URL can be [`MAIL_URL`].
///
/// # Errors
/// Every invalid field.
pub fn webhook(
    body: Body<CreateWebhook>,
    loopback: bool,
    mail: bool,
) -> Result<NewWebhook, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let path = root.member("url");
    let names = sent.events.unwrap_or_default();
    let merchant = sent.open_delivery.map(|sent| {
        checker.merchant_id(
            &root.member("openDelivery").member("merchantId"),
            sent.merchant_id.as_ref(),
        )
    });
    if merchant.is_some() && !names.is_empty() {
        let en = "A connection of Open Delivery gets the events of that standard. Omit this field.";
        let pt =
            "Uma conexão do Open Delivery recebe os eventos desse padrão. Não envie este campo.";
        checker.reject(&root.member("events"), "not_applicable", en, pt);
    }
    let url = checker.required_text(&path, sent.url.as_ref(), bounds::URL);
    let url = if merchant.is_none() && url.as_deref() == Some(MAIL_URL) {
        checker.mail_webhook(&root, &names, mail);
        url
    } else {
        checker.https_url(&path, url, loopback)
    };
    let events = checker.event_kinds(&root.member("events"), &names);
    let merchant = merchant.flatten();
    checker.finish(url.zip(events).map(|(url, events)| NewWebhook {
        url,
        events,
        merchant,
    }))
}

/// Validates the amount and the reference of a top-up.
///
/// # Errors
/// Every invalid field.
pub fn top_up(body: Body<CreateTopUp>) -> Result<(Money, String, Option<String>), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let amount = checker.paid_amount(&root.member("amount"), sent.amount);
    let reference = checker.required_text(
        &root.member("reference"),
        sent.reference.as_ref(),
        bounds::CODE,
    );
    let txid = checker.text(&root.member("txid"), sent.txid.as_ref(), bounds::TXID);
    checker.finish(
        amount
            .zip(reference)
            .map(|(amount, reference)| (amount, reference, txid)),
    )
}

/// Validates the amount of a request for a top-up.
///
/// # Errors
/// Every invalid field.
pub fn requested_top_up(body: Body<RequestTopUp>, max: Money) -> Result<Money, Problem> {
    let mut checker = Checker::new(body.wrong);
    let path = Path::Root.member("amount");
    let amount = checker.paid_amount(&path, body.value.amount);
    let amount = amount.filter(|amount| {
        let fits = *amount <= max;
        if !fits {
            let en = format!("Expected at most R$ {max}.");
            let pt = format!("Esperados no máximo R$ {}.", max.in_portuguese());
            checker.reject(&path, "out_of_range", en, pt);
        }
        fits
    });
    checker.finish(amount)
}

impl Checker {
    /// Reads the ID of a merchant in Open Delivery.
    pub(super) fn merchant_id(&mut self, path: &Path<'_>, sent: Option<&String>) -> Option<String> {
        let id = self.required_text(path, sent, bounds::MERCHANT_ID)?;
        let min = *bounds::MERCHANT_ID.start();
        if id.chars().count() < min {
            let en = format!("Too short. Send at least {min} characters.");
            let pt = format!("Texto curto demais. Envie ao menos {min} caracteres.");
            self.reject(path, "too_short", en, pt);
        }
        Some(id)
    }

    /// Checks that the deployment sends mail, and that the webhook subscribes only to messages for
    /// recipients.
    fn mail_webhook(&mut self, root: &Path<'_>, names: &[String], mail: bool) {
        if !mail {
            let en = "This deployment or this store sends no mail. Send an https URL.";
            let pt = "Esta instalação ou esta loja não envia e-mail. Envie uma URL https.";
            self.reject(&root.member("url"), "mail_unavailable", en, pt);
        }
        if !matches!(names, [name] if EventKind::from_name(name.trim()) == Some(MAIL_EVENT)) {
            let event = MAIL_EVENT.name();
            let en = format!(
                "A webhook with the URL `{MAIL_URL}` sends only messages for recipients. Send [\"{event}\"]."
            );
            let pt = format!(
                "Um webhook com a URL `{MAIL_URL}` envia só mensagens para destinatários. Envie [\"{event}\"]."
            );
            self.reject(&root.member("events"), "mail_events", en, pt);
        }
    }

    /// Checks the URL of a receiver.
    pub(super) fn https_url(
        &mut self,
        path: &Path<'_>,
        url: Option<String>,
        loopback: bool,
    ) -> Option<String> {
        self.parsed(path, url, |text| match check(text, loopback) {
            Ok(()) => Ok(text.to_owned()),
            Err(UrlError::Malformed) => Err((
                "invalid_url",
                "Expected an https URL in ASCII without user or fragment, such as https://loja.example/despacho."
                    .to_owned(),
                "Esperada uma URL https em ASCII, sem usuário nem fragmento, como https://loja.example/despacho."
                    .to_owned(),
            )),
            Err(UrlError::Insecure) => Err((
                "insecure_url",
                "The URL is not https. Events are sent only over https. For development, the operator's setting webhooks.loopback \
                 permits http to the server's own machine."
                    .to_owned(),
                "A URL não é https. Os eventos são enviados somente por https. Para desenvolvimento, a configuração \
                 webhooks.loopback do operador permite http para a própria máquina do servidor."
                    .to_owned(),
            )),
            Err(UrlError::Private) => Err((
                "private_address",
                "The URL has an address in a private network. Send a public address.".to_owned(),
                "A URL tem um endereço de rede privada. Envie um endereço público.".to_owned(),
            )),
        })
    }

    fn event_kinds(&mut self, path: &Path<'_>, names: &[String]) -> Option<Vec<EventKind>> {
        if !self.has_at_most(path, names.len(), bounds::WEBHOOK_EVENTS) {
            return None;
        }
        let mut kinds = Vec::new();
        let mut known = true;
        for (index, name) in names.iter().enumerate() {
            match EventKind::from_name(name.trim()) {
                Some(kind) => kinds.push(kind),
                None => {
                    known = false;
                    let en = "Unknown event type. Send a type from the schema EventType.";
                    let pt = "Tipo de evento desconhecido. Envie um tipo do esquema EventType.";
                    self.reject(&path.item(index), "unknown_event", en, pt);
                }
            }
        }
        kinds.sort_unstable();
        kinds.dedup();
        known.then_some(kinds)
    }

    /// Reads an amount above zero, which is required.
    pub(super) fn paid_amount(&mut self, path: &Path<'_>, amount: Option<f64>) -> Option<Money> {
        let Some(number) = amount else {
            self.required(path);
            return None;
        };
        let (min, max) = bounds::PAID.into_inner();
        match Money::from_number(number) {
            Ok(money) if (min..=max).contains(&number) => Some(money),
            Err(MoneyError::TooManyDecimals) => {
                let (en, pt) = (
                    "Expected at most two decimal places.",
                    "Esperadas no máximo duas casas decimais.",
                );
                self.reject(path, "too_many_decimals", en, pt);
                None
            }
            _ => {
                let en = format!("Expected an amount from {min} to {max}.");
                let min = min.to_string().replace('.', ",");
                let pt = format!("Esperado um valor de {min} a {max}.");
                self.reject(path, "out_of_range", en, pt);
                None
            }
        }
    }
}
