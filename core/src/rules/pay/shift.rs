//! The lines of a shift.

use rust_decimal::Decimal;

use super::lines::line;
use crate::model::{
    Money,
    pay::{PayKind, PayLine, PayPlan},
};

/// The work of a shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShiftWork {
    /// Length of the shift in minutes.
    pub minutes: u32,
    /// Number of deliveries.
    pub deliveries: u32,
    /// Pay of the shift's orders, without tips.
    pub pay: Money,
}

/// Returns the lines of a shift: the daily amount, the difference to the guarantee, and the
/// commission, which is negative. Lines of zero are left out.
pub fn shift_lines(plan: &PayPlan, work: &ShiftWork) -> Vec<PayLine> {
    let (shift, pay) = (&plan.shift, work.pay.reais());
    let hours = Decimal::from(work.minutes) * shift.guarantee_per_hour / Decimal::from(60);
    let guarantee = Money::rounded(hours.max(shift.guarantee)).unwrap_or_default();
    let missing = shift.guarantee_deliveries.saturating_sub(work.deliveries);
    let missing = Decimal::from(missing) * plan.per_delivery;
    let top_up = (guarantee.reais() - shift.daily - pay)
        .max(missing)
        .max(Decimal::ZERO);
    let commission = pay * plan.commission.percent / Decimal::ONE_HUNDRED
        + Decimal::from(work.deliveries) * plan.commission.per_delivery;
    // A commission never takes more than the pay.
    let commission = commission.min(pay.max(Decimal::ZERO));
    let mut lines = vec![
        line(PayKind::Daily, Decimal::ONE, shift.daily),
        line(PayKind::Guarantee, Decimal::ONE, top_up),
        line(
            PayKind::Commission,
            plan.commission.percent,
            Decimal::ZERO - commission,
        ),
    ];
    lines.retain(|line| line.amount != Money::ZERO);
    lines
}
