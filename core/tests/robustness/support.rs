//! A host with demonstration data, and requests to it.

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

/// An answer, read.
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

    /// Status and problem code, or no code for a success.
    pub(crate) fn outcome(&self) -> (u16, Option<&str>) {
        (self.status, self.body["code"].as_str().filter(|_| self.status >= 400))
    }
}

impl From<Response<Bytes>> for Reply {
    fn from(response: Response<Bytes>) -> Reply {
        let (parts, body) = response.into_parts();
        let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
        Reply { status: parts.status.as_u16(), headers: parts.headers, body }
    }
}

/// The in-memory host never waits, so one poll is the whole future.
pub(crate) fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the in-memory host waited"),
    }
}

/// Settings with an operator, a secret, and quotas that no test meets by chance.
pub(crate) fn settings() -> Settings {
    let limits = Limits { previews_per_minute: 60_000, writes_per_minute: 60_000, ..Limits::default() };
    let operator = Some(KeyHash::of(OPERATOR));
    Settings { limits, operator, secret: Secret([42; 32]), ..Settings::default() }
}

/// A host with demonstration data.
pub(crate) fn demo_host() -> MemoryHost {
    let host = MemoryHost::seeded(1);
    assert_eq!(now(demo::seed(&host, &settings())), Ok(true));
    host
}

/// A request with the demonstration matrix's key, unless the headers say otherwise.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Request<Bytes> {
    let mut request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    if !headers.iter().any(|(name, _)| *name == "x-api-token") {
        request = request.header("x-api-token", KEY);
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(body.into()).unwrap()
}

/// Sends a request with settings of one's own.
pub(crate) fn send(host: &impl Host, settings: &Settings, request: Request<Bytes>) -> Reply {
    now(api::handle(host, settings, request)).into()
}

/// `POST` with a JSON body.
pub(crate) fn post(host: &impl Host, path: &str, headers: &[(&str, &str)], body: &Value) -> Reply {
    send(host, &settings(), request("POST", path, headers, body.to_string()))
}

/// `GET`.
pub(crate) fn get(host: &impl Host, path: &str, headers: &[(&str, &str)]) -> Reply {
    send(host, &settings(), request("GET", path, headers, ""))
}

/// An address in São Paulo.
pub(crate) fn address(number: &str, latitude: f64, longitude: f64) -> Value {
    json!({
        "street": "Rua Augusta", "number": number, "complement": "ap. 12", "neighborhood": "Consolação",
        "city": "São Paulo", "state": "SP", "zipCode": "01304-001", "latitude": latitude, "longitude": longitude,
    })
}

/// An order with every field that the contract has.
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

/// A new store, with the floor of a prepaid one where that is given.
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

/// Makes a matrix and gives its key and its number.
pub(crate) fn matrix(host: &impl Host, cnpj: &str, email: &str, floor: Option<f64>) -> (String, u64) {
    let made = post(host, "/admin/matrices", &[("x-api-token", OPERATOR)], &store(cnpj, email, floor));
    assert_eq!(made.status, 201, "{}", made.body);
    let id = made.body["storeId"].as_str().unwrap().parse().unwrap();
    (made.body["value"].as_str().unwrap().to_owned(), id)
}

/// A store's notifications, newest first.
pub(crate) fn notifications(host: &impl Host, headers: &[(&str, &str)]) -> Vec<Value> {
    get(host, "/delivery/notifications", headers).body["notifications"].as_array().unwrap().clone()
}
