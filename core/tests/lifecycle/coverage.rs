//! Opening hours, service areas, requirements and requested times: previews, orders, the coverage
//! and the page's previews agree with each other and with the documented rules on random places and
//! times.

mod request;
mod settings;

use std::collections::BTreeMap;

use despacho_core::{
    api::page::Previewer,
    geo::Gazetteer,
    memory::MemoryHost,
    model::{Duration, Entropy, Language, Timestamp},
    wire::PreviewContext,
};
use despacho_simulator::demo::KEY;
use request::{Expected, Request, SURCHARGE_FROM};
use serde_json::{Value, json};
use settings::{Hours, area_body, below, is_inside, random_area};

use crate::support::{OPERATOR, host, send};

/// Stores with other hours, another area and another lead time.
const STORES: u32 = 50;
/// Requests of each store, 1,000 in all. `DESPACHO_COVERAGE_CASES` sets the number of all requests.
/// `cargo verify` sends 10,000, which takes 22 s of CPU time.
const CASES: u32 = 20;
/// The key of the count of accepted orders with requirements, a time and windows.
const ALL_PARTS: &str = "accepted with all parts";
const MINUTE: i64 = 60_000;
/// The problem codes of an address that is not served.
const PLACES: [&str; 5] = [
    "out_of_area",
    "distance_exceeded",
    "address_not_found",
    "address_imprecise",
    "coordinates_mismatch",
];

/// The parts of the settings and requests that are random.
#[derive(Clone, Copy)]
struct Parts {
    hours: bool,
    area: bool,
    requirements: bool,
    schedule: bool,
    windows: bool,
}

impl Parts {
    /// Returns one part for the first five stores of ten, and all parts together for the others.
    fn of(store: u32) -> Parts {
        let (at, all) = (store % 10, store % 10 >= 5);
        let has = |part| all || at == part;
        Parts {
            hours: has(0),
            area: has(1),
            requirements: has(2),
            schedule: has(3),
            windows: has(4),
        }
    }

    fn is_combined(self) -> bool {
        self.hours && self.windows
    }
}

/// Returns the minutes since 1970 in the local time of Brasília, three hours behind UTC.
fn local(at: Timestamp) -> i64 {
    at.millis().div_euclid(MINUTE) - 180
}

fn time(text: &Value) -> Timestamp {
    Timestamp::parse(text.as_str().unwrap()).unwrap()
}

fn centavos(amount: &Value) -> i64 {
    format!("{:.0}", amount.as_f64().unwrap() * 100.0)
        .parse()
        .unwrap()
}

fn query(address: &Value, preparation: u32) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in address.as_object().unwrap() {
        query.append_pair(
            name,
            &value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
        );
    }
    query
        .append_pair("preparationTime", &preparation.to_string())
        .finish()
}

fn previewer(context: &Value) -> Previewer {
    let context: PreviewContext = serde_json::from_value(context.clone()).unwrap();
    Previewer::new(context, Gazetteer::embedded()).unwrap()
}

/// Returns the page's preview or its problem, with the members that do not depend on the request.
fn page(previewer: &Previewer, preview: &Value, now: Timestamp) -> Result<Value, Value> {
    match previewer.preview(preview.to_string().as_bytes(), now, Language::English) {
        Ok(view) => Ok(serde_json::to_value(&view).unwrap()),
        Err(problem) => {
            Err(serde_json::to_value(problem.document(Language::English, "", "")).unwrap())
        }
    }
}

/// A store with random settings.
struct Store<'a> {
    host: &'a MemoryHost,
    parts: Parts,
    hours: Hours,
    area: Vec<(f64, f64)>,
    lead_minutes: u32,
    page: Previewer,
    /// The page without the store's hours.
    always_open: Previewer,
}

impl Store<'_> {
    /// Changes the settings of the store.
    fn random<'a>(
        host: &'a MemoryHost,
        id: &Value,
        parts: Parts,
        midnight: i64,
        entropy: &mut Entropy,
    ) -> Store<'a> {
        let hours = if parts.hours {
            Hours::random(entropy, midnight / (1_440 * MINUTE))
        } else {
            Hours::default()
        };
        let area = if parts.area {
            random_area(entropy)
        } else {
            Vec::new()
        };
        let lead_minutes = if parts.is_combined() {
            [0, 5, 20, 60][below(entropy, 4) as usize]
        } else {
            0
        };
        let terms = json!({ "leadMinutes": lead_minutes });
        for (key, path, body) in [
            (KEY, format!("delivery/stores/{id}/hours"), hours.body()),
            (
                KEY,
                format!("delivery/stores/{id}/service-area"),
                area_body(&area),
            ),
            (OPERATOR, format!("admin/stores/{id}/dispatch"), terms),
        ] {
            let set = send(host, key, &format!("PUT /{path}"), &body);
            assert_eq!(set.status, 200, "{body} {}", set.body);
        }
        let mut context = send(host, KEY, "GET /delivery/preview-context", &Value::Null).body;
        let page = previewer(&context);
        context["store"]["hours"] = Value::Null;
        Store {
            host,
            parts,
            hours,
            area,
            lead_minutes,
            page,
            always_open: previewer(&context),
        }
    }

    /// Checks that the preview, the order and the page have the expected result and agree with the
    /// coverage. Returns the code of the problem.
    fn check(&self, request: &Request, code: &str) -> Option<String> {
        let Store { host, .. } = self;
        let mut body = request.body();
        let preview = send(*host, KEY, "POST /delivery/orders/preview", &body);
        let page = page(&self.page, &body, host.now());
        let coverage = query(&request.addresses[0], request.preparation);
        let coverage = send(
            *host,
            KEY,
            &format!("GET /delivery/coverage?{coverage}"),
            &Value::Null,
        );
        assert_eq!(coverage.status, 200, "{}", coverage.body);
        self.check_coverage(request, &coverage.body);
        body["code"] = json!(code);
        if preview.body["quote"].is_object() && host.now().millis() % 2 == 0 {
            body["quoteId"] = preview.body["quote"]["id"].clone();
        }
        let order = send(*host, KEY, "POST /delivery/orders", &body);
        let expected = request.expected(&self.always_open, &self.hours);
        let results = json!({ "body": body, "preview": preview.body, "order": order.body });
        if preview.status == 200 {
            let mut preview = preview.body;
            preview["quote"] = Value::Null;
            assert_eq!(page.as_ref(), Ok(&preview));
            assert_eq!(order.status, 201, "{results}");
            self.check_accepted(request, &expected, &preview, &order.body);
            Store::check_prices(request, &preview, &coverage.body);
            return None;
        }
        assert_eq!((preview.status, order.status), (422, 422), "{results}");
        let (problem, page) = (preview.body, page.unwrap_err());
        for name in ["code", "detail", "errors", "nextOpening"] {
            assert_eq!(
                (&order.body[name], &page[name]),
                (&problem[name], &problem[name]),
                "{name}"
            );
        }
        let code = problem["code"].as_str().unwrap().to_owned();
        assert_eq!(
            expected.map(|times| times.ready),
            Err(code.clone()),
            "{results}"
        );
        self.check_rejected(request, &problem, &coverage.body);
        Some(code)
    }

    /// Checks the hours and the area in a coverage.
    fn check_coverage(&self, request: &Request, coverage: &Value) {
        let Store {
            host, hours, area, ..
        } = self;
        let ready = local(host.now()) + i64::from(request.preparation);
        let reasons = coverage["reasons"].as_array().unwrap();
        assert_eq!(coverage["covered"], json!(reasons.is_empty()), "{coverage}");
        assert_eq!(
            reasons.contains(&json!("store_closed")),
            !hours.is_open(ready),
            "{} {coverage}",
            hours.body()
        );
        assert_eq!(coverage["openNow"], json!(hours.is_open(local(host.now()))));
        let slot = local(time(&coverage["nextSlot"]));
        assert!(
            hours.is_open(slot) && !(ready..slot).any(|minute| hours.is_open(minute)),
            "{coverage}"
        );
        if let Some(point) = request.point
            && !area.is_empty()
            && !reasons.contains(&json!("coordinates_mismatch"))
        {
            let is_outside = reasons.contains(&json!("out_of_area"));
            assert!(is_outside || is_inside(area, point), "{point:?} {area:?}");
        }
    }

    /// Checks the times and the status of an accepted order.
    fn check_accepted(
        &self,
        request: &Request,
        expected: &Expected,
        preview: &Value,
        order: &Value,
    ) {
        let times = expected
            .as_ref()
            .unwrap_or_else(|code| panic!("{code} was expected, but accepted is {order}"));
        for name in [
            "deliveryFee",
            "expectedPickup",
            "expectedDelivery",
            "estimated",
        ] {
            assert_eq!(order[name], preview[name], "{name}");
        }
        assert_eq!(
            (
                time(&order["expectedPickup"]),
                time(&order["expectedDelivery"])
            ),
            (times.pickup, times.delivery)
        );
        let minutes_before = |minutes: u32| times.ready.before(Duration::minutes(minutes.into()));
        let preparation = minutes_before(request.preparation);
        let (start, now) = (
            preparation.min(minutes_before(self.lead_minutes)),
            self.host.now(),
        );
        let situation = match () {
            () if start > now => 100,
            () if times.ready > now => 110,
            () => 120,
        };
        assert_eq!(order["situation"], situation, "{order}");
        let starts_at = request.is_timed().then(|| preparation.to_string());
        assert_eq!(
            order["preparationStartsAt"].as_str(),
            starts_at.as_deref(),
            "{order}"
        );
    }

    /// Checks the fee of an accepted preview. The coverage has no surcharge for a vehicle.
    fn check_prices(request: &Request, preview: &Value, coverage: &Value) {
        let lines = preview["priceBreakdown"].as_array().unwrap();
        let surcharge = lines
            .iter()
            .find(|line| line["rule"] == "vehicle")
            .map(|line| centavos(&line["amount"]));
        let has_surcharge = request
            .requirements
            .as_ref()
            .is_some_and(request::Requirements::has_surcharge);
        assert_eq!(surcharge.is_some(), has_surcharge, "{preview}");
        if request.addresses.len() > 1 || request.is_timed() {
            return;
        }
        assert_eq!(coverage["covered"], true, "{coverage}");
        for (name, other) in [("distance", "totalDistance"), ("estimated", "estimated")] {
            assert_eq!(coverage[name], preview[other], "{name}");
        }
        let fee = centavos(&coverage["deliveryFee"]) + surcharge.unwrap_or_default();
        assert_eq!(
            fee,
            centavos(&preview["deliveryFee"]),
            "{coverage} {preview}"
        );
    }

    /// Checks that the coverage has the reason of a rejection, if it does not depend on other
    /// deliveries, requirements and times.
    fn check_rejected(&self, request: &Request, problem: &Value, coverage: &Value) {
        let code = problem["code"].as_str().unwrap();
        if request.addresses.len() == 1 && code != "validation_failed" {
            let first = coverage["reasons"][0]
                .as_str()
                .filter(|reason| PLACES.contains(reason));
            assert_eq!(
                first,
                Some(code).filter(|code| PLACES.contains(code)),
                "{coverage}"
            );
        }
        if code != "store_closed" {
            return assert_eq!(problem["nextOpening"], Value::Null, "{problem}");
        }
        let opening = local(time(&problem["nextOpening"]));
        assert!(self.hours.is_open(opening), "{problem}");
        if !request.is_timed() {
            assert_eq!(coverage["nextOpening"], problem["nextOpening"]);
        }
    }
}

/// Sets a tariff with surcharges for vehicles, whose minimum fee is never reached.
fn set_surcharges(host: &MemoryHost) {
    let context = send(host, KEY, "GET /delivery/preview-context", &Value::Null).body;
    let mut tariff = context["tariff"].clone();
    tariff["version"] = json!("coverage");
    tariff["minimumFee"] = json!(0);
    tariff["vehicles"] = json!([{ "vehicle": SURCHARGE_FROM, "fee": "3" }, { "vehicle": "CAR", "percent": "50", "fee": "5.01" }]);
    let stored = send(
        host,
        OPERATOR,
        "POST /admin/tariffs",
        &json!({ "tariff": tariff }),
    );
    assert_eq!(stored.status, 201, "{}", stored.body);
}

#[test]
fn coverage_preview_order_and_page_agree_on_random_cases() {
    let host = host();
    let cases = std::env::var("DESPACHO_COVERAGE_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    let cases = cases.map_or(CASES, |cases: u32| cases.div_ceil(STORES));
    let mut entropy = Entropy::new([9; 32]);
    set_surcharges(&host);
    let id =
        send(&host, KEY, "GET /delivery/preview-context", &Value::Null).body["store"]["id"].clone();
    let mut counts = BTreeMap::<String, u32>::new();
    for number in 0..STORES {
        // Sessions and keys of the demo end after a year.
        host.advance(Duration::minutes(24 * 60));
        let midnight = host.now().millis().div_euclid(1_440 * MINUTE) * 1_440 * MINUTE;
        let store = Store::random(&host, &id, Parts::of(number), midnight, &mut entropy);
        for case in 0..cases {
            let millis = i64::from(below(&mut entropy, 24 * 3_600_000));
            host.set_now(Timestamp::from_millis(midnight + millis));
            let request =
                Request::random(&mut entropy, store.parts, &store.always_open, host.now());
            let rejected = store.check(&request, &format!("C-{number}-{case}"));
            let has_all = request.requirements.is_some()
                && request.deliver_at.is_some()
                && !request.windows.is_empty();
            if rejected.is_none() && has_all && store.parts.is_combined() {
                *counts.entry(ALL_PARTS.to_owned()).or_default() += 1;
            }
            *counts.entry(rejected.unwrap_or_default()).or_default() += 1;
        }
    }
    let codes = [
        "",
        "store_closed",
        "out_of_area",
        "address_not_found",
        "window_unreachable",
        "validation_failed",
    ];
    for (code, per_mille) in codes
        .map(|code| (code, 10))
        .into_iter()
        .chain([(ALL_PARTS, 5)])
    {
        let count = counts.get(code).copied().unwrap_or_default();
        assert!(
            count * 1_000 > STORES * cases * per_mille,
            "{count} cases of {code:?} are too few: {counts:?}"
        );
    }
}
