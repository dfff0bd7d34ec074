//! Demo data: a sandbox store with two branches and a few orders, created through the API.
//!
//! The store's key is public, because the documentation prints it.

use std::fmt;

use bytes::Bytes;
use http::{Request, request::Builder};

use despacho_core::{
    api,
    changes::{Changes, Write},
    host::{CourierQuery, Host, HostError, OrderQuery, StoreQuery},
    model::{
        Cnpj, Duration, Email, OrderId, StoreId,
        courier::{Courier, CourierKey},
        order::OrderFilter,
        store::{Key, KeyHash},
    },
    rules::settings::Settings,
};
use serde_json::Value;

/// API key of the parent store.
pub const KEY: &str = "dsp_demo_this-key-is-public_do-not-use-it-in-production";
/// Password of the stores for the panel.
pub const PASSWORD: &str = "despacho-demo";
/// Email of the parent store for the panel.
pub const EMAIL: &str = "matriz@demo.despacho.example";

/// Key of the courier that [`sign_in`] registers. Its courier is not simulated, because the key is
/// valid.
pub const COURIER_KEY: &str = "dsp_demo_this-courier-is-public_do-not-use-it-in-production";

const YEARS_10: i64 = 10 * 365 * 24 * 60;
/// Operator token that is valid only for the requests of [`seed`].
const TOKEN: &str = "demo data";

/// The parent store's settings for the pages of recipients. The deliveries have links if the
/// deployment has a public URL.
const TRACKING: &str = r#"{"enabled": true, "contact": {"name": "Balcão", "text": "Todos os dias, das 10h às 22h"},
    "choices": ["DOORMAN", "NEIGHBOUR", "AT_DOOR"]}"#;

/// A store that prevents the creation of the demo data, because it has a value that only one store
/// can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The store.
    pub store: StoreId,
    /// Its CNPJ or email address, which a demo store has too.
    pub value: String,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Obstacle { store, value } = self;
        write!(
            f,
            "store {store} already has {value}, which belongs to the demo; use an empty database, or start without the demo"
        )
    }
}

/// The reason that the demo data was not created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeedError {
    /// The database contains other data that collides with it.
    Obstacle(Obstacle),
    /// The host failed, or a response was unexpected.
    Host(HostError),
}

impl From<HostError> for SeedError {
    fn from(error: HostError) -> SeedError {
        SeedError::Host(error)
    }
}

impl From<SeedError> for HostError {
    fn from(error: SeedError) -> HostError {
        match error {
            SeedError::Obstacle(obstacle) => internal(&obstacle.to_string()),
            SeedError::Host(error) => error,
        }
    }
}

impl fmt::Display for SeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeedError::Obstacle(obstacle) => obstacle.fmt(f),
            SeedError::Host(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SeedError {}

/// Returns a store that prevents the creation of the demo data. It is another merchant's, or the
/// demo's own if an earlier creation was interrupted on a database without a transaction around it.
///
/// # Errors
/// Returns the host's error.
pub async fn obstacle<H: Host>(host: &H) -> Result<Option<Obstacle>, HostError> {
    for body in stores() {
        let (cnpj, email) = (text(&body, "cnpj")?, text(&body, "email")?);
        let (valid_cnpj, valid_email) = (Cnpj::parse(&cnpj), Email::parse(&email));
        let valid_cnpj = valid_cnpj.map_err(|_| internal("the CNPJ of a demo store is invalid"))?;
        let valid_email =
            valid_email.map_err(|_| internal("the email address of a demo store is invalid"))?;
        let queries = [
            (StoreQuery::Cnpj(valid_cnpj.as_str()), cnpj),
            (StoreQuery::Email(&valid_email), email),
        ];
        for (query, value) in queries {
            if let Some(store) = host.find_stores(query).await?.first() {
                return Ok(Some(Obstacle {
                    store: store.id,
                    value,
                }));
            }
        }
    }
    Ok(None)
}

/// Creates the demo data unless it exists, and returns whether it was created.
///
/// # Errors
/// Returns the host's error, an internal error for an unexpected response, or the [`obstacle`].
pub async fn seed<H: Host>(host: &H, settings: &Settings) -> Result<bool, SeedError> {
    if host.key(&KeyHash::of(KEY)).await?.is_some() {
        return Ok(false);
    }
    if let Some(obstacle) = obstacle(host).await? {
        return Err(SeedError::Obstacle(obstacle));
    }
    let operator = Settings {
        operator: Some(KeyHash::of(TOKEN)),
        ..settings.clone()
    };
    let [parent, branches @ ..] = stores();
    let created = post(host, &operator, "/admin/matrices", TOKEN, parent).await?;
    let key = text(&created, "value")?;
    let own = store_id(&created)?;
    send(
        host,
        settings,
        Request::put(format!("/delivery/stores/{own}/tracking")),
        &key,
        TRACKING.to_owned(),
    )
    .await?;
    let mut opened = Vec::new();
    for branch in branches {
        opened.push(store_id(
            &post(host, settings, "/delivery/stores", &key, branch).await?,
        )?);
    }
    for (number, preparation) in (1..).zip([20, 0, 5]) {
        let order = order(number, &format!("DEMO-{number}"), preparation, &opened);
        post(host, settings, "/delivery/orders", &key, order).await?;
    }
    publish(host, &key).await?;
    Ok(true)
}

/// Issues a sign-in code for the demo's courier, who is registered first if there is none. Returns
/// `None` if the operator removed the courier.
///
/// # Errors
/// Returns the host's error, or an internal error for an unexpected response.
pub async fn sign_in<H: Host>(host: &H, settings: &Settings) -> Result<Option<String>, HostError> {
    let operator = Settings {
        operator: Some(KeyHash::of(TOKEN)),
        ..settings.clone()
    };
    let courier = match courier_with(host, COURIER_KEY).await? {
        Some(courier) => courier,
        None => register_courier(host, &operator).await?,
    };
    if courier.removed_at.is_some() {
        return Ok(None);
    }
    let path = format!("/admin/couriers/{}/sign-in", courier.id);
    let issued = post(host, &operator, &path, TOKEN, String::new()).await?;
    text(&issued, "value").map(Some)
}

/// Registers the demo's courier with the public key. The courier is not available until a person
/// signs in: otherwise dispatch would wait for that person instead of using simulated couriers.
async fn register_courier<H: Host>(host: &H, operator: &Settings) -> Result<Courier, HostError> {
    let new = r#"{"name": "Dani Demo", "phone": "+5511990000300", "sandbox": true, "expiresInDays": 3650}"#;
    let registered = post(host, operator, "/admin/couriers", TOKEN, new.to_owned()).await?;
    let found = courier_with(host, &text(&registered, "value")?).await?;
    let courier = found.ok_or_else(|| internal("the registered courier no longer exists"))?;
    let key = courier.key.clone().map(|key| CourierKey {
        hash: KeyHash::of(COURIER_KEY),
        ..key
    });
    let value = Courier {
        key,
        version: courier.version + 1,
        ..courier.clone()
    };
    let mut changes = Changes {
        at: host.exec_context().now,
        ..Changes::default()
    };
    changes.couriers.push(Write {
        expected: courier.version,
        value: value.clone(),
    });
    host.commit(&changes).await?;
    Ok(value)
}

async fn courier_with<H: Host>(host: &H, key: &str) -> Result<Option<Courier>, HostError> {
    Ok(host
        .find_couriers(CourierQuery::Key(&KeyHash::of(key)))
        .await?
        .pop())
}

/// Number of open demo orders at any time.
pub const OPEN_ORDERS: u32 = 3;
/// Preparation times in minutes of the orders that replace ended ones. They are long to create few
/// orders per day.
const REPLACEMENT_MINUTES: [u32; OPEN_ORDERS as usize] = [25, 40, 10];

/// Returns the number of orders to create until [`OPEN_ORDERS`] are open, or 0 without demo data.
///
/// # Errors
/// Returns the host's error.
pub async fn missing_orders<H: Host>(host: &H) -> Result<u32, HostError> {
    let Some(holder) = host.key(&KeyHash::of(KEY)).await? else {
        return Ok(0);
    };
    let filter = OrderFilter {
        statuses: (0, 499),
        ..OrderFilter::of(&holder.store)
    };
    let open = host
        .find_orders(OrderQuery::Matching(&filter, OPEN_ORDERS))
        .await?
        .len();
    Ok(OPEN_ORDERS - u32::try_from(open).unwrap_or(OPEN_ORDERS).min(OPEN_ORDERS))
}

/// Creates the orders that [`missing_orders`] counts and returns their number.
///
/// # Errors
/// Returns the host's error, or an internal error for an unexpected response.
pub async fn replace_ended_orders<H: Host>(
    host: &H,
    settings: &Settings,
) -> Result<u32, HostError> {
    let missing = missing_orders(host).await?;
    let Some(holder) = host.key(&KeyHash::of(KEY)).await?.filter(|_| missing > 0) else {
        return Ok(0);
    };
    let stores = host
        .find_stores(StoreQuery::WithBranches {
            store: holder.store.id,
            after: Some(holder.store.id),
            limit: OPEN_ORDERS,
        })
        .await?;
    let branches: Vec<StoreId> = stores.into_iter().map(|store| store.id).collect();
    let mut ids = host.ids(missing).await?;
    for preparation in REPLACEMENT_MINUTES
        .into_iter()
        .skip((OPEN_ORDERS - missing) as usize)
    {
        // A code with a new ID is unique.
        let id = ids
            .take(OrderId::new)
            .ok_or_else(|| internal("no ID is left"))?;
        let preparation = preparation.min(settings.limits.preparation_minutes);
        let order = order(
            id.get() % 3 + 1,
            &format!("DEMO-{id}"),
            preparation,
            &branches,
        );
        post(host, settings, "/delivery/orders", KEY, order).await?;
    }
    Ok(missing)
}

/// Replaces the parent store's random key with the public one.
async fn publish<H: Host>(host: &H, random_key: &str) -> Result<(), HostError> {
    let now = host.exec_context().now;
    let holder = host
        .key(&KeyHash::of(random_key))
        .await?
        .ok_or_else(|| internal("the random key no longer exists"))?;
    let expires_at = now.after(Duration::minutes(YEARS_10));
    let key = Key {
        hash: KeyHash::of(KEY),
        expires_at,
        version: holder.key.version + 1,
        ..holder.key.clone()
    };
    let mut changes = Changes {
        at: now,
        ..Changes::default()
    };
    changes.keys.push(Write {
        expected: holder.key.version,
        value: key,
    });
    host.commit(&changes).await
}

/// Sends a request and returns the body of a successful response.
async fn post<H: Host>(
    host: &H,
    settings: &Settings,
    path: &str,
    token: &str,
    body: String,
) -> Result<String, HostError> {
    send(host, settings, Request::post(path), token, body).await
}

async fn send<H: Host>(
    host: &H,
    settings: &Settings,
    request: Builder,
    token: &str,
    body: String,
) -> Result<String, HostError> {
    let request = request
        .header("content-type", "application/json")
        .header("x-api-token", token);
    let request = request
        .body(Bytes::from(body))
        .map_err(|error| internal(&error.to_string()))?;
    let response = api::handle(host, settings, request).await;
    let body = String::from_utf8_lossy(response.body()).into_owned();
    if response.status().is_success() {
        Ok(body)
    } else {
        Err(unexpected(&body))
    }
}

/// Returns a string member of a response.
fn text(response: &str, field: &str) -> Result<String, HostError> {
    let body: Value = serde_json::from_str(response).map_err(|_| unexpected(response))?;
    body.get(field)
        .and_then(Value::as_str)
        .map(str::to_owned)
        .ok_or_else(|| unexpected(response))
}

fn store_id(response: &str) -> Result<StoreId, HostError> {
    let id = text(response, "storeId")?
        .parse()
        .ok()
        .and_then(StoreId::new);
    id.ok_or_else(|| unexpected(response))
}

fn unexpected(response: &str) -> HostError {
    internal(&format!(
        "unexpected response while creating the demo data: {response}"
    ))
}

fn internal(detail: &str) -> HostError {
    HostError::Internal {
        detail: detail.to_owned(),
    }
}

fn address(
    street: &str,
    number: &str,
    neighborhood: &str,
    city: (&str, &str),
    zip: &str,
    at: [&str; 2],
) -> String {
    let ((city, state), [latitude, longitude]) = (city, at);
    format!(
        r#"{{"street": "{street}", "number": "{number}", "neighborhood": "{neighborhood}", "city": "{city}",
        "state": "{state}", "zipCode": "{zip}", "latitude": {latitude}, "longitude": {longitude}}}"#
    )
}

const SAO_PAULO: (&str, &str) = ("São Paulo", "SP");
const MANAUS: (&str, &str) = ("Manaus", "AM");

/// Returns the requests for the parent store and its branches, which inherit `sandbox`.
fn stores() -> [String; 3] {
    let store = |cnpj: &str, name: &str, email: &str, phone: &str, address: String| {
        let sandbox = if email == EMAIL {
            r#", "sandbox": true"#
        } else {
            ""
        };
        format!(
            r#"{{"cnpj": "{cnpj}", "name": "Cantina Demo — {name}", "email": "{email}", "password": "{PASSWORD}",
            "responsible": {{"name": "Equipe Demo", "phone": "{phone}"}}, "address": {address},
            "marketplaceBranchId": 1{sandbox}}}"#
        )
    };
    [
        store(
            "DE.SPA.CHO/0001-94",
            "Matriz",
            EMAIL,
            "+5511990000100",
            address(
                "Avenida Paulista",
                "1578",
                "Bela Vista",
                SAO_PAULO,
                "01310-200",
                ["-23.5614", "-46.6559"],
            ),
        ),
        store(
            "DE.SPA.CHO/0002-75",
            "Centro",
            "centro@demo.despacho.example",
            "+5511990000101",
            address(
                "Rua Barão de Itapetininga",
                "255",
                "República",
                SAO_PAULO,
                "01042-001",
                ["-23.5446", "-46.6406"],
            ),
        ),
        store(
            "DE.SPA.CHO/0003-56",
            "Manaus",
            "manaus@demo.despacho.example",
            "+5592990000102",
            address(
                "Avenida Eduardo Ribeiro",
                "520",
                "Centro",
                MANAUS,
                "69010-001",
                ["-3.1316", "-60.0234"],
            ),
        ),
    ]
}

/// Returns the request for an order. Order 1 belongs to the parent store, the others to its
/// branches.
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
        address(
            "Rua Augusta",
            "1508",
            "Consolação",
            SAO_PAULO,
            "01304-001",
            ["-23.5578", "-46.6600"],
        ),
    );
    let joao = delivery(
        "João Pereira",
        "+5511990000202",
        false,
        address(
            "Rua Vergueiro",
            "1000",
            "Paraíso",
            SAO_PAULO,
            "01504-000",
            ["-23.5712", "-46.6401"],
        ),
    );
    let rita = delivery(
        "Rita Gomes",
        "+5592990000203",
        true,
        address(
            "Rua 10 de Julho",
            "481",
            "Centro",
            MANAUS,
            "69010-060",
            ["-3.1289", "-60.0228"],
        ),
    );
    let (branch, times, deliveries) = match number {
        1 => (None, true, format!("{maria}, {joao}")),
        2 => (branches.first(), false, maria),
        _ => (branches.get(1), true, rita),
    };
    let store = branch
        .map(|id| format!(r#""store": {{"userPlatformId": {}}}, "#, id.get()))
        .unwrap_or_default();
    format!(
        r#"{{{store}"code": "{code}", "preparationTime": {preparation}, "previewDeliveryTime": {times},
        "deliveries": [{deliveries}]}}"#
    )
}
