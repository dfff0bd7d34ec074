//! The input of previews, which is also a part of orders.

use serde::Serialize;

use crate::{
    model::{
        Address, Money, StoreId, Timestamp, Vehicle,
        order::{DeliveryWindow, Payment, PaymentMethod},
        store::Settle,
    },
    route::Pin,
};

/// A valid request for a route, a price and times. Both orders and previews contain one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inquiry {
    /// The store, if the client specified one.
    pub store: Option<StoreId>,
    /// Address of the pickup. Defaults to the store's address.
    pub pickup: Option<Address>,
    /// The stops, in the order sent.
    pub stops: Vec<InquiryStop>,
    /// Whether to sort the stops into the shortest route.
    pub best_route: bool,
    /// Whether to return the expected times.
    #[serde(rename = "wants_times")]
    pub with_times: bool,
    /// Preparation time in minutes.
    pub preparation_minutes: u32,
    /// Requested time of arrival at the last stop. It is part of the content only if it is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deliver_at: Option<Timestamp>,
    /// The smallest kind of vehicle that meets the requirements. Orders also contain the
    /// requirements, so it is no part of their content.
    #[serde(skip)]
    pub vehicle: Option<Vehicle>,
    /// The highest acceptable fee of a preview. It does not determine the price, so it is no part
    /// of the content.
    #[serde(skip)]
    pub max_fee: Option<Money>,
}

/// A stop of an inquiry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InquiryStop {
    /// Address of the stop.
    pub address: Address,
    /// Whether the delivery is already paid.
    pub online_payment: bool,
    /// What follows from the payment. It is part of the payment, so it is no part of the content.
    #[serde(skip)]
    pub returns: Returns,
    /// Position that the merchant fixed for the shortest route.
    pub pin: Option<Pin>,
    /// The period in which the courier must arrive. It is part of the content only if it is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<DeliveryWindow>,
}

/// Whether the courier comes back to the pickup after a delivery, as far as the request says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Returns {
    /// Nothing comes back: the delivery is paid, or is paid by Pix.
    #[default]
    Never,
    /// The cash comes back, unless the store settles at the end of the shift.
    WithCash,
    /// The card machine comes back, or whatever the request names.
    Always,
    /// The delivery is not paid, and the request says no more. The courier comes back.
    Unstated,
}

impl Returns {
    /// Returns what follows from the payment of a delivery, if the request names it.
    pub fn of_payment(is_paid: bool, payment: Option<&Payment>) -> Returns {
        let methods = payment.into_iter().flat_map(Payment::methods);
        Returns::of(is_paid, methods, payment.and_then(|sent| sent.returns))
    }

    /// Returns what follows from the methods of a payment, which are none if the request names
    /// none, unless the request says whether something comes back.
    pub fn of(
        is_paid: bool,
        methods: impl IntoIterator<Item = PaymentMethod>,
        sent: Option<bool>,
    ) -> Returns {
        if is_paid {
            return Returns::Never;
        }
        match sent {
            Some(true) => return Returns::Always,
            Some(false) => return Returns::Never,
            None => {}
        }
        let of_method = |method| match method {
            PaymentMethod::CardMachine => Returns::Always,
            PaymentMethod::Cash => Returns::WithCash,
            PaymentMethod::Pix => Returns::Never,
        };
        let most = |a: Returns, b: Returns| match (a, b) {
            (Returns::Never, other) | (other, Returns::Never) => other,
            (Returns::WithCash, Returns::WithCash) => Returns::WithCash,
            _ => Returns::Always,
        };
        methods
            .into_iter()
            .map(of_method)
            .reduce(most)
            .unwrap_or(Returns::Unstated)
    }

    /// Returns whether the courier comes back, for a store that settles in this way.
    pub fn applies(self, settle: Settle) -> bool {
        match self {
            Returns::Never => false,
            Returns::WithCash => settle == Settle::PerOrder,
            Returns::Always | Returns::Unstated => true,
        }
    }
}

impl Inquiry {
    /// Returns whether the order has a time or a window for a delivery. Its expected times are
    /// always part of the response.
    pub fn is_scheduled(&self) -> bool {
        self.deliver_at.is_some() || self.stops.iter().any(|stop| stop.window.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courier_comes_back_only_with_cash_or_a_card_machine() {
        use PaymentMethod::{CardMachine, Cash, Pix};
        let all: [&[PaymentMethod]; 8] = [
            &[],
            &[Pix],
            &[Cash],
            &[CardMachine],
            &[Pix, Cash],
            &[Cash, Pix],
            &[Cash, CardMachine],
            &[Pix, CardMachine, Cash],
        ];
        for is_paid in [true, false] {
            for sent in [None, Some(true), Some(false)] {
                for methods in all {
                    for settle in Settle::ALL.iter().copied() {
                        let found = Returns::of(is_paid, methods.iter().copied(), sent);
                        let by_method = methods.is_empty()
                            || methods.contains(&CardMachine)
                            || methods.contains(&Cash) && settle == Settle::PerOrder;
                        assert_eq!(
                            found.applies(settle),
                            !is_paid && sent.unwrap_or(by_method),
                            "{is_paid} {sent:?} {methods:?} {settle:?}"
                        );
                    }
                }
            }
        }
    }
}
