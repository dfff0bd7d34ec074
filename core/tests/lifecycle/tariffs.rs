//! Stored tariffs: the prices of orders under them, and the comparison of a draft with orders.

use despacho_core::{
    api::page::Previewer,
    changes::Changes,
    geo::Gazetteer,
    host::{Storage, StoreQuery},
    memory::MemoryHost,
    model::{
        Duration, Language, Money, Timestamp,
        store::{EntryKind, LedgerEntry},
    },
    wire::PreviewContext,
};
use despacho_simulator::demo::KEY;
use serde_json::{Value, json};

use crate::support::{OPERATOR, block_on, host, send};

/// Returns a tariff with every rule.
fn draft(version: &str) -> Value {
    json!({
        "version": version, "baseFee": 6.35, "baseKm": 1.5, "perKm": "2.4321", "perExtraStop": 1.25, "returnFee": 3,
        "returnPerKm": "0.55", "minimumFee": "9.10", "maxDistanceKm": 30, "serviceRadiusKm": 9, "approachMinutes": 5,
        "handoverMinutes": 2, "windows": [
            {"name": "noon", "days": ["sat", "sun", "mon"], "from": "11:00", "until": "14:30", "percent": 15},
            {"name": "night", "days": [], "from": "21:00", "until": "05:00", "percent": "-12.5"},
        ],
    })
}

fn post(host: &MemoryHost, key: &str, path: &str, body: &Value) -> (u16, Value) {
    let response = send(host, key, &format!("POST {path}"), body);
    (response.status, response.body)
}

/// Returns the body of the order with a number. Distances, stops, payments and the pickup's state
/// differ.
fn order(number: u32) -> Value {
    let stops = 1 + number % 4;
    let delivery = |stop: u32| {
        let step = f64::from((number * 7 + stop * 13) % 29) / 400.0;
        json!({
            "name": "Maria", "phone": "+5511999990000", "onlinePayment": !(number + stop).is_multiple_of(3),
            "address": {
                "street": "Rua Augusta", "number": "900", "city": "São Paulo", "state": "SP",
                "latitude": -23.5530 - step, "longitude": -46.6560 + step / 2.0,
            },
        })
    };
    let deliveries: Vec<Value> = (0..stops).map(delivery).collect();
    json!({ "code": format!("W-{number}"), "preparationTime": 10, "deliveries": deliveries })
}

fn centavos(value: &Value) -> i64 {
    let number: rust_decimal::Decimal = value.to_string().parse().unwrap();
    i64::try_from(
        (number * rust_decimal::Decimal::ONE_HUNDRED)
            .normalize()
            .mantissa(),
    )
    .unwrap()
}

fn fee(response: &(u16, Value)) -> i64 {
    assert_eq!(response.0, 201, "{}", response.1);
    centavos(&response.1["deliveryFee"])
}

/// Creates orders an hour apart, so that they are in all windows, and returns their fees. `None` is
/// a rejected order.
fn create_all(host: &MemoryHost, count: u32) -> Vec<Option<i64>> {
    (0..count)
        .map(|number| {
            host.advance(Duration::minutes(60));
            let response = post(host, KEY, "/delivery/orders", &order(number));
            (response.0 != 422).then(|| fee(&response))
        })
        .collect()
}

/// Compares a draft with orders that are a single portion.
fn comparison(host: &MemoryHost, tariff: &Value) -> Value {
    let body = json!({ "tariff": tariff, "days": 7 });
    let (status, body) = post(host, OPERATOR, "/admin/tariffs/what-if", &body);
    assert_eq!((status, &body["nextCursor"]), (200, &Value::Null), "{body}");
    body
}

/// Follows a comparison from a cursor to its end, and returns its portions.
fn rest(host: &MemoryHost, tariff: &Value, cursor: &Value) -> Vec<Value> {
    let (mut cursor, mut portions) = (cursor.clone(), Vec::new());
    while !cursor.is_null() {
        let body = json!({ "tariff": tariff, "days": 7, "cursor": cursor });
        let (status, portion) = post(host, OPERATOR, "/admin/tariffs/what-if", &body);
        assert_eq!(status, 200, "{portion}");
        cursor = portion["nextCursor"].clone();
        portions.push(portion);
    }
    portions
}

/// Stores entries that are no fees of orders.
fn credit(host: &MemoryHost, count: usize) {
    let store = block_on(host.find_stores(StoreQuery::All {
        after: None,
        limit: 1,
    }))
    .unwrap()
    .remove(0);
    let entry = LedgerEntry {
        store: store.id,
        account: None,
        order: None,
        kind: EntryKind::TopUp,
        amount: Money::from_centavos(1).unwrap(),
        at: host.now(),
        floor: None,
    };
    let changes = Changes {
        at: host.now(),
        ledger: vec![entry; count],
        ..Changes::default()
    };
    block_on(host.commit(&changes)).unwrap();
}

fn current(host: &MemoryHost) -> Value {
    let list = send(host, OPERATOR, "GET /admin/tariffs", &Value::Null).body;
    let current = list["tariffs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["state"] == "CURRENT");
    current.unwrap()["tariff"].clone()
}

#[test]
fn what_if_equals_the_prices_of_the_api() {
    const ORDERS: u32 = 150;
    let (before, after) = (host(), host());
    // The demo's orders are then older than the compared days.
    before.advance(Duration::minutes(24 * 60));
    after.advance(Duration::minutes(24 * 60));
    let fees: Vec<Option<i64>> = create_all(&before, ORDERS);
    assert!(
        fees.iter().all(Option::is_some),
        "the demo tariff serves all of them"
    );
    let sum: i64 = fees.iter().flatten().sum();
    let same = comparison(&before, &current(&before));
    assert_eq!(
        (&same["orders"], centavos(&same["currentFee"])),
        (&json!(ORDERS), sum)
    );
    assert_eq!(
        (&same["difference"], &same["outOfRange"]),
        (&json!(0), &json!(0)),
        "{same}"
    );

    assert_eq!(
        post(
            &after,
            OPERATOR,
            "/admin/tariffs",
            &json!({ "tariff": draft("2027.1") })
        )
        .0,
        201
    );
    let drafted = create_all(&after, ORDERS);
    let served: Vec<(i64, i64)> = fees
        .iter()
        .zip(&drafted)
        .filter_map(|(a, b)| (*a).zip(*b))
        .collect();
    let rejected = drafted.len() - served.len();
    assert!(
        rejected > 10 && served.len() > 50,
        "{rejected} of {ORDERS} are out of range"
    );
    let compared = comparison(&before, &draft("anything"));
    assert_eq!(compared["orders"], json!(ORDERS));
    assert_eq!(compared["outOfRange"], json!(rejected));
    assert_eq!(
        centavos(&compared["currentFee"]),
        served.iter().map(|(fee, _)| fee).sum::<i64>()
    );
    assert_eq!(
        centavos(&compared["draftFee"]),
        served.iter().map(|(_, fee)| fee).sum::<i64>()
    );
    let stores = compared["stores"].as_array().unwrap();
    assert_eq!(stores.len(), 1);
    assert_eq!(
        (&stores[0]["draftFee"], &stores[0]["orders"]),
        (&compared["draftFee"], &json!(ORDERS))
    );
}

#[test]
fn portions_of_a_what_if_add_up_to_the_whole() {
    let (short, long) = (host(), host());
    for number in 0..60 {
        let entries = if number % 20 == 0 { 2_300 } else { 37 };
        credit(&long, entries);
        for host in [&short, &long] {
            host.advance(Duration::minutes(60));
            fee(&post(host, KEY, "/delivery/orders", &order(number)));
        }
    }
    let draft = draft("2027.1");
    let whole = comparison(&short, &draft);
    let body = json!({ "tariff": draft, "days": 7 });
    let (status, first) = post(&long, OPERATOR, "/admin/tariffs/what-if", &body);
    assert_eq!(status, 200, "{first}");
    // A later order is in no portion, although the run goes on.
    let mut portions = vec![first];
    long.advance(Duration::minutes(1));
    fee(&post(&long, KEY, "/delivery/orders", &order(60)));
    portions.extend(rest(&long, &draft, &portions[0]["nextCursor"]));
    assert!(portions.len() > 1, "{portions:?}");

    let sum = |name: &str| portions.iter().map(|one| centavos(&one[name])).sum::<i64>();
    for name in [
        "orders",
        "currentFee",
        "draftFee",
        "difference",
        "outOfRange",
    ] {
        assert_eq!(sum(name), centavos(&whole[name]), "{name}");
        let of_stores = portions
            .iter()
            .flat_map(|one| one["stores"].as_array().unwrap())
            .map(|store| centavos(&store[name]));
        assert_eq!(of_stores.sum::<i64>(), sum(name), "{name} of the stores");
    }
    assert_ne!(sum("outOfRange"), 0);
    for portion in &portions {
        assert_eq!(
            (&portion["from"], &portion["until"]),
            (&whole["from"], &whole["until"])
        );
    }
    let progress: Vec<&str> = portions
        .iter()
        .map(|one| one["comparedFrom"].as_str().unwrap())
        .collect();
    assert!(progress.is_sorted_by(|a, b| a > b), "{progress:?}");
    assert_eq!(progress.last().copied(), whole["from"].as_str());
}

#[test]
fn scheduled_tariff_applies_from_its_millisecond() {
    let host = host();
    let at = host.now().after(Duration::minutes(30));
    let scheduled = json!({ "tariff": draft("2027.1"), "effectiveFrom": at.to_string() });
    assert_eq!(post(&host, OPERATOR, "/admin/tariffs", &scheduled).0, 201);
    let version = |millis| {
        host.set_now(at.before(Duration::millis(millis)));
        let mut body = order(4);
        body["code"] = Value::Null;
        let (status, body) = post(&host, KEY, "/delivery/orders/preview", &body);
        assert_eq!(status, 200, "{body}");
        body["quote"]["tariffVersion"].clone()
    };
    let configured = version(1);
    assert_ne!(configured, "2027.1");
    assert_eq!(version(0), "2027.1");
    assert_eq!(version(1), configured, "the clock was set back");
    assert_eq!(version(-1), "2027.1");
}

#[test]
fn preview_reads_stored_tariffs_only_once_more() {
    let host = host();
    let preview = || {
        let before = host.reads();
        assert_eq!(
            post(&host, KEY, "/delivery/orders/preview", &order(4)).0,
            200
        );
        host.reads() - before
    };
    let without = preview();
    assert_eq!(
        post(
            &host,
            OPERATOR,
            "/admin/tariffs",
            &json!({ "tariff": draft("2027.1") })
        )
        .0,
        201
    );
    assert_eq!(
        preview(),
        without + 1,
        "the schedule, which a database's host caches"
    );
}

#[test]
fn cancelled_stop_is_repriced_by_the_tariff_in_effect() {
    let host = host();
    let (status, created) = post(&host, KEY, "/delivery/orders", &order(5));
    assert_eq!(
        (status, created["deliveries"].as_array().map(Vec::len)),
        (201, Some(2))
    );
    let flat = json!({
        "version": "flat", "baseFee": 1, "baseKm": 0, "perKm": 0, "perExtraStop": 0, "returnFee": 0, "returnPerKm": 0,
        "minimumFee": 0, "maxDistanceKm": 1, "serviceRadiusKm": 1, "approachMinutes": 0, "handoverMinutes": 0,
    });
    assert_eq!(
        post(
            &host,
            OPERATOR,
            "/admin/tariffs",
            &json!({ "tariff": flat })
        )
        .0,
        201
    );
    let body = json!({ "orderId": created["id"], "deliveryId": created["deliveries"][0]["id"] });
    let (status, order) = post(&host, KEY, "/delivery/orders/cancel", &body);
    assert_eq!((status, &order["deliveryFee"]), (200, &json!(1)), "{order}");
}

#[test]
fn page_rejects_a_context_from_its_time_of_effect_on() {
    let host = host();
    let until = host.now().after(Duration::minutes(30));
    let scheduled = json!({ "tariff": draft("2027.1"), "effectiveFrom": until.to_string() });
    assert_eq!(post(&host, OPERATOR, "/admin/tariffs", &scheduled).0, 201);
    let context = send(&host, KEY, "GET /delivery/preview-context", &Value::Null).body;
    assert_eq!(context["validUntil"], json!(until.to_string()));
    let body = order(4).to_string();
    let preview = |context: &Value, at: Timestamp| {
        let context: PreviewContext = serde_json::from_value(context.clone()).unwrap();
        let previewer = Previewer::new(context, Gazetteer::embedded())?;
        previewer
            .preview(body.as_bytes(), at, Language::default())
            .map(|_| ())
    };
    assert_eq!(preview(&context, until.before(Duration::millis(1))), Ok(()));
    let problem = preview(&context, until).unwrap_err();
    assert!(
        problem.detail.en.contains("Load a new context")
            && problem.detail.pt.contains("novo contexto")
    );
    let mut damaged = context;
    damaged["validUntil"] = json!("soon");
    assert!(preview(&damaged, host.now()).is_err());
    damaged["validUntil"] = Value::Null;
    assert_eq!(
        preview(&damaged, until),
        Ok(()),
        "without the time, the context does not end"
    );
}

#[test]
fn page_prices_requirements_as_the_service_does() {
    let host = host();
    let mut tariff = draft("vehicles");
    tariff["vehicles"] =
        json!([{ "vehicle": "MOTORBIKE_BOX", "fee": 3 }, { "vehicle": "CAR", "percent": "33.3" }]);
    assert_eq!(
        post(
            &host,
            OPERATOR,
            "/admin/tariffs",
            &json!({ "tariff": tariff })
        )
        .0,
        201
    );
    let context = send(&host, KEY, "GET /delivery/preview-context", &Value::Null).body;
    let context: PreviewContext = serde_json::from_value(context).unwrap();
    let previewer = Previewer::new(context, Gazetteer::embedded()).unwrap();
    let mut fees = std::collections::BTreeSet::new();
    for requirements in [
        json!(null),
        json!({ "weightGrams": 20_001 }),
        json!({ "vehicle": ["VUC"] }),
    ] {
        let mut body = order(4);
        body["requirements"] = requirements;
        let (status, mut service) = post(&host, KEY, "/delivery/orders/preview", &body);
        service["quote"] = Value::Null;
        let page = previewer
            .preview(body.to_string().as_bytes(), host.now(), Language::default())
            .unwrap();
        assert_eq!(
            (status, &serde_json::to_value(page).unwrap()),
            (200, &service)
        );
        fees.insert(service["deliveryFee"].to_string());
    }
    assert_eq!(fees.len(), 3, "each requirement has its own price");
}
