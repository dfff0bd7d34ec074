//! Demonstration data: a matrix with two branches, couriers and a few orders, made the way real ones are.
//!
//! Its key is printed in the documentation, so it opens demonstration stores alone: nothing but [`seed`] gives it to anybody.

use bytes::Bytes;
use http::Request;

use crate::{
    courier::{Courier, Position},
    domain::{CourierId, OrderId, Phone, Point, StoreId, Timestamp},
    host::{Changes, Host, HostError, OrderQuery, StoreQuery, Write},
    json::Tree,
    order::OrderFilter,
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
pub async fn seed<H: Host>(host: &H, settings: &Settings) -> Result<bool, HostError> {
    if host.key(&KeyHash::of(KEY)).await?.is_some() {
        return Ok(false);
    }
    let operator = Settings { operator: Some(KeyHash::of(TOKEN)), ..settings.clone() };
    let [matrix, branches @ ..] = stores();
    let created = post(host, &operator, "/admin/matrices", TOKEN, matrix).await?;
    let key = text(&created, "value")?;
    let matrix = store_id(&created)?;
    let mut opened = Vec::new();
    for branch in branches {
        opened.push(store_id(&post(host, settings, "/delivery/stores", &key, branch).await?)?);
    }
    // Before their first orders: an order is a demonstration order if its store was one when it was created.
    let now = host.moment().now;
    mark(host, std::iter::once(matrix).chain(opened.iter().copied()), now).await?;
    for (number, preparation) in (1..).zip([20, 0, 5]) {
        let order = order(number, &format!("DEMO-{number}"), preparation, &opened);
        post(host, settings, "/delivery/orders", &key, order).await?;
    }
    publish(host, &key, now).await?;
    Ok(true)
}

/// Orders of the demonstration that have not ended, at any time.
pub const LIVING_ORDERS: u32 = 3;
/// Minutes of preparation of the orders that replace ended ones, by how many are left: long, so that few are created in a day.
const REPLACEMENT_MINUTES: [u32; LIVING_ORDERS as usize] = [25, 40, 10];

/// How many orders the demonstration lacks until it has [`LIVING_ORDERS`] that have not ended; 0 without demonstration data.
///
/// # Errors
/// A fault of the host.
pub async fn missing_orders<H: Host>(host: &H) -> Result<u32, HostError> {
    let Some(holder) = host.key(&KeyHash::of(KEY)).await? else { return Ok(0) };
    let filter = OrderFilter { situations: (0, 499), ..OrderFilter::of(&holder.store) };
    let living = host.find_orders(OrderQuery::Matching(&filter, LIVING_ORDERS)).await?.len();
    Ok(LIVING_ORDERS - u32::try_from(living).unwrap_or(LIVING_ORDERS).min(LIVING_ORDERS))
}

/// Creates the orders that [`missing_orders`] counts, and says how many.
///
/// # Errors
/// A fault of the host, or a response that was not expected.
pub async fn replace_ended_orders<H: Host>(host: &H, settings: &Settings) -> Result<u32, HostError> {
    let missing = missing_orders(host).await?;
    let Some(holder) = host.key(&KeyHash::of(KEY)).await?.filter(|_| missing > 0) else { return Ok(0) };
    let stores = host
        .find_stores(StoreQuery::WithBranches {
            store: holder.store.id,
            after: Some(holder.store.id),
            limit: LIVING_ORDERS,
        })
        .await?;
    let branches: Vec<StoreId> = stores.into_iter().map(|store| store.id).collect();
    let mut ids = host.ids(missing).await?;
    for preparation in REPLACEMENT_MINUTES.into_iter().skip((LIVING_ORDERS - missing) as usize) {
        // No earlier order can hold a code with a new identifier.
        let id = ids.take(OrderId::new).ok_or_else(|| internal("no identifier is left"))?;
        let preparation = preparation.min(settings.limits.preparation_minutes);
        let order = order(id.get() % 3 + 1, &format!("DEMO-{id}"), preparation, &branches);
        post(host, settings, "/delivery/orders", KEY, order).await?;
    }
    Ok(missing)
}

/// Marks the stores as demonstration.
async fn mark<H: Host>(host: &H, stores: impl Iterator<Item = StoreId>, now: Timestamp) -> Result<(), HostError> {
    let mut changes = Changes { at: now, ..Changes::default() };
    for id in stores {
        let store = host.store(id).await?.ok_or_else(|| internal("a demonstration store is gone"))?;
        let value = Store { demo: true, version: store.version + 1, ..store.clone() };
        changes.stores.push(Write { expected: store.version, value });
    }
    host.commit(&changes).await
}

/// Adds the couriers, and puts the public key in place of the one that was drawn.
async fn publish<H: Host>(host: &H, drawn: &str, now: Timestamp) -> Result<(), HostError> {
    let holder = host.key(&KeyHash::of(drawn)).await?.ok_or_else(|| internal("the drawn key is gone"))?;
    let expires_at = now.after(crate::domain::Duration::minutes(YEARS_10));
    let key = Key { hash: KeyHash::of(KEY), expires_at, version: holder.key.version + 1, ..holder.key.clone() };
    let mut changes = Changes { at: now, ..Changes::default() };
    changes.keys.push(Write { expected: holder.key.version, value: key });
    (changes.couriers, changes.positions) = couriers(host, now).await?;
    host.commit(&changes).await
}

async fn couriers<H: Host>(host: &H, now: Timestamp) -> Result<(Vec<Write<Courier>>, Vec<Position>), HostError> {
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

/// The text of a successful answer.
async fn post<H: Host>(
    host: &H,
    settings: &Settings,
    path: &str,
    token: &str,
    body: String,
) -> Result<String, HostError> {
    let request = Request::post(path).header("content-type", "application/json").header("x-api-token", token);
    let request = request.body(Bytes::from(body)).map_err(|error| internal(&error.to_string()))?;
    let response = crate::api::handle(host, settings, request).await;
    let answer = String::from_utf8_lossy(response.body()).into_owned();
    if response.status().is_success() { Ok(answer) } else { Err(unexpected(&answer)) }
}

fn text(answer: &str, field: &str) -> Result<String, HostError> {
    let tree = Tree::parse(answer).ok();
    let text = tree.as_ref().and_then(|tree| tree.get(field)?.as_str());
    text.map(str::to_owned).ok_or_else(|| unexpected(answer))
}

fn store_id(answer: &str) -> Result<StoreId, HostError> {
    let id = text(answer, "storeId")?.parse().ok().and_then(StoreId::new);
    id.ok_or_else(|| unexpected(answer))
}

fn unexpected(answer: &str) -> HostError {
    internal(&format!("the demonstration data met {answer}"))
}

fn internal(detail: &str) -> HostError {
    HostError::Internal { detail: detail.to_owned() }
}

// Requests as the text that they are sent as.

fn address(street: &str, number: &str, neighborhood: &str, city: (&str, &str), zip: &str, at: [&str; 2]) -> String {
    let ((city, state), [latitude, longitude]) = (city, at);
    format!(
        r#"{{"street": "{street}", "number": "{number}", "neighborhood": "{neighborhood}", "city": "{city}",
        "state": "{state}", "zipCode": "{zip}", "latitude": {latitude}, "longitude": {longitude}}}"#
    )
}

const SAO_PAULO: (&str, &str) = ("São Paulo", "SP");
const MANAUS: (&str, &str) = ("Manaus", "AM");

/// A matrix and its branches.
fn stores() -> [String; 3] {
    let store = |cnpj: &str, name: &str, email: &str, phone: &str, address: String| {
        format!(
            r#"{{"cnpj": "{cnpj}", "name": "Cantina Demo — {name}", "email": "{email}", "password": "{PASSWORD}",
            "responsible": {{"name": "Equipe Demo", "phone": "{phone}"}}, "address": {address},
            "marketplaceBranchId": 1}}"#
        )
    };
    [
        store(
            "11.222.333/0001-81",
            "Matriz",
            EMAIL,
            "+5511990000100",
            address("Avenida Paulista", "1578", "Bela Vista", SAO_PAULO, "01310-200", ["-23.5614", "-46.6559"]),
        ),
        store(
            "11.222.333/0002-62",
            "Centro",
            "centro@demo.despacho.example",
            "+5511990000101",
            address("Rua Barão de Itapetininga", "255", "República", SAO_PAULO, "01042-001", ["-23.5446", "-46.6406"]),
        ),
        store(
            "11.222.333/0003-43",
            "Manaus",
            "manaus@demo.despacho.example",
            "+5592990000102",
            address("Avenida Eduardo Ribeiro", "520", "Centro", MANAUS, "69010-001", ["-3.1316", "-60.0234"]),
        ),
    ]
}

/// The first, second or third order of the matrix, the last two of them for its branches, with the code and the preparation given.
fn order(number: u64, code: &str, preparation: u32, branches: &[StoreId]) -> String {
    let delivery = |name: &str, phone: &str, online: bool, address: String| {
        format!(
            r#"{{"name": "{name}", "phone": "{phone}", "onlinePayment": {online}, "productValue": 57.9,
            "address": {address}}}"#
        )
    };
    let maria = delivery(
        "Maria Silva",
        "+5511990000201",
        true,
        address("Rua Augusta", "1508", "Consolação", SAO_PAULO, "01304-001", ["-23.5578", "-46.6600"]),
    );
    let joao = delivery(
        "João Pereira",
        "+5511990000202",
        false,
        address("Rua Vergueiro", "1000", "Paraíso", SAO_PAULO, "01504-000", ["-23.5712", "-46.6401"]),
    );
    let rita = delivery(
        "Rita Gomes",
        "+5592990000203",
        true,
        address("Rua 10 de Julho", "481", "Centro", MANAUS, "69010-060", ["-3.1289", "-60.0228"]),
    );
    let (branch, times, deliveries) = match number {
        1 => (None, true, format!("{maria}, {joao}")),
        2 => (branches.first(), false, maria),
        _ => (branches.get(1), true, rita),
    };
    let store = branch.map(|id| format!(r#""store": {{"userPlatformId": {}}}, "#, id.get())).unwrap_or_default();
    format!(
        r#"{{{store}"code": "{code}", "preparationTime": {preparation}, "previewDeliveryTime": {times},
        "deliveries": [{deliveries}]}}"#
    )
}
