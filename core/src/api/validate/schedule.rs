//! Requested times of deliveries, and payments at the door.

use super::checker::{Checker, Path};
use crate::{
    api::{bounds, problem::Problem},
    model::{
        Duration, Money, Timestamp,
        order::{DeliveryWindow, Payment, PaymentMethod, PaymentPart},
    },
    rules::pricing::{Inquiry, Returns},
    wire::{SetPayment, SetPaymentPart, SetWindow},
};

/// Maximum time from the request to a requested time.
const MAX_AHEAD_DAYS: i64 = 30;
const MAX_WINDOW_HOURS: i64 = 24;

/// Checks the requested times of an inquiry against the current time. The format of an order does
/// not depend on the time, so that a repeated request returns the existing order.
///
/// # Errors
/// Every time that has passed or is too far ahead.
pub fn times(inquiry: &Inquiry, now: Timestamp) -> Result<(), Problem> {
    let (mut checker, root) = (Checker::default(), Path::Root);
    checker.in_range(
        &root.member("deliverAt"),
        inquiry.deliver_at,
        inquiry.deliver_at,
        now,
    );
    let list = root.member("deliveries");
    for (index, stop) in inquiry.stops.iter().enumerate() {
        let item = list.item(index);
        let path = item.member("window");
        checker.in_range(
            &path.member("from"),
            None,
            stop.window.map(|window| window.from),
            now,
        );
        checker.in_range(
            &path.member("until"),
            stop.window.map(|window| window.until),
            None,
            now,
        );
    }
    checker.finish(Some(()))
}

impl Checker {
    /// Rejects a time in the past, and a time that is too far ahead.
    fn in_range(
        &mut self,
        path: &Path<'_>,
        future: Option<Timestamp>,
        near: Option<Timestamp>,
        now: Timestamp,
    ) {
        let last = now.after(Duration::minutes(MAX_AHEAD_DAYS * 24 * 60));
        if future.is_some_and(|at| at <= now) {
            self.reject(
                path,
                "in_the_past",
                "The time has passed. Send a later one.",
                "O horário já passou. Envie um posterior.",
            );
        } else if near.is_some_and(|at| at > last) {
            let en =
                format!("The time is more than {MAX_AHEAD_DAYS} days ahead. Send at most {last}.");
            let pt =
                format!("O horário está a mais de {MAX_AHEAD_DAYS} dias. Envie no máximo {last}.");
            self.reject(path, "too_late", en, pt);
        }
    }

    /// Reads the window of a delivery. `alone` is whether the order has no other delivery, so that
    /// `deliver_at` is its arrival.
    pub(super) fn delivery_window(
        &mut self,
        item: &Path<'_>,
        sent: Option<&SetWindow>,
        deliver_at: Option<Timestamp>,
        alone: bool,
    ) -> Option<DeliveryWindow> {
        let sent = sent?;
        let path = item.member("window");
        let (start, end) = (path.member("from"), path.member("until"));
        let mut ends = [(&start, &sent.from), (&end, &sent.until)].map(|(path, text)| {
            let at = self.timestamp(path, text.as_ref());
            if text.as_ref().is_none_or(|text| text.trim().is_empty()) {
                self.required(path);
            }
            at
        });
        let [Some(from), Some(until)] = &mut ends else {
            return None;
        };
        let (from, until) = (*from, *until);
        if until <= from {
            let en = "The window must end after it starts.";
            self.reject(
                &end,
                "ends_before_start",
                en,
                "A janela precisa terminar depois do início.",
            );
        } else if until.since(from) > Duration::minutes(MAX_WINDOW_HOURS * 60) {
            let en =
                format!("The window is longer than {MAX_WINDOW_HOURS} hours. Send a shorter one.");
            let pt =
                format!("A janela dura mais de {MAX_WINDOW_HOURS} horas. Envie uma mais curta.");
            self.reject(&end, "window_too_long", en, pt);
        } else if let Some(at) = deliver_at {
            let early = (from > at).then_some(&start);
            if let Some(path) = early.or((alone && until < at).then_some(&end)) {
                let en = "deliverAt, the arrival at the last delivery, is outside this window. Change one of them.";
                let pt = "deliverAt, a chegada na última entrega, está fora desta janela. Altere um dos dois.";
                self.reject(path, "conflicting_window", en, pt);
            }
        }
        Some(DeliveryWindow { from, until })
    }

    /// Reads how the recipient pays at the door.
    pub(super) fn payment(
        &mut self,
        item: &Path<'_>,
        sent: Option<&SetPayment>,
        is_paid: bool,
        value: (Option<f64>, Option<Money>),
    ) -> Option<Payment> {
        let sent = sent?;
        let path = item.member("payment");
        if is_paid {
            self.paid(&path);
        }
        if value.0.is_none() {
            let en = "The courier collects productValue. Send it with the payment.";
            let pt = "O entregador cobra o productValue. Envie-o junto com o pagamento.";
            self.reject(&item.member("productValue"), "required", en, pt);
        }
        self.payment_due(&path, sent, value.1)
    }

    /// Reads a payment of an amount, which is unknown in a preview.
    fn payment_due(
        &mut self,
        path: &Path<'_>,
        sent: &SetPayment,
        due: Option<Money>,
    ) -> Option<Payment> {
        let payment = match &sent.parts {
            Some(parts) => self.split_payment(path, sent, parts, due)?,
            None => {
                let (method, change_for) =
                    self.payment_part(path, sent.method.as_ref(), sent.change_for, due);
                Payment {
                    method: method?,
                    change_for,
                    split: Vec::new(),
                    returns: None,
                    pix: None,
                }
            }
        };
        Some(Payment {
            returns: sent.returns,
            ..payment
        })
    }

    /// Reads whether the courier comes back after a delivery of a preview. The creation checks the
    /// payment against the amount due.
    pub(super) fn returns(
        &mut self,
        item: &Path<'_>,
        sent: Option<&SetPayment>,
        is_paid: bool,
    ) -> Returns {
        let path = item.member("payment");
        let Some(sent) = sent else {
            return Returns::of(is_paid, [], None);
        };
        if is_paid {
            self.paid(&path);
        }
        let payment = self.payment_due(&path, sent, None);
        Returns::of_payment(is_paid, payment.as_ref())
    }

    /// Rejects a payment of a delivery that is already paid.
    fn paid(&mut self, path: &Path<'_>) {
        let en = "The delivery is already paid. Omit this field, or send onlinePayment false.";
        let pt = "A entrega já está paga. Não envie este campo ou envie onlinePayment false.";
        self.reject(path, "not_applicable", en, pt);
    }

    /// Reads the method of a payment or of its part.
    pub(super) fn method(
        &mut self,
        path: &Path<'_>,
        method: Option<&String>,
    ) -> Option<PaymentMethod> {
        let method = self.required_text(&path.member("method"), method, bounds::FORMATTED);
        self.parsed(&path.member("method"), method, |name| {
            PaymentMethod::ALL
                .into_iter()
                .find(|method| method.name() == name)
                .ok_or_else(|| {
                    let known = PaymentMethod::ALL.map(PaymentMethod::name).join(", ");
                    (
                        "unknown_value",
                        format!("Expected one of {known}."),
                        format!("Esperado um de {known}."),
                    )
                })
        })
    }

    /// Reads a payment of several parts, whose sum is the amount due.
    fn split_payment(
        &mut self,
        path: &Path<'_>,
        sent: &SetPayment,
        parts: &[SetPaymentPart],
        due: Option<Money>,
    ) -> Option<Payment> {
        for (name, is_sent) in [
            ("method", sent.method.is_some()),
            ("changeFor", sent.change_for.is_some()),
        ] {
            if is_sent {
                let en = "Send it in each of `parts`, or omit `parts`.";
                self.reject(
                    &path.member(name),
                    "not_applicable",
                    en,
                    "Envie em cada item de `parts` ou não envie `parts`.",
                );
            }
        }
        let list = path.member("parts");
        if !bounds::PAYMENT_PARTS.contains(&parts.len()) {
            let (min, max) = bounds::PAYMENT_PARTS.into_inner();
            let en = format!("Expected {min} to {max} parts. Send a single payment as `method`.");
            let pt =
                format!("Esperados de {min} a {max} itens. Envie um pagamento único em `method`.");
            self.reject(&list, "out_of_range", en, pt);
            return None;
        }
        let mut read = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            let item = list.item(at);
            let amount = self.value(&item.member("amount"), part.amount);
            if part.amount.is_none() {
                self.required(&item.member("amount"));
            }
            let (method, change_for) =
                self.payment_part(&item, part.method.as_ref(), part.change_for, amount);
            let amounts = method.zip(amount);
            read.extend(amounts.map(|(method, amount)| PaymentPart {
                method,
                amount,
                change_for,
            }));
        }
        let sum = read
            .iter()
            .fold(Money::ZERO, |sum, part| sum.plus(part.amount));
        if let Some(due) = due.filter(|due| read.len() == parts.len() && *due != sum) {
            let en = format!(
                "The parts sum to R$ {sum}, but productValue is R$ {due}. Change one of them."
            );
            let (sum, due) = (sum.in_portuguese(), due.in_portuguese());
            let pt = format!(
                "Os itens somam R$ {sum}, mas productValue é R$ {due}. Altere um dos dois."
            );
            self.reject(&list, "out_of_range", en, pt);
        }
        Payment::of(read)
    }

    /// Reads the method of a payment or of its part, and the amount that the recipient hands over.
    fn payment_part(
        &mut self,
        path: &Path<'_>,
        method: Option<&String>,
        change_for: Option<f64>,
        due: Option<Money>,
    ) -> (Option<PaymentMethod>, Option<Money>) {
        let method = self.method(path, method);
        let change = path.member("changeFor");
        let change_for = self.value(&change, change_for);
        if change_for.is_some() && method.is_some_and(|method| method != PaymentMethod::Cash) {
            let en = "Only a payment in cash needs change. Omit this field.";
            self.reject(
                &change,
                "not_applicable",
                en,
                "Só pagamento em dinheiro tem troco. Não envie este campo.",
            );
        } else if let Some((sum, due)) = change_for.zip(due).filter(|(sum, due)| sum < due) {
            let en = format!(
                "R$ {sum} does not cover the amount due, R$ {due}. Send at least this amount."
            );
            let (sum, due) = (sum.in_portuguese(), due.in_portuguese());
            let pt = format!(
                "R$ {sum} não cobrem o valor a pagar, R$ {due}. Envie ao menos esse valor."
            );
            self.reject(&change, "out_of_range", en, pt);
        }
        (method, change_for)
    }
}
