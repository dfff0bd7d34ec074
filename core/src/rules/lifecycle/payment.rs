//! Payments that were received at the door, and what they mean for the cash ledger.

use super::{
    StepError, StepOutcome,
    step::OrderUpdate,
    table::{Actor, Step},
};
use crate::model::{
    CourierId, DeliveryId, Money, Person, Timestamp, audit,
    cash::{CashEntry, CashKind, DeliveryCash},
    order::{Delivery, DeliveryStatus, Order, PaymentMethod, ReceivedPayment},
};

/// A payment that was received, as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The method. `None` means that of the delivery's payment.
    pub method: Option<PaymentMethod>,
    /// The amount.
    pub amount: Money,
    /// The number by which the payment is found.
    pub reference: Option<String>,
}

/// Records a payment at the counter. A repeated record changes nothing, and another one of the same
/// method replaces the earlier one. If the courier has collected cash for the delivery, the cash
/// ledger follows the record.
///
/// # Errors
/// If nothing is due, the amounts exceed what is due, or the delivery's status does not allow it.
pub fn record_payment(
    order: &Order,
    stop: DeliveryId,
    receipt: &Receipt,
    (by, login): (Person, audit::Actor),
    now: Timestamp,
) -> Result<StepOutcome, StepError> {
    let mut update = OrderUpdate::new(order, None, Actor::Merchant, by, now);
    let delivery = update.delivery(stop)?;
    // The number of a payment leads to who paid, so it is not stored after an erasure.
    let receipt = &Receipt {
        reference: receipt.reference.clone().filter(|_| !delivery.erased),
        ..receipt.clone()
    };
    let method = receipt.check(delivery)?;
    let is_known = |one: &ReceivedPayment| {
        one.method == method && one.amount == receipt.amount && one.reference == receipt.reference
    };
    if delivery.received.iter().any(is_known) {
        return Ok(StepOutcome::Already);
    }
    update.record(stop, method, receipt, receipt.amount)?;
    update.correct_cash(stop, method, &login)?;
    Ok(update.outcome())
}

impl OrderUpdate<'_> {
    /// Records what a courier received at the handover of a delivery, and what was collected in
    /// cash.
    ///
    /// What the counter recorded comes first. A courier without a network did not know of it, and
    /// has handed the goods over: what exceeds the rest of the amount due is left out, and never
    /// rejects the handover.
    ///
    /// # Errors
    /// If nothing is due, or the method is unknown.
    pub(super) fn collect(
        &mut self,
        stop: DeliveryId,
        receipt: Option<&Receipt>,
    ) -> Result<(), StepError> {
        let delivery = self.delivery(stop)?;
        let recorded = delivery.received.clone();
        let at_counter = sum(&recorded, |method| method == PaymentMethod::Cash);
        let mut stated = None;
        if let Some(receipt) = receipt {
            let method = receipt.method_of(delivery)?;
            let others = sum(&recorded, |other| other != method);
            let rest = delivery
                .product_value
                .map(|due| due.plus(others.negated()).max(Money::ZERO));
            let amount = rest.map_or(receipt.amount, |rest| rest.min(receipt.amount));
            stated = Some((method, amount));
            let earlier = recorded.iter().find(|one| one.method == method);
            let is_news = earlier.is_none_or(|earlier| {
                amount > earlier.amount
                    || (amount == earlier.amount
                        && receipt.reference.is_some()
                        && receipt.reference != earlier.reference)
            });
            if is_news && (amount > Money::ZERO || receipt.amount == Money::ZERO) {
                self.record(stop, method, receipt, amount)?;
            }
        }
        let delivery = self.delivery(stop)?;
        let Some(amount) = collected(delivery, stated, at_counter) else {
            return Ok(());
        };
        let Some(courier) = self.order.courier.as_ref().map(|courier| courier.id) else {
            return Ok(());
        };
        let by = self.courier_login();
        self.add_cash(CashKind::Collected, stop, courier, amount, &by);
        if at_counter > Money::ZERO {
            self.add_cash(CashKind::ToStoreDirectly, stop, courier, at_counter, &by);
        }
        self.set_cash(
            stop,
            DeliveryCash {
                courier,
                collected: amount,
                direct: at_counter,
                handed_over: false,
            },
        );
        Ok(())
    }

    /// Hands over the cash of the deliveries with which the courier came back. The merchant has
    /// confirmed it by the return code.
    pub(super) fn hand_over_cash(&mut self) {
        let by = self.courier_login();
        for delivery in self.order.deliveries.clone() {
            let Some(cash) = delivery.cash.filter(|cash| !cash.handed_over) else {
                continue;
            };
            if delivery.returns() {
                if cash.collected > Money::ZERO {
                    let amount = cash.collected;
                    self.add_cash(CashKind::HandedOver, delivery.id, cash.courier, amount, &by);
                }
                let handed_over = true;
                self.set_cash(
                    delivery.id,
                    DeliveryCash {
                        handed_over,
                        ..cash
                    },
                );
            }
        }
    }

    /// Brings the cash ledger in line with the records of a delivery that was handed over.
    fn correct_cash(
        &mut self,
        stop: DeliveryId,
        recorded: PaymentMethod,
        by: &audit::Actor,
    ) -> Result<(), StepError> {
        let delivery = self.delivery(stop)?;
        let carried = self.order.courier.as_ref().map(|courier| courier.id);
        let before = match (delivery.cash, carried) {
            (Some(cash), _) => cash,
            // The courier collected no cash, so the recipient gave it to the store.
            (None, Some(courier)) if delivery.status == DeliveryStatus::Delivered => DeliveryCash {
                courier,
                collected: Money::ZERO,
                direct: Money::ZERO,
                handed_over: false,
            },
            // The handover takes account of the record.
            (None, _) => return Ok(()),
        };
        let amount = |is_cash: bool| {
            sum(&delivery.received, |method| {
                (method == PaymentMethod::Cash) == is_cash
            })
        };
        let known = before.collected.plus(before.direct);
        let total = match (recorded, delivery.product_value) {
            (PaymentMethod::Cash, _) => amount(true),
            // An amount that nobody stated counts as collected as far as no other payment is
            // recorded.
            (_, Some(due)) => known.min(due.plus(amount(false).negated())),
            (_, None) => known,
        };
        let after = before.with_total(total.max(Money::ZERO));
        let change = after.collected.plus(before.collected.negated());
        if change != Money::ZERO {
            self.add_cash(CashKind::Correction, stop, before.courier, change, by);
            if before.handed_over {
                self.add_cash(CashKind::HandedOver, stop, before.courier, change, by);
            }
        }
        let change = after.direct.plus(before.direct.negated());
        if change != Money::ZERO {
            self.add_cash(CashKind::ToStoreDirectly, stop, before.courier, change, by);
        }
        if after != before {
            self.set_cash(stop, after);
        }
        Ok(())
    }

    /// Takes the step of a payment, and stores its record instead of an earlier one of its method.
    fn record(
        &mut self,
        stop: DeliveryId,
        method: PaymentMethod,
        receipt: &Receipt,
        amount: Money,
    ) -> Result<(), StepError> {
        // The history keeps the records that are replaced, and what the courier sent.
        let mut words = vec![method.name().to_owned(), amount.to_string()];
        if amount != receipt.amount {
            words.push(format!("({})", receipt.amount));
        }
        words.extend(receipt.reference.clone());
        self.take(Step::RecordPayment, Some(stop), Some(words.join(" ")))?;
        let at = self.at();
        let mut deliveries = self.order.deliveries.iter_mut();
        if let Some(delivery) = deliveries.find(|one| one.id == stop) {
            delivery.received.retain(|one| one.method != method);
            delivery.received.push(ReceivedPayment {
                method,
                amount,
                reference: receipt.reference.clone(),
                at,
            });
        }
        Ok(())
    }

    fn delivery(&self, stop: DeliveryId) -> Result<&Delivery, StepError> {
        let delivery = self.order.deliveries.iter().find(|one| one.id == stop);
        delivery.ok_or(StepError::UnknownStop)
    }

    fn set_cash(&mut self, stop: DeliveryId, cash: DeliveryCash) {
        let mut deliveries = self.order.deliveries.iter_mut();
        if let Some(delivery) = deliveries.find(|one| one.id == stop) {
            delivery.cash = Some(cash);
        }
    }

    fn courier_login(&self) -> audit::Actor {
        let courier = self.order.courier.as_ref();
        audit::Actor {
            kind: audit::ActorKind::Courier,
            id: courier.map(|courier| courier.id.get()),
            name: courier.map(|courier| courier.name.clone()),
        }
    }

    fn add_cash(
        &mut self,
        kind: CashKind,
        stop: DeliveryId,
        courier: CourierId,
        amount: Money,
        by: &audit::Actor,
    ) {
        self.cash.push(CashEntry {
            courier,
            store: self.order.store,
            kind,
            amount,
            method: PaymentMethod::Cash,
            at: self.now(),
            by: by.clone(),
            order: Some(self.order.id),
            delivery: Some(stop),
            evidence: None,
            reason: None,
            about: None,
            closing: None,
        });
    }
}

/// Returns what the courier collected in cash for a delivery that is handed over. `None` if it is
/// not paid in cash.
///
/// What the courier stated counts. Without a statement about cash, the part in cash of the payment
/// counts as collected, as far as nobody recorded another payment: goods are not handed over without
/// it. The counter can correct it.
fn collected(
    delivery: &Delivery,
    stated: Option<(PaymentMethod, Money)>,
    at_counter: Money,
) -> Option<Money> {
    let payment = delivery.payment.as_ref();
    let payment = payment.filter(|payment| payment.includes(PaymentMethod::Cash));
    match stated {
        Some((PaymentMethod::Cash, amount)) => {
            Some(amount.plus(at_counter.negated()).max(Money::ZERO))
        }
        // The recipient paid the whole by another method.
        Some(_) if payment?.split.is_empty() => Some(Money::ZERO),
        _ => {
            let due = delivery.product_value?;
            let part = payment?.amount_by(PaymentMethod::Cash, due);
            let rest = due.plus(sum(&delivery.received, |_| true).negated());
            Some(part.plus(at_counter.negated()).min(rest).max(Money::ZERO))
        }
    }
}

fn sum(received: &[ReceivedPayment], is_counted: impl Fn(PaymentMethod) -> bool) -> Money {
    let counted = received.iter().filter(|one| is_counted(one.method));
    counted.map(|one| one.amount).sum()
}

impl Receipt {
    /// Returns the method of a payment that the counter records for a delivery.
    ///
    /// # Errors
    /// If nothing is due, the method is unknown, or the amounts exceed what is due.
    fn check(&self, delivery: &Delivery) -> Result<PaymentMethod, StepError> {
        let method = self.method_of(delivery)?;
        let others = sum(&delivery.received, |other| other != method);
        self.within(self.amount.plus(others), delivery)?;
        Ok(method)
    }

    /// Checks a payment that the courier received, without what the counter recorded.
    ///
    /// # Errors
    /// If nothing is due, the method is unknown, or the amount exceeds what is due.
    pub(super) fn check_at_door(&self, delivery: &Delivery) -> Result<(), StepError> {
        self.method_of(delivery)?;
        self.within(self.amount, delivery)
    }

    fn method_of(&self, delivery: &Delivery) -> Result<PaymentMethod, StepError> {
        if delivery.online_payment {
            return Err(StepError::NothingDue);
        }
        let only = delivery.payment.as_ref();
        let only = only.filter(|payment| payment.split.is_empty());
        let method = self.method.or(only.map(|payment| payment.method));
        method.ok_or(StepError::PaymentMethodNeeded)
    }

    /// Without an amount due, cash is limited by the amount for which the courier brings change.
    fn within(&self, sum: Money, delivery: &Delivery) -> Result<(), StepError> {
        let changed = delivery.payment.as_ref().and_then(|one| one.change_for);
        let due = delivery.product_value.or(changed);
        match due.filter(|due| sum > *due) {
            Some(due) => Err(StepError::PaymentExceedsDue { sum, due }),
            None => Ok(()),
        }
    }
}
