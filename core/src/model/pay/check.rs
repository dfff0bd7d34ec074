//! Validation of plans.

use std::ops::RangeInclusive;

use rust_decimal::Decimal;

use super::PayPlan;
use crate::model::Text;

/// An invalid field of a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {}", .detail.en)]
pub struct PayPlanError {
    /// The field, such as `windows[0].percent`.
    pub field: String,
    /// The code: `out_of_range`, `overlap`, `duplicate` or `invalid_characters`.
    pub code: &'static str,
    /// Description of the error, without a subject.
    pub detail: Text,
}

impl PayPlanError {
    /// Returns the RFC 6901 pointer to the field in a plan: `/windows/0/percent`.
    pub fn pointer(&self) -> String {
        let path = self.field.replace('[', "/").replace(['.', ']'], "/");
        format!("/{}", path.replace("//", "/").trim_end_matches('/'))
    }
}

impl PayPlan {
    /// Permitted amounts in reais.
    pub const AMOUNT: RangeInclusive<u32> = 0..=10_000;
    /// Permitted distances in kilometres, and amounts per kilometre in reais.
    pub const KM: RangeInclusive<u32> = 0..=1_000;
    /// Permitted shares in per cent.
    pub const PERCENT: RangeInclusive<u32> = 0..=100;
    /// Permitted surcharges of a window in per cent. None is negative: a window deducts nothing.
    pub const WINDOW_PERCENT: RangeInclusive<u32> = 0..=500;
    /// Permitted durations in minutes.
    pub const MINUTES: RangeInclusive<u32> = 0..=240;
    /// Permitted numbers of guaranteed deliveries.
    pub const DELIVERIES: RangeInclusive<u32> = 0..=200;
    /// Maximum number of bands, of windows and of bonuses.
    pub const MAX_ITEMS: usize = 20;
    /// Maximum number of characters of a window's or a bonus' name.
    pub const MAX_NAME: usize = 40;

    /// Validates the plan and returns all errors. An empty list means that it is valid.
    pub fn errors(&self) -> Vec<PayPlanError> {
        let mut errors = Errors(Vec::new());
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if !(1..=40).contains(&self.version.len()) || !self.version.chars().all(is_allowed) {
            errors.add(
                "version",
                "invalid_characters",
                "must be 1 to 40 letters, digits, dots, underscores and hyphens",
                "deve ter de 1 a 40 letras, dígitos, pontos, sublinhados e hifens",
            );
        }
        let PayPlan {
            returned,
            cancelled_percent,
            waiting,
            shift,
            commission,
            ..
        } = self;
        for (field, value, bounds) in [
            ("perTrip", self.per_trip, PayPlan::AMOUNT),
            ("perExtraOrder", self.per_extra_order, PayPlan::AMOUNT),
            ("perDelivery", self.per_delivery, PayPlan::AMOUNT),
            ("includedKm", self.included_km, PayPlan::KM),
            ("perKm", self.per_km, PayPlan::KM),
            ("feePercent", self.fee_percent, PayPlan::PERCENT),
            ("minimumPerOrder", self.minimum_per_order, PayPlan::AMOUNT),
            ("returned.fee", returned.fee, PayPlan::AMOUNT),
            ("returned.perKm", returned.per_km, PayPlan::KM),
            (
                "cancelledPercent.assigned",
                cancelled_percent.assigned,
                PayPlan::PERCENT,
            ),
            (
                "cancelledPercent.arrived",
                cancelled_percent.arrived,
                PayPlan::PERCENT,
            ),
            ("waiting.perMinute", waiting.per_minute, PayPlan::AMOUNT),
            ("shift.daily", shift.daily, PayPlan::AMOUNT),
            ("shift.guarantee", shift.guarantee, PayPlan::AMOUNT),
            (
                "shift.guaranteePerHour",
                shift.guarantee_per_hour,
                PayPlan::AMOUNT,
            ),
            ("commission.percent", commission.percent, PayPlan::PERCENT),
            (
                "commission.perDelivery",
                commission.per_delivery,
                PayPlan::AMOUNT,
            ),
        ] {
            errors.decimal(field, value, bounds);
        }
        errors.number(
            "waiting.afterMinutes",
            waiting.after_minutes,
            PayPlan::MINUTES,
        );
        errors.number("waiting.maxMinutes", waiting.max_minutes, PayPlan::MINUTES);
        errors.number(
            "shift.guaranteeDeliveries",
            shift.guarantee_deliveries,
            PayPlan::DELIVERIES,
        );
        if shift.guarantee_deliveries > 0 && self.per_delivery.is_zero() {
            errors.add(
                "shift.guaranteeDeliveries",
                "out_of_range",
                "must be 0 unless `perDelivery`, which pays the missing ones, is above 0",
                "deve ser 0, a menos que `perDelivery`, que paga as que faltam, seja maior que 0",
            );
        }
        self.check_bands(&mut errors);
        self.check_names(&mut errors);
        errors.0
    }

    /// Bands must follow each other, and a longer route must not be paid less than a shorter one.
    fn check_bands(&self, errors: &mut Errors) {
        errors.length("bands", self.bands.len());
        if !self.bands.is_empty() && !self.included_km.is_zero() {
            errors.add(
                "includedKm",
                "overlap",
                "must be 0 if there are bands, which state the first kilometres",
                "deve ser 0 se houver faixas, que já definem os primeiros quilômetros",
            );
        }
        let mut previous: Option<&super::Band> = None;
        for (index, band) in self.bands.iter().enumerate() {
            errors.decimal(
                &format!("bands[{index}].untilKm"),
                band.until_km,
                PayPlan::KM,
            );
            errors.decimal(
                &format!("bands[{index}].amount"),
                band.amount,
                PayPlan::AMOUNT,
            );
            let start = previous.map_or(Decimal::ZERO, |previous| previous.until_km);
            if band.until_km <= start && !band.until_km.is_sign_negative() {
                errors.add(
                    &format!("bands[{index}].untilKm"),
                    "overlap",
                    &format!("must be above {start}, where the band starts"),
                    &format!("deve ser maior que {start}, onde a faixa começa"),
                );
            }
            if previous.is_some_and(|previous| band.amount < previous.amount) {
                errors.add(
                    &format!("bands[{index}].amount"),
                    "out_of_range",
                    "must not be below the amount of the shorter band",
                    "não pode ser menor que o valor da faixa mais curta",
                );
            }
            previous = Some(band);
        }
    }

    fn check_names(&self, errors: &mut Errors) {
        errors.length("windows", self.windows.len());
        for (index, window) in self.windows.iter().enumerate() {
            let field = format!("windows[{index}]");
            errors.name(&format!("{field}.name"), &window.name);
            errors.decimal(
                &format!("{field}.percent"),
                window.percent,
                PayPlan::WINDOW_PERCENT,
            );
        }
        errors.length("bonuses", self.bonuses.len());
        for (index, bonus) in self.bonuses.iter().enumerate() {
            let field = format!("bonuses[{index}]");
            errors.name(&format!("{field}.name"), &bonus.name);
            errors.decimal(
                &format!("{field}.perDelivery"),
                bonus.per_delivery,
                PayPlan::AMOUNT,
            );
            let mut others = self.bonuses.iter().take(index);
            if others.any(|other| other.name == bonus.name) {
                errors.add(
                    &format!("{field}.name"),
                    "duplicate",
                    "must not occur twice",
                    "não pode ocorrer duas vezes",
                );
            }
        }
    }
}

struct Errors(Vec<PayPlanError>);

impl Errors {
    fn add(&mut self, field: &str, code: &'static str, en: &str, pt: &str) {
        self.0.push(PayPlanError {
            field: field.to_owned(),
            code,
            detail: Text::new(en.to_owned(), pt.to_owned()),
        });
    }

    fn decimal(&mut self, field: &str, value: Decimal, bounds: RangeInclusive<u32>) {
        let (min, max) = bounds.into_inner();
        if value.is_sign_negative() || value > max.into() || value.scale() > 4 {
            self.add(
                field,
                "out_of_range",
                &format!("must be {min} to {max} with at most four decimals"),
                &format!("deve ser de {min} a {max}, com no máximo quatro casas decimais"),
            );
        }
    }

    fn number(&mut self, field: &str, value: u32, bounds: RangeInclusive<u32>) {
        if !bounds.contains(&value) {
            let (min, max) = bounds.into_inner();
            self.add(
                field,
                "out_of_range",
                &format!("must be {min} to {max}"),
                &format!("deve ser de {min} a {max}"),
            );
        }
    }

    fn name(&mut self, field: &str, value: &str) {
        let max = PayPlan::MAX_NAME;
        if !(1..=max).contains(&value.chars().count()) {
            self.add(
                field,
                "out_of_range",
                &format!("must be 1 to {max} characters"),
                &format!("deve ter de 1 a {max} caracteres"),
            );
        }
    }

    fn length(&mut self, field: &str, length: usize) {
        let max = PayPlan::MAX_ITEMS;
        if length > max {
            self.add(
                field,
                "out_of_range",
                &format!("must have at most {max} items"),
                &format!("deve ter no máximo {max} itens"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        LocalTime,
        pay::{Band, Bonus},
        tariff::Window,
    };

    fn codes(plan: &PayPlan) -> Vec<(String, &'static str)> {
        let errors = plan.errors();
        errors
            .iter()
            .map(|error| (error.pointer(), error.code))
            .collect()
    }

    fn band(until_km: i64, amount: i64) -> Band {
        Band {
            until_km: until_km.into(),
            amount: amount.into(),
        }
    }

    #[test]
    fn each_invalid_field_is_named() {
        let plan = PayPlan {
            version: "no spaces".to_owned(),
            per_trip: Decimal::new(-1, 2),
            included_km: Decimal::ONE,
            fee_percent: 101.into(),
            bands: vec![band(4, 10), band(4, 9), band(3, 12), band(5, 12)],
            windows: vec![Window {
                name: String::new(),
                days: Vec::new(),
                from: LocalTime::of(22, 0),
                until: LocalTime::of(6, 0),
                percent: Decimal::NEGATIVE_ONE,
            }],
            bonuses: ["rain", "rain"]
                .map(|name| Bonus {
                    name: name.to_owned(),
                    per_delivery: Decimal::ONE,
                })
                .into(),
            shift: super::super::ShiftPay {
                guarantee_deliveries: 10,
                ..Default::default()
            },
            ..PayPlan::default()
        };
        let expected = [
            ("/version", "invalid_characters"),
            ("/perTrip", "out_of_range"),
            ("/feePercent", "out_of_range"),
            ("/shift/guaranteeDeliveries", "out_of_range"),
            ("/includedKm", "overlap"),
            ("/bands/1/untilKm", "overlap"),
            ("/bands/1/amount", "out_of_range"),
            ("/bands/2/untilKm", "overlap"),
            ("/windows/0/name", "out_of_range"),
            ("/windows/0/percent", "out_of_range"),
            ("/bonuses/1/name", "duplicate"),
        ];
        assert_eq!(
            codes(&plan),
            expected.map(|(field, code)| (field.to_owned(), code))
        );
    }

    #[test]
    fn empty_plan_is_valid_and_round_trips_through_json() {
        let plan = PayPlan {
            version: "1".to_owned(),
            ..PayPlan::default()
        };
        assert_eq!(plan.errors(), []);
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<PayPlan>(&text).unwrap(), plan);
    }
}
