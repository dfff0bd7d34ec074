//! A night in which half of the couriers go silent or stuck: how long orders wait although a
//! courier is idle in reach, and how soon health names what is wrong.
//!
//! The night runs on the in-memory host with the core's default settings. Merchants, couriers and
//! the operator use the API; the storage is only read, to measure.

mod courier;
mod measure;

use std::{
    collections::BTreeMap,
    fmt,
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use despacho_core::{
    api,
    memory::MemoryHost,
    model::{Duration, Timestamp},
    rules::settings::{Secret, Settings, operator_token},
};
use http::{Method, Request};
use serde_json::{Value, json};

use self::{courier::NightCourier, measure::Measures};
use crate::{clients::cnpj, rng::Rng};

/// The operator's token.
const OPERATOR: &str = "operator-token-of-the-night";
/// Seconds between two passes. Couriers act before each.
const TICK_S: i64 = 15;
/// Minutes after the last order in which open trips end.
const CLOSING_MINUTES: i64 = 60;
/// The middle of the city.
const CENTRE: (f64, f64) = (-23.5505, -46.6333);

/// The size of a night.
#[derive(Clone, Copy, Debug)]
pub struct NightSize {
    /// The number of merchants.
    pub merchants: u64,
    /// The number of couriers.
    pub couriers: u64,
    /// How many of them go silent or stuck.
    pub failing: u64,
    /// The number of orders.
    pub orders: u64,
    /// The minutes in which the orders are created.
    pub minutes: i64,
}

impl NightSize {
    /// The night of the documented command.
    pub const LONG: NightSize = NightSize {
        merchants: 6,
        couriers: 80,
        failing: 40,
        orders: 2_000,
        minutes: 360,
    };
    /// The night of the tests.
    pub const SHORT: NightSize = NightSize {
        merchants: 3,
        couriers: 16,
        failing: 8,
        orders: 90,
        minutes: 90,
    };
}

/// What happened in a night.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NightReport {
    /// The number of orders.
    pub orders: u64,
    /// Delivered orders.
    pub delivered: u64,
    /// Orders for which no courier was found in time.
    pub expired: u64,
    /// Orders that were taken from their courier.
    pub released: u64,
    /// Couriers who went silent, and couriers who got stuck.
    pub failures: (u64, u64),
    /// The longest wait of a ready order for a courier in seconds.
    pub longest_wait_s: i64,
    /// The longest such wait while a courier was idle in reach.
    pub longest_wait_while_idle_s: i64,
    /// Orders that waited for longer than the bound while a courier was idle in reach.
    pub starved: u64,
    /// The seconds after which health named a silent courier, a stuck courier and a waiting order,
    /// at most. `None` if it never did.
    pub named_after_s: [Option<i64>; 3],
    /// Readings of health that did not name what was wrong, or counted other couriers than the list
    /// of couriers.
    pub wrong_readings: u64,
    /// Readings of health.
    pub readings: u64,
}

impl fmt::Display for NightReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NightReport {
            orders,
            delivered,
            expired,
            released,
            failures: (silent, stuck),
            ..
        } = self;
        writeln!(
            f,
            "{orders} orders: {delivered} delivered, {expired} expired, {released} times taken from a courier"
        )?;
        writeln!(f, "{silent} couriers went silent, {stuck} got stuck")?;
        writeln!(
            f,
            "longest wait for a courier: {} s; while one was idle in reach: {} s; orders beyond the bound: {}",
            self.longest_wait_s, self.longest_wait_while_idle_s, self.starved
        )?;
        let after = |value: Option<i64>| {
            value.map_or_else(|| "never".to_owned(), |seconds| format!("{seconds} s"))
        };
        let [silent, stuck, waiting] = self.named_after_s.map(after);
        writeln!(
            f,
            "health named silent couriers after {silent}, stuck ones after {stuck}, waiting orders after {waiting}"
        )?;
        write!(
            f,
            "{} of {} readings of health were wrong",
            self.wrong_readings, self.readings
        )
    }
}

/// A night under way.
struct Night {
    host: MemoryHost,
    settings: Settings,
    rng: Rng,
    couriers: Vec<NightCourier>,
    /// The keys of the stores, with their places.
    stores: Vec<(String, (f64, f64))>,
    measures: Measures,
}

/// Simulates a night. Equal seeds give equal nights.
///
/// # Errors
/// If the service rejects a request that must succeed.
pub fn night(size: NightSize, seed: u64) -> Result<NightReport, String> {
    let mut night = Night {
        host: MemoryHost::seeded(seed),
        settings: Settings {
            operator: operator_token(OPERATOR).ok(),
            secret: Secret([7; 32]),
            ..Settings::default()
        },
        rng: Rng::new(seed, 3),
        couriers: Vec::new(),
        stores: Vec::new(),
        measures: Measures::default(),
    };
    night.open(size)?;
    let start = night.host.now();
    let span_s = size.minutes * 60;
    let mut due: Vec<i64> = (0..size.orders)
        .map(|_| night.rng.between(0, span_s))
        .collect();
    due.sort_unstable();
    let (mut due, mut elapsed_s, mut created) = (due.into_iter().peekable(), 0, 0);
    while elapsed_s <= span_s + CLOSING_MINUTES * 60 {
        night
            .host
            .set_now(start.after(Duration::seconds(elapsed_s)));
        while due.next_if(|at| *at <= elapsed_s).is_some() {
            created += 1;
            night.create_order(created)?;
        }
        for at in 0..night.couriers.len() {
            night.act(at)?;
        }
        let pass = night.post("/admin/dispatch", OPERATOR, &json!({}))?;
        night.measures.released += pass["released"].as_u64().unwrap_or_default();
        night.measure_waits()?;
        if elapsed_s % 60 == 0 {
            night.read_health()?;
        }
        elapsed_s += TICK_S;
    }
    Ok(night.report(size.orders))
}

impl Night {
    /// Creates stores and couriers. The failures of couriers are spread over the night.
    fn open(&mut self, size: NightSize) -> Result<(), String> {
        for number in 1..=size.merchants {
            let at = self.place(250);
            let body = json!({
                "cnpj": cnpj(number), "name": format!("Cantina {number}"), "email": format!("loja{number}@exemplo.com.br"),
                "password": "uma senha bem longa", "responsible": { "name": "Rui", "phone": "+5511999990002" },
                "address": address(at), "marketplaceBranchId": 1,
            });
            let created = self.post("/admin/matrices", OPERATOR, &body)?;
            self.stores.push((text(&created, "value"), at));
        }
        for number in 1..=size.couriers {
            let body = json!({ "name": format!("Ana {number}"), "phone": format!("+55119{:08}", 10_000_000 + number), "available": true });
            let created = self.post("/admin/couriers", OPERATOR, &body)?;
            let failure = (number <= size.failing)
                .then(|| courier::Failure::random(&mut self.rng, self.host.now(), size.minutes));
            let at = self.place(300);
            let id = created["id"].as_u64().unwrap_or_default();
            self.couriers
                .push(NightCourier::new(id, text(&created, "value"), at, failure));
        }
        Ok(())
    }

    fn create_order(&mut self, number: u64) -> Result<(), String> {
        let Some((key, (north, east))) = self.rng.pick(&self.stores).cloned() else {
            return Ok(());
        };
        let (up, right) = (self.rng.between(-200, 200), self.rng.between(-200, 200));
        let to = (north + degrees(up), east + degrees(right));
        let mut delivery = json!({ "name": "Maria", "phone": "+5511999990000", "address": address(to), "onlinePayment": true });
        if self.rng.often(250) {
            delivery["onlinePayment"] = json!(false);
            delivery["productValue"] = json!(50);
            delivery["payment"] = json!({ "method": "CASH" });
        }
        let preparation = self.rng.between(5, 20);
        let order = json!({ "code": format!("N-{number}"), "preparationTime": preparation, "deliveries": [delivery] });
        self.post("/delivery/orders", &key, &order).map(|_| ())
    }

    /// Returns a place within these ten-thousandths of a degree around the middle of the city.
    fn place(&mut self, within: i64) -> (f64, f64) {
        let (north, east) = (
            self.rng.between(-within, within),
            self.rng.between(-within, within),
        );
        (CENTRE.0 + degrees(north), CENTRE.1 + degrees(east))
    }

    fn now(&self) -> Timestamp {
        self.host.now()
    }

    /// Sends a request that must succeed.
    fn post(&self, path: &str, key: &str, body: &Value) -> Result<Value, String> {
        let (status, response) = self.send(&Method::POST, path, key, body)?;
        if status < 300 {
            Ok(response)
        } else {
            Err(format!("POST {path} {body}: {status} {response}"))
        }
    }

    fn get(&self, path: &str, key: &str) -> Result<Value, String> {
        let (status, response) = self.send(&Method::GET, path, key, &Value::Null)?;
        if status < 300 {
            Ok(response)
        } else {
            Err(format!("GET {path}: {status} {response}"))
        }
    }

    fn send(
        &self,
        method: &Method,
        path: &str,
        key: &str,
        body: &Value,
    ) -> Result<(u16, Value), String> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("x-api-token", key);
        let request = request.header("content-type", "application/json");
        let body = if body.is_null() {
            Bytes::new()
        } else {
            Bytes::from(body.to_string())
        };
        let request = request.body(body).map_err(|error| error.to_string())?;
        let response = complete(api::handle(&self.host, &self.settings, request))?;
        let status = response.status().as_u16();
        Ok((
            status,
            serde_json::from_slice(response.body()).unwrap_or_default(),
        ))
    }

    fn report(&self, orders: u64) -> NightReport {
        let kinds = self
            .host
            .recorded()
            .into_iter()
            .map(|recorded| recorded.event.kind.name());
        let kinds = kinds.fold(BTreeMap::<&str, u64>::new(), |mut counts, kind| {
            *counts.entry(kind).or_default() += 1;
            counts
        });
        let count = |kind: &str| kinds.get(kind).copied().unwrap_or_default();
        let silent = self
            .couriers
            .iter()
            .filter(|courier| courier.has_failed(true))
            .count() as u64;
        let stuck = self
            .couriers
            .iter()
            .filter(|courier| courier.has_failed(false))
            .count() as u64;
        let report = NightReport {
            orders,
            delivered: count("delivery.delivered"),
            expired: count("order.expired"),
            failures: (silent, stuck),
            ..NightReport::default()
        };
        self.measures.complete(report)
    }
}

/// Returns the output of a future that waits for nothing, as all of the in-memory host.
fn complete<T>(future: impl Future<Output = T>) -> Result<T, String> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Ok(output),
        Poll::Pending => Err("the in-memory host waits".to_owned()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
fn degrees(ten_thousandths: i64) -> f64 {
    ten_thousandths as f64 / 10_000.0
}

fn text(body: &Value, name: &str) -> String {
    body[name].as_str().unwrap_or_default().to_owned()
}

fn address((latitude, longitude): (f64, f64)) -> Value {
    json!({ "street": "Rua Augusta", "number": "900", "city": "São Paulo", "state": "SP", "latitude": latitude, "longitude": longitude })
}
