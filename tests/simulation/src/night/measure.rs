//! What a night measures, after each pass and in each reading of health.

use std::collections::{BTreeMap, BTreeSet};

use despacho_core::{
    geo::great_circle_m,
    host::{CourierQuery, Host, OrderQuery, Storage},
    model::{Duration, OrderId, Timestamp, courier::Courier, order::Order},
};

use super::{Night, NightReport, OPERATOR, complete};

/// The published bound of a wait while a courier is idle in reach, and one pass.
const BOUND: Duration = Duration::seconds(5 * 60 + super::TICK_S);
/// The published limit of a wait after which health names an order.
const WAIT_LIMIT: Duration = Duration::minutes(5);
/// The published age up to which a position counts.
const MAX_AGE: Duration = Duration::minutes(5);
/// The published duration of a handover and delay after which a courier is stuck. Couriers take
/// their steps at ticks, so the usual duration that dispatch learns is up to a tick longer.
const STUCK_AFTER: Duration = Duration::seconds((3 + 10) * 60 + super::TICK_S);
/// The published radius in metres.
const RADIUS_M: u32 = 10_000;

/// The kinds of what health names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Silent,
    Stuck,
    Waiting,
}

/// The measurements of a night.
#[derive(Debug, Default)]
pub(super) struct Measures {
    pub(super) released: u64,
    longest_wait_s: i64,
    longest_wait_while_idle_s: i64,
    starved: BTreeSet<OrderId>,
    /// Since when something is wrong that health has not named.
    unnamed: BTreeMap<(Kind, u64), Timestamp>,
    named_after_s: BTreeMap<Kind, i64>,
    wrong_readings: u64,
    readings: u64,
}

fn seconds(span: Duration) -> i64 {
    span.as_millis() / 1_000
}

impl Measures {
    /// Adds the measurements to a report.
    pub(super) fn complete(&self, report: NightReport) -> NightReport {
        NightReport {
            released: self.released,
            longest_wait_s: self.longest_wait_s,
            longest_wait_while_idle_s: self.longest_wait_while_idle_s,
            starved: self.starved.len() as u64,
            named_after_s: [Kind::Silent, Kind::Stuck, Kind::Waiting]
                .map(|kind| self.named_after_s.get(&kind).copied()),
            wrong_readings: self.wrong_readings,
            readings: self.readings,
            ..report
        }
    }

    /// Records whether health names what is wrong since these times.
    fn name(&mut self, kind: Kind, wrong: &[(u64, Timestamp)], is_named: bool, now: Timestamp) {
        self.unnamed
            .retain(|(other, id), _| *other != kind || wrong.iter().any(|(wrong, _)| wrong == id));
        for (id, since) in wrong {
            if is_named {
                let after = seconds(now.since(*since));
                let is_new = self
                    .unnamed
                    .insert((kind, *id), Timestamp::from_millis(i64::MAX))
                    .is_none_or(|at| at < now);
                if is_new {
                    let longest = self.named_after_s.entry(kind).or_default();
                    *longest = after.max(*longest);
                }
            } else {
                self.unnamed.entry((kind, *id)).or_insert(*since);
            }
        }
        self.wrong_readings += u64::from(!is_named && !wrong.is_empty());
    }
}

impl Night {
    /// Measures the waits of the orders that a pass left open.
    pub(super) fn measure_waits(&mut self) -> Result<(), String> {
        let now = self.now();
        let idle = self.idle()?;
        for order in self.searching()? {
            let waited = now.since(waiting_since(&order));
            self.measures.longest_wait_s = self.measures.longest_wait_s.max(seconds(waited));
            let pickup = order.pickup.located.point;
            let is_near = |courier: &&Courier| {
                courier
                    .position
                    .is_some_and(|point| great_circle_m(point, pickup) <= RADIUS_M)
                    && !order.released.contains(&courier.id)
            };
            if idle.iter().any(|courier| is_near(&courier)) {
                let longest = &mut self.measures.longest_wait_while_idle_s;
                *longest = seconds(waited).max(*longest);
                if waited > BOUND {
                    self.measures.starved.insert(order.id);
                }
            }
        }
        Ok(())
    }

    /// Returns the couriers who could take an order now.
    fn idle(&self) -> Result<Vec<Courier>, String> {
        let since = self.now().before(MAX_AGE);
        let all = CourierQuery::All {
            after: None,
            limit: u32::MAX,
        };
        let couriers =
            complete(self.host.find_couriers(all))?.map_err(|error| error.to_string())?;
        let is_idle = |courier: &Courier| {
            courier.is_free() && courier.position_at.is_some_and(|at| at >= since)
        };
        Ok(couriers.into_iter().filter(is_idle).collect())
    }

    fn searching(&self) -> Result<Vec<Order>, String> {
        let found = complete(self.host.searching_orders(None, u32::MAX))?
            .map_err(|error| error.to_string())?;
        let ids: Vec<OrderId> = found.iter().map(|order| order.id).collect();
        complete(self.host.find_orders(OrderQuery::Ids(&ids)))?.map_err(|error| error.to_string())
    }

    /// Reads health and compares it with what is wrong.
    pub(super) fn read_health(&mut self) -> Result<(), String> {
        let now = self.now();
        let health = self.get("/admin/health", OPERATOR)?;
        let figures: BTreeMap<String, (u64, bool)> = health["figures"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| {
                let name = one["name"].as_str().unwrap_or_default().to_owned();
                (
                    name,
                    (
                        one["value"].as_u64().unwrap_or_default(),
                        one["advice"].is_string(),
                    ),
                )
            })
            .collect();
        let figure = |name: &str| figures.get(name).copied().unwrap_or_default();
        let listed = self.get("/admin/couriers?limit=100", OPERATOR)?;
        let states: BTreeMap<u64, String> = listed["couriers"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| {
                (
                    one["id"].as_u64().unwrap_or_default(),
                    one["state"].as_str().unwrap_or_default().to_owned(),
                )
            })
            .collect();
        let count = |state: &str| states.values().filter(|one| *one == state).count() as u64;
        self.measures.readings += 1;
        for (name, state) in [
            ("availableCouriers", "AVAILABLE"),
            ("busyCouriers", "ON_TRIP"),
            ("stuckCouriers", "STUCK"),
            ("unresponsiveCouriers", "UNRESPONSIVE"),
        ] {
            self.measures.wrong_readings += u64::from(figure(name).0 != count(state));
        }
        let is_state = |id: &u64, state: &str| states.get(id).is_some_and(|one| one == state);
        let [silent, stuck] = self.wrong_couriers()?;
        let by = |state: &str, wrong: &[(u64, Timestamp)]| {
            wrong.iter().all(|(id, _)| is_state(id, state))
        };
        let named_silent = figure("unresponsiveCouriers").1 && by("UNRESPONSIVE", &silent);
        self.measures.name(Kind::Silent, &silent, named_silent, now);
        let named_stuck = figure("stuckCouriers").1 && by("STUCK", &stuck);
        self.measures.name(Kind::Stuck, &stuck, named_stuck, now);
        let waiting: Vec<(u64, Timestamp)> = self
            .searching()?
            .iter()
            .map(|order| (order.id.get(), waiting_since(order).after(WAIT_LIMIT)))
            .filter(|(_, since)| *since < now)
            .collect();
        let (counted, is_named) = figure("waitingOrders");
        self.measures.name(
            Kind::Waiting,
            &waiting,
            is_named && counted == waiting.len() as u64,
            now,
        );
        Ok(())
    }

    /// Returns the couriers who are silent, and those who are stuck, each with the time from which
    /// health must say so.
    fn wrong_couriers(&self) -> Result<[Vec<(u64, Timestamp)>; 2], String> {
        let now = self.now();
        let (mut silent, mut stuck) = (Vec::new(), Vec::new());
        for courier in &self.couriers {
            let Some(id) = courier.courier_id() else {
                continue;
            };
            let stored = complete(self.host.courier(id))?.map_err(|error| error.to_string())?;
            let Some(stored) = stored.filter(|one| one.available || !one.trip.is_empty()) else {
                continue;
            };
            let ids: Vec<OrderId> = stored.trip.iter().map(|one| one.id).collect();
            let orders = complete(self.host.find_orders(OrderQuery::Ids(&ids)))?
                .map_err(|error| error.to_string())?;
            let assigned = orders
                .iter()
                .filter_map(|order| order.assignments.last())
                .map(|one| one.at)
                .max();
            let heard = courier.heard_at.into_iter().chain(assigned).max();
            let silent_since = heard.map(|at| at.after(MAX_AGE)).filter(|at| *at < now);
            // The courier leaves a pickup with all orders of the trip.
            let ready = orders
                .iter()
                .filter(|order| order.status.is_before_pickup())
                .map(|order| order.ready_at)
                .max();
            let stuck_since = courier
                .blocked_since
                .max(ready.filter(|_| courier.blocked_since.is_some()))
                .map(|at| at.after(STUCK_AFTER))
                .filter(|at| *at < now);
            if let Some(since) = silent_since {
                silent.push((courier.id, since));
            } else if let Some(since) = stuck_since.filter(|_| !ids.is_empty()) {
                stuck.push((courier.id, since));
            }
        }
        Ok([silent, stuck])
    }
}

/// Returns the time since which a searching order waits for a courier.
fn waiting_since(order: &Order) -> Timestamp {
    order.status_received().max(order.ready_at)
}
