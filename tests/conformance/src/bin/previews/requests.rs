//! Random bodies of preview requests, valid and invalid.

use despacho_core::model::{Duration, Timestamp, Vehicle};
use fastrand::Rng;
use serde_json::{Map, Value, json};

/// City, state and CEP. Most requests use the first six, which are near each other; the last two do
/// not exist.
const TOWNS: [(&str, &str, &str); 9] = [
    ("São Paulo", "SP", "01310-200"),
    ("sao paulo", "sp", "01304001"),
    ("S. Paulo", "SP", "05.407-002"),
    ("Guarulhos", "SP", "07010-000"),
    ("Osasco", "SP", "06010-067"),
    ("Diadema", "SP", "09910-000"),
    ("Manaus", "AM", "69005-010"),
    ("São Paulo", "AM", "01310-200"),
    ("Lugar Nenhum", "SP", "99999-999"),
];

/// Returns a body that is usually valid, sometimes invalid, and rarely truncated JSON.
pub(crate) fn random_body(rng: &mut Rng, now: Timestamp) -> String {
    let mut body = Map::new();
    let stops = match rng.u8(..20) {
        0 => 0,
        1 => rng.usize(20..=52),
        _ => rng.usize(1..=9),
    };
    let deliveries: Vec<Value> = (0..stops).map(|at| stop(rng, at, now)).collect();
    body.insert("deliveries".into(), deliveries.into());
    maybe(rng, 2, &mut body, "sortByBestRoute", |rng| {
        rng.bool().into()
    });
    maybe(rng, 2, &mut body, "previewDeliveryTime", |rng| {
        rng.bool().into()
    });
    maybe(rng, 2, &mut body, "preparationTime", |rng| {
        rng.u32(..90).into()
    });
    maybe(rng, 3, &mut body, "pickupAddress", address);
    maybe(rng, 3, &mut body, "requirements", requirements);
    maybe(rng, 4, &mut body, "deliverAt", |rng| {
        time(rng, now, 90, 3_000)
    });
    if rng.u8(..12) == 0 {
        invalidate(rng, &mut body);
    }
    let text = Value::Object(body).to_string();
    if rng.u8(..200) == 0 {
        text.chars().take(text.len() / 2).collect()
    } else {
        text
    }
}

fn requirements(rng: &mut Rng) -> Value {
    let mut requirements = Map::new();
    maybe(rng, 3, &mut requirements, "vehicle", |rng| {
        let from = rng.usize(..Vehicle::ALL.len());
        Vehicle::ALL[from..]
            .iter()
            .map(|kind| kind.name())
            .collect()
    });
    maybe(rng, 2, &mut requirements, "weightGrams", |rng| {
        rng.u32(..40_000).into()
    });
    maybe(rng, 3, &mut requirements, "volumeMillilitres", |rng| {
        rng.u32(..400_000).into()
    });
    maybe(rng, 3, &mut requirements, "packages", |rng| {
        rng.u32(..9).into()
    });
    requirements.into()
}

/// Returns a time that is usually this many minutes from now, with the offset of Brasília or of
/// UTC. Rarely it is past, too late or invalid.
fn time(rng: &mut Rng, now: Timestamp, min: i64, max: i64) -> Value {
    let minutes = match rng.u8(..40) {
        0 => return "tonight".into(),
        1 => -rng.i64(1..3_000),
        2 => rng.i64(40_000..60_000),
        _ => rng.i64(min..max),
    };
    let at = now.after(Duration::minutes(minutes));
    let in_brasilia = || {
        at.before(Duration::minutes(180))
            .to_string()
            .replace('Z', "-03:00")
    };
    if rng.bool() {
        at.to_string()
    } else {
        in_brasilia()
    }
    .into()
}

/// Returns a window that is usually some hours long. Rarely it ends before it starts, or is too
/// long.
fn window(rng: &mut Rng, now: Timestamp) -> Value {
    let from = time(rng, now, -60, 600);
    json!({ "from": from, "until": time(rng, now, 500, 1_700) })
}

fn stop(rng: &mut Rng, at: usize, now: Timestamp) -> Value {
    let mut stop = Map::new();
    stop.insert("address".into(), address(rng));
    maybe(rng, 2, &mut stop, "orderRoute", |_| at.into());
    maybe(rng, 20, &mut stop, "window", |rng| window(rng, now));
    maybe(rng, 3, &mut stop, "onlinePayment", |rng| rng.bool().into());
    if rng.u8(..30) == 0 {
        let pin = ["first", "last", "middle"][rng.usize(..3)];
        stop.insert("pin".into(), pin.into());
    }
    stop.into()
}

fn address(rng: &mut Rng) -> Value {
    let mut address = Map::new();
    let known = if rng.u8(..10) == 0 { TOWNS.len() } else { 6 };
    let town = TOWNS[rng.usize(..known)];
    if rng.u8(..10) < 6 {
        address.insert(
            "latitude".into(),
            json!(f64::from(rng.i32(-236_500..-235_000)) / 10_000.0),
        );
        address.insert(
            "longitude".into(),
            json!(f64::from(rng.i32(-467_500..-465_500)) / 10_000.0),
        );
    }
    if rng.bool() {
        address.insert("city".into(), town.0.into());
        address.insert("state".into(), town.1.into());
    }
    if rng.bool() || address.is_empty() {
        address.insert("zipCode".into(), town.2.into());
    }
    maybe(rng, 2, &mut address, "street", |_| {
        "Rua Ñandú «Ação» 🛵".into()
    });
    maybe(rng, 2, &mut address, "number", |rng| {
        rng.u32(1..9_999).to_string().into()
    });
    maybe(rng, 4, &mut address, "complement", |_| "  ap. 52\t".into());
    address.into()
}

/// Makes one field invalid.
fn invalidate(rng: &mut Rng, body: &mut Map<String, Value>) {
    let (name, value) = match rng.u8(..8) {
        0 => ("deliveries", json!("none")),
        1 => (
            "deliveries",
            json!([{}, { "address": { "latitude": 95, "longitude": -46.6 } }]),
        ),
        2 => ("preparationTime", json!(1.5)),
        3 => ("preparationTime", json!("soon")),
        4 => ("sortByBestRoute", json!("yes")),
        5 => (
            "pickupAddress",
            json!({ "city": "São Paulo", "state": "XX", "zipCode": "123" }),
        ),
        6 => (
            "deliveries",
            json!([{ "address": { "latitude": -46.63, "longitude": -23.55 } }]),
        ),
        _ => ("store", json!({ "userPlatformId": 12 })),
    };
    body.insert(name.into(), value);
}

fn maybe(
    rng: &mut Rng,
    one_in: u8,
    into: &mut Map<String, Value>,
    name: &str,
    value: impl Fn(&mut Rng) -> Value,
) {
    if rng.u8(..one_in) == 0 {
        into.insert(name.into(), value(rng));
    }
}
