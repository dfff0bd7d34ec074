//! The cash that couriers carry.

use super::checker::{Checker, Path};
use crate::{
    api::{bounds, problem::Problem, read::Body},
    model::{CourierId, Money, cash::CardSlip, order::PaymentMethod},
    rules::cash::{CashCount, CashMove},
    wire::{CloseCash, ExplainDifference, Id, MoveCash, SendSlip},
};

/// Validates a float, which is paid in cash.
///
/// # Errors
/// Every invalid field.
pub fn cash_float(body: Body<MoveCash>) -> Result<CashMove, Problem> {
    moved(body, &[PaymentMethod::Cash])
}

/// Validates a handover, which is paid in cash or by Pix.
///
/// # Errors
/// Every invalid field.
pub fn cash_handover(body: Body<MoveCash>) -> Result<CashMove, Problem> {
    moved(body, &[PaymentMethod::Cash, PaymentMethod::Pix])
}

fn moved(body: Body<MoveCash>, methods: &[PaymentMethod]) -> Result<CashMove, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let amount = checker.paid_amount(&root.member("amount"), sent.amount);
    let method = match &sent.method {
        Some(_) => checker.method(&root, sent.method.as_ref()),
        None => Some(PaymentMethod::Cash),
    };
    let method = method.filter(|method| {
        let is_possible = methods.contains(method);
        if !is_possible {
            let names: Vec<&str> = methods.iter().map(|one| one.name()).collect();
            let known = names.join(", ");
            checker.reject(
                &root.member("method"),
                "unknown_value",
                format!("Expected one of {known}."),
                format!("Esperado um de {known}."),
            );
        }
        is_possible
    });
    let reference = sent.reference.as_ref();
    let evidence = checker.text(&root.member("reference"), reference, bounds::CODE);
    checker.finish(amount.zip(method).map(|(amount, method)| CashMove {
        amount,
        method,
        evidence,
    }))
}

/// Validates a closing. The inner `None` is a number that is not a valid courier ID.
///
/// # Errors
/// Every invalid field.
pub fn cash_count(body: Body<CloseCash>) -> Result<(Option<CourierId>, CashCount), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let courier = checker.courier(sent.courier_id);
    let counted = checker.cash(&root.member("counted"), sent.counted);
    let slips = checker.slips(sent.slips.as_deref().unwrap_or_default());
    let reason = checker.text(&root.member("reason"), sent.reason.as_ref(), bounds::NAME);
    let period = checker.integer(&root.member("period"), sent.period, bounds::CASH_PERIOD);
    let count = counted.map(|counted| CashCount {
        counted,
        slips,
        reason,
        period,
    });
    checker.finish(courier.zip(count))
}

/// Validates the reason for a difference: the courier, the period and the reason. The inner `None`
/// is a number that is not a valid courier ID.
///
/// # Errors
/// Every invalid field.
pub fn difference_reason(
    body: Body<ExplainDifference>,
) -> Result<(Option<CourierId>, u32, String), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let courier = checker.courier(sent.courier_id);
    let period = root.member("period");
    if sent.period.is_none() {
        checker.required(&period);
    }
    let period = checker.integer(&period, sent.period, bounds::CASH_PERIOD);
    let reason = checker.required_text(&root.member("reason"), sent.reason.as_ref(), bounds::NAME);
    let sent = courier.zip(period).zip(reason);
    checker.finish(sent.map(|((courier, period), reason)| (courier, period, reason)))
}

impl Checker {
    fn courier(&mut self, sent: Option<Id>) -> Option<Option<CourierId>> {
        if sent.is_none() {
            self.required(&Path::Root.member("courierId"));
        }
        sent.map(|Id(number)| CourierId::new(number))
    }

    /// Reads an amount that is required.
    fn cash(&mut self, path: &Path<'_>, sent: Option<f64>) -> Option<Money> {
        if sent.is_none() {
            self.required(path);
        }
        self.value(path, sent)
    }

    fn slips(&mut self, sent: &[SendSlip]) -> Vec<CardSlip> {
        let path = Path::Root.member("slips");
        if !self.has_at_most(&path, sent.len(), bounds::SLIPS) {
            return Vec::new();
        }
        let mut slips = Vec::new();
        for (index, slip) in sent.iter().enumerate() {
            let path = path.item(index);
            let amount = self.cash(&path.member("amount"), slip.amount);
            let brand = self.text(&path.member("brand"), slip.brand.as_ref(), bounds::CODE);
            let at = path.member("authorisation");
            let authorisation = self.text(&at, slip.authorisation.as_ref(), bounds::CODE);
            slips.extend(amount.map(|amount| CardSlip {
                amount,
                brand,
                authorisation,
            }));
        }
        slips
    }
}
