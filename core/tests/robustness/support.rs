//! Creates hosts with demo data and sends requests to them.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use despacho_core::{
    api,
    host::Host,
    memory::MemoryHost,
    model::store::KeyHash,
    rules::{
        limits::Limits,
        settings::{Secret, Settings},
    },
};
use despacho_simulator::demo::{self, KEY};
use http::{HeaderMap, Request, Response};
use serde_json::{Value, json};

/// The operator's token.
pub(crate) const OPERATOR: &str = "operator-token-of-these-tests";

/// A response with a decoded body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Returns the status and, for errors, the problem code.
    pub(crate) fn outcome(&self) -> (u16, Option<&str>) {
        (
            self.status,
            self.body["code"].as_str().filter(|_| self.status >= 400),
        )
    }
}

impl From<Response<Bytes>> for Reply {
    fn from(response: Response<Bytes>) -> Reply {
        let (parts, body) = response.into_parts();
        let is_json = parts
            .headers
            .get("content-type")
            .is_some_and(|kind| kind.to_str().unwrap().contains("json"));
        let body = if is_json {
            serde_json::from_slice(&body).unwrap()
        } else {
            Value::Null
        };
        Reply {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body,
        }
    }
}

/// Completes a future of the in-memory host, which never waits, with a single poll.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("future of the in-memory host is pending"),
    }
}

/// Returns settings with an operator, a secret, and quotas high enough that tests do not reach them
/// unintentionally.
pub(crate) fn settings() -> Settings {
    let limits = Limits {
        previews_per_minute: 60_000,
        writes_per_minute: 60_000,
        ..Limits::default()
    };
    let operator = Some(KeyHash::of(OPERATOR));
    Settings {
        limits,
        operator,
        secret: Secret([42; 32]),
        ..Settings::default()
    }
}

/// Creates a host with demo data.
pub(crate) fn demo_host() -> MemoryHost {
    let host = MemoryHost::seeded(1);
    assert_eq!(block_on(demo::seed(&host, &settings())), Ok(true));
    host
}

/// Builds a request with the key of the demo parent store, unless the headers contain another key.
pub(crate) fn request(
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Request<Bytes> {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", "application/json");
    // Several tests send the same body to endpoints that accept different fields of it.
    request = request.header("prefer", "handling=lenient");
    if !headers.iter().any(|(name, _)| *name == "x-api-token") {
        request = request.header("x-api-token", KEY);
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(body.into()).unwrap()
}

/// Sends a request with the given settings.
pub(crate) fn send(host: &impl Host, settings: &Settings, request: Request<Bytes>) -> Reply {
    block_on(api::handle(host, settings, request)).into()
}

/// Sends a `POST` request with a JSON body.
pub(crate) fn post(host: &impl Host, path: &str, headers: &[(&str, &str)], body: &Value) -> Reply {
    send(
        host,
        &settings(),
        request("POST", path, headers, body.to_string()),
    )
}

/// Sends a `GET` request.
pub(crate) fn get(host: &impl Host, path: &str, headers: &[(&str, &str)]) -> Reply {
    send(host, &settings(), request("GET", path, headers, ""))
}

/// Returns an address in São Paulo.
pub(crate) fn address(number: &str, latitude: f64, longitude: f64) -> Value {
    json!({
        "street": "Rua Augusta", "number": number, "complement": "ap. 12", "neighborhood": "Consolação",
        "city": "São Paulo", "state": "SP", "zipCode": "01304-001", "latitude": latitude, "longitude": longitude,
    })
}

/// Returns the body of an order with all fields of the contract.
pub(crate) fn order(code: &str) -> Value {
    json!({
        "code": code, "fullCode": format!("{code}-full"), "preparationTime": 20, "previewDeliveryTime": true,
        "sortByBestRoute": true, "pickupAddress": address("1500", -23.5558, -46.6582), "store": {},
        "deliveries": [
            {
                "code": "D1", "fullCode": "D1-full", "pickupCode": "1234", "name": "Maria", "phone": "+5511999990000",
                "observation": "portão azul", "address": address("900", -23.5530, -46.6560), "onlinePayment": true,
                "productValue": 57.9,
                "confirmation": {
                    "marketplaceA": { "orderId": "a-1" }, "marketplaceA_webhook": { "order_id": "a-2" },
                    "marketplaceB": { "order_id": "b-1" }, "platform": true,
                },
            },
            {
                "code": "D2", "name": "José", "phone": "+5511999990001", "address": address("1100", -23.5540, -46.6570),
                "onlinePayment": false, "productValue": 10,
            },
        ],
    })
}

/// Returns the body of a new store, with a prepaid floor if given.
pub(crate) fn store(cnpj: &str, email: &str, floor: Option<f64>) -> Value {
    let mut store = json!({
        "cnpj": cnpj, "name": "Loja de Teste", "email": email, "password": "uma senha bem longa",
        "responsible": { "name": "Rui Costa", "phone": "+5511999990002" }, "marketplaceBranchId": 2,
        "address": address("1500", -23.5558, -46.6582),
    });
    if let Some(floor) = floor {
        store["prepaidFloor"] = json!(floor);
    }
    store
}

/// Creates a parent store and returns its key and ID.
pub(crate) fn parent_store(
    host: &impl Host,
    cnpj: &str,
    email: &str,
    floor: Option<f64>,
) -> (String, u64) {
    let created = post(
        host,
        "/admin/matrices",
        &[("x-api-token", OPERATOR)],
        &store(cnpj, email, floor),
    );
    assert_eq!(created.status, 201, "{}", created.body);
    let id = created.body["storeId"].as_str().unwrap().parse().unwrap();
    (created.body["value"].as_str().unwrap().to_owned(), id)
}

/// Returns a store's notifications, newest first.
pub(crate) fn notifications(host: &impl Host, headers: &[(&str, &str)]) -> Vec<Value> {
    get(host, "/delivery/notifications", headers).body["notifications"]
        .as_array()
        .unwrap()
        .clone()
}
