//! An order in the reference model.

use despacho_core::model::{Timestamp, order::Order};

use crate::{
    backend::{Backend, centavos},
    model::CheckResult,
    schedule,
    table::{Row, StatusCode, derived_status},
};

/// The minutes after the first assignment in which a cancellation is free of charge, as published.
const FREE_MINUTES: i64 = 2;
/// The number of wrong codes until codes are locked, and the duration of the lock, as published.
const TRIES: u32 = 5;
const LOCK_MS: i64 = 10 * 60_000;
/// The duration of a search after which an order expires, as published.
const SEARCH_MS: i64 = 20 * 60_000;
/// The minimum change of an estimate that has an event, and the minimum time between two of them,
/// as published.
const ESTIMATE_MS: i64 = 60_000;

/// An order's deliveries: ID, status, whether it is paid online.
pub(crate) type Stops = Vec<(u64, StatusCode, bool)>;

/// An order in the model.
#[derive(Clone, Debug)]
pub(crate) struct TrackedOrder {
    /// The row at its creation.
    pub(crate) first: Order,
    /// The current row.
    pub(crate) row: Order,
    pub(crate) status: StatusCode,
    /// Its deliveries.
    pub(crate) stops: Stops,
    /// The order's status after each of its events.
    pub(crate) after: Vec<StatusCode>,
    /// The kinds of its events.
    pub(crate) kinds: Vec<&'static str>,
    /// The expected sum of its ledger entries, where a debit is negative.
    pub(crate) due: i64,
    fee: i64,
    /// The amount by which late cancellations of deliveries reduced the fee.
    cancelled_late: i64,
    first_allocated_ms: Option<i64>,
    pub(crate) wrong: u32,
    locked_until_ms: Option<i64>,
    search_ms: Option<i64>,
    /// The time of the last event of a new estimate.
    estimated_ms: Option<i64>,
}

impl TrackedOrder {
    /// Creates the model of a new order.
    pub(crate) fn new(row: Order, status: StatusCode, stops: Stops) -> TrackedOrder {
        let fee = centavos(row.fee);
        TrackedOrder {
            first: row.clone(),
            row: Order { version: 0, ..row },
            status,
            stops,
            after: vec![status],
            kinds: vec!["order.created"],
            due: -fee,
            fee,
            cancelled_late: 0,
            first_allocated_ms: None,
            wrong: 0,
            locked_until_ms: None,
            search_ms: None,
            estimated_ms: None,
        }
    }

    /// Counts a wrong code, which must not be checked while codes are locked.
    pub(crate) fn count_wrong_code(&mut self, now_ms: i64) -> CheckResult {
        if self.locked_until_ms.is_some_and(|until| until > now_ms) {
            return Err(format!(
                "order {}: a code was checked while codes were locked",
                self.row.id
            ));
        }
        self.wrong += 1;
        self.locked_until_ms = None;
        if self.wrong == TRIES {
            (self.wrong, self.locked_until_ms) = (0, Some(now_ms + LOCK_MS));
        }
        Ok(())
    }

    /// Returns the fee of late cancellations: half of the cancelled amount, rounded up.
    fn late_fee(cancelled: i64) -> i64 {
        (cancelled + 1) / 2
    }

    /// Returns the order's next state if the row applies to the current one and results in the
    /// event's status.
    pub(crate) fn apply_row(
        &self,
        row: &Row,
        stop: Option<u64>,
        target: StatusCode,
    ) -> Option<(StatusCode, Stops)> {
        let mut stops = self.stops.clone();
        let plain = |stops: &[(u64, StatusCode, bool)]| {
            stops.iter().map(|one| (one.1, one.2)).collect::<Vec<_>>()
        };
        if !row.delivery {
            if stop.is_some() || !row.from.contains(&self.status) {
                return None;
            }
            if let Some((from, to)) = &row.each {
                stops
                    .iter_mut()
                    .filter(|one| from.contains(&one.1))
                    .for_each(|one| one.1 = *to);
            }
            let derived = || {
                if row.is_unchanged {
                    self.status
                } else {
                    derived_status(&plain(&stops), true, true)
                }
            };
            let next = row.to.unwrap_or_else(derived);
            return (next == target).then_some((next, stops));
        }
        let others = self.stops.iter().filter(|one| Some(one.0) != stop);
        // The page states two conditions in prose: one current delivery at a time, and the last one
        // is cancelled only with its order.
        let current = others.clone().any(|one| matches!(one.1, 320 | 330));
        let waiting = others.clone().any(|one| one.1 == 150);
        if (row.to == Some(320) && current) || (row.to == Some(600) && !waiting) {
            return None;
        }
        let moved = stops.iter_mut().find(|one| Some(one.0) == stop)?;
        if !row.from.contains(&moved.1) || row.to != Some(target) {
            return None;
        }
        moved.1 = target;
        let status = match self.status {
            before if before < 300 => before,
            after => derived_status(&plain(&stops), after == 410, false),
        };
        Some((status, stops))
    }

    /// Applies an event's effects on the cost, the free cancellation period and the count of wrong
    /// codes.
    pub(crate) fn apply_effects(
        &mut self,
        backend: &Backend,
        kind: &str,
        stop: Option<u64>,
        at_ms: i64,
    ) -> CheckResult {
        let id = self.row.id;
        self.check_codes(kind, stop, at_ms)?;
        self.check_times(backend, kind, at_ms)?;
        match kind {
            "order.allocated" => {
                self.first_allocated_ms.get_or_insert(at_ms);
            }
            "delivery.cancelled" => {
                let fee = backend.order(id).map_or(0, |row| centavos(row.fee));
                if fee > self.fee {
                    return Err(format!(
                        "the fee of order {id} increased when a delivery was cancelled"
                    ));
                }
                if self.is_late(at_ms) {
                    self.cancelled_late += self.fee - fee;
                }
                (self.fee, self.due) = (fee, -fee - Self::late_fee(self.cancelled_late));
            }
            "order.expired" => self.due = 0,
            "order.cancelled" => {
                let late = self.is_late(at_ms);
                match self.status {
                    600 if late => {
                        return Err(format!("order {id} was cancelled free of charge too late"));
                    }
                    610 if !late => {
                        return Err(format!("order {id} was charged for a free cancellation"));
                    }
                    // The total is the same as without earlier late cancellations of deliveries.
                    610 => self.due = -Self::late_fee(self.cancelled_late + self.fee),
                    _ => self.due = 0,
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns whether the free cancellation period is over. It does not restart if the clock is
    /// set back.
    fn is_late(&self, at_ms: i64) -> bool {
        let first = self.first_allocated_ms;
        self.cancelled_late > 0 || first.is_some_and(|first| at_ms >= first + FREE_MINUTES * 60_000)
    }

    /// Checks that no code was accepted while codes were locked. An accepted code and a change of
    /// courier reset the count.
    fn check_codes(&mut self, kind: &str, stop: Option<u64>, at_ms: i64) -> CheckResult {
        let requires_code = |stop: &&despacho_core::model::order::Delivery| {
            stop.confirmation.as_ref().is_some_and(|sent| sent.platform)
        };
        let has_code = match kind {
            "order.picked_up" => true,
            "order.returned" => true,
            "delivery.delivered" => {
                let delivery = self
                    .first
                    .deliveries
                    .iter()
                    .find(|delivery| Some(delivery.id.get()) == stop);
                delivery.filter(requires_code).is_some()
            }
            "order.courier_released" => {
                (self.wrong, self.locked_until_ms) = (0, None);
                return Ok(());
            }
            _ => return Ok(()),
        };
        if has_code && self.locked_until_ms.is_some_and(|until| until > at_ms) {
            return Err(format!(
                "order {}: {kind} while codes were locked",
                self.row.id
            ));
        }
        if has_code {
            (self.wrong, self.locked_until_ms) = (0, None);
        }
        Ok(())
    }

    /// Checks the start of the preparation and of the search, its end, and the changes of the
    /// estimate.
    fn check_times(&mut self, backend: &Backend, kind: &str, at_ms: i64) -> CheckResult {
        let id = self.row.id;
        let Some(row) = backend.order(id) else {
            return Ok(());
        };
        // A later event of the same step can have postponed the ready time.
        let ready = row.ready_at.min(self.row.ready_at);
        schedule::check_step(&self.first, kind, ready, at_ms)?;
        match kind {
            "order.searching" | "order.courier_released" => self.search_ms = Some(at_ms),
            "order.expired" => {
                let from_ms = self.search_ms.unwrap_or(at_ms).max(ready.millis());
                if at_ms < from_ms + SEARCH_MS {
                    return Err(format!(
                        "order {id} expired {} ms after its search and its ready time",
                        at_ms - from_ms
                    ));
                }
            }
            "order.eta_changed" => {
                if let Some(last_ms) = self
                    .estimated_ms
                    .replace(at_ms)
                    .filter(|last_ms| at_ms < last_ms + ESTIMATE_MS)
                {
                    return Err(format!(
                        "the estimate of order {id} changed again after {} ms",
                        at_ms - last_ms
                    ));
                }
                let known = self.row.eta.map(|eta| (eta.pickup, eta.delivery));
                let expected = || Some((row.expected_pickup, row.expected_delivery?));
                let moved = |(pickup, delivery): (Option<Timestamp>, Timestamp)| {
                    let by =
                        |a: Timestamp, b: Timestamp| (a.millis() - b.millis()).abs() >= ESTIMATE_MS;
                    let pickups = pickup.zip(row.eta.and_then(|eta| eta.pickup));
                    row.eta.is_some_and(|eta| by(eta.delivery, delivery))
                        || pickups.is_some_and(|(a, b)| by(a, b))
                };
                if !known.or_else(expected).is_some_and(moved) {
                    return Err(format!(
                        "the estimate of order {id} changed by less than a minute: {:?} {:?}",
                        self.row.eta, row.eta
                    ));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Checks the fields that never change after the creation.
    pub(crate) fn check_immutable(&self, row: &Order) -> CheckResult {
        let immutable = |order: &Order| {
            let stops: Vec<_> = order
                .deliveries
                .iter()
                .map(|stop| (stop.id, stop.delivery_code.clone()))
                .collect();
            let origin = (
                order.store,
                order.code.clone(),
                order.fingerprint.clone(),
                order.created_at,
                order.origin.clone(),
            );
            let terms = (
                order.dispatch.clone(),
                order.requirements.clone(),
                order.schedule,
                order.preparation_minutes,
            );
            let windows: Vec<_> = order.deliveries.iter().map(|stop| stop.window).collect();
            (origin, terms, stops, windows)
        };
        if immutable(row) != immutable(&self.first) {
            return Err(format!("an immutable field of order {} changed", row.id));
        }
        if centavos(row.fee) == self.fee {
            Ok(())
        } else {
            Err(format!("order {} has an unexpected fee", row.id))
        }
    }
}
