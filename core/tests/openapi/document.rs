//! Generates the OpenAPI document, with requests and responses of the in-memory host as examples.

use std::{
    future::Future,
    pin::pin,
    rc::Rc,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use despacho_core::{
    api::{
        self,
        openapi::{Example, Json},
    },
    host::HostError,
    json::Tree,
    memory::MemoryHost,
    model::{Duration, PixKey, Timestamp, store::KeyHash},
    rules::{
        limits::Limits,
        push::{PushConfig, VapidKey},
        settings::Settings,
        top_ups::PixConfig,
    },
};
use despacho_simulator::demo::{self, KEY};
use http::Request;
use serde_json::{Value, json};

pub(crate) const OPERATOR: &str = "an operator's token";

/// Sends a request to each endpoint that accepts or returns JSON.
///
/// # Errors
/// Returns the response of the first request that failed.
pub(crate) fn record(probe: &Probe) -> Result<Vec<Example>, HostError> {
    let run = Run::new(7, probe);
    block_on(demo::seed(&run.host, &run.settings))??;
    run.host.advance(Duration::minutes(1));
    let mut examples = vec![
        run.record(
            "previewOrder",
            "POST /delivery/orders/preview",
            KEY,
            Some(preview()),
        )?,
        run.record("previewContext", "GET /delivery/preview-context", KEY, None)?,
        run.record("createOrder", "POST /delivery/orders", KEY, Some(order()))?,
    ];
    let id = examples
        .get(2)
        .and_then(|example| example.response.as_ref()?.get("id").cloned());
    let id = id.map_or_else(String::new, |id| id.to_json());
    examples.push(run.record("getOrder", &format!("GET /delivery/orders/{id}"), KEY, None)?);
    let created = run.record("createStore", "POST /delivery/stores", KEY, Some(branch()))?;
    let value = |name: &str| {
        let value = created
            .response
            .as_ref()
            .and_then(|reply| reply.get(name))
            .and_then(Json::as_str);
        value.unwrap_or_default().to_owned()
    };
    let (key, store) = (value("value"), value("storeId"));
    examples.push(created);
    examples.push(run.record("updateStore", "PUT /delivery/stores", &key, Some(update()))?);
    examples.push(run.record(
        "getStore",
        &format!("GET /delivery/stores/{store}"),
        KEY,
        None,
    )?);
    let address = json!({ "street": "Avenida Paulista", "number": "1578", "city": "São Paulo", "state": "SP" });
    examples.push(run.record(
        "locateAddress",
        "POST /delivery/location",
        KEY,
        Some(address),
    )?);
    let rules = json!({ "rules": [{ "step": "DELIVERY", "requires": ["NAME", "PHOTO"] }] });
    let path = format!("/delivery/stores/{store}/proofs");
    examples.push(run.record("setProofRules", &format!("PUT {path}"), KEY, Some(rules))?);
    examples.push(run.record("getProofRules", &format!("GET {path}"), KEY, None)?);
    examples.extend(coverage(&run, &store)?);
    let login = json!({ "email": demo::EMAIL, "password": demo::PASSWORD });
    examples.push(run.record("createSession", "POST /delivery/sessions", "", Some(login))?);
    let issue = json!({ "storeId": store.parse::<u64>().unwrap_or(0), "name": "Till 2", "expiresInDays": 90 });
    examples.push(run.record("issueKey", "POST /delivery/keys", KEY, Some(issue.clone()))?);
    examples.push(run.record(
        "listKeys",
        &format!("GET /delivery/keys?storeId={store}"),
        KEY,
        None,
    )?);
    // A failed creation creates a notification.
    let mut invalid = order();
    invalid["code"] = json!("PED-1043");
    invalid["deliveries"][0]["address"]["zipCode"] = json!("0131");
    let failed = run.send("POST /delivery/orders", KEY, Some(&invalid))?;
    if failed.status() != 422 {
        return Err(internal("the invalid order was not rejected"));
    }
    let listed = run.record(
        "listNotifications",
        "GET /delivery/notifications?limit=1",
        KEY,
        None,
    )?;
    let id = listed
        .response
        .as_ref()
        .and_then(|page| match page.get("notifications")? {
            Json::List(items) => items.first()?.get("id").cloned(),
            _ => None,
        });
    let id = id.map_or_else(String::new, |id| id.to_json());
    examples.push(listed);
    let path = format!("POST /delivery/notifications/{id}/read");
    examples.push(run.record("readNotification", &path, KEY, None)?);
    examples.extend(integration(&run)?);
    examples.push(run.record(
        "createMatrix",
        "POST /admin/matrices",
        OPERATOR,
        Some(parent_store()),
    )?);
    examples.push(run.record("adminIssueKey", "POST /admin/keys", OPERATOR, Some(issue))?);
    examples.push(run.record(
        "adminListKeys",
        &format!("GET /admin/keys?storeId={store}"),
        OPERATOR,
        None,
    )?);
    examples.extend(accounts(&run, &store)?);
    examples.extend(fleet(&run)?);
    examples.extend(privacy(&run)?);
    Ok(examples)
}

/// Records examples of opening hours, service areas and coverage.
fn coverage(run: &Run, store: &str) -> Result<Vec<Example>, HostError> {
    let hours = json!({
        "hours": [
            { "days": ["tue", "wed", "thu"], "from": "11:00", "until": "23:00" },
            { "days": ["fri", "sat"], "from": "11:00", "until": "02:00" },
        ],
        "exceptions": [
            { "date": "2026-12-24", "from": "11:00", "until": "17:00", "name": "Véspera de Natal" },
            { "date": "2026-12-25", "closed": true, "name": "Natal" },
        ],
    });
    let ring = json!([
        [-46.70, -23.55],
        [-46.62, -23.55],
        [-46.62, -23.60],
        [-46.70, -23.60],
        [-46.70, -23.55]
    ]);
    let area = json!({ "serviceArea": { "type": "Polygon", "coordinates": [ring] } });
    let paths = ["hours", "service-area"].map(|name| format!("/delivery/stores/{store}/{name}"));
    let query = format!("latitude=-23.5530&longitude=-46.6560&preparationTime=15&storeId={store}");
    Ok(vec![
        run.record(
            "setStoreHours",
            &format!("PUT {}", paths[0]),
            KEY,
            Some(hours),
        )?,
        run.record("getStoreHours", &format!("GET {}", paths[0]), KEY, None)?,
        run.record(
            "setStoreArea",
            &format!("PUT {}", paths[1]),
            KEY,
            Some(area),
        )?,
        run.record("getStoreArea", &format!("GET {}", paths[1]), KEY, None)?,
        run.record(
            "getCoverage",
            &format!("GET /delivery/coverage?{query}"),
            KEY,
            None,
        )?,
    ])
}

/// Records examples of users, sessions and the audit log.
fn accounts(run: &Run, store: &str) -> Result<Vec<Example>, HostError> {
    let new = json!({ "name": "Bia Rocha", "email": "bia@cantina.example", "role": "CLERK" });
    let created = run.record("createUser", "POST /delivery/users", KEY, Some(new))?;
    let user = created
        .response
        .as_ref()
        .and_then(|reply| reply.get("user"));
    let member = |name: &str| {
        user.and_then(|user| user.get(name))
            .map_or_else(String::new, Json::to_json)
    };
    let path = format!("/delivery/users/{}", member("id"));
    let users = format!("GET /admin/stores/{}/users", member("storeId"));
    let link = format!("POST /admin/stores/{store}/password-link");
    Ok(vec![
        created,
        run.record("listUsers", "GET /delivery/users", KEY, None)?,
        run.record(
            "updateUser",
            &format!("PATCH {path}"),
            KEY,
            Some(json!({ "role": "OWNER" })),
        )?,
        run.record(
            "createPasswordLink",
            &format!("POST {path}/password-link"),
            KEY,
            Some(json!({})),
        )?,
        run.record("adminPasswordLink", &link, OPERATOR, Some(json!({})))?,
        run.record("adminListUsers", &users, OPERATOR, None)?,
        run.record("listSessions", "GET /delivery/sessions", KEY, None)?,
        run.record("listAudit", "GET /delivery/audit?limit=2", KEY, None)?,
        run.record("adminListAudit", "GET /admin/audit?limit=2", OPERATOR, None)?,
    ])
}

/// Records examples of couriers and dispatch.
fn fleet(run: &Run) -> Result<Vec<Example>, HostError> {
    let new = json!({ "name": "Ana Souza", "phone": "+5511990000011", "document": "123.456.789-09", "profileId": 4711 });
    let registered = run.record(
        "registerCourier",
        "POST /admin/couriers",
        OPERATOR,
        Some(new),
    )?;
    let member = |name: &str| {
        registered
            .response
            .as_ref()
            .and_then(|reply| reply.get(name))
            .cloned()
    };
    let key = member("value")
        .as_ref()
        .and_then(Json::as_str)
        .unwrap_or_default()
        .to_owned();
    let id = member("id").map_or_else(String::new, |id| id.to_json());
    let position = json!({ "latitude": -23.5600, "longitude": -46.6570, "accuracy": 12, "at": "2026-11-21T14:01:00Z" });
    let issued = run.record("createDeviceKey", "POST /courier/device", &key, None)?;
    let device = issued
        .response
        .as_ref()
        .and_then(|reply| reply.get("value"))
        .and_then(Json::as_str)
        .unwrap_or_default();
    let query =
        format!("GET /courier/positions/osmand?id={device}&lat=-23.5600&lon=-46.6570&accuracy=12");
    let report = json!({
        "location": {
            "timestamp": "2026-11-21T14:01:00.000Z",
            "coords": { "latitude": -23.5600, "longitude": -46.6570, "accuracy": 12 },
        },
        "device_id": device,
    });
    let reports = [
        run.record("reportOsmandQuery", &query, "", None)?,
        run.record(
            "reportOsmand",
            "POST /courier/positions/osmand",
            "",
            Some(report),
        )?,
    ];
    let link = run.record(
        "createSignInCode",
        &format!("POST /admin/couriers/{id}/sign-in"),
        OPERATOR,
        None,
    )?;
    let code = link
        .response
        .as_ref()
        .and_then(|reply| reply.get("value"))
        .and_then(Json::as_str)
        .unwrap_or_default();
    let sign_in = run.record(
        "startCourierSession",
        "POST /courier/session",
        "",
        Some(json!({ "code": code })),
    )?;
    let available = json!({ "available": true });
    let (path, change) = (
        format!("/admin/couriers/{id}"),
        json!({ "phone": "+5511990000012", "newKey": true }),
    );
    let mut examples = vec![
        registered,
        link,
        sign_in,
        run.record(
            "reportPosition",
            "POST /courier/position",
            &key,
            Some(position),
        )?,
        issued,
        run.record(
            "setAvailability",
            "POST /courier/availability",
            &key,
            Some(available),
        )?,
        run.record("runDispatch", "POST /admin/dispatch", OPERATOR, None)?,
        run.record("showCourier", "GET /courier/me", &key, None)?,
        run.record("getPushKey", "GET /courier/push", &key, None)?,
        run.record(
            "listCouriers",
            "GET /admin/couriers?limit=1",
            OPERATOR,
            None,
        )?,
        run.record("getCourier", &format!("GET {path}"), OPERATOR, None)?,
        run.record(
            "alterCourier",
            &format!("PATCH {path}"),
            OPERATOR,
            Some(change),
        )?,
    ];
    examples.extend(reports);
    Ok(examples)
}

/// Records examples of recipients' personal data.
fn privacy(run: &Run) -> Result<Vec<Example>, HostError> {
    let recipient = || json!({ "phone": "+5511988887777" });
    Ok(vec![
        run.record(
            "exportRecipient",
            "POST /admin/privacy/export",
            OPERATOR,
            Some(recipient()),
        )?,
        run.record(
            "eraseRecipient",
            "POST /admin/privacy/erase",
            OPERATOR,
            Some(recipient()),
        )?,
        run.record(
            "listErasures",
            "GET /admin/privacy/erasures?limit=1",
            OPERATOR,
            None,
        )?,
    ])
}

/// Records examples of events, webhooks, top-ups and statements.
fn integration(run: &Run) -> Result<Vec<Example>, HostError> {
    let receiver = json!({ "url": "https://loja.example/despacho", "events": ["order.created", "order.expired"] });
    let created = run.record(
        "createWebhook",
        "POST /delivery/webhooks",
        KEY,
        Some(receiver),
    )?;
    let id = created
        .response
        .as_ref()
        .and_then(|reply| reply.get("id").cloned());
    let id = id.map_or_else(String::new, |id| id.to_json());
    let listed = run.send("GET /delivery/keys", KEY, None)?;
    let keys: Value =
        serde_json::from_slice(listed.body()).map_err(|error| internal(&error.to_string()))?;
    let store = keys["keys"][0]["storeId"].as_str().unwrap_or_default();
    let password = json!({ "currentPassword": "correct horse battery" });
    let payment = json!({ "amount": 250, "reference": "PIX-2026-11-21-7" });
    let top_ups = format!("POST /admin/stores/{store}/top-ups");
    let statement = format!("GET /admin/stores/{store}/statement?limit=1");
    Ok(vec![
        run.record("listEvents", "GET /delivery/events?limit=1", KEY, None)?,
        created,
        run.record("listWebhooks", "GET /delivery/webhooks", KEY, None)?,
        run.record(
            "rotateWebhook",
            &format!("POST /delivery/webhooks/{id}/rotate"),
            KEY,
            Some(password),
        )?,
        run.record(
            "enableWebhook",
            &format!("POST /delivery/webhooks/{id}/enable"),
            KEY,
            None,
        )?,
        run.record(
            "testWebhook",
            &format!("POST /delivery/webhooks/{id}/test"),
            KEY,
            None,
        )?,
        run.record(
            "listAttempts",
            &format!("GET /delivery/webhooks/{id}/attempts"),
            KEY,
            None,
        )?,
        run.record("topUpStore", &top_ups, OPERATOR, Some(payment))?,
        run.record("getStoreStatement", &statement, OPERATOR, None)?,
        run.record("getStatement", "GET /delivery/statement?limit=1", KEY, None)?,
    ])
}

pub(crate) struct Run {
    pub(crate) host: MemoryHost,
    pub(crate) settings: Settings,
    pub(crate) probe: Probe,
}

/// A function that receives each recorded request that has a body before it is sent: its method and
/// path, its key, and the body.
pub(crate) type Probe = Rc<dyn Fn(&Run, (&str, &str, &Value))>;

impl Run {
    /// Creates an empty host with a fixed time.
    pub(crate) fn new(seed: u64, probe: &Probe) -> Run {
        let push = PushConfig {
            vapid_key: VapidKey::new([7; 32]),
            contact: Some("https://entregas.example".to_owned()),
        };
        let public_url = Some("https://entregas.example".to_owned());
        let operator = Some(KeyHash::of(OPERATOR));
        let host = MemoryHost::seeded(seed);
        host.set_now(Timestamp::from_millis(1_795_269_600_000)); // 2026-11-21T14:00:00Z
        Run {
            host,
            settings: Settings {
                operator,
                push,
                pix: PixConfig {
                    key: PixKey::parse("pix@entregas.example").ok(),
                    name: Some("Entregas Exemplo".to_owned()),
                    city: Some("São Paulo".to_owned()),
                    ..PixConfig::default()
                },
                public_url,
                // A probe sends several hundred requests in the same minute.
                limits: Limits {
                    previews_per_minute: 60_000,
                    writes_per_minute: 60_000,
                    logins_per_15_minutes: 60_000,
                    registrations_per_day: 60_000,
                    ..Limits::default()
                },
                ..Settings::default()
            },
            probe: Rc::clone(probe),
        }
    }

    /// Sends a request. The response of an example is absent if it has no body.
    pub(crate) fn record(
        &self,
        operation: &'static str,
        line: &str,
        key: &str,
        body: Option<Value>,
    ) -> Result<Example, HostError> {
        if let Some(body) = &body {
            (self.probe)(self, (line, key, body));
        }
        let response = self.send(line, key, body.as_ref())?;
        if !response.status().is_success() {
            return Err(internal(&format!(
                "{line}: {}",
                String::from_utf8_lossy(response.body())
            )));
        }
        let reply = Some(response.body()).filter(|body| !body.is_empty());
        let reply = reply
            .map(|body| serde_json::from_slice(body).and_then(|reply: Tree<'_>| Json::of(&reply)));
        let reply = reply
            .transpose()
            .map_err(|error| internal(&error.to_string()))?;
        let request = body
            .as_ref()
            .map(Json::of)
            .transpose()
            .map_err(|error| internal(&error.to_string()))?;
        Ok(Example {
            operation,
            request,
            response: reply,
        })
    }

    pub(crate) fn send(
        &self,
        line: &str,
        key: &str,
        body: Option<&Value>,
    ) -> Result<http::Response<Bytes>, HostError> {
        let (method, path) = line.split_once(' ').unwrap_or_default();
        let has_scheme = key.starts_with("Basic ") || key.starts_with("Bearer ");
        let header = if has_scheme {
            "authorization"
        } else {
            "x-api-token"
        };
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header, key);
        let request = request
            .header("content-type", "application/json")
            .header("x-request-id", "example-1");
        let request = request.header("accept", "application/json");
        let body = body.map_or_else(Bytes::new, |body| Bytes::from(body.to_string()));
        let request = request
            .body(body)
            .map_err(|error| internal(&error.to_string()))?;
        block_on(api::handle(&self.host, &self.settings, request))
    }
}

/// Completes a future of the in-memory host, which never waits, with a single poll.
pub(crate) fn block_on<F: Future>(future: F) -> Result<F::Output, HostError> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Ok(output),
        Poll::Pending => Err(internal("future of the in-memory host is pending")),
    }
}

pub(crate) fn internal(detail: &str) -> HostError {
    HostError::Internal {
        detail: detail.to_owned(),
    }
}

fn first_address() -> Value {
    json!({
    "street": "Rua Augusta", "number": "900", "complement": "ap. 52", "neighborhood": "Consolação",
    "city": "São Paulo", "state": "SP", "zipCode": "01304-001", "latitude": -23.5530, "longitude": -46.6560,
    })
}

fn second_address() -> Value {
    json!({
    "street": "Rua Haddock Lobo", "number": "1500", "city": "São Paulo", "state": "SP",
    "latitude": -23.5622, "longitude": -46.6680,
    })
}

pub(crate) fn order() -> Value {
    json!({
    "code": "PED-1042",
    "preparationTime": 15,
    "previewDeliveryTime": true,
    "sortByBestRoute": true,
    "deliveries": [
    {
    "code": "1042-A", "name": "Maria Silva", "phone": "+5511999990000", "observation": "Ring twice",
    "address": first_address(), "onlinePayment": true, "productValue": 57.9,
    "confirmation": { "platform": true },
    },
    { "code": "1042-B", "name": "José Santos", "phone": "+5511999990001", "address": second_address(), "onlinePayment": true },
    ],
    })
}

fn preview() -> Value {
    json!({
    "preparationTime": 15,
    "previewDeliveryTime": true,
    "sortByBestRoute": true,
    "deliveries": [
    { "orderRoute": 1, "address": first_address(), "onlinePayment": true },
    { "orderRoute": 2, "address": second_address(), "onlinePayment": true },
    ],
    })
}

fn branch() -> Value {
    json!({
    "cnpj": "12.ABC.345/01DE-35",
    "name": "Cantina da Praça — Pinheiros",
    "responsible": { "name": "Rui Costa", "phone": "+5511999990002" },
    "email": "pinheiros@cantina.example",
    "password": "a long password",
    "address": {
    "street": "Rua dos Pinheiros", "number": "320", "city": "São Paulo", "state": "SP",
    "zipCode": "05422-000", "latitude": -23.5650, "longitude": -46.6800,
    },
    "marketplaceBranchId": 1,
    })
}

fn update() -> Value {
    let mut update = branch();
    if let Some(members) = update.as_object_mut() {
        members.retain(|name, _| {
            matches!(name.as_str(), "name" | "responsible" | "email" | "address")
        });
    }
    update["responsible"]["name"] = json!("Lia Rocha");
    update
}

pub(crate) fn parent_store() -> Value {
    let mut store = branch();
    store["cnpj"] = json!("34.028.316/0001-03");
    store["name"] = json!("Cantina da Serra");
    store["email"] = json!("matriz@cantina.example");
    store["prepaidFloor"] = json!(0);
    store
}
