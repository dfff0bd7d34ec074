//! The report of a store's orders by day. It stores sums and counts only, so its size does not
//! depend on the number of orders.

use crate::geo;
use crate::model::{
    Day, Money, StoreId,
    order::{Order, OrderStatus, ReportedOrder},
};

/// Durations of a day or more count as a day.
const MAX_MINUTES: u16 = 1_440;

/// The orders that one store created on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayTotals {
    /// The day.
    pub day: Day,
    /// The store.
    pub store: StoreId,
    /// Number of orders.
    pub created: u32,
    /// Orders with at least one completed delivery.
    pub delivered: u32,
    /// Orders that the merchant or the platform cancelled.
    pub cancelled: u32,
    /// Orders without a courier, or without a completed delivery.
    pub failed: u32,
    /// Fees that remain after refunds.
    pub fees: Money,
    /// Delivered orders with an expected delivery.
    pub expected: u32,
    /// Those that were delivered after it.
    pub late: u32,
    /// Number of delivered orders by minutes from the creation to the last delivery, sorted by
    /// minutes.
    minutes: Vec<(u16, u32)>,
}

/// Totals by day and store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DayReport {
    /// The totals, sorted by day and store.
    pub rows: Vec<DayTotals>,
}

impl From<&Order> for ReportedOrder {
    fn from(order: &Order) -> ReportedOrder {
        ReportedOrder {
            store: order.store,
            created_at: order.created_at,
            day: Day::of(
                order.created_at,
                geo::zone(&order.pickup.address).unwrap_or_default(),
            ),
            status: order.status,
            fee: order.fee,
            cancellation_fee: order.cancellation_fee,
            done_at: order.delivered_at.unwrap_or(order.status_since),
            expected_at: order.expected_delivery,
        }
    }
}

impl DayReport {
    /// Adds an order if it was created within these days.
    pub fn add(&mut self, order: &ReportedOrder, (first, last): (Day, Day)) {
        let day = order.day;
        if day < first || day > last {
            return;
        }
        let key = (day, order.store);
        let at = match self
            .rows
            .binary_search_by_key(&key, |row| (row.day, row.store))
        {
            Ok(at) => at,
            Err(at) => {
                self.rows.insert(at, DayTotals::new(day, order.store));
                at
            }
        };
        if let Some(row) = self.rows.get_mut(at) {
            row.add(order);
        }
    }
}

impl DayTotals {
    fn new(day: Day, store: StoreId) -> DayTotals {
        DayTotals {
            day,
            store,
            created: 0,
            delivered: 0,
            cancelled: 0,
            failed: 0,
            fees: Money::ZERO,
            expected: 0,
            late: 0,
            minutes: Vec::new(),
        }
    }

    fn add(&mut self, order: &ReportedOrder) {
        self.created += 1;
        // A cancelled or expired order costs only its cancellation fee.
        let is_refunded = order.status >= OrderStatus::Cancelled;
        let fee = if is_refunded { Money::ZERO } else { order.fee };
        self.fees = self.fees.plus(fee).plus(order.cancellation_fee);
        match order.status {
            OrderStatus::Completed | OrderStatus::Partial => self.deliver(order),
            OrderStatus::Cancelled
            | OrderStatus::CancelledWithFee
            | OrderStatus::CancelledByPlatform => {
                self.cancelled += 1;
            }
            OrderStatus::NotDelivered | OrderStatus::Expired => self.failed += 1,
            _ => {}
        }
    }

    fn deliver(&mut self, order: &ReportedOrder) {
        self.delivered += 1;
        let at = order.done_at;
        let minutes = (at.since(order.created_at).as_millis() + 30_000) / 60_000;
        let minutes = u16::try_from(minutes)
            .unwrap_or(MAX_MINUTES)
            .min(MAX_MINUTES);
        match self
            .minutes
            .binary_search_by_key(&minutes, |(minutes, _)| *minutes)
        {
            Ok(index) => self
                .minutes
                .iter_mut()
                .skip(index)
                .take(1)
                .for_each(|(_, count)| *count += 1),
            Err(index) => self.minutes.insert(index, (minutes, 1)),
        }
        if let Some(expected) = order.expected_at {
            self.expected += 1;
            self.late += u32::from(at > expected);
        }
    }

    /// Returns the mean minutes from the creation to the last delivery, rounded.
    pub fn mean_minutes(&self) -> Option<u64> {
        let sum: u64 = self
            .minutes
            .iter()
            .map(|(minutes, count)| u64::from(*minutes) * u64::from(*count))
            .sum();
        let count = u64::from(self.delivered);
        (count > 0).then(|| (sum + count / 2) / count)
    }

    /// Returns the minutes within which at least 90 of 100 delivered orders were delivered.
    pub fn p90_minutes(&self) -> Option<u64> {
        let (mut seen, wanted) = (0, (u64::from(self.delivered) * 9).div_ceil(10));
        let reached = self.minutes.iter().find(|(_, count)| {
            seen += u64::from(*count);
            seen >= wanted
        });
        reached.map(|(minutes, _)| u64::from(*minutes))
    }

    /// Returns the late orders of 100 delivered orders with an expected delivery, rounded.
    pub fn late_percent(&self) -> Option<u64> {
        let expected = u64::from(self.expected);
        (expected > 0).then(|| (u64::from(self.late) * 100 + expected / 2) / expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Timestamp, Zone};

    #[test]
    fn day_depends_on_the_time_zone() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let day = |text: &str, zone| Day::of(at(text), zone).to_string();
        assert_eq!(day("2026-11-21T02:59:59Z", Zone::default()), "2026-11-20");
        assert_eq!(day("2026-11-21T03:00:00Z", Zone::Brasilia), "2026-11-21");
        assert_eq!(day("2026-11-21T03:00:00Z", Zone::Amazon), "2026-11-20");
        assert_eq!(Day::parse("2026-11-21").unwrap().to_string(), "2026-11-21");
        for text in ["2026-02-30", "2026-1-01", "21/11/2026", "2026-11-21T", ""] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
        let (first, last) = (
            Day::parse("2026-11-01").unwrap(),
            Day::parse("2026-11-30").unwrap(),
        );
        assert_eq!(
            (
                last.days_from(first),
                first.days_from(last),
                last.before(29)
            ),
            (30, -28, first)
        );
        let (start, end) = first.span();
        assert_eq!(
            (start, end),
            (at("2026-11-01T02:00:00Z"), at("2026-11-02T05:00:00Z"))
        );
    }

    #[test]
    fn mean_and_percentile_are_rounded() {
        let mut row = DayTotals::new(Day::parse("1970-01-01").unwrap(), StoreId::new(1).unwrap());
        assert_eq!(
            (row.mean_minutes(), row.p90_minutes(), row.late_percent()),
            (None, None, None)
        );
        (row.delivered, row.minutes) = (10, vec![(10, 8), (20, 1), (90, 1)]);
        (row.expected, row.late) = (3, 2);
        assert_eq!(
            (row.mean_minutes(), row.p90_minutes(), row.late_percent()),
            (Some(19), Some(20), Some(67))
        );
        (row.delivered, row.minutes) = (1, vec![(7, 1)]);
        assert_eq!((row.mean_minutes(), row.p90_minutes()), (Some(7), Some(7)));
    }
}
