//! Amounts of money in Brazilian reais.

use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Serialize};

/// An amount in BRL with two decimals, exact.
///
/// The range is ±10¹³ reais, so every amount is an exact JSON number and fits any database.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "i64", into = "i64")]
pub struct Money(Decimal);

/// The reason a number is not an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// The number has more than two decimals.
    #[error("more than two decimals")]
    TooManyDecimals,
    /// The value is outside ±10¹³ or not a number.
    #[error("not a number, or out of range")]
    OutOfRange,
}

impl Money {
    /// Zero.
    pub const ZERO: Money = Money(Decimal::ZERO);
    const LIMIT_CENTAVOS: i64 = 1_000_000_000_000_000;

    /// Creates an amount from centavos. Returns `None` outside ±10¹³ reais.
    pub fn from_centavos(centavos: i64) -> Option<Money> {
        (centavos.unsigned_abs() <= Self::LIMIT_CENTAVOS.unsigned_abs())
            .then(|| Money(Decimal::new(centavos, 2)))
    }

    /// Returns the amount in centavos, as databases store it.
    pub fn centavos(self) -> i64 {
        // The scale is at most two. It is less if trailing zeros were omitted.
        let power = 10i128.pow(2u32.saturating_sub(self.0.scale()));
        i64::try_from(self.0.mantissa() * power).unwrap_or_default()
    }

    /// Returns the amount in reais.
    pub fn reais(self) -> Decimal {
        self.0
    }

    /// Rounds to centavos, half away from zero. Fee rules round once, with this function.
    pub fn rounded(reais: Decimal) -> Option<Money> {
        let rounded = reais.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
        (rounded.abs() <= Decimal::new(Self::LIMIT_CENTAVOS, 2)).then_some(Money(rounded))
    }

    /// Converts a JSON number. Binary rounding errors (57.900000000000006) are removed at the ninth
    /// decimal. A real third decimal is rejected, not rounded.
    ///
    /// ```
    /// use despacho_core::model::{MoneyError, Money};
    /// assert_eq!(Money::from_number(57.900000000000006), Money::from_number(57.9));
    /// assert_eq!(Money::from_number(10.999), Err(MoneyError::TooManyDecimals));
    /// ```
    pub fn from_number(number: f64) -> Result<Money, MoneyError> {
        // Convert via the shortest decimal, which is the one that was sent: `Decimal::from_f64`
        // differs in the ninth decimal from four million reais on. Numbers that round to zero at
        // the ninth decimal can exceed the scale of a `Decimal`.
        let number = if number.abs() < 1e-10 { 0.0 } else { number };
        let exact = number
            .to_string()
            .parse::<Decimal>()
            .map_err(|_| MoneyError::OutOfRange)?
            .round_dp(9);
        let money = Money::rounded(exact).ok_or(MoneyError::OutOfRange)?;
        if money.0 == exact {
            Ok(money)
        } else {
            Err(MoneyError::TooManyDecimals)
        }
    }

    /// Returns the sum, or the amount unchanged if the sum is out of range.
    #[must_use]
    pub fn plus(self, other: Money) -> Money {
        Money::from_centavos(self.centavos() + other.centavos()).unwrap_or(self)
    }

    /// Returns the amount with the opposite sign.
    #[must_use]
    pub fn negated(self) -> Money {
        Money(-self.0)
    }

    /// Formats the amount in reais with two decimals and a comma: `57,90`.
    pub fn in_portuguese(self) -> String {
        self.to_string().replace('.', ",")
    }

    /// Returns whether the amount is below zero.
    pub fn is_negative(self) -> bool {
        self < Money::ZERO
    }
}

impl std::iter::Sum for Money {
    fn sum<I: Iterator<Item = Money>>(amounts: I) -> Money {
        amounts.fold(Money::ZERO, Money::plus)
    }
}

impl TryFrom<i64> for Money {
    type Error = &'static str;

    fn try_from(centavos: i64) -> Result<Money, Self::Error> {
        Money::from_centavos(centavos).ok_or("amount exceeds 10^13 reais")
    }
}

impl From<Money> for i64 {
    fn from(money: Money) -> i64 {
        money.centavos()
    }
}

impl std::fmt::Display for Money {
    /// Formats the amount in reais with two decimals and a point: `57.90`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_centavo_rounds_away_from_zero() {
        let rounded = |text: &str| Money::rounded(text.parse().unwrap()).map(Money::centavos);
        assert_eq!(rounded("0.005"), Some(1));
        assert_eq!(rounded("-0.005"), Some(-1));
        assert_eq!(rounded("2.344999"), Some(234));
    }

    #[test]
    fn amounts_up_to_a_million_round_trip_through_json() {
        for centavos in (0..=100_000_000).step_by(9_973) {
            let money = Money::from_centavos(centavos).unwrap();
            let number: f64 = money.reais().to_string().parse().unwrap();
            assert_eq!(Money::from_number(number), Ok(money));
        }
        assert_eq!(
            Money::from_number(4_242_819.48).map(Money::centavos),
            Ok(424_281_948)
        );
        assert_eq!(
            Money::from_number(-9_999_999_999_999.99).map(Money::centavos),
            Ok(-999_999_999_999_999)
        );
    }

    #[test]
    fn invalid_amounts_are_rejected() {
        for bad in [f64::NAN, f64::INFINITY, 1e300, 1e14] {
            assert_eq!(
                Money::from_number(bad),
                Err(MoneyError::OutOfRange),
                "{bad}"
            );
        }
        assert_eq!(Money::from_number(0.001), Err(MoneyError::TooManyDecimals));
        assert!(Money::from_centavos(i64::MIN).is_none());
    }
}
