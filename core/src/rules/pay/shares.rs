//! Shares of a total.

use rust_decimal::Decimal;

use crate::model::Money;

/// Splits a total, zero or above, by weights so that the shares are whole centavos whose sum is the
/// total. Each share is rounded down, and the remaining centavos go to the largest remainders; of
/// equal ones, to those with the lowest `id`. Without a weight above zero, all are equal.
///
/// ```
/// use despacho_core::{model::Money, rules::pay::shares};
/// let cents = |cents| Money::from_centavos(cents).unwrap();
/// let thirds = shares(cents(1_000), &[(1, 1.into()), (2, 1.into()), (3, 1.into())]);
/// assert_eq!(thirds, [cents(334), cents(333), cents(333)]);
/// ```
pub fn shares<I: Ord + Copy>(total: Money, weights: &[(I, Decimal)]) -> Vec<Money> {
    let sum: Decimal = weights.iter().map(|(_, weight)| *weight).sum();
    let centavos = Decimal::from(total.centavos());
    let exact = |weight: Decimal| {
        if sum.is_zero() {
            centavos / Decimal::from(weights.len())
        } else {
            centavos * weight / sum
        }
    };
    let parts: Vec<Decimal> = weights.iter().map(|(_, weight)| exact(*weight)).collect();
    let mut whole: Vec<Decimal> = parts.iter().map(Decimal::floor).collect();
    let missing = centavos - whole.iter().sum::<Decimal>();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    let key = |at: &usize| {
        let part = parts.get(*at).copied().unwrap_or_default();
        (
            std::cmp::Reverse(part - part.floor()),
            weights.get(*at).map(|(id, _)| *id),
        )
    };
    order.sort_by_key(key);
    let mut missing = missing;
    for at in order {
        if missing < Decimal::ONE {
            break;
        }
        if let Some(share) = whole.get_mut(at) {
            *share += Decimal::ONE;
        }
        missing -= Decimal::ONE;
    }
    whole
        .into_iter()
        .map(|share| Money::rounded(share / Decimal::ONE_HUNDRED).unwrap_or_default())
        .collect()
}
