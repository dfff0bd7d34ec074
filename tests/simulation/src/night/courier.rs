//! The couriers of a night: they follow their trips, and some go silent or stuck.

use despacho_core::{
    host::{Host, Platform},
    model::{CourierId, Duration, OrderId, Point, Timestamp},
};
use serde_json::{Value, json};

use super::{Night, complete};
use crate::rng::Rng;

/// Seconds between two positions.
const REPORT_S: i64 = 30;
/// Seconds of a handover.
const SERVICE_S: i64 = 90;

/// How a courier fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureKind {
    /// The phone sends nothing.
    Silent,
    /// The courier sends positions, and neither moves nor takes a step.
    Still,
    /// The courier waits for this step, which somebody else prevents: the clerk with the code, the
    /// recipient.
    Waits(&'static str),
}

/// A failure of a courier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    pub(super) kind: FailureKind,
    from: Timestamp,
    until: Timestamp,
    /// Whether it had an effect.
    happened: bool,
}

impl Failure {
    /// Returns a failure at a random time of the night.
    pub(super) fn random(rng: &mut Rng, start: Timestamp, minutes: i64) -> Failure {
        let kinds = [
            FailureKind::Silent,
            FailureKind::Silent,
            FailureKind::Still,
            FailureKind::Waits("pickup"),
            FailureKind::Waits("deliver"),
            FailureKind::Waits("hand-back"),
        ];
        let kind = rng.pick(&kinds).copied().unwrap_or(FailureKind::Silent);
        let from = start.after(Duration::minutes(
            rng.between(minutes / 20, minutes * 3 / 4),
        ));
        let until = from.after(Duration::minutes(rng.between(25, 70)));
        Failure {
            kind,
            from,
            until,
            happened: false,
        }
    }
}

/// The next step of a courier.
#[derive(Clone, Debug)]
struct Task {
    step: &'static str,
    order: u64,
    body: Value,
    /// The way to its place.
    from: (f64, f64),
    to: (f64, f64),
    starts_at: Timestamp,
    arrives_at: Timestamp,
    /// Time of the step.
    due: Timestamp,
}

/// A courier of the night.
#[derive(Clone, Debug)]
pub(super) struct NightCourier {
    pub(super) id: u64,
    pub(super) key: String,
    at: (f64, f64),
    failure: Option<Failure>,
    task: Option<Task>,
    next_report: Option<Timestamp>,
    /// Time of the last position or step.
    pub(super) heard_at: Option<Timestamp>,
    /// Time from which somebody prevents the next step.
    pub(super) blocked_since: Option<Timestamp>,
}

impl NightCourier {
    pub(super) fn new(
        id: u64,
        key: String,
        at: (f64, f64),
        failure: Option<Failure>,
    ) -> NightCourier {
        NightCourier {
            id,
            key,
            at,
            failure,
            task: None,
            next_report: None,
            heard_at: None,
            blocked_since: None,
        }
    }

    pub(super) fn courier_id(&self) -> Option<CourierId> {
        CourierId::new(self.id)
    }

    /// Returns whether the courier went silent, or got stuck.
    pub(super) fn has_failed(&self, silent: bool) -> bool {
        self.failure
            .is_some_and(|one| one.happened && (one.kind == FailureKind::Silent) == silent)
    }

    fn failing(&self, now: Timestamp) -> Option<FailureKind> {
        self.failure
            .filter(|one| one.from <= now && now < one.until)
            .map(|one| one.kind)
    }

    fn fail(&mut self) {
        self.failure.iter_mut().for_each(|one| one.happened = true);
    }

    /// Moves the courier on the way to the place of the task.
    fn travel(&mut self, now: Timestamp) {
        let Some(task) = &self.task else { return };
        let part =
            |span: Duration| f64::from(i32::try_from(span.as_millis() / 1_000).unwrap_or(i32::MAX));
        let whole = part(task.arrives_at.since(task.starts_at)).max(1.0);
        let done = (part(now.since(task.starts_at)) / whole).clamp(0.0, 1.0);
        let between = |from: f64, to: f64| from + (to - from) * done;
        self.at = (
            between(task.from.0, task.to.0),
            between(task.from.1, task.to.1),
        );
    }
}

impl Night {
    /// Lets a courier act.
    pub(super) fn act(&mut self, at: usize) -> Result<(), String> {
        let now = self.now();
        let Some(courier) = self.couriers.get_mut(at) else {
            return Ok(());
        };
        let failing = courier.failing(now);
        if failing == Some(FailureKind::Silent) {
            courier.fail();
            return Ok(());
        }
        if failing == Some(FailureKind::Still) {
            // The way begins again at this place.
            courier.fail();
            courier.task = None;
        } else {
            courier.travel(now);
        }
        self.report_position(at)?;
        if failing == Some(FailureKind::Still) {
            return Ok(());
        }
        self.resume(at)?;
        if self
            .couriers
            .get(at)
            .is_some_and(|courier| courier.task.is_none())
        {
            let task = self.next_task(at)?;
            if let Some(courier) = self.couriers.get_mut(at) {
                courier.task = task;
            }
        }
        self.take_step(at, failing)
    }

    /// Reports a position, if it is time.
    fn report_position(&mut self, at: usize) -> Result<(), String> {
        let now = self.now();
        let Some(courier) = self
            .couriers
            .get(at)
            .filter(|one| one.next_report.is_none_or(|next| next <= now))
        else {
            return Ok(());
        };
        let body = json!({ "latitude": courier.at.0, "longitude": courier.at.1 });
        self.post("/courier/position", &courier.key, &body)?;
        if let Some(courier) = self.couriers.get_mut(at) {
            (courier.next_report, courier.heard_at) =
                (Some(now.after(Duration::seconds(REPORT_S))), Some(now));
        }
        Ok(())
    }

    /// Makes a courier available again whom the service made unavailable.
    fn resume(&mut self, at: usize) -> Result<(), String> {
        let Some(courier) = self.couriers.get(at) else {
            return Ok(());
        };
        let Some(id) = courier.courier_id() else {
            return Ok(());
        };
        let stored = complete(self.host.courier(id))?.map_err(|error| error.to_string())?;
        if stored.is_some_and(|stored| !stored.available) {
            self.post(
                "/courier/availability",
                &courier.key,
                &json!({ "available": true }),
            )?;
        }
        Ok(())
    }

    /// Returns the next step of the trip.
    fn next_task(&self, at: usize) -> Result<Option<Task>, String> {
        let Some(courier) = self.couriers.get(at) else {
            return Ok(None);
        };
        let Some(id) = courier.courier_id() else {
            return Ok(None);
        };
        let stored = complete(self.host.courier(id))?.map_err(|error| error.to_string())?;
        if stored.is_none_or(|stored| stored.trip.is_empty()) {
            return Ok(None);
        }
        let trip = self.get("/courier/trip", &courier.key)?["trip"].take();
        let stop = &trip["stops"][0];
        let Some(id) = stop["orderId"].as_u64() else {
            return Ok(None);
        };
        let order = OrderId::new(id)
            .map(|id| complete(self.host.order(id)))
            .transpose()?;
        let Some(order) = order
            .transpose()
            .map_err(|error| error.to_string())?
            .flatten()
        else {
            return Ok(None);
        };
        let delivery = order
            .deliveries
            .iter()
            .find(|one| stop["deliveryId"].as_u64() == Some(one.id.get()));
        let stop_body = json!({ "deliveryId": stop["deliveryId"], "code": delivery.map(|one| one.delivery_code.as_str()) });
        let number = delivery.map_or_else(|| order.status.number(), |one| one.status.number());
        let (step, body, is_travel) = match (stop["type"].as_str().unwrap_or_default(), number) {
            ("PICKUP", 210) => ("arrive", json!({}), true),
            ("PICKUP", _) => ("pickup", json!({ "code": order.pickup_code }), false),
            ("DELIVERY", 310) => ("en-route", stop_body, false),
            ("DELIVERY", 320) => ("at-door", stop_body, true),
            ("DELIVERY", _) => ("deliver", stop_body, false),
            (_, 400) => ("at-return", json!({}), true),
            _ => ("hand-back", json!({ "code": order.return_code }), false),
        };
        let now = self.now();
        let to = (
            stop["latitude"].as_f64().unwrap_or_default(),
            stop["longitude"].as_f64().unwrap_or_default(),
        );
        let place = |(latitude, longitude)| Point::from_degrees(latitude, longitude);
        let seconds = place(courier.at)
            .zip(place(to))
            .map_or(0, |(from, to)| self.host.travel_time(from, to));
        let arrives_at = if is_travel {
            now.after(Duration::seconds(seconds.into()))
        } else {
            now
        };
        let service = if is_travel || step == "en-route" {
            0
        } else {
            SERVICE_S
        };
        let ready = if step == "pickup" {
            order.ready_at
        } else {
            now
        };
        let due = arrives_at.max(ready).after(Duration::seconds(service));
        Ok(Some(Task {
            step,
            order: id,
            body,
            from: courier.at,
            to,
            starts_at: now,
            arrives_at,
            due,
        }))
    }

    /// Takes the step of the task, if it is time and nobody prevents it.
    fn take_step(&mut self, at: usize, failing: Option<FailureKind>) -> Result<(), String> {
        let now = self.now();
        let Some(courier) = self.couriers.get_mut(at) else {
            return Ok(());
        };
        let Some(task) = courier.task.clone() else {
            return Ok(());
        };
        if failing == Some(FailureKind::Waits(task.step)) {
            courier.fail();
            courier
                .blocked_since
                .get_or_insert(task.due.before(Duration::seconds(SERVICE_S)));
            return Ok(());
        }
        if now < task.due {
            return Ok(());
        }
        courier.task = None;
        let key = courier.key.clone();
        let path = format!("/courier/orders/{}/{}", task.order, task.step);
        let (status, response) = self.send(&http::Method::POST, &path, &key, &task.body)?;
        // An order that was taken from the courier meanwhile is 404 or 409.
        if status >= 300 && !matches!(status, 404 | 409) {
            return Err(format!("POST {path}: {status} {response}"));
        }
        if let Some(courier) = self.couriers.get_mut(at) {
            (courier.heard_at, courier.blocked_since) = (Some(now), None);
        }
        Ok(())
    }
}
