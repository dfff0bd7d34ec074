//! Requests to the API's handlers, without a server.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use despacho_bench::{BoxError, orders::parent_store};
use despacho_core::{api, model::Timestamp, rules::settings::Settings};
use http::{Method, Request, Response};
use serde_json::{Value, json};

use super::{area::point, host::DayHost, instance::Place, settings::OPERATOR};

/// Midnight of the simulated day in São Paulo, in milliseconds since 1970.
const MIDNIGHT_MILLIS: i64 = 1_795_316_400_000;

/// Returns the timestamp of a number of seconds since midnight.
pub(crate) fn timestamp(seconds: i64) -> Timestamp {
    Timestamp::from_millis(MIDNIGHT_MILLIS + seconds * 1_000)
}

/// Polls a future once. Futures of the in-memory host never wait.
pub(crate) fn poll_once<F: Future>(future: F) -> Result<F::Output, BoxError> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Ok(output),
        Poll::Pending => Err("the in-memory host waited".into()),
    }
}

/// A client of one host.
pub(crate) struct Api {
    pub(crate) host: DayHost,
    pub(crate) settings: Settings,
}

impl Api {
    /// Sends a request and returns its response, whatever its status is.
    pub(crate) fn send(
        &self,
        method: Method,
        path: &str,
        key: &str,
        body: String,
    ) -> Result<Response<Bytes>, BoxError> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("x-api-token", key);
        let request = request
            .header("content-type", "application/json")
            .body(Bytes::from(body))?;
        poll_once(api::handle(&self.host, &self.settings, request))
    }

    /// Sends a `POST` request, which must succeed.
    pub(crate) fn post(&self, path: &str, key: &str, body: String) -> Result<Bytes, BoxError> {
        let response = self.send(Method::POST, path, key, body)?;
        if !response.status().is_success() {
            let detail = String::from_utf8_lossy(response.body());
            return Err(format!("POST {path}: {} {detail}", response.status()).into());
        }
        Ok(response.into_body())
    }

    /// Registers a store and returns its key.
    pub(crate) fn register_store(&self, number: usize, at: Place) -> Result<String, BoxError> {
        let mut store = parent_store(number);
        store["address"] = address(at);
        let created: Value =
            serde_json::from_slice(&self.post("/admin/matrices", OPERATOR, store.to_string())?)?;
        Ok(created["value"]
            .as_str()
            .ok_or("the store has no key")?
            .to_owned())
    }

    /// Registers a courier and returns the ID and the key.
    pub(crate) fn register_courier(&self, name: &str) -> Result<(u64, String), BoxError> {
        let courier = json!({ "name": name, "phone": "+5511990000001" }).to_string();
        let created: Value =
            serde_json::from_slice(&self.post("/admin/couriers", OPERATOR, courier)?)?;
        let key = created["value"]
            .as_str()
            .ok_or("the courier has no key")?
            .to_owned();
        Ok((created["id"].as_u64().ok_or("the courier has no ID")?, key))
    }

    /// Creates an order of one delivery and returns the response.
    pub(crate) fn create_order(
        &self,
        key: &str,
        (code, pickup_code): (&str, &str),
        preparation_minutes: i64,
        to: Place,
    ) -> Result<Value, BoxError> {
        let delivery = json!({
            "name": "Maria Silva", "phone": "+5511999990000", "address": address(to), "pickupCode": pickup_code,
        });
        let order = json!({ "code": code, "preparationTime": preparation_minutes, "deliveries": [delivery] });
        Ok(serde_json::from_slice(&self.post(
            "/delivery/orders",
            key,
            order.to_string(),
        )?)?)
    }

    /// Reports a courier's position.
    pub(crate) fn report_position(&self, key: &str, at: Place) -> Result<(), BoxError> {
        let point = point(at);
        let body = format!(
            r#"{{"latitude":{},"longitude":{}}}"#,
            point.latitude(),
            point.longitude()
        );
        self.post("/courier/position", key, body).map(|_| ())
    }
}

fn address(at: Place) -> Value {
    let point = point(at);
    json!({
        "street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP",
        "latitude": point.latitude(), "longitude": point.longitude(),
    })
}
