//! Pay plans, couriers' terms, and entries of the operator.

use rust_decimal::Decimal;

use super::{
    checker::{Checker, Path},
    tariff::{MAX_AHEAD, MAX_DELAY},
};
use crate::{
    api::{
        bounds,
        problem::{FieldError, Problem},
        read::Body,
    },
    model::{
        Money, OrderId, PayEntryId, StoreId, Text, Timestamp,
        pay::{
            Band, CancelledPercent, Combine, Commission, PayKind, PayPlan, PayTerms, Payer,
            ReturnPay, ShiftPay, TripPosition, WaitingPay,
        },
        tariff::Window,
    },
    rules::pay::{Outcome, Stage, Work},
    wire::{
        CreatePayEntry, CreatePayPlan, PayBandBody, PayPlanBody, PaySample, PreviewPay,
        SetCourierPay,
    },
};

/// Validates a new version of a plan: its name, the plan, and its time of effect, which is not
/// before `now`.
///
/// # Errors
/// Every invalid field.
pub fn new_pay_plan(
    body: Body<CreatePayPlan>,
    now: Timestamp,
) -> Result<(String, PayPlan, Timestamp), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let name = checker.required_text(&root.member("name"), sent.name.as_ref(), bounds::PLAN_NAME);
    let plan = checker.pay_plan(&root.member("plan"), sent.plan);
    let path = root.member("effectiveFrom");
    let from = checker.instant_before(&path, sent.effective_from.as_ref(), now.after(MAX_AHEAD));
    if from.is_some_and(|from| from < now.before(MAX_DELAY)) {
        let en = "The time is in the past. Send a later time, or omit the field.";
        let pt = "O horário já passou. Envie um horário posterior ou omita o campo.";
        checker.reject(&path, "out_of_range", en, pt);
    }
    let from = from.unwrap_or(now).max(now);
    checker.finish(name.zip(plan).map(|(name, plan)| (name, plan, from)))
}

/// A draft of a plan with work to pay.
#[derive(Clone, Debug)]
pub struct PayDraft {
    /// The draft.
    pub plan: PayPlan,
    /// The orders, each with the plan at the time of its assignment.
    pub orders: Vec<(PayPlan, Work)>,
    /// The length of the shift in minutes, if one was sent.
    pub shift_minutes: Option<u32>,
}

/// Validates a draft with work to pay.
///
/// # Errors
/// Every invalid field.
pub fn pay_preview(body: Body<PreviewPay>, now: Timestamp) -> Result<PayDraft, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let plan = checker.pay_plan(&root.member("plan"), sent.plan);
    let path = root.member("orders");
    let samples = sent.orders.unwrap_or_default();
    if samples.is_empty() {
        checker.required(&path);
    }
    checker.has_at_most(&path, samples.len(), bounds::TARIFF_SAMPLES);
    let unknown = PayPlan::default();
    let samples = samples
        .iter()
        .take(*bounds::TARIFF_SAMPLES.end())
        .enumerate();
    let orders: Vec<_> = samples
        .filter_map(|(index, sample)| {
            let plan = plan.as_ref().unwrap_or(&unknown);
            checker.pay_sample(&path.item(index), sample, plan, now)
        })
        .collect();
    let path = root.member("shiftMinutes");
    let shift_minutes = checker.integer(&path, sent.shift_minutes, bounds::SHIFT_MINUTES);
    checker.finish(plan.map(|plan| PayDraft {
        plan,
        orders,
        shift_minutes,
    }))
}

/// Validates the terms of a courier. The handler checks that the plans and the stores exist.
///
/// # Errors
/// Every invalid field.
pub fn courier_pay(body: Body<SetCourierPay>) -> Result<Vec<PayTerms>, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let list = Path::Root.member("terms");
    if sent.terms.is_none() {
        checker.required(&list);
    }
    let sent = sent.terms.unwrap_or_default();
    checker.has_at_most(&list, sent.len(), bounds::PAY_TERMS);
    let mut terms: Vec<PayTerms> = Vec::new();
    for (index, one) in sent.iter().take(*bounds::PAY_TERMS.end()).enumerate() {
        let path = list.item(index);
        let at = path.member("storeId");
        let store = one.store_id.map(|id| StoreId::new(id.0));
        if store == Some(None) {
            checker.unknown_store(&at);
        }
        let store = store.flatten();
        if terms.iter().any(|other| other.store == store) {
            let en = "The terms of this store occur twice.";
            checker.reject(&at, "duplicate", en, "As condições desta loja se repetem.");
        }
        let plan =
            checker.required_text(&path.member("plan"), one.plan.as_ref(), bounds::PLAN_NAME);
        let payer = checker.payer(&path.member("payer"), one.payer.as_ref());
        let shift = checker.payer(&path.member("shiftPayer"), one.shift_payer.as_ref());
        let payer = payer.unwrap_or_default();
        terms.push(PayTerms {
            store,
            plan: plan.unwrap_or_default(),
            payer,
            shift_payer: shift.unwrap_or(payer),
        });
    }
    checker.finish(Some(terms))
}

/// Returns the problem of terms that name no plan in force, or no store.
pub fn unknown_in_terms(index: usize, field: &'static str) -> FieldError {
    let (en, pt) = if field == "plan" {
        (
            "No version of this plan is in force. Send the name of a plan with a version in force.",
            "Nenhuma versão deste plano está em vigor. Envie o nome de um plano com uma versão em vigor.",
        )
    } else {
        ("There is no such store.", "Não existe essa loja.")
    };
    FieldError {
        pointer: format!("/terms/{index}/{field}"),
        code: "unknown_value",
        detail: Text::new(en, pt),
    }
}

/// An entry of the operator as it was sent. Of numbers that are not valid IDs, the inner value is
/// `None`.
#[derive(Clone, Debug)]
pub struct NewPayEntry {
    /// The kind.
    pub kind: PayKind,
    /// The amount.
    pub amount: Money,
    /// The reason.
    pub reason: String,
    /// The corrected entry.
    pub corrects: Option<Option<PayEntryId>>,
    /// The order.
    pub order: Option<Option<OrderId>>,
    /// The store that pays.
    pub store: Option<Option<StoreId>>,
}

/// Validates an entry of the operator.
///
/// # Errors
/// Every invalid field.
pub fn new_pay_entry(body: Body<CreatePayEntry>) -> Result<NewPayEntry, Problem> {
    const KINDS: [PayKind; 3] = [PayKind::Correction, PayKind::Tip, PayKind::Advance];
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let path = root.member("type");
    let kind = checker.required_text(&path, sent.kind.as_ref(), bounds::FORMATTED);
    let kind = kind.and_then(|name| {
        let kind = PayKind::from_name(&name).filter(|kind| KINDS.contains(kind));
        let names = KINDS.map(PayKind::name).join(", ");
        kind.or_else(|| checker.unknown_value(&path, &names))
    });
    let path = root.member("amount");
    if sent.amount.is_none() {
        checker.required(&path);
    }
    let is_negative = sent.amount.is_some_and(f64::is_sign_negative);
    let amount = checker.value(&path, sent.amount.map(f64::abs));
    let amount = amount.map(|amount| {
        if is_negative {
            amount.negated()
        } else {
            amount
        }
    });
    let sign = match kind {
        Some(PayKind::Tip) if is_negative => Some(("above 0", "maior que 0")),
        Some(PayKind::Advance) if !is_negative => Some(("below 0", "menor que 0")),
        _ => None,
    };
    if amount == Some(Money::ZERO) {
        let en = "Expected an amount that is not 0.";
        checker.reject(
            &path,
            "out_of_range",
            en,
            "Esperado um valor diferente de 0.",
        );
    } else if let (Some((en, pt)), Some(_)) = (sign, amount) {
        let (en, pt) = (
            format!("Expected an amount {en}."),
            format!("Esperado um valor {pt}."),
        );
        checker.reject(&path, "out_of_range", en, pt);
    }
    let reason = checker.required_text(&root.member("reason"), sent.reason.as_ref(), bounds::NAME);
    if sent.corrects.is_some() && kind.is_some_and(|kind| kind != PayKind::Correction) {
        let en = "Only a correction corrects an entry.";
        let pt = "Só uma correção corrige um lançamento.";
        checker.reject(&root.member("corrects"), "invalid_value", en, pt);
    }
    let entry = kind
        .zip(amount)
        .zip(reason)
        .map(|((kind, amount), reason)| NewPayEntry {
            kind,
            amount,
            reason,
            corrects: sent.corrects.map(|id| PayEntryId::new(id.0)),
            order: sent.order_id.map(|id| OrderId::new(id.0)),
            store: sent.store_id.map(|id| StoreId::new(id.0)),
        });
    checker.finish(entry)
}

impl Checker {
    fn payer(&mut self, path: &Path<'_>, sent: Option<&String>) -> Option<Payer> {
        let name = self.text(path, sent, bounds::FORMATTED)?;
        let names: Vec<&str> = Payer::ALL.iter().map(|one| one.name()).collect();
        Payer::from_name(&name).or_else(|| self.unknown_value(path, &names.join(", ")))
    }

    fn unknown_store(&mut self, path: &Path<'_>) {
        let en = "There is no such store.";
        self.reject(path, "unknown_value", en, "Não existe essa loja.");
    }

    /// Checks that all fields can be read, and then all values.
    fn pay_plan(&mut self, path: &Path<'_>, sent: Option<PayPlanBody>) -> Option<PayPlan> {
        let Some(sent) = sent else {
            self.required(path);
            return None;
        };
        let before = self.errors.len();
        let version = self.required_text(
            &path.member("version"),
            sent.version.as_ref(),
            bounds::FORMATTED,
        );
        let combine = self.combine(&path.member("combine"), sent.combine.as_ref());
        let bands = self.bands(&path.member("bands"), sent.bands.as_deref());
        let list = path.member("windows");
        let sent_windows = sent.windows.as_deref().unwrap_or_default();
        let windows: Vec<Window> = sent_windows
            .iter()
            .enumerate()
            .filter_map(|(index, one)| self.window(&list.item(index), one))
            .collect();
        let has_all_windows = windows.len() == sent_windows.len();
        let mut plan = PayPlan {
            version: version.unwrap_or_default(),
            combine: combine.unwrap_or_default(),
            bands,
            windows,
            ..amounts(&sent)
        };
        self.whole_numbers(path, &sent, &mut plan);
        // A field that cannot be read is reported once. Without all windows, the indices in the
        // errors would be incorrect.
        let known: Vec<String> = self
            .errors
            .iter()
            .skip(before)
            .map(|error| error.pointer.clone())
            .collect();
        let base = path.pointer();
        let errors = plan.errors().into_iter().map(|error| FieldError {
            pointer: format!("{base}{}", error.pointer()),
            code: error.code,
            detail: Text::new(
                format!("The value {}.", error.detail.en),
                format!("O valor {}.", error.detail.pt),
            ),
        });
        self.errors.extend(errors.filter(|error| {
            !known.contains(&error.pointer)
                && (has_all_windows || !error.pointer.contains("/windows/"))
        }));
        Some(plan)
    }

    fn bands(&mut self, list: &Path<'_>, sent: Option<&[PayBandBody]>) -> Vec<Band> {
        let bands = sent.unwrap_or_default().iter().enumerate();
        bands
            .map(|(index, one)| {
                let path = list.item(index);
                Band {
                    until_km: self.decimal_of(&path.member("untilKm"), one.until_km),
                    amount: self.decimal_of(&path.member("amount"), one.amount),
                }
            })
            .collect()
    }

    /// Reads the numbers of minutes and of deliveries.
    fn whole_numbers(&mut self, path: &Path<'_>, sent: &PayPlanBody, plan: &mut PayPlan) {
        if let Some(sent) = &sent.waiting {
            let path = path.member("waiting");
            let at = path.member("afterMinutes");
            let after = self.integer(&at, sent.after_minutes, PayPlan::MINUTES);
            let at = path.member("maxMinutes");
            let max = self.integer(&at, sent.max_minutes, PayPlan::MINUTES);
            plan.waiting.after_minutes = after.unwrap_or_default();
            plan.waiting.max_minutes = max.unwrap_or_default();
        }
        if let Some(sent) = &sent.shift {
            let path = path.member("shift");
            let at = path.member("guaranteeDeliveries");
            let guaranteed = self.integer(&at, sent.guarantee_deliveries, PayPlan::DELIVERIES);
            plan.shift.guarantee_deliveries = guaranteed.unwrap_or_default();
        }
    }

    fn combine(&mut self, path: &Path<'_>, sent: Option<&String>) -> Option<Combine> {
        let name = self.text(path, sent, bounds::FORMATTED)?;
        let found = Combine::ALL.iter().copied().find(|one| one.name() == name);
        let names: Vec<&str> = Combine::ALL.iter().map(|one| one.name()).collect();
        found.or_else(|| self.unknown_value(path, &names.join(", ")))
    }

    fn decimal_of(&mut self, path: &Path<'_>, value: Option<Decimal>) -> Decimal {
        if value.is_none() {
            self.required(path);
        }
        value.unwrap_or_default()
    }

    /// Reads an order to pay, with the windows of the plan that apply to it.
    fn pay_sample(
        &mut self,
        path: &Path<'_>,
        sent: &PaySample,
        plan: &PayPlan,
        now: Timestamp,
    ) -> Option<(PayPlan, Work)> {
        if sent.distance_km.is_none() {
            self.required(&path.member("distanceKm"));
        }
        let outward = self.kilometres(&path.member("distanceKm"), sent.distance_km);
        let back = self.kilometres(&path.member("returnKm"), sent.return_km);
        let deliveries = self.integer(
            &path.member("deliveries"),
            sent.deliveries,
            bounds::SAMPLE_STOPS,
        );
        let fee = self.value(&path.member("fee"), sent.fee);
        let waited = self.integer(
            &path.member("waitedMinutes"),
            sent.waited_minutes,
            bounds::SHIFT_MINUTES,
        );
        let at = path.member("cancelled");
        let stage = self.text(&at, sent.cancelled.as_ref(), bounds::FORMATTED);
        let stage = stage.and_then(|stage| match stage.as_str() {
            "ASSIGNED" => Some(Stage::Assigned),
            "ARRIVED" => Some(Stage::Arrived),
            _ => self.unknown_value(&at, "ASSIGNED, ARRIVED"),
        });
        let at = self
            .timestamp(&path.member("at"), sent.at.as_ref())
            .unwrap_or(now);
        let zone = self.zone(&path.member("state"), sent.state.as_ref());
        let is_further = sent.further.unwrap_or_default();
        let work = Work {
            position: if is_further {
                TripPosition::Further
            } else {
                TripPosition::First
            },
            deliveries: deliveries.unwrap_or(1),
            outward: outward?,
            back,
            fee: fee.unwrap_or_default(),
            waited_minutes: plan.waiting.paid_minutes(waited.unwrap_or_default()),
            outcome: stage.map_or(Outcome::Carried, Outcome::Cancelled),
        };
        Some((plan.at(at, zone, &[]), work))
    }
}

/// Returns a plan with the amounts that were sent.
fn amounts(sent: &PayPlanBody) -> PayPlan {
    let amount = |value: Option<Decimal>| value.unwrap_or_default();
    let PayPlanBody {
        returned,
        cancelled_percent,
        waiting,
        shift,
        commission,
        ..
    } = sent.clone();
    let (returned, cancelled) = (
        returned.unwrap_or_default(),
        cancelled_percent.unwrap_or_default(),
    );
    let (waiting, shift) = (waiting.unwrap_or_default(), shift.unwrap_or_default());
    let commission = commission.unwrap_or_default();
    PayPlan {
        per_trip: amount(sent.per_trip),
        per_extra_order: amount(sent.per_extra_order),
        per_delivery: amount(sent.per_delivery),
        included_km: amount(sent.included_km),
        per_km: amount(sent.per_km),
        fee_percent: amount(sent.fee_percent),
        minimum_per_order: amount(sent.minimum_per_order),
        returned: ReturnPay {
            fee: amount(returned.fee),
            per_km: amount(returned.per_km),
        },
        cancelled_percent: CancelledPercent {
            assigned: amount(cancelled.assigned),
            arrived: amount(cancelled.arrived),
        },
        waiting: WaitingPay {
            per_minute: amount(waiting.per_minute),
            ..WaitingPay::default()
        },
        shift: ShiftPay {
            daily: amount(shift.daily),
            guarantee: amount(shift.guarantee),
            guarantee_per_hour: amount(shift.guarantee_per_hour),
            ..ShiftPay::default()
        },
        commission: Commission {
            percent: amount(commission.percent),
            per_delivery: amount(commission.per_delivery),
        },
        ..PayPlan::default()
    }
}
