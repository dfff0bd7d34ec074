//! Demo data: a sandbox store with two branches and a few orders, created through the API.
//!
//! The store's key is public, because the documentation prints it.

use bytes::Bytes;
use http::Request;

use despacho_core::{
    api,
    changes::{Changes, Write},
    host::{Host, HostError, OrderQuery, StoreQuery},
    model::{
        Duration, OrderId, StoreId,
        order::OrderFilter,
        store::{Key, KeyHash},
    },
    rules::settings::Settings,
};
use serde_json::Value;

/// The key of the parent store.
pub const KEY: &str = "dsp_demo_this-key-is-public_do-not-use-it-in-production";
/// The stores' password, for a login at the panel.
pub const PASSWORD: &str = "despacho-demo";
/// The parent store's email, for a login at the panel.
pub const EMAIL: &str = "matriz@demo.despacho.example";

const YEARS_10: i64 = 10 * 365 * 24 * 60;
/// The operator's token during [`seed`] only; other requests never use these settings.
const TOKEN: &str = "demo data";

/// Creates the demo data unless it exists, and returns whether it was created.
///
/// # Errors
/// An error of the host, or an unexpected response.
pub async fn seed<H: Host>(host: &H, settings: &Settings) -> Result<bool, HostError> {
    if host.key(&KeyHash::of(KEY)).await?.is_some() {
        return Ok(false);
    }
    let operator = Settings { operator: Some(KeyHash::of(TOKEN)), ..settings.clone() };
    let [matrix, branches @ ..] = stores();
    let created = post(host, &operator, "/admin/matrices", TOKEN, matrix).await?;
    let key = text(&created, "value")?;
    let mut opened = Vec::new();
    for branch in branches {
        opened.push(store_id(&post(host, settings, "/delivery/stores", &key, branch).await?)?);
    }
    for (number, preparation) in (1..).zip([20, 0, 5]) {
        let order = order(number, &format!("DEMO-{number}"), preparation, &opened);
        post(host, settings, "/delivery/orders", &key, order).await?;
    }
    publish(host, &key).await?;
    Ok(true)
}

/// The number of open demo orders at any time.
pub const OPEN_ORDERS: u32 = 3;
/// Preparation times of the orders that replace ended ones: long, so that few are created per day.
const REPLACEMENT_MINUTES: [u32; OPEN_ORDERS as usize] = [25, 40, 10];

/// The number of orders that are missing to [`OPEN_ORDERS`] open ones; 0 without demo data.
///
/// # Errors
/// An error of the host.
pub async fn missing_orders<H: Host>(host: &H) -> Result<u32, HostError> {
    let Some(holder) = host.key(&KeyHash::of(KEY)).await? else { return Ok(0) };
    let filter = OrderFilter { statuses: (0, 499), ..OrderFilter::of(&holder.store) };
    let open = host.find_orders(OrderQuery::Matching(&filter, OPEN_ORDERS)).await?.len();
    Ok(OPEN_ORDERS - u32::try_from(open).unwrap_or(OPEN_ORDERS).min(OPEN_ORDERS))
}

/// Creates the orders that [`missing_orders`] counts, and returns how many.
///
/// # Errors
/// An error of the host, or an unexpected response.
pub async fn replace_ended_orders<H: Host>(host: &H, settings: &Settings) -> Result<u32, HostError> {
    let missing = missing_orders(host).await?;
    let Some(holder) = host.key(&KeyHash::of(KEY)).await?.filter(|_| missing > 0) else { return Ok(0) };
    let stores = host
        .find_stores(StoreQuery::WithBranches {
            store: holder.store.id,
            after: Some(holder.store.id),
            limit: OPEN_ORDERS,
        })
        .await?;
    let branches: Vec<StoreId> = stores.into_iter().map(|store| store.id).collect();
    let mut ids = host.ids(missing).await?;
    for preparation in REPLACEMENT_MINUTES.into_iter().skip((OPEN_ORDERS - missing) as usize) {
        // No earlier order can hold a code with a new identifier.
        let id = ids.take(OrderId::new).ok_or_else(|| internal("no identifier is left"))?;
        let preparation = preparation.min(settings.limits.preparation_minutes);
        let order = order(id.get() % 3 + 1, &format!("DEMO-{id}"), preparation, &branches);
        post(host, settings, "/delivery/orders", KEY, order).await?;
    }
    Ok(missing)
}

/// Replaces the parent store's random key by the public one.
async fn publish<H: Host>(host: &H, drawn: &str) -> Result<(), HostError> {
    let now = host.exec_context().now;
    let holder = host.key(&KeyHash::of(drawn)).await?.ok_or_else(|| internal("the drawn key is gone"))?;
    let expires_at = now.after(Duration::minutes(YEARS_10));
    let key = Key { hash: KeyHash::of(KEY), expires_at, version: holder.key.version + 1, ..holder.key.clone() };
    let mut changes = Changes { at: now, ..Changes::default() };
    changes.keys.push(Write { expected: holder.key.version, value: key });
    host.commit(&changes).await
}

/// Sends a request, and returns the body of a successful response.
async fn post<H: Host>(
    host: &H,
    settings: &Settings,
    path: &str,
    token: &str,
    body: String,
) -> Result<String, HostError> {
    let request = Request::post(path).header("content-type", "application/json").header("x-api-token", token);
    let request = request.body(Bytes::from(body)).map_err(|error| internal(&error.to_string()))?;
    let response = api::handle(host, settings, request).await;
    let body = String::from_utf8_lossy(response.body()).into_owned();
    if response.status().is_success() { Ok(body) } else { Err(unexpected(&body)) }
}

/// A string member of a response.
fn text(response: &str, field: &str) -> Result<String, HostError> {
    let body: Value = serde_json::from_str(response).map_err(|_| unexpected(response))?;
    body.get(field).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| unexpected(response))
}

fn store_id(response: &str) -> Result<StoreId, HostError> {
    let id = text(response, "storeId")?.parse().ok().and_then(StoreId::new);
    id.ok_or_else(|| unexpected(response))
}

fn unexpected(response: &str) -> HostError {
    internal(&format!("unexpected response to a request of the demo data: {response}"))
}

fn internal(detail: &str) -> HostError {
    HostError::Internal { detail: detail.to_owned() }
}

fn address(street: &str, number: &str, neighborhood: &str, city: (&str, &str), zip: &str, at: [&str; 2]) -> String {
    let ((city, state), [latitude, longitude]) = (city, at);
    format!(
        r#"{{"street": "{street}", "number": "{number}", "neighborhood": "{neighborhood}", "city": "{city}",
        "state": "{state}", "zipCode": "{zip}", "latitude": {latitude}, "longitude": {longitude}}}"#
    )
}

const SAO_PAULO: (&str, &str) = ("São Paulo", "SP");
const MANAUS: (&str, &str) = ("Manaus", "AM");

/// The parent store and its branches. Only the parent's request uses `sandbox`; branches have the value of their parent.
fn stores() -> [String; 3] {
    let store = |cnpj: &str, name: &str, email: &str, phone: &str, address: String| {
        format!(
            r#"{{"cnpj": "{cnpj}", "name": "Cantina Demo — {name}", "email": "{email}", "password": "{PASSWORD}",
            "responsible": {{"name": "Equipe Demo", "phone": "{phone}"}}, "address": {address},
            "marketplaceBranchId": 1, "sandbox": true}}"#
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

/// The first order is the parent store's, the second and third are its branches'.
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
