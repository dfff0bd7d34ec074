//! Pay plans, couriers' terms, and the entries of their pay.

use std::sync::Arc;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::{
    ActorView, CsvForm, Id, Kilometres, Quantity, Reais, WindowBody,
    csv_form::{csv_number, csv_text},
    objects,
};
#[cfg(feature = "openapi")]
use crate::model::pay::Combine;
use crate::{
    model::{
        Day, Distance, Language, Money, OrderId, Zone,
        order::Order,
        pay::{
            PayEntry, PayKind, PayLine, PayPlan, PayTerms, Payer, RecordedPayEntry, StoredPayPlan,
        },
    },
    rules::pay::total,
};

/// A pay plan. Amounts are in BRL and distances in kilometres, as numbers or as decimal strings. An
/// absent amount is 0, and has no effect.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PayPlanBody {
    /// Version in entries: 1 to 40 letters, digits, dots, underscores and hyphens. Unique among the
    /// versions of all plans.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "tariff-version")
    )]
    pub version: Option<String>,
    /// Amount of the order of a trip that is picked up first.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>, example = 4))]
    pub per_trip: Option<Decimal>,
    /// Amount of each further order of the trip.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>, example = 2))]
    pub per_extra_order: Option<Decimal>,
    /// Amount of each delivery.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>, example = 3))]
    pub per_delivery: Option<Decimal>,
    /// Amounts by the length of the route, shortest first. Beyond the last band, its amount applies
    /// and `perKm` is added.
    #[serde(deserialize_with = "objects")]
    pub bands: Option<Vec<PayBandBody>>,
    /// Kilometres for which `perKm` is not paid. Not with `bands`.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>, example = 2))]
    pub included_km: Option<Decimal>,
    /// Amount per kilometre beyond `includedKm` or the last band, excluding the way back.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>, example = 1.5))]
    pub per_km: Option<Decimal>,
    /// Share of the order's fee in per cent.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub fee_percent: Option<Decimal>,
    /// `SUM` pays the trip with its deliveries, the distance and the share of the fee; `MAX` only
    /// the largest of the three. By default `SUM`.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Combine>))]
    pub combine: Option<String>,
    /// Minimum of an order's pay before waiting.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub minimum_per_order: Option<Decimal>,
    /// Pay of the way back to the pickup.
    pub returned: Option<ReturnPayBody>,
    /// Pay of an order that ends before the pickup.
    pub cancelled_percent: Option<CancelledPercentBody>,
    /// Pay of waiting at the pickup, at a door and at the return.
    pub waiting: Option<WaitingPayBody>,
    /// Surcharges depending on the local time of the assignment, 0 to 500 per cent each.
    #[serde(deserialize_with = "objects")]
    pub windows: Option<Vec<WindowBody>>,
    /// Pay of a shift.
    pub shift: Option<ShiftPayBody>,
    /// The operator's share of the pay.
    pub commission: Option<CommissionBody>,
}

/// An amount for routes up to a length.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PayBandBody {
    /// Length of the longest route in kilometres, above that of the band before.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64, example = 4))]
    pub until_km: Option<Decimal>,
    /// Amount, not below that of the band before.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64, example = 10))]
    pub amount: Option<Decimal>,
}

/// Pay of the way back to the pickup, with goods or a payment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ReturnPayBody {
    /// Amount of a return.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub fee: Option<Decimal>,
    /// Amount per kilometre of the way back.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub per_km: Option<Decimal>,
}

/// Shares of the pay of the whole order in per cent, if it ends before the pickup and not by the
/// courier.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CancelledPercentBody {
    /// After the assignment.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub assigned: Option<Decimal>,
    /// After the courier arrived at the pickup.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>, example = 50))]
    pub arrived: Option<Decimal>,
}

/// Pay of waiting. Each wait counts separately, in whole minutes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct WaitingPayBody {
    /// Minutes of each wait that are not paid.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, example = 10))]
    pub after_minutes: Option<f64>,
    /// Amount of each further minute.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>, example = 0.6))]
    pub per_minute: Option<Decimal>,
    /// Maximum number of paid minutes of each wait. 0 is no maximum.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub max_minutes: Option<f64>,
}

/// Pay of a shift.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ShiftPayBody {
    /// Daily amount.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub daily: Option<Decimal>,
    /// Minimum of the shift's daily amount and pay without tips.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub guarantee: Option<Decimal>,
    /// The same per hour of the shift. The larger minimum applies.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub guarantee_per_hour: Option<Decimal>,
    /// Minimum number of deliveries that are paid in a shift, each missing one with `perDelivery`.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub guarantee_deliveries: Option<f64>,
}

/// The operator's share of the pay of orders without tips.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CommissionBody {
    /// Share in per cent.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub percent: Option<Decimal>,
    /// Amount of each delivery.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub per_delivery: Option<Decimal>,
}

/// A version of a pay plan to store.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CreatePayPlan {
    /// Name of the plan, to which couriers' terms refer. A known name gets a further version.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "motoboy")
    )]
    pub name: Option<String>,
    /// The plan. Its version must be new.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = PayPlanBody))]
    pub plan: Option<PayPlanBody>,
    /// Time from which assigned orders use it, at most 366 days ahead. By default from now.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub effective_from: Option<String>,
}

/// A draft of a pay plan with work to pay.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PreviewPay {
    /// The draft.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = PayPlanBody))]
    pub plan: Option<PayPlanBody>,
    /// The orders.
    #[serde(deserialize_with = "objects")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub orders: Option<Vec<PaySample>>,
    /// Length in minutes of a shift with these orders.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, example = 310))]
    pub shift_minutes: Option<f64>,
}

/// An order to pay.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PaySample {
    /// Kilometres to the last stop.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64, example = 3.4))]
    pub distance_km: Option<f64>,
    /// Kilometres back to the pickup, if the courier comes back.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub return_km: Option<f64>,
    /// Number of deliveries. By default 1.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub deliveries: Option<f64>,
    /// Whether the order is picked up after another one of its trip. By default it is the first.
    pub further: Option<bool>,
    /// The order's fee in BRL. By default 0.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub fee: Option<f64>,
    /// Minutes of one wait. By default 0.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub waited_minutes: Option<f64>,
    /// `ASSIGNED` or `ARRIVED` if the order ends at this stage before the pickup.
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^(ASSIGNED|ARRIVED)$", example = "ARRIVED")
    )]
    pub cancelled: Option<String>,
    /// Time of the assignment. By default now.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub at: Option<String>,
    /// State of the pickup, which determines the local time. By default the time of Brasília.
    #[cfg_attr(feature = "openapi", schema(format = "uf", example = "SP"))]
    pub state: Option<String>,
}

/// A stored version of a pay plan.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PayPlanVersion))]
#[serde(rename_all = "camelCase")]
pub struct PayPlanVersionView {
    /// The ID.
    pub id: u64,
    /// Name of the plan.
    pub name: String,
    /// `SCHEDULED`, `CURRENT` or `PAST`.
    #[cfg_attr(feature = "openapi", schema(value_type = String, pattern = "^(SCHEDULED|CURRENT|PAST)$", example = "CURRENT"))]
    pub state: &'static str,
    /// Time from which assigned orders use it.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub effective_from: String,
    /// Time of creation.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// The plan.
    #[serde(serialize_with = "shared")]
    #[cfg_attr(feature = "openapi", schema(value_type = PayPlanDocument))]
    pub plan: Arc<PayPlan>,
}

fn shared<S: serde::Serializer>(plan: &Arc<PayPlan>, serializer: S) -> Result<S::Ok, S::Error> {
    PayPlan::serialize(plan, serializer)
}

/// A page of the versions of all pay plans, latest time of effect first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PayPlanList {
    /// The versions.
    pub pay_plans: Vec<PayPlanVersionView>,
    /// Cursor of the next page: send it as `cursor`. Null on the last page.
    pub next_cursor: Option<String>,
}

/// A line of a courier's pay.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PayLine))]
#[serde(rename_all = "camelCase")]
pub struct PayLineView {
    /// The type.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(value_type = PayKind))]
    pub kind: &'static str,
    /// Quantity in the unit of the type: deliveries, kilometres, minutes, per cent, or 1.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub quantity: Quantity,
    /// Amount in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
    /// Name of the window. For a line of 0: `stops_cancelled` or `not_returned`, the reason why the
    /// pay is lower than at the assignment.
    pub note: Option<String>,
}

/// The pay of a draft.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PayPreview {
    /// The orders, in the order of the request.
    pub orders: Vec<PaySum>,
    /// The shift. Null without `shiftMinutes`.
    pub shift: Option<PaySum>,
    /// Sum of the orders and the shift in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
}

/// Lines with their sum.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PaySum {
    /// Sum of the lines in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
    /// The lines.
    pub lines: Vec<PayLineView>,
}

/// The terms of a courier's pay.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct SetCourierPay {
    /// The terms. Empty ends the pay: orders that are assigned from then on have no entries.
    #[serde(deserialize_with = "objects")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub terms: Option<Vec<SetPayTerms>>,
}

/// The terms of a courier's pay for the orders of a store, or of all stores without terms of their
/// own.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SetPayTerms {
    /// The store. Absent for all stores without terms of their own.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<super::schema::StoreNumber>))]
    pub store_id: Option<Id>,
    /// Name of a plan of which a version is in force.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "motoboy")
    )]
    pub plan: Option<String>,
    /// Who pays orders. By default `OPERATOR`.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Payer>))]
    pub payer: Option<String>,
    /// Who pays shifts. By default the payer of orders.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Payer>))]
    pub shift_payer: Option<String>,
}

/// The terms of a courier's pay.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CourierPay {
    /// ID of the courier.
    pub courier_id: u64,
    /// The terms. Without terms, orders have no pay.
    pub terms: Vec<PayTermsView>,
}

/// The terms of a courier's pay for the orders of a store, or of all stores without terms of their
/// own.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PayTerms))]
#[serde(rename_all = "camelCase")]
pub struct PayTermsView {
    /// The store. Null for all stores without terms of their own.
    pub store_id: Option<u64>,
    /// Name of the plan.
    pub plan: String,
    /// Who pays orders.
    #[cfg_attr(feature = "openapi", schema(value_type = Payer))]
    pub payer: &'static str,
    /// Who pays shifts.
    #[cfg_attr(feature = "openapi", schema(value_type = Payer))]
    pub shift_payer: &'static str,
}

/// An entry of the operator in a courier's pay.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CreatePayEntry {
    /// `correction`, `tip` or `advance`.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = String, pattern = "^(correction|tip|advance)$", example = "correction"))]
    pub kind: Option<String>,
    /// Amount in BRL with at most two decimals, not 0. A correction can be negative, a tip is
    /// positive, and an advance, which was already paid, is negative.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = -3.5)
    )]
    pub amount: Option<f64>,
    /// The reason, which the courier reads.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "Distância errada")
    )]
    pub reason: Option<String>,
    /// The entry of this courier that a correction corrects.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<super::schema::StopNumber>))]
    pub corrects: Option<Id>,
    /// The order.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<super::schema::StopNumber>))]
    pub order_id: Option<Id>,
    /// The store that pays. By default the payer of the corrected entry, or the operator.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<super::schema::StoreNumber>))]
    pub store_id: Option<Id>,
}

/// An entry of a courier's pay.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PayEntry))]
#[serde(rename_all = "camelCase")]
pub struct PayEntryView {
    /// The ID.
    pub id: u64,
    /// Time of the entry.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// The type.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(value_type = PayKind))]
    pub kind: &'static str,
    /// Quantity in the unit of the type. Null for entries of the operator.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub quantity: Option<Quantity>,
    /// Amount in BRL. Deductions are negative.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
    /// Who pays.
    #[cfg_attr(feature = "openapi", schema(value_type = Payer))]
    pub payer: &'static str,
    /// The store that pays. Null for the operator.
    pub store_id: Option<u64>,
    /// The order.
    pub order_id: Option<u64>,
    /// The merchant's code of the order.
    pub order_code: Option<String>,
    /// Version of the plan. Null for entries of the operator.
    pub plan_version: Option<String>,
    /// The entry that this one corrects.
    pub corrects: Option<u64>,
    /// The operator's reason; of calculated lines, the `note`.
    pub reason: Option<String>,
    /// Who wrote it. Null for calculated lines, and for the courier.
    pub actor: Option<ActorView>,
}

/// A page of a courier's statement, oldest entry first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PayStatement {
    /// Sum of the entries of the page in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
    /// The entries.
    pub entries: Vec<PayEntryView>,
    /// Cursor of the next page: send it as `cursor`. Null on the last page.
    pub next_cursor: Option<String>,
}

/// What a courier earned on a day.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Earnings {
    /// The day, in the time of the area code of the courier's phone.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = Date))]
    pub day: String,
    /// Sum in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
    /// Number of orders with entries.
    pub orders: u32,
    /// Sums by type, in the order of the types.
    pub lines: Vec<EarnedLine>,
    /// The entries, oldest first.
    pub entries: Vec<PayEntryView>,
}

/// The sum of the entries of a type.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EarnedLine {
    /// The type.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(value_type = PayKind))]
    pub kind: &'static str,
    /// Sum in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
}

/// What a trip pays, if it is delivered as planned.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TripPay {
    /// Sum in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
    /// Length of the routes in kilometres, from the pickup and with the way back.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub distance: Kilometres,
    /// Whole minutes until the courier is free again.
    pub minutes: u32,
    /// The orders with pay, in the order of their assignment.
    pub orders: Vec<OrderPayView>,
}

/// What an order pays, if it is delivered as planned.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = OrderPay))]
#[serde(rename_all = "camelCase")]
pub struct OrderPayView {
    /// The order's ID.
    pub order_id: u64,
    /// Version of the plan, fixed at the assignment.
    pub plan_version: String,
    /// Sum of the lines in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
    /// The lines.
    pub lines: Vec<PayLineView>,
}

impl PayPlanVersionView {
    /// Builds the representation of a version in a state.
    pub fn of(stored: &StoredPayPlan, state: &'static str) -> PayPlanVersionView {
        PayPlanVersionView {
            id: stored.id.get(),
            name: stored.name.clone(),
            state,
            effective_from: stored.effective_from.to_string(),
            created_at: stored.created_at.to_string(),
            plan: Arc::clone(&stored.plan),
        }
    }
}

impl PayLineView {
    fn of(line: &PayLine) -> PayLineView {
        PayLineView {
            kind: line.kind.name(),
            quantity: Quantity(line.quantity),
            amount: Reais(line.amount),
            note: line.note.clone(),
        }
    }
}

impl PaySum {
    /// Builds the representation of lines.
    pub fn of(lines: &[PayLine]) -> PaySum {
        PaySum {
            amount: Reais(total(lines)),
            lines: lines.iter().map(PayLineView::of).collect(),
        }
    }
}

impl CourierPay {
    /// Builds the representation of a courier's terms.
    pub fn of(courier_id: u64, terms: &[PayTerms]) -> CourierPay {
        let view = |terms: &PayTerms| PayTermsView {
            store_id: terms.store.map(crate::model::StoreId::get),
            plan: terms.plan.clone(),
            payer: terms.payer.name(),
            shift_payer: terms.shift_payer.name(),
        };
        CourierPay {
            courier_id,
            terms: terms.iter().map(view).collect(),
        }
    }
}

impl PayEntryView {
    /// Builds the representation of an entry. Couriers do not see who wrote it.
    pub fn of(recorded: &RecordedPayEntry, with_actor: bool) -> PayEntryView {
        let entry = &recorded.entry;
        let payer = entry.payer.map_or(Payer::Operator, |_| Payer::Store);
        let actor = entry.actor.as_ref().filter(|_| with_actor);
        PayEntryView {
            id: recorded.id.get(),
            created_at: entry.at.to_string(),
            kind: entry.kind.name(),
            quantity: entry.quantity.map(Quantity),
            amount: Reais(entry.amount),
            payer: payer.name(),
            store_id: entry.payer.map(crate::model::StoreId::get),
            order_id: entry.order.map(OrderId::get),
            order_code: entry.order_code.clone(),
            plan_version: entry.plan_version.clone(),
            corrects: entry.corrects.map(crate::model::PayEntryId::get),
            reason: entry.reason.clone(),
            actor: actor.map(ActorView::of),
        }
    }
}

impl PayStatement {
    /// Builds a page.
    pub fn of(
        entries: &[RecordedPayEntry],
        with_actor: bool,
        next_cursor: Option<String>,
    ) -> PayStatement {
        PayStatement {
            amount: Reais(entries.iter().map(|one| one.entry.amount).sum()),
            entries: entries
                .iter()
                .map(|entry| PayEntryView::of(entry, with_actor))
                .collect(),
            next_cursor,
        }
    }
}

impl Earnings {
    /// Builds the sums of a day's entries.
    pub fn of(day: Day, entries: &[RecordedPayEntry]) -> Earnings {
        let sum = |kind: PayKind| -> Option<EarnedLine> {
            let mut own = entries
                .iter()
                .filter(|one| one.entry.kind == kind)
                .peekable();
            own.peek()?;
            Some(EarnedLine {
                kind: kind.name(),
                amount: Reais(own.map(|one| one.entry.amount).sum()),
            })
        };
        let mut orders: Vec<OrderId> = entries.iter().filter_map(|one| one.entry.order).collect();
        orders.sort_unstable();
        orders.dedup();
        Earnings {
            day: day.to_string(),
            amount: Reais(entries.iter().map(|one| one.entry.amount).sum()),
            orders: u32::try_from(orders.len()).unwrap_or(u32::MAX),
            lines: PayKind::ALL.iter().filter_map(|kind| sum(*kind)).collect(),
            entries: entries
                .iter()
                .map(|entry| PayEntryView::of(entry, false))
                .collect(),
        }
    }
}

impl TripPay {
    /// Builds the pay of a trip whose orders have these lines. `None` if no order has pay.
    pub fn of(orders: &[(&Order, Vec<PayLine>)], minutes: u32) -> Option<TripPay> {
        let view = |(order, lines): &(&Order, Vec<PayLine>)| {
            let sum = PaySum::of(lines);
            Some(OrderPayView {
                order_id: order.id.get(),
                plan_version: order.pay.as_ref()?.plan.version.clone(),
                amount: sum.amount,
                lines: sum.lines,
            })
        };
        let metres = orders
            .iter()
            .map(|(order, _)| order.total_distance)
            .fold(Distance(0), Distance::plus);
        let amounts = orders.iter().map(|(_, lines)| total(lines));
        (!orders.is_empty()).then(|| TripPay {
            amount: Reais(amounts.sum::<Money>()),
            distance: Kilometres(metres),
            minutes,
            orders: orders.iter().filter_map(view).collect(),
        })
    }
}

/// Writes entries of a courier in this time zone as CSV.
///
/// # Errors
/// None, because all rows have the same number of fields.
pub fn pay_csv(
    entries: &[RecordedPayEntry],
    form: CsvForm,
    zone: Zone,
) -> Result<Vec<u8>, csv::Error> {
    let header = match form {
        CsvForm::Program => [
            "id",
            "createdAt",
            "type",
            "orderId",
            "orderCode",
            "quantity",
            "amount",
            "payer",
            "storeId",
            "planVersion",
            "corrects",
            "reason",
        ],
        CsvForm::Brazilian => [
            "Lançamento",
            "Data e hora",
            "Tipo",
            "Pedido",
            "Código do pedido",
            "Quantidade",
            "Valor (R$)",
            "Quem paga",
            "Loja",
            "Versão do plano",
            "Corrige",
            "Motivo",
        ],
    };
    let row = |RecordedPayEntry { id, entry }: &RecordedPayEntry| {
        let PayEntry { kind, payer, .. } = entry;
        let quantity = entry
            .quantity
            .map(|quantity| quantity.normalize().to_string());
        let payer_name = payer.map_or(Payer::Operator, |_| Payer::Store);
        let (kind, payer_name, quantity) = match form {
            CsvForm::Program => (kind.name().to_owned(), payer_name.name(), quantity),
            CsvForm::Brazilian => (
                kind.text().get(Language::Portuguese).to_owned(),
                match payer_name {
                    Payer::Operator => "Operador",
                    Payer::Store => "Loja",
                },
                quantity.map(|text| text.replace('.', ",")),
            ),
        };
        [
            id.to_string(),
            form.time(entry.at, zone),
            kind,
            csv_number(entry.order),
            csv_text(entry.order_code.as_deref().unwrap_or_default()),
            quantity.unwrap_or_default(),
            form.amount(entry.amount),
            payer_name.to_owned(),
            csv_number(*payer),
            entry.plan_version.clone().unwrap_or_default(),
            csv_number(entry.corrects),
            csv_text(entry.reason.as_deref().unwrap_or_default()),
        ]
    };
    form.write(
        [header.map(str::to_owned)]
            .into_iter()
            .chain(entries.iter().map(row)),
    )
}

/// A pay plan. Amounts are in BRL and distances in kilometres, as decimal strings.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = PayPlan, rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "only its schema is used: `PayPlan` is written directly"
)]
struct PayPlanDocument {
    /// Version in entries.
    version: String,
    /// Amount of the order of a trip that is picked up first.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    per_trip: String,
    /// Amount of each further order of the trip.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    per_extra_order: String,
    /// Amount of each delivery.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    per_delivery: String,
    /// Amounts by the length of the route, shortest first.
    bands: Vec<PayBandDocument>,
    /// Kilometres for which `perKm` is not paid.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    included_km: String,
    /// Amount per kilometre beyond `includedKm` or the last band.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    per_km: String,
    /// Share of the order's fee in per cent.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    fee_percent: String,
    /// How the parts are combined.
    combine: Combine,
    /// Minimum of an order's pay before waiting.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    minimum_per_order: String,
    /// Pay of the way back to the pickup.
    returned: ReturnPayDocument,
    /// Pay of an order that ends before the pickup.
    cancelled_percent: CancelledPercentDocument,
    /// Pay of waiting.
    waiting: WaitingPayDocument,
    /// Surcharges depending on the local time of the assignment.
    windows: Vec<super::tariff::WindowDocument>,
    /// Pay of a shift.
    shift: ShiftPayDocument,
    /// The operator's share of the pay.
    commission: CommissionDocument,
}

/// An amount for routes up to a length.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = PayBand, rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "only its schema is used: `PayPlan` is written directly"
)]
struct PayBandDocument {
    /// Length of the longest route in kilometres.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    until_km: String,
    /// Amount.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    amount: String,
}

/// Pay of the way back to the pickup.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = ReturnPay, rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "only its schema is used: `PayPlan` is written directly"
)]
struct ReturnPayDocument {
    /// Amount of a return.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    fee: String,
    /// Amount per kilometre of the way back.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    per_km: String,
}

/// Shares of the pay of an order that ends before the pickup, in per cent.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = CancelledPercent, rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "only its schema is used: `PayPlan` is written directly"
)]
struct CancelledPercentDocument {
    /// After the assignment.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    assigned: String,
    /// After the arrival at the pickup.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    arrived: String,
}

/// Pay of waiting.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = WaitingPay, rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "only its schema is used: `PayPlan` is written directly"
)]
struct WaitingPayDocument {
    /// Minutes of each wait that are not paid.
    after_minutes: u32,
    /// Amount of each further minute.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    per_minute: String,
    /// Maximum number of paid minutes of each wait. 0 is no maximum.
    max_minutes: u32,
}

/// Pay of a shift.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = ShiftPay, rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "only its schema is used: `PayPlan` is written directly"
)]
struct ShiftPayDocument {
    /// Daily amount.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    daily: String,
    /// Minimum of the shift's daily amount and pay without tips.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    guarantee: String,
    /// The same per hour of the shift.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    guarantee_per_hour: String,
    /// Minimum number of deliveries that are paid.
    guarantee_deliveries: u32,
}

/// The operator's share of the pay.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = Commission, rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "only its schema is used: `PayPlan` is written directly"
)]
struct CommissionDocument {
    /// Share in per cent.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    percent: String,
    /// Amount of each delivery.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "4.50")]
    per_delivery: String,
}
