//! Random requests, and the results that the documentation promises for them.

use despacho_core::{
    api::page::Previewer,
    model::{Duration, Entropy, Timestamp},
};
use serde_json::{Value, json};

use super::{
    Parts, page,
    settings::{CENTRE, Hours, below, signed},
};

/// The kinds of vehicles, their maximum weight in grams and volume in millilitres, as published.
const VEHICLES: [(&str, u32, u32); 6] = [
    ("BICYCLE", 12_000, 45_000),
    ("SCOOTER", 20_000, 80_000),
    ("MOTORBIKE_BAG", 20_000, 80_000),
    ("MOTORBIKE_BOX", 30_000, 252_000),
    ("CAR", 300_000, 1_000_000),
    ("VUC", 1_000_000, 20_000_000),
];
/// The smallest kind with a surcharge in the tariff of these tests.
pub(super) const SURCHARGE_FROM: &str = "MOTORBIKE_BOX";
/// The handover of the default tariff.
const HANDOVER: Duration = Duration::minutes(3);
const DAY: Duration = Duration::minutes(24 * 60);

/// A random request.
pub(super) struct Request {
    pub(super) addresses: Vec<Value>,
    /// The coordinates of the first address, if it has some.
    pub(super) point: Option<(f64, f64)>,
    pub(super) preparation: u32,
    pub(super) requirements: Option<Requirements>,
    pub(super) deliver_at: Option<Timestamp>,
    /// The windows of the deliveries. Empty if none has one.
    pub(super) windows: Vec<(Timestamp, Timestamp)>,
    best_route: bool,
    now: Timestamp,
}

/// Random requirements.
pub(super) struct Requirements {
    kinds: Vec<usize>,
    weight: Option<u32>,
    volume: Option<u32>,
    packages: Option<u32>,
}

/// The expected result: the times of an accepted request, or the problem's code.
pub(super) type Expected = Result<Times, String>;

/// The times of an accepted request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) ready: Timestamp,
    pub(super) pickup: Timestamp,
    pub(super) delivery: Timestamp,
}

fn time(text: &Value) -> Timestamp {
    Timestamp::parse(text.as_str().unwrap()).unwrap()
}

fn minutes(entropy: &mut Entropy, from: i64, until: i64) -> Duration {
    let millis = u32::try_from((until - from) * 60_000).unwrap();
    Duration::millis(from * 60_000 + i64::from(below(entropy, millis)))
}

/// Writes a time with the offset of Brasília or of UTC.
fn written(at: Timestamp) -> String {
    if at.millis() % 2 == 0 {
        return at.to_string();
    }
    at.before(Duration::minutes(180))
        .to_string()
        .replace('Z', "-03:00")
}

impl Requirements {
    fn random(entropy: &mut Entropy) -> Requirements {
        let kinds = if below(entropy, 2) == 0 {
            0
        } else {
            below(entropy, 64)
        };
        let mut amount = |max: u32| {
            // Most amounts are near the limits of small vehicles.
            let max = if below(entropy, 6) == 0 {
                max
            } else {
                max / 25
            };
            (below(entropy, 2) == 0).then(|| 1 + below(entropy, max))
        };
        let (weight, volume) = (amount(1_000_000), amount(20_000_000));
        let kinds = (0..VEHICLES.len())
            .filter(|kind| kinds & (1 << kind) != 0)
            .collect();
        Requirements {
            kinds,
            weight,
            volume,
            packages: (below(entropy, 2) == 0).then(|| 1 + below(entropy, 100)),
        }
    }

    fn body(&self) -> Value {
        let kinds: Vec<&str> = self
            .kinds
            .iter()
            .rev()
            .map(|kind| VEHICLES[*kind].0)
            .collect();
        json!({
            "vehicle": kinds, "weightGrams": self.weight, "volumeMillilitres": self.volume, "packages": self.packages,
        })
    }

    /// Returns the smallest vehicle that the order permits and that carries it.
    fn smallest(&self) -> Option<usize> {
        (0..VEHICLES.len()).find(|kind| {
            let (_, weight, volume) = VEHICLES[*kind];
            (self.kinds.is_empty() || self.kinds.contains(kind))
                && self.weight.unwrap_or(0) <= weight
                && self.volume.unwrap_or(0) <= volume
        })
    }

    /// Whether the price has a surcharge.
    pub(super) fn has_surcharge(&self) -> bool {
        let is_unknown = self.kinds.is_empty() && self.weight.is_none() && self.volume.is_none();
        let first = VEHICLES.iter().position(|kind| kind.0 == SURCHARGE_FROM);
        !is_unknown && self.smallest() >= first
    }
}

fn random_address(entropy: &mut Entropy) -> (Value, Option<(f64, f64)>) {
    let mut address =
        json!({ "street": "Rua Augusta", "number": "900", "city": "São Paulo", "state": "SP" });
    match below(entropy, 8) {
        0 => {
            address["zipCode"] = json!(format!(
                "{:05}-{:03}",
                1_000 + below(entropy, 8_000),
                below(entropy, 1_000)
            ))
        }
        1 => {
            address["city"] =
                json!(["Osasco", "Guarulhos", "Campinas", "Atlântida"][below(entropy, 4) as usize])
        }
        _ => {
            // Half of the points are near the store, so that more of them are in its area.
            let spread = if below(entropy, 2) == 0 { 0.1 } else { 0.4 };
            let at = (
                CENTRE.0 + spread * signed(entropy),
                CENTRE.1 + spread * signed(entropy),
            );
            (address["latitude"], address["longitude"]) = (json!(at.0), json!(at.1));
            return (address, Some(at));
        }
    }
    (address, None)
}

impl Request {
    /// Returns a request with the parts. `always_open` computes previews without opening hours,
    /// from which times are chosen that can be met.
    pub(super) fn random(
        entropy: &mut Entropy,
        parts: Parts,
        always_open: &Previewer,
        now: Timestamp,
    ) -> Request {
        let (first, point) = random_address(entropy);
        let mut addresses = vec![first];
        if below(entropy, 3) == 0 {
            addresses.push(random_address(entropy).0);
        }
        let mut has = |part: bool| part && (!parts.is_combined() || below(entropy, 3) > 0);
        let (requires, is_scheduled, has_windows) = (
            has(parts.requirements),
            has(parts.schedule),
            has(parts.windows),
        );
        let mut request = Request {
            best_route: !has_windows && below(entropy, 2) == 0,
            preparation: if below(entropy, 2) == 0 {
                below(entropy, 1_441)
            } else {
                below(entropy, 61)
            },
            requirements: requires.then(|| Requirements::random(entropy)),
            addresses,
            point,
            deliver_at: None,
            windows: Vec::new(),
            now,
        };
        let arrivals = request.arrivals(always_open);
        let last = arrivals
            .as_ref()
            .ok()
            .and_then(|arrivals| arrivals.last())
            .copied();
        let last = last.unwrap_or_else(|| now.after(Duration::minutes(60)));
        if is_scheduled {
            let far = Duration::minutes(31 * 24 * 60);
            request.deliver_at = Some(match below(entropy, 12) {
                0 => now.before(minutes(entropy, 0, 60)),
                1 | 2 => now.after(Duration::millis(
                    far.as_millis() / 10_000 * i64::from(below(entropy, 10_000)),
                )),
                _ => last.after(minutes(entropy, -20, 600)),
            });
        }
        if has_windows {
            let latest = if below(entropy, 3) == 0 { 1 } else { 300 };
            let delay = request
                .deliver_at
                .map_or_else(|| minutes(entropy, 0, latest), |at| at.since(last));
            let arrivals = arrivals.unwrap_or_else(|_| vec![last; request.addresses.len()]);
            let window = |at: &Timestamp| {
                let from = at.after(delay).before(minutes(entropy, -10, 60));
                let length = match below(entropy, 30) {
                    0 => minutes(entropy, -60, 1_500),
                    1..7 => minutes(entropy, 1, 40),
                    _ => minutes(entropy, 40, 240),
                };
                (from, from.after(length))
            };
            request.windows = arrivals.iter().map(window).collect();
        }
        request
    }

    /// Returns the body of a preview of the first deliveries, optionally with the times that the
    /// merchant requests.
    fn body_of(&self, stops: usize, is_timed: bool) -> Value {
        let stop = |(at, address): (usize, &Value)| {
            let mut stop =
                json!({ "name": "Maria", "phone": "+5511999990000", "address": address });
            if let Some((from, until)) = self.windows.get(at).filter(|_| is_timed) {
                stop["window"] = json!({ "from": written(*from), "until": written(*until) });
            }
            stop
        };
        let stops: Vec<Value> = self
            .addresses
            .iter()
            .take(stops)
            .enumerate()
            .map(stop)
            .collect();
        let mut body = json!({
            "preparationTime": self.preparation, "previewDeliveryTime": true, "sortByBestRoute": self.best_route,
            "deliveries": stops,
        });
        if let Some(at) = self.deliver_at.filter(|_| is_timed) {
            body["deliverAt"] = json!(written(at));
        }
        if let Some(requirements) = self.requirements.as_ref().filter(|_| is_timed) {
            body["requirements"] = requirements.body();
        }
        body
    }

    /// Returns the body of a preview.
    pub(super) fn body(&self) -> Value {
        self.body_of(self.addresses.len(), true)
    }

    /// Whether the order has a time or a window.
    pub(super) fn is_timed(&self) -> bool {
        self.deliver_at.is_some() || !self.windows.is_empty()
    }

    /// Returns the earliest times without requested ones, or the code of the problem.
    fn earliest(&self, always_open: &Previewer, stops: usize) -> Expected {
        let view = page(always_open, &self.body_of(stops, false), self.now)
            .map_err(|problem| problem["code"].as_str().unwrap().to_owned())?;
        let ready = self.now.after(Duration::minutes(self.preparation.into()));
        Ok(Times {
            ready,
            pickup: time(&view["expectedPickup"]),
            delivery: time(&view["expectedDelivery"]),
        })
    }

    /// Returns the earliest arrivals in the order sent, or only the last one for a sorted route.
    fn arrivals(&self, always_open: &Previewer) -> Result<Vec<Timestamp>, String> {
        let all = self.addresses.len();
        let first = if self.best_route { all } else { 1 };
        (first..=all)
            .map(|stops| Ok(self.earliest(always_open, stops)?.delivery.before(HANDOVER)))
            .collect()
    }

    /// Whether a value is invalid regardless of the route.
    fn is_invalid(&self) -> bool {
        let far = self.now.after(Duration::minutes(30 * 24 * 60));
        let last_window = self.windows.len().checked_sub(1).filter(|last| *last == 0);
        self.requirements
            .as_ref()
            .is_some_and(|one| one.smallest().is_none())
            || self.deliver_at.is_some_and(|at| at <= self.now || at > far)
            || self
                .windows
                .iter()
                .enumerate()
                .any(|(index, (from, until))| {
                    let is_only = last_window == Some(index);
                    let conflicts = |at: Timestamp| *from > at || (is_only && *until < at);
                    until <= from
                        || until.since(*from) > DAY
                        || *until <= self.now
                        || *from > far
                        || self.deliver_at.is_some_and(conflicts)
                })
    }

    /// Returns the expected result with these opening hours.
    pub(super) fn expected(&self, always_open: &Previewer, hours: &Hours) -> Expected {
        let invalid = || Err("validation_failed".to_owned());
        if self.is_invalid() {
            return invalid();
        }
        let earliest = self.earliest(always_open, self.addresses.len())?;
        let arrivals = self.arrivals(always_open)?;
        let last = *arrivals.last().unwrap();
        let waits = self
            .windows
            .iter()
            .zip(&arrivals)
            .map(|((from, _), at)| from.since(*at));
        let delay = match self.deliver_at {
            Some(at) if at < last => return invalid(),
            Some(at) => at.since(last),
            None => waits.max().unwrap_or_default().max(Duration::default()),
        };
        let misses = |((from, until), at): (&(Timestamp, Timestamp), &Timestamp)| {
            !(*from..=*until).contains(&at.after(delay))
        };
        if self.windows.iter().zip(&arrivals).any(misses) {
            return Err("window_unreachable".to_owned());
        }
        let Times {
            ready,
            pickup,
            delivery,
        } = earliest;
        if !hours.is_open(super::local(ready.after(delay))) {
            return Err("store_closed".to_owned());
        }
        Ok(Times {
            ready: ready.after(delay),
            pickup: pickup.after(delay),
            delivery: delivery.after(delay),
        })
    }
}
