//! Opening hours and service areas: previews, orders, the coverage and the page's previews agree on random places and times.

use despacho_core::{
    api::page::Previewer,
    geo::Gazetteer,
    memory::MemoryHost,
    model::{Duration, Entropy, Language, Timestamp},
    wire::PreviewContext,
};
use despacho_simulator::demo::KEY;
use serde_json::{Value, json};

use crate::support::{host, send};

/// Stores with other hours and another area.
const STORES: u32 = 50;
/// Places and times of each. `DESPACHO_COVERAGE_CASES` sets the number of all cases; 10,000 take ten times as long.
const CASES: u32 = 20;
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// São Paulo, near the demo store.
const CENTRE: (f64, f64) = (-23.5558, -46.6582);
const MINUTE: i64 = 60_000;

fn below(entropy: &mut Entropy, limit: u32) -> u32 {
    u32::from_le_bytes(entropy.bytes::<4>()) % limit
}

/// Returns a number from -1 to 1.
fn signed(entropy: &mut Entropy) -> f64 {
    f64::from(below(entropy, 2_000_001)) / 1e6 - 1.0
}

fn clock(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// A period: its day as a number of days since 1970 or of the week, and the minutes of its start and its end.
type Span = (i64, u32, u32);

/// The hours of a store, as sent and for the oracle.
#[derive(Default)]
struct Hours {
    weekly: Vec<Span>,
    /// `None` is closed.
    exceptions: Vec<(i64, Option<Span>)>,
}

impl Hours {
    /// Returns hours with at most one period on each day of the week. Periods may end on the next day.
    fn random(entropy: &mut Entropy, today: i64) -> Hours {
        let mut hours = Hours::default();
        if below(entropy, 8) > 0 {
            for weekday in (0..7).filter(|_| below(entropy, 4) > 0).collect::<Vec<_>>() {
                let from = 300 + below(entropy, 1_100);
                hours.weekly.push((weekday, from, from + 30 + below(entropy, 1_440 - from + 200)));
            }
        }
        for day in (today - 3..today + 12).filter(|_| below(entropy, 5) == 0).collect::<Vec<_>>() {
            let from = below(entropy, 1_000);
            let open = below(entropy, 2) == 0;
            hours.exceptions.push((day, open.then(|| (day, from, from + 1 + below(entropy, 900)))));
        }
        hours
    }

    fn body(&self) -> Value {
        let until = |minutes: u32| if minutes == 1_440 { "24:00".to_owned() } else { clock(minutes % 1_440) };
        let weekly = self.weekly.iter().map(|(day, from, end)| {
            json!({ "days": [DAYS[usize::try_from(*day).unwrap()]], "from": clock(*from), "until": until(*end) })
        });
        let exceptions = self.exceptions.iter().map(|(day, open)| {
            let at = Timestamp::from_millis(day * 1_440 * MINUTE).to_string();
            match open {
                Some((_, from, end)) => json!({ "date": at[..10], "from": clock(*from), "until": until(*end) }),
                None => json!({ "date": at[..10], "closed": true, "name": "Feriado" }),
            }
        });
        json!({ "hours": weekly.collect::<Vec<_>>(), "exceptions": exceptions.collect::<Vec<_>>() })
    }

    /// Whether the store is open at a number of minutes since 1970 in local time.
    fn is_open(&self, minute: i64) -> bool {
        let today = minute.div_euclid(1_440);
        [today - 1, today].into_iter().any(|day| {
            let minute = u32::try_from(minute - day * 1_440).unwrap();
            let covers = |(_, from, end): &Span| (*from..*end).contains(&minute);
            match self.exceptions.iter().find(|(date, _)| *date == day) {
                Some((_, open)) => open.as_ref().is_some_and(covers),
                None if self.weekly.is_empty() => day == today,
                None => self.weekly.iter().any(|span| span.0 == (day + 3).rem_euclid(7) && covers(span)),
            }
        })
    }
}

/// Returns an outline around the centre, with corners at ascending angles, or none.
fn random_area(entropy: &mut Entropy) -> Vec<(f64, f64)> {
    let corners = below(entropy, 12);
    let corner = |at: u32| {
        let angle = f64::from(at) / f64::from(corners) * std::f64::consts::TAU;
        let radius = 0.03 + f64::from(below(entropy, 1_000)) / 3_000.0;
        (CENTRE.0 + radius * libm::sin(angle), CENTRE.1 + radius * libm::cos(angle))
    };
    if corners < 3 { Vec::new() } else { (0..corners).map(corner).collect() }
}

fn area_body(area: &[(f64, f64)]) -> Value {
    if area.is_empty() {
        return json!({ "serviceArea": null });
    }
    let ring: Vec<_> = area.iter().chain(area.first()).map(|(latitude, longitude)| [longitude, latitude]).collect();
    json!({ "serviceArea": { "type": "Polygon", "coordinates": [ring] } })
}

/// Whether a point is in the outline: the angles under which it sees the edges are a full turn.
fn is_inside(area: &[(f64, f64)], at: (f64, f64)) -> bool {
    let angle = |corner: &(f64, f64)| libm::atan2(corner.0 - at.0, corner.1 - at.1);
    let turn = |(from, to)| {
        let difference: f64 = angle(to) - angle(from);
        difference - (difference / std::f64::consts::TAU).round() * std::f64::consts::TAU
    };
    area.iter().zip(area.iter().cycle().skip(1)).map(turn).sum::<f64>().abs() > std::f64::consts::PI
}

fn random_address(entropy: &mut Entropy) -> (Value, Option<(f64, f64)>) {
    let mut address = json!({ "street": "Rua Augusta", "number": "900", "city": "São Paulo", "state": "SP" });
    match below(entropy, 8) {
        0 => address["zipCode"] = json!(format!("{:05}-{:03}", 1_000 + below(entropy, 8_000), below(entropy, 1_000))),
        1 => address["city"] = json!(["Osasco", "Guarulhos", "Campinas", "Atlântida"][below(entropy, 4) as usize]),
        _ => {
            let at = (CENTRE.0 + 0.4 * signed(entropy), CENTRE.1 + 0.4 * signed(entropy));
            (address["latitude"], address["longitude"]) = (json!(at.0), json!(at.1));
            return (address, Some(at));
        }
    }
    (address, None)
}

fn query(address: &Value, preparation: u32) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in address.as_object().unwrap() {
        query.append_pair(name, &value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    query.append_pair("preparationTime", &preparation.to_string()).finish()
}

/// Returns the page's preview or its problem, with the members that do not depend on the request.
fn page(context: &Value, preview: &Value, now: Timestamp) -> Result<Value, Value> {
    let context: PreviewContext = serde_json::from_value(context.clone()).unwrap();
    let previewer = Previewer::new(context, Gazetteer::embedded()).unwrap();
    match previewer.preview(preview.to_string().as_bytes(), now) {
        Ok(view) => Ok(serde_json::to_value(&view).unwrap()),
        Err(problem) => Err(serde_json::to_value(problem.document(Language::English, "", "")).unwrap()),
    }
}

struct Case<'a> {
    host: &'a MemoryHost,
    context: &'a Value,
    address: Value,
    preparation: u32,
}

impl Case<'_> {
    /// Checks that all four agree, and returns the problem code with which the order is rejected.
    fn run(&self, code: &str) -> (Option<String>, Value) {
        let Case { host, context, address, preparation } = self;
        let stop = json!({ "name": "Maria", "phone": "+5511999990000", "address": address });
        let mut body = json!({ "preparationTime": preparation, "previewDeliveryTime": true, "deliveries": [stop] });
        let mut preview = send(*host, KEY, "POST /delivery/orders/preview", &body);
        let page = page(context, &body, host.now());
        let coverage =
            send(*host, KEY, &format!("GET /delivery/coverage?{}", query(address, *preparation)), &Value::Null);
        assert_eq!(coverage.status, 200, "{}", coverage.body);
        let coverage = coverage.body;
        body["code"] = json!(code);
        let order = send(*host, KEY, "POST /delivery/orders", &body);
        if preview.status == 200 {
            preview.body["quote"] = Value::Null;
            assert_eq!(page.as_ref(), Ok(&preview.body));
            assert_eq!(
                (order.status, &order.body["deliveryFee"]),
                (201, &preview.body["deliveryFee"]),
                "{}",
                order.body
            );
            assert_eq!((&coverage["covered"], &coverage["reasons"]), (&json!(true), &json!([])), "{coverage}");
            for (name, other) in
                [("distance", "totalDistance"), ("deliveryFee", "deliveryFee"), ("estimated", "estimated")]
            {
                assert_eq!(coverage[name], preview.body[other], "{name}");
            }
            return (None, coverage);
        }
        assert_eq!((preview.status, order.status), (422, 422), "{} {}", preview.body, order.body);
        let page = page.unwrap_err();
        for name in ["code", "detail", "errors", "nextOpening"] {
            assert_eq!((&order.body[name], &page[name]), (&preview.body[name], &preview.body[name]), "{name}");
        }
        assert_eq!(
            (&coverage["covered"], &coverage["reasons"][0]),
            (&json!(false), &preview.body["code"]),
            "{coverage}"
        );
        if preview.body["code"] == "store_closed" {
            assert_eq!(coverage["nextOpening"], preview.body["nextOpening"]);
        }
        (preview.body["code"].as_str().map(str::to_owned), coverage)
    }
}

#[test]
fn coverage_preview_order_and_page_agree_on_random_cases() {
    let host = host();
    let cases = std::env::var("DESPACHO_COVERAGE_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = cases.map_or(CASES, |cases: u32| cases.div_ceil(STORES));
    let mut entropy = Entropy::new([9; 32]);
    let store = send(&host, KEY, "GET /delivery/preview-context", &Value::Null).body["store"]["id"].clone();
    let mut counts = std::collections::BTreeMap::<String, u32>::new();
    for round in 0..STORES {
        // Sessions and keys of the demo end after a year.
        host.advance(Duration::minutes(24 * 60));
        let midnight = host.now().millis().div_euclid(1_440 * MINUTE) * 1_440 * MINUTE;
        let (hours, area) = (Hours::random(&mut entropy, midnight / (1_440 * MINUTE)), random_area(&mut entropy));
        for (path, body) in [("hours", hours.body()), ("service-area", area_body(&area))] {
            let set = send(&host, KEY, &format!("PUT /delivery/stores/{store}/{path}"), &body);
            assert_eq!(set.status, 200, "{body} {}", set.body);
        }
        let context = send(&host, KEY, "GET /delivery/preview-context", &Value::Null).body;
        for number in 0..cases {
            let second = i64::from(below(&mut entropy, 24 * 3_600));
            host.set_now(Timestamp::from_millis(midnight + second * 1_000));
            let (address, point) = random_address(&mut entropy);
            let preparation = below(&mut entropy, 1_441);
            let case = Case { host: &host, context: &context, address, preparation };
            let (rejected, coverage) = case.run(&format!("C-{round}-{number}"));
            // The time of Brasília is three hours behind UTC.
            let local = |at: Timestamp| at.millis().div_euclid(MINUTE) - 180;
            let ready = local(host.now()) + i64::from(preparation);
            let reasons = coverage["reasons"].as_array().unwrap();
            assert_eq!(reasons.contains(&json!("store_closed")), !hours.is_open(ready), "{} {coverage}", hours.body());
            assert_eq!(coverage["openNow"], json!(hours.is_open(local(host.now()))));
            let slot = local(Timestamp::parse(coverage["nextSlot"].as_str().unwrap()).unwrap());
            assert!(hours.is_open(slot) && !(ready..slot).any(|minute| hours.is_open(minute)), "{coverage}");
            if let Some(point) = point
                && !area.is_empty()
                && !reasons.contains(&json!("coordinates_mismatch"))
            {
                let is_outside = reasons.contains(&json!("out_of_area"));
                assert!(is_outside || is_inside(&area, point), "{point:?} {area:?}");
            }
            *counts.entry(rejected.unwrap_or_default()).or_default() += 1;
        }
    }
    for code in ["", "store_closed", "out_of_area", "address_not_found"] {
        let count = counts.get(code).copied().unwrap_or_default();
        assert!(count * 100 > STORES * cases, "{count} cases of {code:?} are too few: {counts:?}");
    }
}
