//! Plans, by which the pay of an order is calculated.

use std::sync::Arc;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::model::{PayPlanId, Timestamp, Zone, tariff::Window, time_of_day};

/// The rules of a courier's pay. Amounts are in reais, distances in kilometres. All decimals are
/// exact, zero or above; a rule of zero has no effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct PayPlan {
    /// Version in entries: 1 to 40 letters, digits, dots, underscores and hyphens. Unique among the
    /// versions of all plans.
    pub version: String,
    /// Amount of the order of a trip that is picked up first.
    pub per_trip: Decimal,
    /// Amount of each further order of the trip.
    pub per_extra_order: Decimal,
    /// Amount of each delivery.
    pub per_delivery: Decimal,
    /// Amounts by the length of the route, shortest first. Beyond the last band, its amount applies
    /// and `per_km` is added.
    pub bands: Vec<Band>,
    /// Kilometres for which `per_km` is not paid. Zero if there are bands.
    pub included_km: Decimal,
    /// Amount per kilometre beyond `included_km` or the last band, excluding the way back.
    pub per_km: Decimal,
    /// Share of the order's fee in per cent.
    pub fee_percent: Decimal,
    /// How the amounts of the trip and its deliveries, of the distance, and of the fee are combined.
    pub combine: Combine,
    /// Minimum of an order's pay before waiting and bonuses.
    pub minimum_per_order: Decimal,
    /// Pay of the way back to the pickup.
    pub returned: ReturnPay,
    /// Pay of an order that ends before the pickup.
    pub cancelled_percent: CancelledPercent,
    /// Pay of waiting at the pickup, at a door and at the return.
    pub waiting: WaitingPay,
    /// Surcharges depending on the local time of the assignment.
    pub windows: Vec<Window>,
    /// Amounts that the operator switches on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bonuses: Vec<Bonus>,
    /// Pay of a shift.
    pub shift: ShiftPay,
    /// The operator's share of the pay.
    pub commission: Commission,
}

/// An amount for routes up to a length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Band {
    /// Length of the longest route in kilometres, inclusive.
    pub until_km: Decimal,
    /// Amount.
    pub amount: Decimal,
}

/// How the parts of an order's pay are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Combine {
    /// All parts are paid.
    #[default]
    Sum,
    /// Only the largest part is paid; of equal ones, the first in the order of the fields.
    Max,
}

impl Combine {
    /// All values.
    pub const ALL: &'static [Combine] = &[Combine::Sum, Combine::Max];

    /// Returns the name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Combine::Sum => "SUM",
            Combine::Max => "MAX",
        }
    }
}

/// Pay of the way back to the pickup, with goods or a payment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ReturnPay {
    /// Amount of a return.
    pub fee: Decimal,
    /// Amount per kilometre of the way back.
    pub per_km: Decimal,
}

/// Share, in per cent, of the pay of the whole order that is paid if it ends before the pickup and
/// not by the courier.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelledPercent {
    /// After the assignment.
    pub assigned: Decimal,
    /// After the courier arrived at the pickup.
    pub arrived: Decimal,
}

/// Pay of waiting. Each wait counts separately, in whole minutes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct WaitingPay {
    /// Minutes of each wait that are not paid.
    pub after_minutes: u32,
    /// Amount of each further minute.
    pub per_minute: Decimal,
    /// Maximum number of paid minutes of each wait. Zero is no maximum.
    pub max_minutes: u32,
}

/// An amount that the operator switches on, for instance while it rains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bonus {
    /// Name, unique in the plan.
    pub name: String,
    /// Amount of each delivery.
    pub per_delivery: Decimal,
}

/// Pay of a shift.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ShiftPay {
    /// Daily amount.
    pub daily: Decimal,
    /// Minimum of the shift's daily amount and pay without tips.
    pub guarantee: Decimal,
    /// The same per hour of the shift. The larger minimum applies.
    pub guarantee_per_hour: Decimal,
    /// Minimum number of deliveries that are paid in a shift, each missing one with `per_delivery`.
    pub guarantee_deliveries: u32,
}

/// The operator's share of the pay of orders without tips.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Commission {
    /// Share in per cent.
    pub percent: Decimal,
    /// Amount of each delivery.
    pub per_delivery: Decimal,
}

impl PayPlan {
    /// Returns the plan with the windows that contain a time and the bonuses that are switched on.
    #[must_use]
    pub fn at(&self, at: Timestamp, zone: Zone, bonuses: &[&str]) -> PayPlan {
        let weekday = crate::model::Day::of(at, zone).weekday();
        let time = time_of_day(at, zone);
        let mut plan = self.clone();
        plan.windows.retain(|window| window.contains(weekday, time));
        plan.bonuses
            .retain(|bonus| bonuses.contains(&bonus.name.as_str()));
        plan
    }
}

impl WaitingPay {
    /// Returns the number of paid minutes of a wait of `minutes` whole minutes.
    pub fn paid_minutes(&self, minutes: u32) -> u32 {
        let max = match self.max_minutes {
            0 => u32::MAX,
            max => max,
        };
        minutes.saturating_sub(self.after_minutes).min(max)
    }
}

/// A stored version of a plan. It is never changed; before its time of effect it can be removed.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPayPlan {
    /// The ID.
    pub id: PayPlanId,
    /// Name of the plan. Couriers' terms name it. Name and time of effect are unique.
    pub name: String,
    /// Time from which assigned orders use it.
    pub effective_from: Timestamp,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The plan.
    pub plan: Arc<PayPlan>,
}

impl StoredPayPlan {
    /// Returns the position in the order of plans.
    pub fn order(&self) -> (Timestamp, PayPlanId) {
        (self.effective_from, self.id)
    }

    /// Returns the version of a plan that is in force at a time.
    pub fn in_force<'a>(
        plans: &'a [StoredPayPlan],
        name: &str,
        at: Timestamp,
    ) -> Option<&'a StoredPayPlan> {
        plans
            .iter()
            .filter(|plan| plan.name == name && plan.effective_from <= at)
            .max_by_key(|plan| plan.order())
    }
}
