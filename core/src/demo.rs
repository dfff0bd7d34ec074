//! Demonstration data: a matrix with two branches, couriers and a few orders, made the way real ones are.
//!
//! Its key is printed in the documentation, so it opens demonstration stores alone: nothing but [`seed`] gives it to anybody.

use bytes::Bytes;
use http::Request;
use serde_json::{Value, json};

use crate::{
    courier::{Courier, Position},
    domain::{CourierId, Phone, Point, StoreId, Timestamp},
    host::{Changes, Fault, Host, Write},
    settings::Settings,
    store::{Key, KeyHash, Store},
};

/// The key of the demonstration matrix.
pub const KEY: &str = "dsp_demo_this-key-is-public_do-not-use-it-in-production";
/// The demonstration stores' password, for a login at the panel.
pub const PASSWORD: &str = "despacho-demo";
/// The login name of the demonstration matrix.
pub const EMAIL: &str = "matriz@demo.despacho.example";

const YEARS_10: i64 = 10 * 365 * 24 * 60;
/// What requests of the seeding itself are authorised by; no request from outside ever meets it.
const TOKEN: &str = "demonstration data";

/// Makes the demonstration data where it is not there yet, and says whether it did.
///
/// # Errors
/// What the host could not do, or an answer that the seeding did not expect.
pub async fn seed<H: Host>(host: &H, settings: &Settings) -> Result<bool, Fault> {
    if host.key(&KeyHash::of(KEY)).await?.is_some() {
        return Ok(false);
    }
    let operator = Settings { operator: Some(KeyHash::of(TOKEN)), ..settings.clone() };
    let created = post(host, &operator, "/admin/matrices", TOKEN, &stores()[0]).await?;
    let key = text(&created, "value")?;
    let matrix = number(&created, "storeId").and_then(StoreId::new).ok_or_else(|| unexpected(&created))?;
    let mut branches = Vec::new();
    for branch in &stores()[1..] {
        let created = post(host, settings, "/delivery/stores", key, branch).await?;
        branches.push(number(&created, "storeId").and_then(StoreId::new).ok_or_else(|| unexpected(&created))?);
    }
    for (at, order) in orders(&branches).into_iter().enumerate() {
        let body = merge(order, json!({ "code": format!("DEMO-{}", at + 1) }));
        post(host, settings, "/delivery/orders", key, &body).await?;
    }
    publish(host, key, matrix, &branches).await?;
    Ok(true)
}

/// Marks the stores as demonstration, adds the couriers, and puts the public key in place of the one that was drawn.
async fn publish<H: Host>(host: &H, drawn: &str, matrix: StoreId, branches: &[StoreId]) -> Result<(), Fault> {
    let moment = host.moment();
    let holder = host.key(&KeyHash::of(drawn)).await?.ok_or_else(|| internal("the drawn key is gone"))?;
    let expires_at = moment.now.after(crate::domain::Duration::minutes(YEARS_10));
    let key = Key { hash: KeyHash::of(KEY), expires_at, version: holder.key.version + 1, ..holder.key.clone() };
    let mut changes = Changes { at: moment.now, ..Changes::default() };
    changes.keys.push(Write { expected: holder.key.version, value: key });
    for id in std::iter::once(&matrix).chain(branches) {
        let store = host.store(*id).await?.ok_or_else(|| internal("a demonstration store is gone"))?;
        let value = Store { demo: true, version: store.version + 1, ..store.clone() };
        changes.stores.push(Write { expected: store.version, value });
    }
    (changes.couriers, changes.positions) = couriers(host, moment.now).await?;
    host.commit(&changes).await
}

async fn couriers<H: Host>(host: &H, now: Timestamp) -> Result<(Vec<Write<Courier>>, Vec<Position>), Fault> {
    let couriers = [
        ("Ana Souza", "+5511990000001", -23.5610, -46.6560),
        ("Bruno Lima", "+5511990000002", -23.5505, -46.6333),
        ("Carla Dias", "+5511990000003", -23.5450, -46.6400),
        ("Diego Alves", "+5592990000004", -3.1190, -60.0217),
        ("Elisa Prado", "+5592990000005", -3.1019, -60.0250),
    ];
    let mut ids = host.ids(5).await?;
    let (mut writes, mut positions) = (Vec::new(), Vec::new());
    for (profile_id, (name, phone, latitude, longitude)) in (1..).zip(couriers) {
        let id = ids.take(CourierId::new).ok_or_else(|| internal("no identifier is left"))?;
        positions.extend(Point::from_degrees(latitude, longitude).map(|point| Position {
            courier: id,
            point,
            at: now,
        }));
        writes.push(Write::insert(Courier {
            id,
            version: 1,
            profile_id,
            name: name.to_owned(),
            phone: Phone::parse(phone).map_err(|_| internal("a courier's number is malformed"))?,
            email: None,
            document: None,
            position: None,
            position_at: None,
            available: true,
            order: None,
            key: None,
            demo: true,
            removed_at: None,
        }));
    }
    Ok((writes, positions))
}

async fn post<H: Host>(host: &H, settings: &Settings, path: &str, token: &str, body: &Value) -> Result<Value, Fault> {
    let request = Request::post(path).header("content-type", "application/json").header("x-api-token", token);
    let request = request.body(Bytes::from(body.to_string())).map_err(|error| internal(&error.to_string()))?;
    let response = crate::api::handle(host, settings, request).await;
    let answer: Value = serde_json::from_str(&String::from_utf8_lossy(response.body())).unwrap_or_default();
    if response.status().is_success() { Ok(answer) } else { Err(unexpected(&answer)) }
}

fn text<'a>(answer: &'a Value, field: &str) -> Result<&'a str, Fault> {
    answer.get(field).and_then(Value::as_str).ok_or_else(|| unexpected(answer))
}

fn number(answer: &Value, field: &str) -> Option<u64> {
    answer.get(field)?.as_str()?.parse().ok()
}

fn unexpected(answer: &Value) -> Fault {
    internal(&format!("the demonstration data met {answer}"))
}

fn internal(detail: &str) -> Fault {
    Fault::Internal { detail: detail.to_owned() }
}

fn merge(mut into: Value, from: Value) -> Value {
    if let (Some(into), Value::Object(from)) = (into.as_object_mut(), from) {
        into.extend(from);
    }
    into
}

fn address(street: &str, number: &str, neighborhood: &str, city: (&str, &str), zip: &str, at: (f64, f64)) -> Value {
    json!({
        "street": street, "number": number, "neighborhood": neighborhood, "city": city.0, "state": city.1,
        "zipCode": zip, "latitude": at.0, "longitude": at.1,
    })
}

const SAO_PAULO: (&str, &str) = ("São Paulo", "SP");
const MANAUS: (&str, &str) = ("Manaus", "AM");

fn stores() -> [Value; 3] {
    let store = |cnpj: &str, name: &str, email: &str, phone: &str, address: Value| {
        json!({
            "cnpj": cnpj, "name": name, "email": email, "password": PASSWORD, "address": address,
            "responsible": { "name": "Equipe Demo", "phone": phone }, "marketplaceBranchId": 1,
        })
    };
    [
        store(
            "11.222.333/0001-81",
            "Cantina Demo — Matriz",
            EMAIL,
            "+5511990000100",
            address("Avenida Paulista", "1578", "Bela Vista", SAO_PAULO, "01310-200", (-23.561_4, -46.655_9)),
        ),
        store(
            "11.222.333/0002-62",
            "Cantina Demo — Centro",
            "centro@demo.despacho.example",
            "+5511990000101",
            address("Rua Barão de Itapetininga", "255", "República", SAO_PAULO, "01042-001", (-23.544_6, -46.640_6)),
        ),
        store(
            "11.222.333/0003-43",
            "Cantina Demo — Manaus",
            "manaus@demo.despacho.example",
            "+5592990000102",
            address("Avenida Eduardo Ribeiro", "520", "Centro", MANAUS, "69010-001", (-3.131_6, -60.023_4)),
        ),
    ]
}

fn orders(branches: &[StoreId]) -> Vec<Value> {
    let delivery = |name: &str, phone: &str, online: bool, address: Value| {
        json!({
            "name": name, "phone": phone, "onlinePayment": online, "productValue": 57.9, "address": address,
        })
    };
    let ana = delivery(
        "Maria Silva",
        "+5511990000201",
        true,
        address("Rua Augusta", "1508", "Consolação", SAO_PAULO, "01304-001", (-23.557_8, -46.660_0)),
    );
    let joao = delivery(
        "João Pereira",
        "+5511990000202",
        false,
        address("Rua Vergueiro", "1000", "Paraíso", SAO_PAULO, "01504-000", (-23.571_2, -46.640_1)),
    );
    let rita = delivery(
        "Rita Gomes",
        "+5592990000203",
        true,
        address("Rua 10 de Julho", "481", "Centro", MANAUS, "69010-060", (-3.128_9, -60.022_8)),
    );
    let on_behalf = |order: Value, branch: Option<&StoreId>| match branch {
        Some(id) => merge(order, json!({ "store": { "userPlatformId": id.get() } })),
        None => order,
    };
    vec![
        json!({ "preparationTime": 20, "previewDeliveryTime": true, "deliveries": [ana, joao] }),
        on_behalf(json!({ "preparationTime": 0, "deliveries": [ana] }), branches.first()),
        on_behalf(json!({ "preparationTime": 5, "previewDeliveryTime": true, "deliveries": [rita] }), branches.get(1)),
    ]
}
