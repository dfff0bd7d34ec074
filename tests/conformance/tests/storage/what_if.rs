//! The comparison of a draft of a tariff with orders on SQLite equals the prices of the same orders
//! under the draft. `core/tests/lifecycle/tariffs.rs` has the same test for the in-memory host,
//! whose clock it sets.

use bytes::Bytes;
use despacho_core::{
    api,
    changes::Changes,
    host::{Host, Platform, StoreQuery},
    model::{
        Duration, Money, Timestamp,
        store::{EntryKind, KeyHash, LedgerEntry},
    },
    rules::{limits::Limits, settings::Settings},
};
use despacho_simulator::demo::{self, KEY};
use http::Request;
use serde_json::{Value, json};

use crate::{backend::OnSqlite, suite::Backend};

const ORDERS: u32 = 150;
const OPERATOR: &str = "operator-token-of-this-test";

fn settings() -> Settings {
    let limits = Limits {
        writes_per_minute: 1_000_000,
        ..Limits::default()
    };
    Settings {
        limits,
        operator: Some(KeyHash::of(OPERATOR)),
        ..Settings::default()
    }
}

async fn post(host: &impl Host, key: &str, path: &str, body: &Value) -> (u16, Value) {
    let request = Request::post(path)
        .header("x-api-token", key)
        .header("content-type", "application/json");
    let request = request.body(Bytes::from(body.to_string())).unwrap();
    let response = api::handle(host, &settings(), request).await;
    (
        response.status().as_u16(),
        serde_json::from_slice(response.body()).unwrap(),
    )
}

/// Returns a tariff with every rule. Its times are those of the default tariff, because the pickup
/// of a scheduled order depends on them.
fn draft() -> Value {
    json!({
        "version": "2027.1", "baseFee": 6.35, "baseKm": 1.5, "perKm": "2.4321", "perExtraStop": 1.25, "returnFee": 3,
        "returnPerKm": "0.55", "minimumFee": "9.10", "maxDistanceKm": 30, "serviceRadiusKm": 9, "approachMinutes": 8,
        "handoverMinutes": 3, "windows": [
            {"name": "noon", "days": ["sat", "sun", "mon"], "from": "11:00", "until": "14:30", "percent": 15},
            {"name": "night", "days": [], "from": "21:00", "until": "05:00", "percent": "-12.5"},
        ],
        "vehicles": [{"vehicle": "CAR", "percent": 33, "fee": 1}],
    })
}

/// Returns the body of an order. Distances, stops, payments and vehicles differ, and the time for
/// which the order is priced: each order is for another hour of the next days.
fn order(number: u32, from: Timestamp) -> Value {
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
    let deliveries: Vec<Value> = (0..1 + number % 4).map(delivery).collect();
    let at = from.after(Duration::minutes(60 * i64::from(number + 3)));
    let weight = if number.is_multiple_of(5) {
        150_000
    } else {
        1_200
    };
    json!({
        "code": format!("W-{number}"), "preparationTime": 10, "deliverAt": at.to_string(), "deliveries": deliveries,
        "requirements": { "weightGrams": weight },
    })
}

fn centavos(amount: &Value) -> i64 {
    format!("{:.0}", amount.as_f64().unwrap() * 100.0)
        .parse()
        .unwrap()
}

/// Creates the orders, and returns their fees. `None` is a rejected order.
async fn create_all(host: &impl Host, from: Timestamp) -> Vec<Option<i64>> {
    let mut fees = Vec::new();
    for number in 0..ORDERS {
        let (status, body) = post(host, KEY, "/delivery/orders", &order(number, from)).await;
        assert!([201, 422].contains(&status), "{body}");
        fees.push((status == 201).then(|| centavos(&body["deliveryFee"])));
    }
    fees
}

/// Follows a comparison to its end, and returns its portions.
async fn portions(host: &impl Host) -> Vec<Value> {
    let (mut cursor, mut portions) = (Value::Null, Vec::new());
    loop {
        let mut body = json!({ "tariff": draft(), "days": 7 });
        if !cursor.is_null() {
            body["cursor"] = cursor;
        }
        let (status, portion) = post(host, OPERATOR, "/admin/tariffs/what-if", &body).await;
        assert_eq!(status, 200, "{portion}");
        cursor = portion["nextCursor"].clone();
        portions.push(portion);
        if cursor.is_null() {
            return portions;
        }
    }
}

fn whole(portions: Vec<Value>) -> Value {
    let [portion] = <[Value; 1]>::try_from(portions).unwrap();
    portion
}

/// Stores entries that are no fees of orders.
async fn credit(host: &impl Host, count: usize) {
    let stores = host
        .find_stores(StoreQuery::All {
            after: None,
            limit: 1,
        })
        .await
        .unwrap();
    let entry = LedgerEntry {
        store: stores[0].id,
        account: None,
        order: None,
        kind: EntryKind::TopUp,
        amount: Money::from_centavos(1).unwrap(),
        at: host.exec_context().now,
        floor: None,
    };
    let changes = Changes {
        at: entry.at,
        ledger: vec![entry; count],
        ..Changes::default()
    };
    host.commit(&changes).await.unwrap();
}

#[tokio::test]
async fn what_if_on_sqlite_equals_the_prices_of_the_api() {
    let (current, drafted) = (OnSqlite::start().await, OnSqlite::start().await);
    for backend in [&current, &drafted] {
        demo::seed(backend.host(), &settings()).await.unwrap();
    }
    let compare = async || whole(portions(current.host()).await);
    // The demo's own orders.
    let before = compare().await;
    let (status, stored) = post(
        drafted.host(),
        OPERATOR,
        "/admin/tariffs",
        &json!({ "tariff": draft() }),
    )
    .await;
    assert_eq!(status, 201, "{stored}");
    let from = current.host().exec_context().now;
    let fees = create_all(current.host(), from).await;
    let compared = compare().await;
    // The same orders in several portions, between entries that are no fees of orders.
    credit(current.host(), 6_000).await;
    let in_portions = portions(current.host()).await;
    assert!(in_portions.len() > 1, "{in_portions:?}");
    for name in [
        "orders",
        "currentFee",
        "draftFee",
        "difference",
        "outOfRange",
    ] {
        let sum: i64 = in_portions.iter().map(|one| centavos(&one[name])).sum();
        assert_eq!(sum, centavos(&compared[name]), "{name} of the portions");
    }
    assert!(
        fees.iter().all(Option::is_some),
        "the demo tariff serves all of them"
    );
    let by_draft = create_all(drafted.host(), from).await;
    let served: Vec<(i64, i64)> = fees
        .iter()
        .zip(&by_draft)
        .filter_map(|(fee, draft)| (*fee).zip(*draft))
        .collect();
    let rejected = by_draft.len() - served.len();
    assert!(
        rejected > 10 && served.len() > 50,
        "{rejected} of {ORDERS} are out of range"
    );
    assert!(served.iter().any(|(fee, draft)| fee != draft));

    let added = |name: &str| centavos(&compared[name]) - centavos(&before[name]);
    let count = |name: &str| compared[name].as_u64().unwrap() - before[name].as_u64().unwrap();
    assert_eq!(
        (count("orders"), count("outOfRange")),
        (ORDERS.into(), rejected as u64)
    );
    assert_eq!(
        added("currentFee"),
        served.iter().map(|(fee, _)| fee).sum::<i64>()
    );
    assert_eq!(
        added("draftFee"),
        served.iter().map(|(_, draft)| draft).sum::<i64>()
    );
    let stores = compared["stores"].as_array().unwrap();
    for name in ["currentFee", "draftFee", "difference"] {
        let sum: i64 = stores.iter().map(|store| centavos(&store[name])).sum();
        assert_eq!(sum, centavos(&compared[name]), "{name} of the stores");
    }
}
