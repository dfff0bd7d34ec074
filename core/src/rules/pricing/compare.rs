//! Comparison of a draft of a tariff with the fees of orders.
//!
//! Fees of orders are compared by the ledger: its entries are small and almost sorted by time, so
//! the newest orders are found without an index of their times.

use std::collections::BTreeMap;

use super::{FeeInput, Tariff, price, total};
use crate::{
    geo::{great_circle_m, zone},
    model::{Distance, Money, StoreId, Zone, order::PricedOrder},
};

/// Sums of the fees of orders, by their own prices and by a draft.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeeSums {
    /// Number of orders.
    pub orders: u32,
    /// Sum of the fees, without orders that are out of range.
    pub current: Money,
    /// Sum of the fees by the draft.
    pub draft: Money,
    /// Orders that the draft would reject.
    pub out_of_range: u32,
}

/// Sums by store. Its size does not depend on the number of orders.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The sums of each store.
    pub stores: BTreeMap<StoreId, FeeSums>,
    /// The sums of all stores.
    pub total: FeeSums,
}

impl Comparison {
    /// Adds an order. `of_store` is the store's time zone, used if the pickup's is unknown.
    pub fn add(&mut self, draft: &Tariff, order: &PricedOrder, of_store: Option<Zone>) {
        let fee = draft_fee(draft, order, of_store);
        self.total.add(order.fee, fee);
        self.stores
            .entry(order.store)
            .or_default()
            .add(order.fee, fee);
    }
}

impl FeeSums {
    fn add(&mut self, current: Money, draft: Option<Money>) {
        self.orders += 1;
        match draft {
            Some(draft) => {
                self.current = self.current.plus(current);
                self.draft = self.draft.plus(draft);
            }
            None => self.out_of_range += 1,
        }
    }
}

/// Returns the fee of an order by a tariff, at the time for which it was priced; `None` if the
/// tariff rejects it. The limits are those of [`super::plan`].
fn draft_fee(tariff: &Tariff, order: &PricedOrder, of_store: Option<Zone>) -> Option<Money> {
    let is_far =
        |stop| Distance(great_circle_m(order.pickup, stop)).kilometres() > tariff.service_radius_km;
    if order.total_distance.kilometres() > tariff.max_distance_km
        || order.stops.iter().flatten().any(|stop| is_far(*stop))
    {
        return None;
    }
    let back = order.back.map_or(0, Distance::metres);
    let input = FeeInput {
        outward: Distance(order.total_distance.metres().saturating_sub(back)),
        back: order.back,
        stops: order.stops.len(),
        at: order.priced_at,
        zone: zone(&order.locality).or(of_store).unwrap_or_default(),
        vehicle: order.vehicle,
    };
    Some(total(&price(tariff, &input)))
}
